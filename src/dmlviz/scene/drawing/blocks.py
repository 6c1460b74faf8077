"""Small cells: blocks of colour, two columns wide."""

from __future__ import annotations

from ..cells.cells import CLAMPED_SIGN, Cell
from ..spans import Style
from .rows import Rows

MARKED = "▌▐"
"""Brackets inside a cell, in the colour of text, because there is no room beside it."""


class BlockRows(Rows):
    """Rows of blocks, each with its letter or a sign."""

    brackets_beside = False

    def label_start(self, columns: int, column: int) -> int:
        return 0

    def cell(self, cell: Cell, width: int) -> tuple[str, Style]:
        if cell.is_marked:
            text = MARKED
        elif not cell.is_known:
            text = cell.text.center(width)
        elif cell.is_unread:
            text = "×0"
        elif cell.is_nowhere:
            text = cell.letter
        else:
            name, clamped = cell.letter if self.figure.letters == "cell" else "", cell.sign == CLAMPED_SIGN
            text = f"{name}!" if clamped and len(name) < 2 else name if 0 < len(name) <= 2 else "▪"
            place = cell.place.strip()
            text += place if len(text) < 2 and len(place) == 1 else ""
        return f"{text:<2}", cell.small_style
