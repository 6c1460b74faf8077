"""How wide text is, in columns of a fixed font, and where its lines break: ideographs, kana and hangul are two wide."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import category, combining, east_asian_width

CLOSING, OPENING = ("Pe", "Pf", "Po"), ("Pi", "Ps")
"""Categories of punctuation that begins no line, and of what ends none."""


def width(text: str) -> int:
    """Columns of a text in a terminal."""
    return sum(2 if east_asian_width(c) in "WF" else not combining(c) for c in text)


def wrapped(text: str, columns: int) -> list[str]:
    """The lines of a text without line ends, each of at most `columns` columns, 2 or more; [] of blanks alone.

    Lines break at blanks, around what is two columns wide, and in a word that is longer than a line.
    """
    lines: list[str] = []
    line = ""
    for blanks, word in re.findall(r"(\s*)(\S+)", text):
        for k, piece in enumerate(_pieces(word, columns)):
            more = piece if k else blanks + piece
            if line and width(line + more) > columns:
                lines.append(line)
                line = piece
            else:
                line += more
    return [*lines, line] if line else lines


def _pieces(word: str, columns: int) -> Iterator[str]:
    """What a word may be broken into: wide characters with their punctuation, and runs of others."""
    piece = ""
    for char in word:
        is_narrow = width(char) < 2 and width(piece[-1:]) < 2
        stays = is_narrow or not width(char) or category(char) in CLOSING or category(piece[-1:] or " ") in OPENING
        if piece and (not stays or width(piece + char) > columns):
            yield piece
            piece = ""
        piece += char
    if piece:
        yield piece
