"""The question in notes: what they ask the reader, beside what they tell."""

from __future__ import annotations

import re

MOST = 2000
"""Characters at the end of notes in which their question is looked for."""
_BOLD = r"\*\*(?=\S)((?:`[^`]*`|[^*`]|\*(?!\*))+)(?<=\S)\*\*\s*\Z"
"""The bold passage that a text ends with; nothing in it is open to two readings, so a search takes no long time."""
_ASKS = frozenset("?？؟")
_WORDS = r"((?:`[^`\n]*`|\n(?![ \t]*\n)|(?<=\s)\*(?=\s)|(?<=\w)\*(?=\w)|[^*`\n])+)"
"""What stands between marks of emphasis: no star but in code and between numbers, and no empty line."""
_BEFORE, _AFTER = r"(?<![A-Za-z0-9_*\\])", r"(?![A-Za-z0-9_*])"
"""No word and no star stands beside the marks: `2**3**4` is arithmetic."""
_EMPHASIS = tuple(
    rf"`[^`\n]*`|{_BEFORE}{mark}(?=[^\s*]){_WORDS}(?<=[^\s*\\]){mark}{_AFTER}" for mark in (r"\*{3}", r"\*", r"\*{2}")
)
"""Code, in which nothing is emphasis; or a passage between stars."""


def printable(text: str) -> str:
    """`text` for a terminal: notes may come from a stranger's file, whose control characters would reach it."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)


def split_notes(notes: str) -> tuple[str, str]:
    """Notes in Markdown without their question, and the question as plain text; "" where there is none.

    The question is the bold passage that notes end with, in their last paragraph, if it has a question mark.
    """
    tail = re.split(r"\n\s*\n", notes[-MOST:].rstrip())[-1]
    bold = re.search(_BOLD, tail)
    if bold is None or _ASKS.isdisjoint(bold[1]):
        return notes, ""
    question = printable(" ".join(bold[1].replace("`", "").split()))
    return notes.rstrip()[: bold.start() - len(tail)].rstrip(), question


def question_of(notes: str) -> str:
    """The question that notes in Markdown end with, as plain text; "" where they ask nothing."""
    return split_notes(notes)[1]


def asked_first(question: str) -> str:
    """A question without what to do about it: only the first sentence that asks."""
    return re.split(r"(?<=[?？؟])\s", question, maxsplit=1)[0]


def without_emphasis(text: str) -> str:
    """Text in Markdown without the stars around what is emphasized, for where nobody makes letters bold of them."""
    for pattern in _EMPHASIS:
        text = re.sub(pattern, lambda passage: passage[0] if passage[1] is None else passage[1], text)
    return text
