"""The tensors of one side, one below the other or side by side."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from msgspec import Struct, field
from msgspec.structs import replace

from ...formats.uncompared import Cache
from ...operators.maps import Place
from ..elements.cursor import Cursor
from .figure import Figure
from .zoom import Zoom

GAP, BETWEEN = 2, 1
"""Columns between tensors that stand side by side, and empty lines between those that stand one below the other."""


class Aside(Struct, frozen=True):
    """The place of an index or length tensor that would be out of sight below a giant, or far to its right.

    It stands at the top of the window, whatever is scrolled below, and turns to the element that is looked at.
    """

    number: int
    """Of the figure in its stack."""
    height: int
    width: int
    top: int = 0
    left: int = 0

    def following(self, figure: Figure, index: tuple[int, ...]) -> Aside:
        """The aside scrolled as little as shows an element of its figure, with the rulers around it."""
        x, y = figure.locate(index)
        above = below = int(figure.zoom is Zoom.LARGE)
        top = min(self.top, max(0, y - above - figure.head))
        top = max(top, y + below + 1 - self.height)
        left = max(min(self.left, x), x + figure.cell + 1 - max(figure.cell + 1, self.width - figure.margin))
        return replace(self, top=min(top, max(0, figure.height - self.height)), left=max(0, left))


class Stack(Struct, frozen=True, dict=True):
    """Figures one below the other; before them those that are set aside, which don't scroll with the others.

    Or, where `beside` is true, side by side. Then x is counted from the first one's ruler, and rulers scroll too.
    """

    figures: tuple[Figure, ...]
    asides: tuple[Aside, ...] = ()
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
        if not self.asides:
            return list(accumulate((f.height + BETWEEN for f in self.figures), initial=self.above))
        tops, y = [0] * len(self.figures), 0
        for aside in self.asides:
            tops[aside.number], y = y, y + aside.height + 1
        for n in self._scrolled:
            tops[n], y = y, y + self.figures[n].height + BETWEEN
        return [*tops, y]

    @cached_property
    def ahead(self) -> int:
        """Lines of a window that what is set aside takes."""
        return sum(aside.height + 1 for aside in self.asides)

    @cached_property
    def _scrolled(self) -> list[int]:
        aside = {one.number for one in self.asides}
        return [n for n in range(len(self.figures)) if n not in aside]

    def aside(self, place: Place) -> Aside | None:
        """The place that a tensor has of its own; None for one that scrolls with the others."""
        return next((aside for aside in self.asides if self.figures[aside.number].place == place), None)

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
        few = self.figures[:: max(1, len(self.figures) // 32)]  # of thousands they tell how long titles are
        return max((f.width for f in few), default=0)

    @cached_property
    def extent(self) -> int:
        """Columns that there is something to scroll to."""
        if self.beside:
            return self.lefts[-1] - GAP
        return self.before + max((self.figures[n].extent for n in self._scrolled), default=0)

    def figure_at(self, y: int) -> int:
        """The number of the figure in a line of the stack."""
        if self.asides:
            inside = [aside.number for aside in self.asides] if y < self.ahead else self._scrolled
            return max((n for n in inside if self.tops[n] <= y), key=self.tops.__getitem__, default=inside[0])
        return max(0, min(bisect_right(self.tops, y) - 1, len(self.figures) - 1))

    def hit(self, x: int, y: int, top: int, left: int) -> Cursor | None:
        """The element drawn at (x, y) of a window that shows the stack from line `top`, bodies from column `left`.

        None where there is none.
        """
        if self.beside:
            x, left = x + left, 0
        number, y, top, left = self._seen_figure(y, top, left, x)
        figure = self.figures[number]
        x -= self.lefts[number]
        if y < figure.pinned(top):
            return None  # the ruler lies over the cells there
        index = figure.hit(x - figure.margin + left, top + y) if x >= figure.margin else None
        return Cursor(figure.place, index) if index is not None else None

    def _seen_figure(self, y: int, top: int, left: int, x: int) -> tuple[int, int, int, int]:
        """The figure that is seen in line `y` of a window, and in column `x` where they stand side by side.

        (number, line from the beginning of its part of the window, the figure's line there, the column of its body),
        alike for what is scrolled and what is set aside.
        """
        if self.beside:
            return max(0, min(bisect_right(self.lefts, x), len(self.figures)) - 1), y, top - self.above, left
        if 0 <= y < self.ahead:
            number = self.figure_at(y)
            aside = next(one for one in self.asides if one.number == number)
            return number, y - self.tops[number], aside.top, aside.left
        number = self.figure_at(top + y)
        return number, y - self.ahead, top + self.ahead - self.tops[number], left

    def covers(self, y: int, top: int) -> bool:
        """True if line `y` of a window is not one of what is scrolled: rulers that stay, or what is set aside."""
        if y < self.ahead:
            return True
        if self.beside:
            return any(y < figure.pinned(top) for figure in self.figures)
        n = self.figure_at(top + self.ahead)
        return y - self.ahead < self.figures[n].pinned(top + self.ahead - self.tops[n])

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
        """(x, y) of an element: behind its ruler's columns, and from the stack's top, or the window's if set aside."""
        n = next(i for i, f in enumerate(self.figures) if f.place == cursor.place)
        x, y = self.figures[n].locate(cursor.index)
        aside = self.aside(cursor.place)
        return (x - aside.left, y + self.tops[n] - aside.top) if aside else (x + self.lefts[n], y + self.tops[n])

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
        """The element in the first tensor's upper left cell, of a sliced tensor in the slice that is shown."""
        figure = self.figures[0]
        return Cursor(figure.place, figure.index(0, 0))
