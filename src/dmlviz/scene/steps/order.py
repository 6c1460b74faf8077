"""The order of steps: after step n, what the first n of them write is there. A step follows from its number alone."""

from __future__ import annotations

import enum
import math
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ...desc.fields import Role
from ...desc.indexing import arrays_of, unravel
from ...desc.values import Index, Indices
from ...operators.maps import NOWHERE, Place, Starts
from ...tracing import Trace
from ..elements.cursor import Cursor
from ..elements.known import Known
from ..elements.lookup import filled_by
from .groups import Box, Group, Links


class Unit(enum.StrEnum):
    """How much a step writes."""

    ELEMENT = "element"
    RUN = "run"
    """What a single copy of memory moves: contiguous in the output and in one input."""
    SLICE = "slice"
    """What belongs together: a tensor, a part, an index's slice, a sequence, a copy."""
    WHOLE = "whole"
    COPY = "copy"
    """The fewest copies of memory that there can be: runs that lie one behind the other on both sides are one.

    Nobody chooses it: what asks about copies shows them so, once that is answered.
    """

    @property
    def is_memory(self) -> bool:
        """True if a step is contiguous in memory, and the next one lies behind it."""
        return self in (Unit.RUN, Unit.COPY)


UNITS = (Unit.ELEMENT, Unit.RUN, Unit.SLICE, Unit.WHOLE)
"""What users choose from."""
MOST_COPIED = 4096
"""Runs that are looked through for those that lie one behind the other; more of them stay as they are: as many as there
are elements of outputs whose copies are counted in a question."""


class Steps(Struct, frozen=True, dict=True):
    """The steps of a trace, each of which writes a `unit`: output by output, and row-major in each.

    By element, a step is one element. By run, slice or whole it is a box of elements that `Operator.runs` and
    `Operator.slices` cut out, so nothing here costs more for a larger tensor. A copy is one run or several.
    """

    trace: Trace
    unit: Unit = Unit.ELEMENT

    @cached_property
    def _cuts(self) -> list[list[range | Indices]]:
        cuts_of_outputs = []
        for k, part in enumerate(self.trace.outputs):
            sizes = part.tensor.sizes
            starts = self._starts(k, sizes)
            cuts_of_outputs.append([starts.get(d, range(1)) for d in range(len(sizes))])
        return cuts_of_outputs

    def _starts(self, out: int, sizes: Sequence[int]) -> Starts:
        op, desc = self.trace.operator, self.trace.desc
        if self.unit.is_memory:
            return op.runs(desc, out, self.trace.read)
        if self.unit is Unit.SLICE:
            return op.slices(desc, out)
        return {d: range(n) for d, n in enumerate(sizes)} if self.unit is Unit.ELEMENT else {}

    @cached_property
    def _before(self) -> list[int]:
        """The number of steps before each output, and all of them last."""
        return list(accumulate((math.prod(map(len, cuts)) for cuts in self._cuts), initial=0))

    @cached_property
    def _runs(self) -> Steps:
        return Steps(self.trace, Unit.RUN)

    @property
    def _has_joined_runs(self) -> bool:
        """True if a step may be several runs: by copy, where they aren't too many to be looked through."""
        return self.unit is Unit.COPY and self._runs.count <= MOST_COPIED

    @cached_property
    def _first_runs(self) -> Indices:
        """(steps,) The number of the run, from 1, that each copy begins with; runs are in memory order."""
        runs = self._runs
        boxes = [group.boxes[0] for n in range(1, runs.count + 1) if (group := runs.group(n)) is not None]
        begins = [True] * len(boxes)
        for k in range(len(self.trace.outputs)):
            numbers = [n for n, box in enumerate(boxes) if box.output == k]
            ends = [np.array([boxes[n].corners for n in numbers], np.int64)[:, i].T for i in (0, 1)]
            (tensor, first), (tensor_before, last) = (self.trace.addresses(k, tuple(index)) for index in ends)
            goes_on = (tensor[1:] == tensor_before[:-1]) & ((first[1:] == last[:-1] + 1) | (tensor[1:] == NOWHERE))
            for n, is_one in zip(numbers[1:], goes_on.tolist(), strict=True):
                begins[n] = not is_one
        return np.flatnonzero(begins) + 1

    @cached_property
    def count(self) -> int:
        """How many steps there are."""
        if self._has_joined_runs:
            return len(self._first_runs)
        return 1 if self.unit is Unit.WHOLE else self._before[-1]

    def element(self, step: int) -> Cursor | None:
        """The first element that step `step` (from 1) writes, of a later one the last step's; None before step 1."""
        group = self.group(step)
        if group is None:
            return None
        box = group.boxes[0]
        return Cursor(Place(True, box.output), tuple(r.start for r in box.ranges))

    @property
    def count_is_told(self) -> bool:
        """True if how many steps there are follows from sizes alone; where runs vary it tells of what comes later."""
        return self.unit is not Unit.RUN or not self.trace.operator.runs_vary

    def group(self, step: int) -> Group | None:
        """What step `step` (from 1) writes, beyond the last step what that writes; None before the first step."""
        if step < 1:
            return None
        if self.unit is Unit.WHOLE:
            boxes = (Box(k, tuple(map(range, p.tensor.sizes))) for k, p in enumerate(self.trace.outputs))
            return Group(self.trace, tuple(boxes))
        number = min(step, self.count) - 1
        if self._has_joined_runs:
            firsts = [*self._first_runs[number : number + 2].tolist(), self._runs.count + 1]
            groups = map(self._runs.group, range(firsts[0], firsts[1]))
            return Group(self.trace, tuple(box for group in groups if group is not None for box in group.boxes))
        out = bisect_right(self._before, number) - 1
        number -= self._before[out]
        sizes, ranges = self.trace.outputs[out].tensor.sizes, []
        for starts, size in zip(reversed(self._cuts[out]), reversed(sizes), strict=True):
            number, at = divmod(number, len(starts))
            ranges.append(range(int(starts[at]), int(starts[at + 1]) if at + 1 < len(starts) else size))
        return Group(self.trace, (Box(out, tuple(reversed(ranges))),))

    def when(self, out: int, index: Index) -> Indices:
        """(N,) the step that writes each element of a window; `index` has one (N,) array an axis of the output."""
        n: Indices = np.zeros_like(index[0])
        if self.unit is Unit.WHOLE:
            return n + 1
        if self._has_joined_runs:
            copies: Indices = np.searchsorted(self._first_runs, self._runs.when(out, index), "right")
            return copies
        for starts, at in zip(self._cuts[out], index, strict=True):
            if len(starts) > 1:
                n = n * len(starts) + _interval(starts, at)
        return n + (self._before[out] + 1)

    def step_of(self, cursor: Cursor) -> int:
        """The step that writes an output element."""
        return int(self.when(cursor.place.number, arrays_of(cursor.index))[0])

    def until(self, step: int) -> Written:
        """What is known once `step` steps are made."""
        return Written(self, step)

    def lit(self, step: int, vias: bool = True, outputs: bool = True) -> Lit | None:
        """What step `step` moves, to be marked; None by element, where the cursor's own marks say it, and by whole."""
        if step < 1 or self.unit in (Unit.ELEMENT, Unit.WHOLE):
            return None
        return Lit(self, step, vias, outputs)

    def moved(self, step: int, most: int) -> tuple[list[Cursor], int]:
        """Up to `most` output elements that step `step` moves, and how many they stand for; by whole 1 a slice.

        What comes from nowhere is left out; where there may be such, it is looked for among the first ones alone.
        """
        group = self.group(step)
        if group is None:
            return [], 0
        is_filled = bool(filled_by(self.trace, group.boxes[0].output))
        if self.unit is Unit.WHOLE:
            slices = Steps(self.trace, Unit.SLICE)
            numbers = range(1, min(MOST_SLICES if is_filled else most, slices.count) + 1)
            firsts = [first for first in map(slices.group, numbers) if first is not None]
            moved = [first.elements(0, 1)[0] for first in firsts if not is_filled or first.moves]
            return moved[:most], slices.count - len(firsts) + len(moved)
        if not is_filled:
            return group.elements(0, most), group.count
        tensors = group.links(0, MOST_READ).tensor
        moved_ones = np.flatnonzero(tensors != NOWHERE)
        elements = [group.elements(n, n + 1)[0] for n in moved_ones[:most].tolist()]
        return elements, group.count - len(tensors) + len(moved_ones) if elements else 0


class Written(Known, frozen=True):
    """Knows what is written after a step, for any window of any output, and nothing of what comes after."""

    steps: Steps
    step: int

    @property
    def whole(self) -> bool:
        return self.step >= self.steps.count

    @property
    def ends_runs(self) -> bool:
        return self.steps.unit is Unit.COPY

    def __call__(self, output: int, index: Index) -> NDArray[np.bool_]:
        written: NDArray[np.bool_] = self.steps.when(output, index) <= self.step
        return written


MOST_SLICES = 256
"""Slices that are looked at for those that come from nowhere."""
MOST_READ = 4096
"""What a step reads is looked up for at most this many of its elements."""


class Lit(Struct, frozen=True, dict=True):
    """Decides which elements of a window a step by run or slice moves, on both sides."""

    steps: Steps
    step: int
    vias: bool = True
    outputs: bool = True

    @cached_property
    def _links(self) -> Links:
        group = self.steps.group(self.step)
        assert group is not None
        return group.links(0, MOST_READ)

    @cached_property
    def _first_element(self) -> tuple[int, int, int, int]:
        """(input tensor, flat source, identity, elements) of the group's first element, if any has a source of that."""
        group = self.steps.group(self.step)
        assert group is not None
        links, box = self._links, group.boxes[0]
        at = int(np.argmax(links.tensor != NOWHERE))
        # Not by the trace's colours, which may stand for something else than what a slice holds.
        trace = self.steps.trace
        window = box.window(at, at + 1)
        identity = trace.operator.identity(trace.desc, Place(True, box.output), window, trace.read)
        return int(links.tensor[at]), int(links.source[at]), int(identity[0]), group.count

    @cached_property
    def _sending_cells(self) -> tuple[int, Indices]:
        """(tensor, flat indices) of the index or length cells that the step reads; none where it reads none."""
        links = self._links
        return links.via_tensor, np.unique(links.via) if links.via is not None else np.zeros(0, np.int64)

    def __call__(self, place: Place, flat: Indices) -> NDArray[np.bool_]:
        """(N,) True for the elements of tensor `place` at `flat` that are marked."""
        none: NDArray[np.bool_] = np.zeros(len(flat), bool)
        trace = self.steps.trace
        if place.is_output:
            sizes = trace.outputs[place.number].tensor.sizes
            here: NDArray[np.bool_] = self.steps.when(place.number, unravel(flat, sizes)) == self.step
            return here if self.outputs else none
        if trace.inputs[place.number].field.role is not Role.DATA:
            tensor, vias = self._sending_cells if self.vias else (-1, flat)
            return np.isin(flat, vias) if tensor == place.number else none
        tensor, source, name, count = self._first_element
        if not self.steps.unit.is_memory and count <= MOST_READ:
            links = self._links
            return np.isin(flat, links.source[links.tensor == place.number])
        if tensor != place.number:
            return none
        if self.steps.unit.is_memory:
            read: NDArray[np.bool_] = (flat >= source) & (flat < source + count)
        else:
            at = unravel(flat, trace.inputs[place.number].tensor.sizes)
            identity = trace.operator.identity(trace.desc, place, at, trace.read)
            read = (identity == name) | (identity < 0)  # a copy is all of its tensor
            some = np.flatnonzero(read)
            if len(some):
                read[some] = trace.counts(place.number, tuple(axis[some] for axis in at)) != 0
        return read


def _interval(starts: range | Indices, at: Indices) -> Indices:
    """(N,) the number of the piece that holds each position."""
    if isinstance(starts, range):
        return np.minimum(at // starts.step, len(starts) - 1)
    return np.searchsorted(starts, at, side="right").astype(np.int64) - 1
