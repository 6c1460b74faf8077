"""The rows of a figure: which of them a line shows, the ruler before them, and cells with gaps or brackets between."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

from ..cells.cells import Cell, cells_of
from ..colour.palette import letter
from ..elements.lookup import reads_text
from ..elements.partners import Partners
from ..layout.figure import Figure
from ..look import Look
from ..spans import DIM, EDGE, LETTER, PLAIN, RULER, WARN, Line, Span, Style, marked_window_of
from .grid import Grid

FULL, TOP, BOTTOM = ("█", "▌", "▐"), ("▄", "▖", "▗"), ("▀", "▘", "▝")
"""What a line of cells is filled with, and what brackets a marked cell behind it and before it."""
MOST_KEPT = 1024
"""Lines that are kept for when they come again."""


class Rows(ABC):
    """The rows of a figure in one zoom: a window on its body, with everything that its lines follow from."""

    brackets_beside = True
    """What is marked is bracketed in the gaps beside its cell."""

    def __init__(self, figure: Figure, grid: Grid, look: Look, partners: Partners, left: int, width: int) -> None:
        """`left` is the first column of the body that is seen, `width` how many are."""
        self.figure, self.grid, self.look, self.left, self.width = figure, grid, look, left, width
        self.cells = cells_of(grid.contents, look, partners)
        key = left, width, look.stale, look.broken_axes, look.named_axes, look.written.whole
        self._drawn = grid.lines(key)

    # ---- what a zoom decides

    @abstractmethod
    def label_start(self, columns: int, column: int) -> int:
        """Columns from a cell's beginning to a label of so many columns, so that it stands over the cell's text."""

    @abstractmethod
    def cell(self, cell: Cell, width: int) -> tuple[str, Style]:
        """The text and the style of a cell of so many columns."""

    # ---- lines

    def row_at(self, position: int) -> int | None:
        """The row of the grid that begins at a position; None for none."""
        return self.grid.row_at.get(position)

    def line(self, line: int) -> Line:
        """A line of the body, [] where no row is; drawn once for as long as nothing on its cells changes."""
        row = self.row_in(line)
        if row is None:
            return []
        key = line, self.cells.key(self.grid.cells(row)), row == 0  # the first row has all of its indices before it
        drawn = self._drawn.get(key)
        if drawn is None:
            if len(self._drawn) >= MOST_KEPT:
                self._drawn.clear()
            drawn = self._drawn[key] = self.drawn(line, row)
        return drawn

    def identity_of(self, some: slice) -> int:
        """The identity that some cells share, told by the first, or by any of them where some have no source; or -1."""
        contents = self.cells.contents
        if contents.nowhere is None:
            return int(contents.identity[some.start])
        return int(contents.identity[some].max())

    def ruler(self, row: int) -> Line:
        """The letter and the indices that stand before a row."""
        figure, number = self.figure, self.grid.rows[row][0]
        line: Line = []
        if figure.letter_width:
            name = letter(self.identity_of(self.grid.cells(row))) if self.grid.columns else ""
            line.append(Span(f"{name:<{figure.letter_width}}", LETTER))
        at = figure.rows.split(number)
        for depth, (d, width) in enumerate(zip(figure.down, figure.index_widths, strict=True)):
            # Where an outer index stays what it was above, it is dim. Left out, it would be read as another's.
            begins = depth == len(figure.down) - 1 or not any(at[depth + 1 :]) or row == 0
            style = figure.axis_style(d, self.look) if begins else DIM
            line += [Span(f"{at[depth]:>{width}}", style), Span(" ", PLAIN)]
        return line

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
        """The row of the grid that a line of the body shows; None for none."""
        return self.row_at(line)

    def drawn(self, line: int, row: int) -> Line:
        """A line of the body that shows a row."""
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
