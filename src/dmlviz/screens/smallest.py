"""The room that a screen needs."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen

SMALLEST = (60, 18)
"""Columns and lines that the screen needs."""
TOO_SMALL = f"dmlviz needs {SMALLEST[0]} columns and {SMALLEST[1]} lines.\nMake the terminal larger; nothing is lost."


def mark_tiny(screen: Screen[Any]) -> None:
    """Sets the class that shows `TOO_SMALL` where a screen is below `SMALLEST`; else takes it away."""
    width, height = screen.app.size
    screen.set_class(width < SMALLEST[0] or height < SMALLEST[1], "tiny")
