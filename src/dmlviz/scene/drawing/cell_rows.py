"""Rows of cells that are columns of text each, with gaps or brackets between them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property

from ..cells.cells import Cell
from ..elements.lookup import reads_text
from ..spans import EDGE, RULER, WARN, Line, Span, Style, marked_window_of
from .rows import Rows

FULL, TOP, BOTTOM = ("█", "▌", "▐"), ("▄", "▖", "▗"), ("▀", "▘", "▝")
"""What a line of cells is filled with, and what brackets a marked cell behind it and before it."""


class CellRows(Rows):
    """Rows in which each cell has a text and a style of its own."""

    brackets_beside = True
    """What is marked is bracketed in the gaps beside its cell."""

    @abstractmethod
    def cell(self, cell: Cell, width: int) -> tuple[str, Style]:
        """The text and the style of a cell of so many columns."""

    def cells_in(self, row: int) -> list[tuple[Cell, str, Style]]:
        """The cells of a row with their texts and styles."""
        if row not in self._cells_by_row:  # each line of a row asks for them
            self._cells_by_row[row] = [
                (cell, *self.cell(cell, end - start))
                for cell, (start, end) in zip(self.cells[self.grid.cells(row)], self.columns, strict=True)
            ]
        return self._cells_by_row[row]

    @cached_property
    def columns(self) -> list[tuple[int, int]]:
        """(begin, end) of the cells of each column."""
        return [(start, start + self.figure.cell_at(column)) for column, start in self.grid.columns]

    @cached_property
    def _cells_by_row(self) -> dict[int, list[tuple[Cell, str, Style]]]:
        """What `cells_in` has given so far, by row; empty at first."""
        return {}

    def row_in(self, line: int) -> int | None:
        return self.row_at(line)

    def drawn(self, line: int, row: int) -> Line:
        return self.cell_line(row)

    def cell_line(self, row: int) -> Line:
        """A row of cells in one line, with its ruler, and behind it how often it is read."""
        start = self.grid.cells(row).start
        shown = [[Span(text, style)] for _, text, style in self.cells_in(row)]
        line = self.band(row, self.ruler(row), shown)
        counts = self.cells.contents.counts
        ends_inside = bool(self.columns) and self.columns[-1][1] < self.left + self.width
        if self.figure.counts_along == "row" and counts is not None and ends_inside:
            count = int(counts[start])
            line.append(Span(reads_text(count), RULER if count else WARN))
        return line

    def band(self, row: int, line: Line, shown: Sequence[Line], fill: tuple[str, str, str] = FULL) -> Line:
        """`line` itself, longer by what is `shown` of a row's cells, as far as they are seen, with their gaps."""
        left, right = self.left, self.left + self.width
        x, before = left - 1, False  # the ruler's last column is the gap before the first cell
        if self.columns and self.columns[0][0] < left:
            line.append(Span(" ", EDGE))  # that cell is cut at the left, and the gap before it is out of sight
        marked = self.cells.marked[self.grid.cells(row)].tolist()
        for (start, end), is_marked, spans in zip(self.columns, marked, shown, strict=True):
            mark = is_marked and self.brackets_beside
            if start > x:
                line.append(Span(_gap(before, mark, start - x, fill), EDGE))
            is_cut = start < left or end > right
            line += marked_window_of(spans, max(0, left - start), right - max(left, start)) if is_cut else spans
            x = max(end, left)  # of a gap that is out of sight in part the rest is drawn
            before = mark and x == end
        if x < right and (before or fill is FULL):
            line.append(Span(_gap(before, False, 1, fill), EDGE))
        return line


def _gap(before: bool, after: bool, width: int, fill: tuple[str, str, str]) -> str:
    """What stands between two cells: half blocks that bracket the marked ones."""
    whole, behind, ahead = fill
    if width == 1:
        return whole if before and after else behind if before else ahead if after else " "
    return (behind if before else " ") + " " * (width - 2) + (ahead if after else " ")
