"""Capitals and digits, three lines high: a code that a room reads and types, and where to do so."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

LETTERS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
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
        ".": (" ", " ", "▄"),
        "A": ("▄▀▀▄", "█▄▄█", "█  █"),
        "B": ("█▀▀▄", "█▀▀▄", "█▄▄▀"),
        "C": ("▄▀▀▀", "█   ", "▀▄▄▄"),
        "D": ("█▀▀▄", "█  █", "█▄▄▀"),
        "E": ("█▀▀▀", "█▀▀ ", "█▄▄▄"),
        "F": ("█▀▀▀", "█▀▀ ", "█   "),
        "G": ("▄▀▀▀", "█ ▄▄", "▀▄▄█"),
        "H": ("█  █", "█▀▀█", "█  █"),
        "J": ("  ▀█", "   █", "▀▄▄▀"),
        "K": ("█ ▄▀", "██  ", "█ ▀▄"),
        "M": ("█▄ ▄█", "█ █ █", "█   █"),
        "N": ("█▄  █", "█ █ █", "█  ▀█"),
        "P": ("█▀▀▄", "█▄▄▀", "█   "),
        "Q": ("▄▀▀▄", "█  █", "▀▄▀▄"),
        "R": ("█▀▀▄", "█▄▄▀", "█ ▀▄"),
        "S": ("▄▀▀▀", " ▀▀▄", "▄▄▄▀"),
        "T": ("▀▀█▀▀", "  █  ", "  █  "),
        "V": ("█   █", "▀▄ ▄▀", " ▀▄▀ "),
        "W": ("█   █", "█ █ █", "█▀ ▀█"),
        "X": ("▀▄ ▄▀", "  █  ", "▄▀ ▀▄"),
        "Y": ("▀▄ ▄▀", "  █  ", "  █  "),
        "Z": ("▀▀▀█", " ▄▀ ", "█▄▄▄"),
        ":": ("▄", " ", "▀"),
        " ": ("  ", "  ", "  "),
    }
)
"""Those of a code: rounder than digits, and wider."""


def large_lines(text: str) -> tuple[str, ...] | None:
    """The lines of a text, all alike wide; None for one with a character that isn't drawn so."""
    if not text or any(char not in LETTERS for char in text):
        return None
    return tuple(" ".join(LETTERS[char][line] for char in text) for line in range(3))
