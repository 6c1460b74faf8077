"""Large cells, three lines high: a value in the middle of its own colour."""

from __future__ import annotations

from ..layout.zoom import LARGE_LINES
from ..spans import DIM, EDGE, Line, Span, Style
from .values import ValueRows

MIDDLE = LARGE_LINES // 2
"""The line of a cell that its value stands in."""


class LargeRows(ValueRows):
    """Rows of large cells; half of their first and last lines is air where rows touch each other."""

    def label_start(self, columns: int) -> int:
        return (self.view.figure.cell - columns) // 2

    def cell(self, at: int) -> tuple[str, Style]:
        text, style = super().cell(at)
        return text, style._replace(strong=True)

    def body(self, prefix: str, text: str, room: int, pad: int) -> str:
        return (prefix + text.lstrip()).center(self.view.figure.cell - 1 - pad)

    def held(self, line: int) -> tuple[int | None, ...]:
        for above in range(LARGE_LINES):
            row = self.row_at(line - above)
            if row is not None:
                return (row,)
        return (None,)

    def drawn(self, line: int, held: tuple[int | None, ...]) -> Line:
        (row,) = held
        assert row is not None
        below = line - self.view.grid.rows[row][1]
        return self.cells(row) if below == MIDDLE else self._edge(row, top=below == 0)

    def _edge(self, row: int, *, top: bool) -> Line:
        """The first or the last line of a row."""
        view, figure, grid, marks = self.view, self.view.figure, self.view.grid, self.view.marks
        line: Line = [Span(" " * max(0, figure.margin - 1), DIM)]
        whole, before_side, after_side = ("▄", "▖", "▗") if top else ("▀", "▘", "▝")
        apart = figure.step > LARGE_LINES
        if apart:
            whole, before_side, after_side = "█", "▌", "▐"
        left, right = view.left, view.left + view.width
        x, before = left - 1, False
        if grid.columns and grid.columns[0][1] < left:
            line.append(Span(" ", EDGE))
        for at, (_, position) in enumerate(grid.columns, grid.cells(row).start):
            mark = bool(marks.marked[at])
            if position > x:
                room = position - x
                sides = (before_side if before else " ", after_side if mark else " ")
                text = (whole if before and mark else "".join(sides).strip() or " ") if room == 1 else ""
                line.append(Span(text or sides[0] + " " * (room - 2) + sides[1], EDGE))
            _, style = self.cell(at)
            text = ((" " if apart else whole) * figure.cell)[max(0, left - position) : max(0, right - position)]
            if text:
                line.append(Span(text, style if apart else style._replace(kind=f"{style.kind} edge")))
            x = max(position + figure.cell, left)
            before = mark and x == position + figure.cell
        if before and x < right:
            line.append(Span(before_side, EDGE))
        return line
