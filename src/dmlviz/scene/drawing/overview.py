"""Small cells: blocks of colour, two columns wide, and the overview, where an element is half a character."""

from __future__ import annotations

from ..cells.cells import CLAMPED_SIGN, Cell
from ..cells.contents import NOWHERE_SIGN
from ..spans import CONSTANT, DIM, EDGE, EMPTY, MARK, NEUTRAL, PAPER, Line, Span, Style
from .cell_rows import CellRows
from .rows import Rows

MARKED = "▌▐"
"""Brackets inside a cell, in the colour of text, because there is no room beside it."""


class BlockRows(CellRows):
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


class OverviewRows(Rows):
    """Rows of half characters, two in a line."""

    def label_start(self, columns: int, column: int) -> int:
        return 0

    def rows_in(self, line: int) -> tuple[int | None, ...]:
        return self.row_at(2 * line), self.row_at(2 * line + 1)

    def drawn(self, line: int, rows: tuple[int | None, ...]) -> Line:
        grid = self.grid
        spans = self.ruler(next(row for row in rows if row is not None))
        paper = [PAPER] * len(grid.columns)
        upper, lower = (paper if row is None else self._marked_fills(grid.cells(row)) for row in rows)
        x, text, style = self.left - 1, "", DIM
        for j, (_, position) in enumerate(grid.columns):
            if position > x:
                spans += [Span(text, style)] if text else []
                spans.append(Span(" " * (position - x), EDGE))
                text = ""
            char, char_style = _halves(upper[j], lower[j])
            if char_style != style and text:
                spans.append(Span(text, style))
                text = ""
            text, style = text + char, char_style
            x = position + 1
        return [*spans, Span(text, style)] if text else spans

    def _marked_fills(self, some: slice) -> list[int]:
        """`Cells.fills` of some cells, with marks."""
        cells = self.cells
        fills = cells.fills(some)
        fills[cells.marked[some]] = MARK
        numbers: list[int] = fills.tolist()
        return numbers


def _halves(upper: int, lower: int) -> tuple[str, Style]:
    """A character that shows two elements, so that a mark and what is missing are seen without colour too."""
    if upper == MARK or lower == MARK:
        char = "●" if upper == lower else "◓" if upper == MARK else "◒"
        return char, Style("halves mark", NEUTRAL, True)
    if upper == EMPTY and lower in (EMPTY, PAPER):
        return "·", Style("empty")
    if upper == CONSTANT and lower in (CONSTANT, PAPER):
        return NOWHERE_SIGN, Style("nowhere")
    if upper == PAPER:
        return "▄", Style("halves", lower, False, upper)
    return "▀", Style("halves", upper, False, lower)
