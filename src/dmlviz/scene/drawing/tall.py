"""Cells that are higher than a line: a value in the middle of its own colour, and its letter in the corner."""

from __future__ import annotations

from ..elements.pins import tab_of
from ..spans import ABSENT, DIM, EDGE, TAB, Line, Span, Style
from .values import ValueRows
from .view import View

FULL, TOP, BOTTOM = ("█", "▌", "▐"), ("▄", "▖", "▗"), ("▀", "▘", "▝")
"""What a line of cells is filled with, and what brackets a marked cell behind it and before it."""
HAIRLINES = {TOP: "▁", BOTTOM: "▔"}
"""What stands there of cells without a colour: half of a line would break the hairlines at their sides in two."""


class TallRows(ValueRows):
    """Rows of cells that are higher than a line; half of the outer ones is air where rows would touch each other."""

    @property
    def signs_above(self) -> bool:
        return self.view.figure.middle > 0

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
        if below == 0 and self.view.marks.signs is not None:
            return self._filled(row, TOP if self._touching else FULL, named=self._names_at(below), pinned=True)
        if self._touching and below == figure.lines - 1:
            return self._filled(row, BOTTOM)
        if self._touching and below == 0:
            return self._filled(row, TOP)
        if self._names_at(below):
            return self._filled(row, FULL, named=True)
        if row not in self._blank:  # most lines of a cell are of this kind
            self._blank[row] = self._filled(row, FULL)
        return self._blank[row]

    @property
    def _touching(self) -> bool:
        """No line is left between two rows."""
        return self.view.figure.step == self.view.figure.lines

    def _names_at(self, below: int) -> bool:
        """The letters of cells stand in this line of them."""
        return self.is_cornered and below == self._corner

    def _filled(self, row: int, fill: tuple[str, str, str], *, named: bool = False, pinned: bool = False) -> Line:
        """A line of a row without its values; with the cells' letters where they are `named`, and the signs of pins."""
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
            line_of = HAIRLINES[fill] if fill is not FULL and style.kind in ABSENT else whole
            text = f" {name}".ljust(cell)[:cell] if fill is FULL else line_of * cell
            first, last = max(0, left - position), max(0, right - position)
            signs = marks.signs[at] if pinned and marks.signs is not None else ""
            if signs:
                tab = tab_of(text if fill is FULL else " " * cell, signs)[first:last]
                line += [Span(tab, TAB)] if tab else []
                first += len(tab)
            text = text[first:last]
            if text:
                line.append(Span(text, style if fill is FULL else style._replace(kind=f"{style.kind} edge")))
            x = max(position + cell, left)
            before = mark and x == position + cell
        if x < right and (before or fill is FULL):
            line.append(Span(behind if before else " ", EDGE))
        return line
