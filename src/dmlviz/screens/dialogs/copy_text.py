"""How much text a clipboard takes, in numbers and in words."""

from __future__ import annotations

MOST = 100_000
"""Bytes that terminals take through OSC 52; beyond that it is a file."""


def length_in_words(text: str) -> str:
    return f"{len(text):,} {'character' if len(text) == 1 else 'characters'}"


def fits_clipboard(text: str) -> bool:
    """True if terminals take the text for their clipboard."""
    return len(text.encode()) <= MOST


def too_long_sentence(what: str, text: str) -> str:
    return f"{what} has {length_in_words(text)}, too many for a clipboard in a terminal: a file takes it."
