"""The rows of a figure, whatever the zoom: which of them a line shows, and the ruler before them."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ..cells.cells import cells_of
from ..colour.palette import letter
from ..elements.partners import Partners
from ..layout.figure import Figure
from ..look import Look
from ..spans import DIM, LETTER, PLAIN, Line, Span
from .grid import Grid

MOST_KEPT = 1024
"""Lines that are kept for when they come again."""


class Rows(ABC):
    """The rows of a figure in one zoom: a window on its body, with everything that its lines follow from."""

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
    def row_in(self, line: int) -> int | None:
        """The row of the grid that a line of the body shows; None for none."""

    @abstractmethod
    def drawn(self, line: int, row: int) -> Line:
        """A line of the body that shows a row."""

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
