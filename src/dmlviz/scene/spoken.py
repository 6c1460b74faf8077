"""Words that are drawn, in another language than English: phrases are told from names and numbers by what they say."""

from __future__ import annotations

import re
from functools import lru_cache

from .spans import Line

Words = tuple[tuple[str, str], ...]
"""(English phrase, what it is in the language) of what a picture says; () for English."""


def said(text: str, words: Words) -> str:
    """A text with its phrases in the language of `words`; what has no word there stays."""
    if not words or not text.strip():
        return text
    finder, table = _finder(words)
    return finder.sub(lambda match: table[match[0]], text)


def said_line(line: Line, words: Words) -> Line:
    """A line of a picture in the language of `words`."""
    return [span._replace(text=said(span.text, words)) for span in line] if words else line


@lru_cache(8)
def _finder(words: Words) -> tuple[re.Pattern[str], dict[str, str]]:
    """What finds the phrases, the longest first, and what each is."""
    table = dict(words)
    phrases = "|".join(re.escape(phrase) for phrase in sorted(table, key=len, reverse=True))
    return re.compile(rf"(?<![\w.\[])(?:{phrases})(?!\w)"), table
