"""The overview: an element is half a character, and a line holds two rows."""

from __future__ import annotations

import numpy as np

from ..colour.palette import MUTED, PERIOD
from ..spans import DIM, EDGE, EMPTY, MARK, NEUTRAL, PAPER, SHADED, Line, Span, Style
from .previous import PREVIOUS, ring
from .rows import Rows


class OverviewRows(Rows):
    """Rows of half characters, two in a line."""

    def label_start(self, columns: int, column: int) -> int:
        return 0

    def held(self, line: int) -> tuple[int | None, ...]:
        return self.row_at(2 * line), self.row_at(2 * line + 1)

    def drawn(self, line: int, held: tuple[int | None, ...]) -> Line:
        grid = self.view.grid
        made = self.ruler(next(row for row in held if row is not None))
        paper = [PAPER] * len(grid.columns)
        upper, lower = (paper if row is None else self._fills(grid.cells(row)) for row in held)
        x, text, style = self.view.left - 1, "", DIM
        for j, (_, position) in enumerate(grid.columns):
            if position > x:
                made += [Span(text, style)] if text else []
                made.append(Span(" " * (position - x), EDGE))
                text = ""
            char, found = _halves(upper[j], lower[j])
            if found != style and text:
                made.append(Span(text, style))
                text = ""
            text, style = text + char, found
            x = position + 1
        return [*made, Span(text, style)] if text else made

    def _fills(self, cells: slice) -> list[int]:
        """What fills each of some cells: an identity, or what stands in its place."""
        grid, marks = self.view.grid, self.view.marks
        fills = grid.identity[cells].copy()
        if grid.shades is not None:
            shades = np.array(grid.shades[cells])
            fills = np.where(fills >= 0, SHADED + (shades - MUTED) * PERIOD + fills % PERIOD, fills)
        if self.view.look.stale:
            fills[:] = NEUTRAL
        if grid.counts is not None:
            fills[grid.counts[cells] == 0] = EMPTY
        if marks.known is not None and self.view.figure.place.is_output:
            fills[~marks.known[cells]] = EMPTY
        if marks.previous is not None:
            fills = marks.previous.fills(cells, fills)
        fills[marks.marked[cells]] = MARK
        if marks.signs is not None:
            fills[[bool(sign) for sign in marks.signs[cells]]] = MARK
        made: list[int] = fills.tolist()
        return made


def _halves(upper: int, lower: int) -> tuple[str, Style]:
    """A character that shows two elements, so that a mark and what is missing are seen without colour too."""
    if upper == MARK or lower == MARK:
        char = "●" if upper == lower else "◓" if upper == MARK else "◒"
        return char, Style("halves mark", NEUTRAL, True)
    if upper >= PREVIOUS or lower >= PREVIOUS:
        return ring(upper, lower)
    if upper == EMPTY and lower in (EMPTY, PAPER):
        return "·", Style("empty")
    if upper == PAPER:
        return "▄", Style("halves", lower, False, upper)
    return "▀", Style("halves", upper, False, lower)
