"""Blocks of colour, two columns wide."""

from __future__ import annotations

from ...operators.maps import CLAMPED
from ..colour.palette import NO_SHADE, letter
from ..spans import Style
from .cell_rows import CellRows

MARKED = "▌▐"
"""Brackets inside a cell, in the colour of text, because there is no room beside it."""


class BlockRows(CellRows):
    """Rows of blocks, each with its letter or a sign."""

    brackets_beside = False

    def label_start(self, columns: int, column: int) -> int:
        return 0

    def cell(self, at: int) -> tuple[str, Style]:
        figure, grid, marks = self.view.figure, self.view.grid, self.view.marks
        mark = bool(marks.marked[at])
        if figure.place.is_output and not marks.is_known(at):
            return MARKED if mark else "·".center(figure.cell), Style("empty", -1, mark)
        identity = int(grid.identity[at])
        unread = grid.counts is not None and grid.counts[at] == 0
        name = letter(identity) if identity >= 0 and figure.letters == "cell" else ""
        clamped = grid.flags is not None and bool(grid.flags[at] & CLAMPED)
        text = f"{name}!" if clamped and len(name) < 2 else name if 0 < len(name) <= 2 else "▪"
        if grid.places is not None and len(text) < 2:
            small = grid.places[at].strip()
            text += small if len(small) == 1 else ""
        if unread:
            text = "×0"
        if mark:
            text = MARKED
        kind = "unread" if unread else "cell"
        plain = self.view.look.stale or unread
        shade = grid.shades[at] if grid.shades is not None and not plain else NO_SHADE
        return f"{text:<2}", Style(kind, -1 if plain else identity, mark, shade=shade)
