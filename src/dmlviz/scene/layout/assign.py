"""Which axes go down, which go across and which are sliced: every way is measured at once, and the best one taken."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...desc.base import Part
from ...desc.fields import Role
from ...operators.maps import Place
from ...tracing import Trace
from .margins import letter_columns, read_columns
from .zoom import LARGE_LINES, PITCHES, SPACINGS, Spacing, Zoom, cell_choices, lettered, trailing

Bits = NDArray[np.int64]
Side = Sequence[tuple[Place, Part]]

FEW = 64
"""Elements of the largest tensor up to which values are always shown, unless asked for otherwise."""
LEAST_LINES = 4
"""A tensor has at least a title, a ruler, a row and the names of its axes."""


@dataclass(frozen=True)
class Layout:
    """An assignment of axes, with as much air as there is room for."""

    zoom: Zoom
    down: tuple[int, ...]
    across: tuple[int, ...]
    sliced: tuple[int, ...]
    cell: int
    spacing: Spacing
    fits: bool
    """Everything is seen without scrolling."""
    rank: int
    """How far it is from the way that people write tensors; 0 for rows and columns in turn."""

    @property
    def is_airy(self) -> bool:
        """A line below each title, and rows that stand apart."""
        return self.spacing.ruled and (self.zoom is Zoom.LARGE or self.spacing.step > 1)


@dataclass(frozen=True)
class Tall:
    """Lines of each of T tensors under each of M assignments, for one spacing."""

    heights: Bits

    def stacked(self, between: int) -> Bits:
        """(M,) lines of all tensors one below the other."""
        count = self.heights.shape[1]
        total: Bits = self.heights.sum(axis=1) + between * (count - 1)
        return total


class Measure:
    """The tensors of one side as arrays, so that M assignments are measured in a handful of operations.

    An assignment is two sets of axes as bits: those that go down, and those that are sliced; the others go across.
    """

    def __init__(self, trace: Trace, side: Side, most: int) -> None:
        operator, desc = trace.operator, trace.desc
        count = max(part.tensor.dimension_count for _, part in side)
        sizes = np.ones((len(side), count), np.int64)
        identity = np.zeros(len(side), np.int64)
        counted = np.zeros(len(side), np.int64)
        for t, (place, part) in enumerate(side):
            sizes[t, : part.tensor.dimension_count] = part.tensor.sizes
            axes = operator.identity_axes(desc, place)
            identity[t] = sum(1 << d for d in axes if part.tensor.sizes[d] > 1)
            if operator.reads_vary and not place.is_output and part.field.role is Role.DATA and len(axes) == 1:
                counted[t] = 1 << axes[0]
        self.count = len(side)
        if len(side) > most:
            # They can't all be seen, so the largest there could be stands for each.
            sizes = sizes.max(axis=0, keepdims=True)
            identity, counted = identity.max(keepdims=True), counted.max(keepdims=True)
        self.sizes, self.identity, self.counted = sizes, identity, counted
        self.several = (sizes > 1).astype(np.int64) @ (1 << np.arange(count, dtype=np.int64))
        self.digits = np.array([[len(str(n - 1)) for n in row] for row in sizes.tolist()], np.int64)
        self.letters = letter_columns(trace)
        self.reads = read_columns(trace)

    def _letters(self, down: Bits, sliced: Bits) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """(M, T) where letters stand beside the rows, and where above the columns."""
        axes = self.identity[None, :] & ~sliced[:, None]
        rows = (axes != 0) & (axes & ~down[:, None] == 0)
        return rows, (axes != 0) & (axes & down[:, None] == 0)

    def _length(self, chosen: Bits, unit: int, gap: int) -> Bits:
        """(M, T) positions that a track of the `chosen` axes (M, T) takes, as `Track.length` has it."""
        shape = chosen.shape
        length, pitch = np.full(shape, unit, np.int64), np.full(shape, unit, np.int64)
        for d in reversed(range(self.sizes.shape[1])):
            size = self.sizes[None, :, d]
            here = chosen >> d & 1 == 1
            length += np.where(here, (size - 1) * pitch, 0)
            pitch = np.where(here, size * pitch + gap, pitch)
        return length

    def widths(self, zoom: Zoom, down: Bits, sliced: Bits, cell: int) -> Bits:
        """(M,) columns of the widest tensor: rulers and cells."""
        pitch = PITCHES[zoom]
        shown = self.several[None, :] & ~sliced[:, None]
        rows = shown & down[:, None]
        width = self._length(shown & ~down[:, None], cell + pitch.gap, pitch.block) + 1
        for d in range(self.sizes.shape[1]):
            width += np.where(rows >> d & 1 == 1, self.digits[None, :, d] + 1, 0)
        if lettered(zoom):
            width += np.where(self._letters(down, sliced)[0], self.letters + 1, 0)
        if zoom is not Zoom.OVERVIEW:
            width += np.where((self.counted[None, :] & rows) != 0, self.reads, 0)
        widest: Bits = width.max(axis=1)
        return widest

    def heights(self, zoom: Zoom, down: Bits, sliced: Bits, spacing: Spacing) -> Tall:
        """Lines of each tensor."""
        pitch = PITCHES[zoom]
        shown = self.several[None, :] & ~sliced[:, None]
        columns = shown & ~down[:, None]
        body = self._length(shown & down[:, None], spacing.step, pitch.row_block)
        body = -(-(body - trailing(zoom, spacing.step)) // pitch.per_line)
        rulers = np.zeros_like(columns)
        for d in range(self.sizes.shape[1]):
            rulers += columns >> d & 1
        head = 1 + spacing.ruled + np.maximum(1, rulers)
        head += (self.several[None, :] & sliced[:, None]) != 0
        if lettered(zoom):
            head += self._letters(down, sliced)[1]
        if zoom is not Zoom.OVERVIEW:
            head += (self.counted[None, :] & columns) != 0  # a line below, rather
        return Tall(head + body + 1)


def usual_rank(axes: Sequence[int], down: int) -> int:
    """How unusual it is that the axes in `down` (bits) go down.

    The last axes alternate, as people write them: rows, columns, blocks of rows, blocks of columns. A matrix that is
    unrolled is stranger than blocks that lie otherwise.
    """
    rank = 0
    for i, d in enumerate(axes):
        left = len(axes) - i
        if (down >> d & 1) != (left % 2 == 0):
            rank += 16 if left <= 2 else 1
    return rank


def choose(
    trace: Trace, sides: tuple[Side, Side], zooms: Sequence[Zoom], narrow: tuple[int, int], room: tuple[int, int]
) -> Layout:
    """The layout of both sides in a room of (columns, lines).

    In the first of `zooms` in which some assignment fits, the most usual of those. Where none does, in VALUES or the
    only zoom, with as few axes sliced as lets the picture fit, or else each of its tensors, or else with two axes left.
    Values that can be counted at a glance are worth scrolling for: they never become mere colours by themselves.
    """
    if len(zooms) > 1 and max(p.tensor.element_count for side in sides for _, p in side) <= FEW:
        zooms = [zoom for zoom in zooms if lettered(zoom)]
    axes, measures = _measures(trace, sides, room)
    found = [_fitting(_of(axes, measures, zoom, room, [()]), narrow) for zoom in zooms]
    fitting = [each for each in found if each is not None]
    if fitting:
        least = min(each.rank for each in fitting)
        # Large cells are no use where they cost the natural shape, or the air between rows.
        large = fitting[0].zoom is Zoom.LARGE and len(fitting) > 1
        if large and (fitting[0].rank > least or fitting[0].spacing.step <= LARGE_LINES):
            return fitting[1]
        return fitting[0]
    zoom = zooms[0] if len(zooms) == 1 else Zoom.VALUES
    sets = (list(_preferred(trace, sides, axes, count)) for count in range(max(1, len(axes) - 1)))
    return _sliced((_of(axes, measures, zoom, room, each) for each in sets), narrow)


@dataclass(frozen=True)
class _Measured:
    """The assignments of one zoom that were looked at, and the bounds of each."""

    axes: tuple[int, ...]
    measures: tuple[Measure, Measure]
    zoom: Zoom
    room: tuple[int, int]
    down: Bits
    sliced: Bits

    def widths(self, cell: int) -> Bits:
        """(M,) columns of both sides."""
        left, right = (m.widths(self.zoom, self.down, self.sliced, cell) for m in self.measures)
        both: Bits = left + right
        return both

    def heights(self, spacing: Spacing) -> Bits:
        """(M,) lines of the taller side."""
        made = []
        for m in self.measures:
            tall = m.heights(self.zoom, self.down, self.sliced, spacing)
            # Where one stands for many, they are all as tall.
            made.append((tall.stacked(spacing.between) + spacing.between) * (m.count // tall.heights.shape[1]))
        taller: Bits = np.maximum(*made) - spacing.between
        return taller

    def tallest(self, spacing: Spacing) -> Bits:
        """(M,) lines of the tallest tensor of all."""
        left, right = (m.heights(self.zoom, self.down, self.sliced, spacing).heights for m in self.measures)
        tallest: Bits = np.maximum(left.max(axis=1), right.max(axis=1))
        return tallest

    def ranks(self) -> list[int]:
        pairs = zip(self.down.tolist(), self.sliced.tolist(), strict=True)
        return [usual_rank([d for d in self.axes if not sliced >> d & 1], down) for down, sliced in pairs]

    def layout(self, at: int, narrow: tuple[int, int], *, whole: bool) -> Layout:
        """Assignment `at` with the widest cells and the most air that there is room for."""
        one = _Measured(self.axes, self.measures, self.zoom, self.room, self.down[[at]], self.sliced[[at]])
        cells, spacings = cell_choices(self.zoom, narrow), SPACINGS[self.zoom]
        cell = next((c for c in cells if int(one.widths(c)[0]) <= self.room[0]), cells[-1])
        spacing = spacings[-1]
        if whole:
            spacing = next((s for s in spacings if int(one.heights(s)[0]) <= self.room[1]), spacing)
        else:
            # What is scrolled past keeps a line between tensors.
            spacing = next(s for s in spacings[::-1] if s.between)
        down, sliced = int(self.down[at]), int(self.sliced[at])
        return Layout(
            self.zoom,
            tuple(d for d in self.axes if down >> d & 1),
            tuple(d for d in self.axes if not (down | sliced) >> d & 1),
            tuple(d for d in self.axes if sliced >> d & 1),
            cell,
            spacing,
            whole,
            self.ranks()[at],
        )


def _measures(trace: Trace, sides: tuple[Side, Side], room: tuple[int, int]) -> tuple[tuple[int, ...], list[Measure]]:
    most = max(1, room[1] // LEAST_LINES) + 1
    measures = [Measure(trace, side, most) for side in sides]
    several = int(np.bitwise_or.reduce(np.concatenate([m.several for m in measures])))
    return tuple(d for d in range(several.bit_length()) if several >> d & 1), measures


def _subsets(axes: Sequence[int]) -> list[int]:
    """Every set of axes as bits."""
    made = [0]
    for d in axes:
        made += [each | 1 << d for each in made]
    return made


def _of(
    axes: tuple[int, ...], measures: list[Measure], zoom: Zoom, room: tuple[int, int], slices: Sequence[Sequence[int]]
) -> _Measured:
    """Every assignment of the axes that some sets of sliced ones leave."""
    down: list[int] = []
    sliced: list[int] = []
    for each in slices:
        made = _subsets([d for d in axes if d not in each])
        down += made
        sliced += [sum(1 << d for d in each)] * len(made)
    return _Measured(axes, (measures[0], measures[1]), zoom, room, np.array(down, np.int64), np.array(sliced, np.int64))


def _fitting(ways: _Measured, narrow: tuple[int, int]) -> Layout | None:
    tightest = cell_choices(ways.zoom, narrow)[-1]
    fits = (ways.widths(tightest) <= ways.room[0]) & (ways.heights(SPACINGS[ways.zoom][-1]) <= ways.room[1])
    at = _first(ways, fits)
    return None if at is None else ways.layout(at, narrow, whole=True)


def _first(ways: _Measured, good: NDArray[np.bool_]) -> int | None:
    """The most usual of the good ones; of slices as usual, the set that was named first."""
    if not good.any():
        return None
    ranks, order = ways.ranks(), dict[int, int]()
    for sliced in ways.sliced.tolist():
        order.setdefault(sliced, len(order))
    where = np.flatnonzero(good).tolist()
    return int(min(where, key=lambda i: (ranks[i] >= 16, order[int(ways.sliced[i])], ranks[i])))


def _preferred(trace: Trace, sides: tuple[Side, Side], axes: Sequence[int], count: int) -> Iterator[tuple[int, ...]]:
    """The sets of `count` axes to slice, likeliest first: outermost ones, and neither Axis nor those of a colour."""
    cost = dict.fromkeys(axes, 0)
    for side in sides:
        for place, _ in (*side[:8], *side[-1:]):
            for d in trace.operator.identity_axes(trace.desc, place):
                cost[d] = max(cost.get(d, 0), 1)
            for d in trace.operator.axis_roles(trace.desc, place):
                cost[d] = 2
    yield from sorted(combinations(axes, count), key=lambda each: (sum(4 ** cost[d] - 1 for d in each), each))


def _sliced(every: Iterable[_Measured], narrow: tuple[int, int]) -> Layout:
    """A layout for what doesn't fit as a whole: `every` has the assignments with 0, 1, 2, ... axes sliced."""
    alone = ways = None
    for ways in every:
        found = _fitting(ways, narrow)
        if found is not None:
            return found
        if alone is None:
            wide, tall = ways.widths(cell_choices(ways.zoom, narrow)[-1]), ways.tallest(SPACINGS[ways.zoom][-1])
            at = _first(ways, (wide <= ways.room[0]) & (tall <= ways.room[1]))
            alone = None if at is None else ways.layout(at, narrow, whole=False)
    if alone is not None:
        return alone
    assert ways is not None
    # Two axes are left and have to be scrolled. A shape that is usual is worth some screens more.
    here = np.flatnonzero(ways.sliced == ways.sliced[0])
    wide, tall = ways.widths(cell_choices(ways.zoom, narrow)[-1]), ways.heights(SPACINGS[ways.zoom][-1])
    screens: NDArray[np.float64] = wide[here] / ways.room[0] + tall[here] / ways.room[1]
    ranks = ways.ranks()

    def cost(i: int) -> tuple[int, int, float]:
        return int(math.log2(max(1.0, float(screens[i]))) / 2), ranks[int(here[i])], float(screens[i])

    at = min(range(len(here)), key=cost)
    return ways.layout(int(here[at]), narrow, whole=False)
