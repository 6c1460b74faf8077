"""The order of steps: after step n, what the first n of them write is there. A step follows from its number alone."""

from __future__ import annotations

import enum
import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ...desc.fields import Role
from ...desc.indexing import unravel
from ...desc.values import Indices
from ...operators.maps import Place, Starts
from ...tracing import Trace
from ..elements.cursor import Cursor
from .groups import Box, Group


class Unit(enum.StrEnum):
    """How much a step writes."""

    ELEMENT = "element"
    RUN = "run"
    """What a single copy of memory moves: contiguous in the output and in one input."""
    SLICE = "slice"
    """What belongs together: a tensor, a part, an index's slice, a sequence, a copy."""
    WHOLE = "whole"


UNITS = tuple(Unit)


@dataclass(frozen=True)
class Steps:
    """The steps of a trace, each of which writes a `unit`: output by output, and row-major in each.

    By element, a step is one element. By run, slice or whole it is a box of elements that `Operator.runs` and
    `Operator.slices` cut out, so nothing here costs more for a larger tensor.
    """

    trace: Trace
    unit: Unit = Unit.ELEMENT

    @cached_property
    def _cuts(self) -> list[list[range | Indices]]:
        """Where pieces begin along each axis of each output."""
        made = []
        for k, part in enumerate(self.trace.outputs):
            sizes = part.tensor.sizes
            starts = self._starts(k, sizes)
            made.append([starts.get(d, range(1)) for d in range(len(sizes))])
        return made

    def _starts(self, output: int, sizes: Sequence[int]) -> Starts:
        operator, desc = self.trace.operator, self.trace.desc
        if self.unit is Unit.RUN:
            return operator.runs(desc, output, self.trace.read)
        if self.unit is Unit.SLICE:
            return operator.slices(desc, output)
        return {d: range(n) for d, n in enumerate(sizes)} if self.unit is Unit.ELEMENT else {}

    @cached_property
    def _before(self) -> list[int]:
        """The number of steps before each output, and all of them last."""
        return list(accumulate((math.prod(map(len, cuts)) for cuts in self._cuts), initial=0))

    @cached_property
    def count(self) -> int:
        return 1 if self.unit is Unit.WHOLE else self._before[-1]

    def element(self, step: int) -> Cursor | None:
        """The first element that step `step` (from 1) writes; None before the first step."""
        group = self.group(step)
        if group is None:
            return None
        box = group.boxes[0]
        return Cursor(Place(True, box.output), tuple(r.start for r in box.ranges))

    def group(self, step: int) -> Group | None:
        """What step `step` (from 1) writes; None before the first step."""
        if step < 1:
            return None
        if self.unit is Unit.WHOLE:
            boxes = (Box(k, tuple(map(range, p.tensor.sizes))) for k, p in enumerate(self.trace.outputs))
            return Group(self.trace, tuple(boxes))
        number = min(step, self.count) - 1
        output = bisect_right(self._before, number) - 1
        number -= self._before[output]
        sizes, ranges = self.trace.outputs[output].tensor.sizes, []
        for starts, size in zip(reversed(self._cuts[output]), reversed(sizes), strict=True):
            number, at = divmod(number, len(starts))
            ranges.append(range(int(starts[at]), int(starts[at + 1]) if at + 1 < len(starts) else size))
        return Group(self.trace, (Box(output, tuple(reversed(ranges))),))

    def when(self, output: int, index: tuple[Indices, ...]) -> Indices:
        """(N,) the step that writes each element of a window; `index` has one (N,) array an axis of the output."""
        number: Indices = np.zeros_like(index[0])
        if self.unit is Unit.WHOLE:
            return number + 1
        for starts, at in zip(self._cuts[output], index, strict=True):
            if len(starts) > 1:
                number = number * len(starts) + _interval(starts, at)
        return number + (self._before[output] + 1)

    def step_of(self, cursor: Cursor) -> int:
        """The step that writes an output element."""
        return int(self.when(cursor.place.number, tuple(np.array([i], np.int64) for i in cursor.index))[0])

    def until(self, step: int) -> Written:
        return Written(self, step)

    def lit(self, step: int, vias: bool = True, outputs: bool = True) -> Lit | None:
        """What step `step` moves, to be marked; None by element, where the cursor's own marks say it, and by whole."""
        if step < 1 or self.unit in (Unit.ELEMENT, Unit.WHOLE):
            return None
        return Lit(self, step, vias, outputs)

    def moved(self, step: int, most: int) -> tuple[list[Cursor], int]:
        """Up to `most` of the output elements that step `step` writes, and how many they stand for.

        By whole that is the first element of each slice.
        """
        group = self.group(step)
        if group is None:
            return [], 0
        if self.unit is not Unit.WHOLE:
            return group.elements(0, most), group.count
        slices = Steps(self.trace, Unit.SLICE)
        firsts = (slices.element(n) for n in range(1, min(most, slices.count) + 1))
        return [first for first in firsts if first is not None], slices.count


@dataclass(frozen=True)
class Written:
    """Decides what is there after a step, for any window of any output."""

    steps: Steps
    step: int

    def __call__(self, output: int, index: tuple[Indices, ...]) -> NDArray[np.bool_]:
        """(N,) True for the elements that are written."""
        found: NDArray[np.bool_] = self.steps.when(output, index) <= self.step
        return found


MOST_VIAS = 4096
"""Index or length cells are marked for at most this many elements of a group."""


@dataclass(frozen=True)
class Lit:
    """Decides which elements of a window a step by run or slice moves, on both sides."""

    steps: Steps
    step: int
    vias: bool = True
    outputs: bool = True

    @cached_property
    def _first(self) -> tuple[int, int, int, int]:
        """(input tensor, flat source, identity, elements) of the group's first element."""
        group = self.steps.group(self.step)
        assert group is not None
        links, box = group.links(0, 1), group.boxes[0]
        identity = self.steps.trace.identity(Place(True, box.output), box.window(0, 1))
        return int(links.tensor[0]), int(links.source[0]), int(identity[0]), group.count

    @cached_property
    def _vias(self) -> tuple[int, Indices]:
        group = self.steps.group(self.step)
        assert group is not None
        links = group.links(0, MOST_VIAS)
        return links.via_tensor, np.unique(links.via) if links.via is not None else np.zeros(0, np.int64)

    def __call__(self, place: Place, flat: Indices, identity: Indices) -> NDArray[np.bool_]:
        """(N,) True for the elements of tensor `place` at `flat` that are marked; `identity` is theirs."""
        none: NDArray[np.bool_] = np.zeros(len(flat), bool)
        trace = self.steps.trace
        if place.is_output:
            sizes = trace.outputs[place.number].tensor.sizes
            here: NDArray[np.bool_] = self.steps.when(place.number, unravel(flat, sizes)) == self.step
            return here if self.outputs else none
        if trace.inputs[place.number].field.role is not Role.DATA:
            tensor, vias = self._vias if self.vias else (-1, flat)
            return np.isin(flat, vias) if tensor == place.number else none
        tensor, source, name, count = self._first
        if tensor != place.number:
            return none
        if self.steps.unit is Unit.RUN:
            read: NDArray[np.bool_] = (flat >= source) & (flat < source + count)
        else:
            read = (identity == name) | (identity < 0)  # a copy is all of its tensor
            some = np.flatnonzero(read)
            if len(some):
                sizes = trace.inputs[place.number].tensor.sizes
                read[some] = trace.counts(place.number, unravel(flat[some], sizes)) != 0
        return read


def _interval(starts: range | Indices, at: Indices) -> Indices:
    """(N,) the number of the piece that holds each position."""
    if isinstance(starts, range):
        return np.minimum(at // starts.step, len(starts) - 1)
    return np.searchsorted(starts, at, side="right").astype(np.int64) - 1
