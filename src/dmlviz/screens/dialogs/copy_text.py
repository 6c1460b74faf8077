"""How much text a clipboard takes, in numbers and in words."""

from __future__ import annotations

MOST = 100_000
"""Bytes that terminals take through OSC 52; beyond that it is a file."""


def count_of(text: str) -> str:
    return f"{len(text):,} {'character' if len(text) == 1 else 'characters'}"


def fits(text: str) -> bool:
    """True if terminals take it for their clipboard."""
    return len(text.encode()) <= MOST


def too_long(what: str, text: str) -> str:
    return f"{what} has {count_of(text)}, too many for a clipboard in a terminal: a file takes it."
