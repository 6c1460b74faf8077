"""The rows of a figure, whatever the zoom: which of them a line shows, and the ruler before them."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ..colour.palette import letter
from ..spans import DIM, LETTER, PLAIN, Line, Span
from .view import View

MOST_KEPT = 1024
"""Lines that are kept for when they come again."""


class Rows(ABC):
    """The rows of a figure in one zoom."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._drawn = view.grid.lines(
            (
                view.left,
                view.width,
                view.look.stale,
                view.look.broken_axes,
                view.look.named_axes,
                view.look.written.whole,
            )
        )

    # ---- what a zoom decides

    @abstractmethod
    def label_start(self, columns: int, column: int) -> int:
        """Where a label of so many columns begins over a column of cells, from their beginning: over their text."""

    @abstractmethod
    def held(self, line: int) -> tuple[int | None, ...]:
        """The rows of the grid that a line of the body shows; None for one that it has room for, and hasn't."""

    @abstractmethod
    def drawn(self, line: int, held: tuple[int | None, ...]) -> Line:
        """A line of the body that shows some rows, one at least."""

    # ---- lines

    def row_at(self, position: int) -> int | None:
        """The row of the grid that begins at a position."""
        return self.view.grid.row_at.get(position)

    def line(self, line: int) -> Line:
        """A line of the body; made once for as long as nothing on its cells changes."""
        held = self.held(line)
        grid, marks = self.view.grid, self.view.marks
        states = tuple([marks.key(grid.cells(row)) for row in held if row is not None])
        if not states:
            return []
        key = line, states, 0 in held  # the window's first row has all of its indices before it
        made = self._drawn.get(key)
        if made is None:
            if len(self._drawn) >= MOST_KEPT:
                self._drawn.clear()
            made = self._drawn[key] = self.drawn(line, held)
        return made

    def ruler(self, row: int) -> Line:
        """The letter and the indices that stand before a row."""
        figure, grid, number = self.view.figure, self.view.grid, self.view.grid.rows[row][0]
        line: Line = []
        if figure.letter_width:
            name = letter(int(grid.identity[row * len(grid.columns)])) if grid.columns else ""
            line.append(Span(f"{name:<{figure.letter_width}}", LETTER))
        at = figure.rows.split(number)
        for depth, (d, width) in enumerate(zip(figure.down, figure.index_widths, strict=True)):
            # Where an outer index stays what it was above, it is dim. Left out, it would be read as another's.
            begins = depth == len(figure.down) - 1 or not any(at[depth + 1 :]) or row == 0
            style = figure.axis_style(d, self.view.look) if begins else DIM
            line += [Span(f"{at[depth]:>{width}}", style), Span(" ", PLAIN)]
        return line
