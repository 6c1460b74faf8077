"""Text for the clipboard."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen

MOST = 100_000
"""Bytes that terminals take through OSC 52; beyond that it is a file."""


def length_in_words(text: str) -> str:
    return f"{len(text):,} {'character' if len(text) == 1 else 'characters'}"


def copied(screen: Screen[Any], what: str, text: str, hint: str = "") -> bool:
    """Copies a text, and says how much it was; False where it is too much for that, which is said."""
    fits, length = len(text.encode()) <= MOST, length_in_words(text)
    if fits:
        screen.app.copy_to_clipboard(text)
    said = f"copied {what}: {length}.{hint}"
    long = f"{what} has {length}, too many for a clipboard in a terminal: a file takes it."
    screen.notify(said if fits else long, markup=False)
    return fits
