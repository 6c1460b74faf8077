"""Rows of cells that are columns of text each, with gaps or brackets between them."""

from __future__ import annotations

from abc import abstractmethod

from ..elements.lookup import reads
from ..elements.pins import tab_of
from ..spans import EDGE, RULER, TAB, WARN, Line, Span, Style
from .rows import Rows


class CellRows(Rows):
    """Rows in which each cell has a text and a style of its own."""

    brackets_beside = True
    """What is marked is bracketed in the gaps beside its cell."""

    @property
    def signs_above(self) -> bool:
        """The signs of pins stand in a line of the cell of their own, and not beside its value."""
        return False

    @abstractmethod
    def cell(self, at: int) -> tuple[str, Style]:
        """The text and the style of a cell of the grid."""

    def held(self, line: int) -> tuple[int | None, ...]:
        return (self.row_at(line),)

    def drawn(self, line: int, held: tuple[int | None, ...]) -> Line:
        (row,) = held
        assert row is not None
        return self.cells(row)

    def cells(self, row: int) -> Line:
        """A row of cells in one line, with its ruler, and behind it how often it is read."""
        view, figure, grid, marks = self.view, self.view.figure, self.view.grid, self.view.marks
        left, right, start = view.left, view.left + view.width, grid.cells(row).start
        beside = self.brackets_beside
        line = self.ruler(row)
        x, before = left - 1, False  # the ruler's last column is the gap before the first cell
        if grid.columns and grid.columns[0][1] < left:
            line.append(Span(" ", EDGE))  # that cell is cut at the left, and the gap before it is out of sight
        for at, (column, position) in enumerate(grid.columns, start):
            end, mark = position + figure.cell_at(column), bool(marks.marked[at])
            if position > x:
                line.append(Span(_gap(before and beside, mark and beside, position - x), EDGE))
            text, style = self.cell(at)
            first, last = max(0, left - position), max(0, right - position)
            tab, was = "", marks.was(at)
            if was is not None:
                line += was.spans(at, text, style, first, last)
                text = ""
            elif marks.signs is not None and marks.signs[at] and not self.signs_above:
                tab = tab_of(text, marks.signs[at])
            behind = bool(tab) and text[0] != " " and not text[0].isupper()
            if behind:  # a letter or a sign may be hidden, a digit may not
                text = text[:-1]
            elif tab[first:last]:
                line.append(Span(tab[first:last], TAB))
            body = text[max(first, 0 if behind else len(tab)) : last]
            if body:
                line.append(Span(body, style))
            if behind and first <= len(text) < last:
                line.append(Span(tab, TAB))
            x = max(end, left)  # of a gap that is out of sight in part the rest is drawn
            before = mark and x == end
        if x < right:
            line.append(Span(_gap(before and beside, False, 1), EDGE))
            if figure.counts_along == "row" and grid.counts is not None and grid.columns:
                count = int(grid.counts[start])
                line.append(Span(reads(count), RULER if count else WARN))
        return line


def _gap(before: bool, after: bool, width: int) -> str:
    """What stands between two cells: half blocks that bracket the marked ones."""
    if width == 1:
        return "█" if before and after else "▌" if before else "▐" if after else " "
    return ("▌" if before else " ") + " " * (width - 2) + ("▐" if after else " ")
