"""Numbers three lines high, for cells that have the room: to be read from the back of a class."""

from __future__ import annotations

from collections.abc import Mapping

HIGH = 3
"""Lines of a number."""
PITCH = 4
"""Columns from one digit to the next; a digit has one less, or fewer."""
GLYPHS: Mapping[str, tuple[str, str, str]] = {
    "0": ("█▀█", "█ █", "█▄█"),
    "1": ("▀█ ", " █ ", "▄█▄"),
    "2": ("▀▀█", "█▀▀", "█▄▄"),
    "3": ("▀▀█", "▀▀█", "▄▄█"),
    "4": ("█ █", "▀▀█", "  █"),
    "5": ("█▀▀", "▀▀█", "▄▄█"),
    "6": ("█▀▀", "█▀█", "█▄█"),
    "7": ("▀▀█", "  █", "  █"),
    "8": ("█▀█", "█▀█", "█▄█"),
    "9": ("█▀█", "▀▀█", "▄▄█"),
    "-": ("   ", "▀▀▀", "   "),
    "+": (" ▄ ", "▀█▀", "   "),
    ".": (" ", " ", "▄"),
}
"""Half blocks are squares, so a digit is three wide and six high."""


def digit_line(text: str, line: int) -> str:
    """Line `line` of a number; "" for what has a character that isn't drawn so."""
    if not text or any(char not in GLYPHS for char in text):
        return ""
    return " ".join(GLYPHS[char][line] for char in text)
