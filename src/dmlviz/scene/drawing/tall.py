"""Cells that are higher than a line: a value in the middle of its own colour, and its letter in the corner."""

from __future__ import annotations

from ..spans import DIM, EDGE, Line, Span, Style
from .values import ValueRows
from .view import View

FULL, TOP, BOTTOM = ("█", "▌", "▐"), ("▄", "▖", "▗"), ("▀", "▘", "▝")
"""What a line of cells is filled with, and what brackets a marked cell behind it and before it."""


class TallRows(ValueRows):
    """Rows of cells that are higher than a line; half of the outer ones is air where rows would touch each other."""

    @property
    def is_cornered(self) -> bool:
        return self._corner < self.view.figure.middle

    @property
    def _corner(self) -> int:
        """The first line of a cell that is filled whole."""
        figure = self.view.figure
        return int(figure.step == figure.lines and figure.lines > 2)

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._made: dict[int, tuple[str, Style]] = {}
        self._blank: dict[int, Line] = {}

    def cell(self, at: int) -> tuple[str, Style]:
        found = self._made.get(at)
        if found is None:  # each line of a cell asks for it
            text, style = super().cell(at)
            # Bold is what tells a marked cell without colour; the largest have their brackets for that.
            found = self._made[at] = text, style._replace(strong=True) if self.view.figure.lines > 3 else style
        return found

    def held(self, line: int) -> tuple[int | None, ...]:
        for above in range(self.view.figure.lines):
            row = self.row_at(line - above)
            if row is not None:
                return (row,)
        return (None,)

    def drawn(self, line: int, held: tuple[int | None, ...]) -> Line:
        (row,) = held
        assert row is not None
        figure, below = self.view.figure, line - self.view.grid.rows[row][1]
        if below == figure.middle:
            return self.cells(row)
        touching = figure.step == figure.lines
        if touching and below == figure.lines - 1:
            return self._filled(row, BOTTOM)
        if touching and below == 0:
            return self._filled(row, TOP)
        if self.is_cornered and below == self._corner:
            return self._filled(row, FULL, named=True)
        if row not in self._blank:  # most lines of a cell are of this kind
            self._blank[row] = self._filled(row, FULL)
        return self._blank[row]

    def _filled(self, row: int, fill: tuple[str, str, str], *, named: bool = False) -> Line:
        """A line of a row without its values; with the cells' letters where they are `named`."""
        view, figure, grid, marks = self.view, self.view.figure, self.view.grid, self.view.marks
        line: Line = [Span(" " * max(0, figure.margin - 1), DIM)]
        whole, behind, ahead = fill
        left, right = view.left, view.left + view.width
        x, before = left - 1, False
        if grid.columns and grid.columns[0][1] < left:
            line.append(Span(" ", EDGE))
        for at, (column, position) in enumerate(grid.columns, grid.cells(row).start):
            cell, mark = figure.cell_at(column), bool(marks.marked[at])
            if position > x:
                room = position - x
                sides = (behind if before else " ", ahead if mark else " ")
                text = (whole if before and mark else "".join(sides).strip() or " ") if room == 1 else ""
                line.append(Span(text or sides[0] + " " * (room - 2) + sides[1], EDGE))
            _, style = self.cell(at)
            name = self.name(at) if named else ""
            text = f" {name}".ljust(cell)[:cell] if fill is FULL else whole * cell
            text = text[max(0, left - position) : max(0, right - position)]
            if text:
                line.append(Span(text, style if fill is FULL else style._replace(kind=f"{style.kind} edge")))
            x = max(position + cell, left)
            before = mark and x == position + cell
        if before and x < right:
            line.append(Span(behind, EDGE))
        return line
