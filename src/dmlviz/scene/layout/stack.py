"""The tensors of one side, one below the other or side by side."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from msgspec import Struct, field

from ...formats.uncompared import Cache
from ...operators.maps import Place
from ..elements.cursor import Cursor
from .figure import Figure

GAP, BETWEEN = 2, 1
"""Columns between tensors that stand side by side, and empty lines between those that stand one below the other."""


class Stack(Struct, frozen=True, dict=True):
    """Figures one below the other, or, where `beside` is true, side by side.

    Then x is counted from the first one's ruler, and rulers scroll too.
    """

    figures: tuple[Figure, ...]
    beside: bool = False
    before: int = 0
    above: int = 0
    below: int = 0
    family: Cache = field(default_factory=Cache)
    """The same for stacks that differ in nothing but the slices they show."""

    @cached_property
    def tops(self) -> list[int]:
        """The first line of each figure, and behind the last one's gap."""
        if self.beside:
            end = self.above + max((f.height for f in self.figures), default=0) + BETWEEN
            return [*[self.above] * len(self.figures), end]
        return list(accumulate((f.height + BETWEEN for f in self.figures), initial=self.above))

    @cached_property
    def lefts(self) -> list[int]:
        """The first column of each figure's ruler, and behind the last one's gap."""
        if not self.beside:
            return [self.before] * (len(self.figures) + 1)
        return list(accumulate((f.width + GAP for f in self.figures), initial=self.before))

    @property
    def height(self) -> int:
        """Lines to the end of the last tensor, with the empty ones above the first."""
        return max(0, self.tops[-1] - BETWEEN)

    @cached_property
    def width(self) -> int:
        """Columns at which cells, titles and names of axes stand whole."""
        if self.beside:
            return sum(f.width for f in self.figures) + GAP * (len(self.figures) - 1)
        # A few of thousands tell how long titles are.
        few = self.figures[:: max(1, len(self.figures) // 32)]
        return max((f.width for f in few), default=0)

    @cached_property
    def extent(self) -> int:
        """Columns that there is something to scroll to."""
        if self.beside:
            return self.lefts[-1] - GAP
        return self.before + max((figure.extent for figure in self.figures), default=0)

    def figure_at(self, y: int) -> int:
        """The number of the figure in a line of the stack."""
        return max(0, min(bisect_right(self.tops, y) - 1, len(self.figures) - 1))

    def hit(self, x: int, y: int, top: int, left: int) -> Cursor | None:
        """The element drawn at (x, y) of a window that shows the stack from line `top`, bodies from column `left`.

        None where there is none.
        """
        if self.beside:
            x, left = x + left, 0
            number = max(0, min(bisect_right(self.lefts, x), len(self.figures)) - 1)
        else:
            number = self.figure_at(top + y)
        figure, top = self.figures[number], top - self.tops[number]
        x -= self.lefts[number]
        if y < figure.pinned(top):
            return None  # the ruler lies over the cells there
        index = figure.hit(x - figure.margin + left, top + y) if x >= figure.margin else None
        return Cursor(figure.place, index) if index is not None else None

    def covers(self, y: int, top: int) -> bool:
        """True if line `y` of a window is not one of what is scrolled: rulers that stay."""
        numbers = range(len(self.figures)) if self.beside else [self.figure_at(top)]
        return any(y < self.figures[n].pinned(top - self.tops[n]) for n in numbers)

    def turned(self, cursor: Cursor, by: int, outer: int) -> Cursor | None:
        """The cursor some slices further; the sliced axes count like digits, the last `outer` of them standing still.

        None where nothing is sliced that far out.
        """
        figure = self.figure(cursor.place)
        sizes = figure.part.tensor.sizes
        axes = [d for d in figure.sliced if sizes[d] > 1]
        axes = axes[: len(axes) - outer]
        if not axes:
            return None
        index, carry = list(cursor.index), by
        for d in reversed(axes):
            carry, index[d] = divmod(index[d] + carry, sizes[d])
        return cursor if carry else Cursor(cursor.place, tuple(index))

    def locate(self, cursor: Cursor) -> tuple[int, int]:
        """(x, y) of an element: behind its ruler's columns, and from the stack's top."""
        n = next(i for i, f in enumerate(self.figures) if f.place == cursor.place)
        x, y = self.figures[n].locate(cursor.index)
        return x + self.lefts[n], y + self.tops[n]

    def figure(self, place: Place) -> Figure:
        return next(f for f in self.figures if f.place == place)

    def moved(self, cursor: Cursor, rows: int, columns: int) -> Cursor:
        """The element some cells further; behind the last row, or the last column, the next tensor's."""
        number = next(i for i, f in enumerate(self.figures) if f.place == cursor.place)
        figure = self.figures[number]
        if self.beside:
            return self._moved_beside(cursor, number, rows, columns)
        row = figure.row_of(cursor.index) + rows
        if row < 0 and number > 0:
            other = self.figures[number - 1]
            return Cursor(other.place, other.index(other.rows.count - 1, 0))
        if row >= figure.rows.count and number < len(self.figures) - 1:
            other = self.figures[number + 1]
            return Cursor(other.place, other.index(0, 0))
        return Cursor(figure.place, figure.moved(cursor.index, rows, columns))

    def _moved_beside(self, cursor: Cursor, number: int, rows: int, columns: int) -> Cursor:
        figure = self.figures[number]
        column = figure.column_of(cursor.index) + columns
        further = -1 if column < 0 else 1 if column >= figure.columns.count else 0
        if not further or not 0 <= number + further < len(self.figures):
            return Cursor(figure.place, figure.moved(cursor.index, rows, columns))
        other = self.figures[number + further]
        row = min(figure.row_of(cursor.index), other.rows.count - 1)
        return Cursor(other.place, other.index(row, other.columns.count - 1 if further < 0 else 0))

    def upper_left(self) -> Cursor:
        """The first tensor's upper left cell; of a sliced one in the slice that is shown."""
        figure = self.figures[0]
        return Cursor(figure.place, figure.index(0, 0))
