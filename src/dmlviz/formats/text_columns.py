"""How wide text is, in columns of a fixed font, and where its lines break: ideographs, kana and hangul are two wide."""

from __future__ import annotations

from unicodedata import combining, east_asian_width


def width(text: str) -> int:
    """Columns of a text in a terminal."""
    return sum(2 if east_asian_width(c) in "WF" else not combining(c) for c in text)


def wrapped(text: str, columns: int) -> list[str]:
    """The lines of a text without line ends, each of at most `columns` columns, 2 or more; [] of blanks alone.

    Lines break at the last blank, and where there is none, anywhere.
    """
    lines, line = [], ""
    for char in text.strip():
        before = line
        line += char
        if width(line) > columns:
            head, _, tail = line.rpartition(" ")
            lines.append(head.rstrip() or before)
            line = tail if head.rstrip() else char
    return [*lines, line] if line else lines
