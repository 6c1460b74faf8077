"""Which axes go down, which go across and which are sliced: every way is measured at once, and the best one taken."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...tracing import Trace
from .measure import Extents, Measure, Side
from .ways import Bits, Ways, ways
from .zoom import LARGE_LINES, SPACINGS, Spacing, Zoom, cell_choices, lettered

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
    measure = Measure(trace, sides, max(1, room[1] // LEAST_LINES) + 1)
    axes = measure.axes
    every = ways(len(axes))
    extents = measure.under(every)
    choices = (_Choice(axes, every, extents, zoom, narrow, room) for zoom in zooms)
    fitting = (found for choice in choices if (found := choice.fitting()) is not None)
    first = next(fitting, None)
    if first is not None:
        # Large cells are no use where they cost the air between rows, or the natural shape.
        if first.zoom is not Zoom.LARGE:
            return first
        if first.spacing.step <= LARGE_LINES:
            return next(fitting, first)
        others = list(fitting) if first.rank else []
        return others[0] if any(each.rank < first.rank for each in others) else first
    zoom = zooms[0] if len(zooms) == 1 else Zoom.VALUES
    sets = (tuple(_preferred(trace, sides, axes, count)) for count in range(max(1, len(axes) - 1)))
    sliced = (ways(len(axes), each) for each in sets)
    return _sliced(_Choice(axes, each, measure.under(each), zoom, narrow, room) for each in sliced)


@dataclass(frozen=True)
class _Choice:
    """Ways to choose from, in one zoom and one room."""

    axes: tuple[int, ...]
    ways: Ways
    extents: Extents
    zoom: Zoom
    narrow: tuple[int, int]
    """Columns of a cell in which values stand whole, at ease and at a pinch."""
    room: tuple[int, int]

    @cached_property
    def widths(self) -> Bits:
        """(M,) columns of both sides with the narrowest cells."""
        return self.extents.widths(self.zoom, cell_choices(self.zoom, self.narrow)[-1])

    @cached_property
    def heights(self) -> Bits:
        """(M,) lines of the taller side with the least air."""
        return self.extents.heights(self.zoom, SPACINGS[self.zoom][-1])

    def fitting(self) -> Layout | None:
        """The layout that shows everything without scrolling."""
        at = self.ways.first((self.widths <= self.room[0]) & (self.heights <= self.room[1]))
        return None if at is None else self.layout(at, whole=True)

    def fitting_alone(self) -> Layout | None:
        """The layout in which each tensor for itself can be seen without scrolling."""
        tallest = self.extents.tallest(self.zoom, SPACINGS[self.zoom][-1])
        at = self.ways.first((self.widths <= self.room[0]) & (tallest <= self.room[1]))
        return None if at is None else self.layout(at, whole=False)

    def layout(self, at: int, *, whole: bool) -> Layout:
        """Way `at` with the widest cells and the most air that there is room for."""
        zoom, (columns, lines) = self.zoom, self.room
        *wide, tightest = cell_choices(zoom, self.narrow)
        cell = next((c for c in wide if self.extents.widths(zoom, c)[at] <= columns), tightest)
        *roomy, spacing = SPACINGS[zoom]
        if whole:
            spacing = next((s for s in roomy if self.extents.heights(zoom, s)[at] <= lines), spacing)
        else:
            # What is scrolled past keeps a line between tensors.
            spacing = next(s for s in SPACINGS[zoom][::-1] if s.between)
        down, across, sliced = (
            tuple(d for i, d in enumerate(self.axes) if int(bits[at]) >> i & 1)
            for bits in (self.ways.down, self.ways.across, self.ways.sliced)
        )
        return Layout(zoom, down, across, sliced, cell, spacing, whole, int(self.ways.ranks[at]))


def _preferred(trace: Trace, sides: tuple[Side, Side], axes: Sequence[int], count: int) -> Iterator[tuple[int, ...]]:
    """The sets of `count` axes to slice, likeliest first: outermost ones, and neither Axis nor those of a colour.

    A set is numbers of `axes`.
    """
    cost = dict.fromkeys(axes, 0)
    for side in sides:
        for place, _ in (*side[:8], *side[-1:]):
            for d in trace.operator.identity_axes(trace.desc, place):
                cost[d] = max(cost.get(d, 0), 1)
            for d in trace.operator.axis_roles(trace.desc, place):
                cost[d] = 2
    numbers = combinations(range(len(axes)), count)
    yield from sorted(numbers, key=lambda each: (sum(4 ** cost[axes[i]] - 1 for i in each), each))


def _sliced(every: Iterable[_Choice]) -> Layout:
    """A layout for what doesn't fit as a whole: `every` has the choices with 0, 1, 2, ... axes sliced."""
    alone = choice = None
    for choice in every:
        found = choice.fitting()
        if found is not None:
            return found
        alone = alone or choice.fitting_alone()
    if alone is not None:
        return alone
    assert choice is not None
    # Two axes are left and have to be scrolled. A shape that is usual is worth some screens more.
    ways, room = choice.ways, choice.room
    here = np.flatnonzero(ways.sliced == ways.sliced[0])
    wide, tall = choice.widths[here], choice.heights[here]
    screens: NDArray[np.float64] = wide / room[0] + tall / room[1]

    def cost(i: int) -> tuple[int, int, float]:
        return int(math.log2(max(1.0, float(screens[i]))) / 2), int(ways.ranks[here[i]]), float(screens[i])

    return choice.layout(int(here[min(range(len(here)), key=cost)]), whole=False)
