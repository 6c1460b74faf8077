"""Cells that are higher than a line: a value in the middle of its own colour, and its letter in the corner."""

from __future__ import annotations

from functools import cached_property

from ..cells.cells import Cell
from ..elements.pins import tab_of
from ..spans import ABSENT, DIM, TAB, Line, Span, Style
from .cell_rows import BOTTOM, FULL, TOP
from .values import ValueRows

HAIRLINES = {TOP: "▁", BOTTOM: "▔"}
"""What stands there of cells without a colour: half of a line would break the hairlines at their sides in two."""


class TallRows(ValueRows):
    """Rows of cells that are higher than a line; half of the outer ones is air where rows would touch each other."""

    @property
    def pins_above(self) -> bool:
        """True if cells have a line above their values."""
        return self.figure.middle > 0

    @property
    def is_cornered(self) -> bool:
        """True if cells have a filled line above their values, for letters."""
        return self._corner < self.figure.middle

    @property
    def _corner(self) -> int:
        """The first line of a cell that is filled whole."""
        figure = self.figure
        return int(figure.step == figure.lines and figure.lines > 2)

    @cached_property
    def _blank_lines(self) -> dict[int, Line]:
        """By row: its line without values, letters and pins, drawn already; empty at first."""
        return {}

    def cell(self, cell: Cell, width: int) -> tuple[str, Style]:
        """A value's text and style, strong in the largest cells."""
        text, style = super().cell(cell, width)
        # Bold is what tells a marked cell without colour; the largest have their brackets for that.
        return text, style._replace(strong=True) if self.figure.lines > 3 else style

    def rows_in(self, line: int) -> tuple[int | None, ...]:
        """The one row of the grid whose cells a line cuts through; (None,) for none."""
        for above in range(self.figure.lines):
            row = self.row_at(line - above)
            if row is not None:
                return (row,)
        return (None,)

    def drawn(self, line: int, rows: tuple[int | None, ...]) -> Line:
        """A line of the cells of one row: their values, letters, pins, or fill alone."""
        (row,) = rows
        assert row is not None
        figure, below = self.figure, line - self.grid.rows[row][1]
        if below == figure.middle:
            return self.cell_line(row)
        if below == 0 and self.cells.pins is not None:
            return self._filled(row, TOP if self._touching else FULL, named=self._names_at(below), pinned=True)
        if self._touching and below == figure.lines - 1:
            return self._filled(row, BOTTOM)
        if self._touching and below == 0:
            return self._filled(row, TOP)
        if self._names_at(below):
            return self._filled(row, FULL, named=True)
        if row not in self._blank_lines:  # most lines of a cell are of this kind
            self._blank_lines[row] = self._filled(row, FULL)
        return self._blank_lines[row]

    @property
    def _touching(self) -> bool:
        """True if no line is left between two rows."""
        return self.figure.step == self.figure.lines

    def _names_at(self, below: int) -> bool:
        """True if letters stand in line `below` of the cells."""
        return self.is_cornered and below == self._corner

    def _filled(self, row: int, fill: tuple[str, str, str], *, named: bool = False, pinned: bool = False) -> Line:
        """A line of a row without its values; with the cells' letters where they are `named`, and the signs of pins."""
        shown = []
        for (start, end), (cell, _, style) in zip(self.columns, self.cells_in(row), strict=True):
            width, name = end - start, self.name(cell) if named else ""
            text = f" {name}".ljust(width)[:width]
            tab = tab_of(text if fill is FULL else " " * width, cell.pins) if pinned and cell.pins else ""
            if fill is not FULL:
                text = (HAIRLINES[fill] if style.kind in ABSENT else fill[0]) * width
                style = style._replace(kind=f"{style.kind} edge")
            spans = Span(tab, TAB), Span(text[len(tab) :], style)
            shown.append([span for span in spans if span.text])
        return self.band(row, [Span(" " * max(0, self.figure.margin - 1), DIM)], shown, fill)
