"""The tensors of one side, one below the other, and the layout that both sides share."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, product

from ..checks import Place
from ..descs import Part
from ..tracing import Trace
from .figure import Cursor, Figure, Line, Look, Partners, cell_width, sample
from .palette import letter

GAP = 1
"""Empty lines between two tensors."""


@dataclass(frozen=True)
class Stack:
    """Figures one below the other."""

    figures: tuple[Figure, ...]

    @cached_property
    def tops(self) -> list[int]:
        """The first line of each figure, and behind the last one's gap."""
        return list(accumulate((f.height + GAP for f in self.figures), initial=0))

    @property
    def height(self) -> int:
        return max(0, self.tops[-1] - GAP)

    @cached_property
    def width(self) -> int:
        return max((f.width for f in self.figures), default=0)

    @cached_property
    def snug(self) -> int:
        return max((f.snug for f in self.figures), default=0)

    @cached_property
    def extent(self) -> int:
        """Columns that there is something to scroll to."""
        return max((f.extent for f in self.figures), default=0)

    def figure_at(self, y: int) -> int:
        return max(0, min(bisect_right(self.tops, y) - 1, len(self.figures) - 1))

    def hit(self, x: int, y: int, top: int, left: int) -> Cursor | None:
        """The element drawn at (x, y) of a window that shows the stack from line `top`, bodies from column `left`."""
        number = self.figure_at(top + y)
        figure = self.figures[number]
        local = top + y - self.tops[number]
        start = top - self.tops[number]
        if 0 < start < figure.height - figure.head - 1 and y < figure.head:
            return None  # the pinned ruler lies over the cells there
        index = figure.hit(x - figure.margin + left, local) if x >= figure.margin else None
        return Cursor(figure.place, index) if index is not None else None

    def place(self, cursor: Cursor) -> tuple[int, int]:
        """(x, y) of an element: x behind the ruler, y from the stack's top."""
        number = next(i for i, f in enumerate(self.figures) if f.place == cursor.place)
        x, y = self.figures[number].locate(cursor.index)
        return x, y + self.tops[number]

    def figure(self, place: Place) -> Figure:
        return next(f for f in self.figures if f.place == place)

    def moved(self, cursor: Cursor, rows: int, columns: int) -> Cursor:
        """The element some cells further; past the last row, the next tensor's."""
        number = next(i for i, f in enumerate(self.figures) if f.place == cursor.place)
        figure = self.figures[number]
        row = figure.row_of(cursor.index) + rows
        if row < 0 and number > 0:
            other = self.figures[number - 1]
            return Cursor(other.place, other.index(other.rows.count - 1, 0))
        if row >= figure.rows.count and number < len(self.figures) - 1:
            other = self.figures[number + 1]
            return Cursor(other.place, other.index(0, 0))
        return Cursor(figure.place, figure.moved(cursor.index, rows, columns))

    def first(self) -> Cursor:
        figure = self.figures[0]
        return Cursor(figure.place, figure.index(0, 0))

    def lines(self, top: int, count: int, left: int, width: int, look: Look, partners: Partners) -> list[Line]:
        """What a window of `count` lines and `width` columns shows from line `top`, bodies scrolled by `left`."""
        made: list[Line] = []
        while len(made) < count and self.figures:
            y = top + len(made)
            if y >= self.height:
                break
            number = self.figure_at(y)
            figure, start = self.figures[number], y - self.tops[number]
            if start >= figure.height:
                made.append([])
                continue
            share = min(count - len(made), figure.height - start)
            made += figure.lines(start, share, left, width, look, partners)
        return made + [[]] * (count - len(made))


@dataclass(frozen=True)
class Scene:
    """Both sides of a picture, and how many columns of the room the inputs take."""

    trace: Trace
    inputs: Stack
    outputs: Stack
    share: int

    def stack(self, is_output: bool) -> Stack:
        return self.outputs if is_output else self.inputs


def arrange(trace: Trace, width: int, height: int) -> Scene:
    """Lays the tensors of a desc into two windows side by side, `width` x `height` in all; axes go alike on both sides.

    Of the at most 128 ways to send axes down or across, one that fits both sides; else the one that overflows least.
    """
    inputs = [(Place(False, k), p) for k, p in enumerate(trace.inputs)]
    outputs = [(Place(True, k), p) for k, p in enumerate(trace.outputs)]
    tensors = [part.tensor for _, part in (*inputs, *outputs)]
    dimensions = max(t.dimension_count for t in tensors)
    axes = [d for d in range(dimensions) if any(d < t.dimension_count and t.sizes[d] > 1 for t in tensors)]
    narrow = _cell(trace)
    cell = max(narrow, 5)
    overflow, down, across = _assign(trace, (inputs, outputs), axes, cell, width, height)
    if overflow and narrow < cell:  # narrower cells before scrolling
        cell = narrow
        _, down, across = _assign(trace, (inputs, outputs), axes, cell, width, height)
    for step, ruled in ((2, True), (1, True), (1, False)):  # with air between the rows where there is room for it
        left, right = (_stack(trace, side, down, across, cell, step, ruled) for side in (inputs, outputs))
        if max(left.height, right.height) <= height:
            break
    return Scene(trace, left, right, _share(left, right, width))


Side = Sequence[tuple[Place, Part]]


def _assign(
    trace: Trace, sides: tuple[Side, Side], axes: Sequence[int], cell: int, width: int, height: int
) -> tuple[int, list[int], list[int]]:
    """The assignment that overflows least: (lines and columns too many, axes down, axes across)."""
    found: list[tuple[int, int, list[int], list[int]]] = []
    for choice in product((True, False), repeat=max(0, len(axes) - 1)):
        across = [*(d for d, is_down in zip(axes, choice, strict=False) if not is_down), *axes[-1:]]
        down = [d for d in axes if d not in across]
        wide, overflow = 0, 0
        for side in sides:
            # Of many tensors a few tell enough about the height of all.
            some = side[:: math.ceil(len(side) / 8)]
            stack = _stack(trace, some, down, across, cell, 1, ruled=False)
            overflow += max(0, stack.height * len(side) // len(some) - height)
            wide += stack.extent
        # The last axes alternate, as people write them: rows, columns, blocks of rows, blocks of columns.
        usual = sum(is_down != ((len(axes) - i) % 2 == 0) for i, is_down in enumerate(choice))
        found.append((overflow + max(0, wide - width), usual, down, across))
    overflow, _, down, across = min(found)
    return overflow, down, across


def _share(inputs: Stack, outputs: Stack, width: int) -> int:
    """Columns for the inputs: words give way before sizes do, and sizes before cells."""
    for left, right in (
        (inputs.width, outputs.width),
        (inputs.snug, outputs.snug),
        (inputs.extent, outputs.extent),
    ):
        if left + right <= width:
            # What the inputs would still like, as far as the outputs have no use for it.
            return left + max(0, min(inputs.width - left, width - left - outputs.width))
    return max(width - outputs.extent, min(inputs.extent, width // 2))


def _cell(trace: Trace) -> int:
    """One width for every cell of the picture, so that both sides line up."""
    samples = []
    for k, part in enumerate(trace.inputs):
        samples.append(trace.read(k, sample(part.tensor.element_count)))
    several = False
    for is_output, parts in ((False, trace.inputs), (True, trace.outputs)):
        for k, part in enumerate(parts):
            axes = trace.operator.identity_axes(trace.desc, Place(is_output, k))
            several |= sum(part.tensor.sizes[d] > 1 for d in axes) > 1
    name = letter(trace.operator.identity_count(trace.desc) - 1)
    return cell_width(samples) + (len(name) + 1 if several else 0)


def _stack(
    trace: Trace,
    side: Side,
    down: Sequence[int],
    across: Sequence[int],
    cell: int,
    step: int,
    ruled: bool,
) -> Stack:
    figures = []
    for place, part in side:
        sizes = part.tensor.sizes
        rows = tuple(d for d in down if d < len(sizes) and sizes[d] > 1)
        columns = tuple(d for d in across if d < len(sizes) and sizes[d] > 1)
        figures.append(Figure(trace, place, part, rows, columns, cell, step, ruled))
    return Stack(tuple(figures))
