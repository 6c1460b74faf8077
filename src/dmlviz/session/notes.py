"""The question in notes: what they ask the reader, beside what they tell."""

from __future__ import annotations

import re

MOST = 2000
"""Characters at the end of notes in which their question is looked for."""
_BOLD = r"\*\*(?=\S)((?:`[^`]*`|[^*`]|\*(?!\*))+)(?<=\S)\*\*\s*\Z"
"""The bold passage that a text ends with; nothing in it is open to two readings, so a search takes no long time."""
_ASKS = frozenset("?？؟")


def printable(text: str) -> str:
    """`text` for a terminal: notes may come from a stranger's file, whose control characters would reach it."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)


def split_notes(notes: str) -> tuple[str, str]:
    """Notes without their question, and it as plain text: the bold passage with a question mark that they end with."""
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
