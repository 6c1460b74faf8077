"""What an edit made of the outputs: which elements come from elsewhere, hold other values, or are new."""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ..desc.indexing import unravel
from ..desc.values import Array, Indices
from ..tracing import Trace

MOST_COUNTED = 2**18
"""Indices of all output elements up to which changes are counted: 2^16 elements of four axes, 15 to 30 ms."""
LEAST_OF_OUTPUT = 2**11
"""Indices that take as long as asking an output at all."""


class Counts(Struct, frozen=True):
    """How many elements all outputs had before an edit and have after it, and how many of those changed."""

    before: int
    after: int
    changed: int | None
    """None where that isn't counted: see `MOST_COUNTED`."""


class Changes(Struct, frozen=True, eq=False):
    """Compares the outputs of two descs of one operator, coordinate by coordinate and only where it is asked.

    Outputs are compared by number; in those of another rank everything changed.
    """

    before: Trace
    after: Trace

    def changed(self, out: int, flat: Indices) -> NDArray[np.bool_]:
        """(N,) True for the elements of an output at flat indices (N,) that changed."""
        index = unravel(flat, self.after.outputs[out].tensor.sizes)
        before, after = self.before, self.after
        changed = np.ones(len(flat), bool)
        sizes = before.outputs[out].tensor.sizes if out < len(before.outputs) else ()
        if len(sizes) != len(index):
            return changed
        inside = [axis < size for axis, size in zip(index, sizes, strict=True)]
        there = np.flatnonzero(np.logical_and.reduce(inside))
        now = tuple(axis[there] for axis in index)
        one, other = before.sources(out, now), after.sources(out, now)
        if not len(there) or len(one.index) != len(other.index):
            return changed
        moved = one.tensor != other.tensor
        for a, b in zip(one.index, other.index, strict=True):
            moved |= a != b
        changed[there] = moved | _differ(before.window(out, now), after.window(out, now))
        return changed

    def counts(self) -> Counts:
        """How many elements there are, and changed."""
        before, after = ([part.tensor.sizes for part in trace.outputs] for trace in (self.before, self.after))
        changed = None
        if sum(max(len(sizes) * math.prod(sizes), LEAST_OF_OUTPUT) for sizes in after) <= MOST_COUNTED:
            every = (np.arange(math.prod(sizes), dtype=np.int64) for sizes in after)
            changed = sum(int(self.changed(k, flat).sum()) for k, flat in enumerate(every))
        return Counts(before=sum(map(math.prod, before)), after=sum(map(math.prod, after)), changed=changed)


def _differ(one: Array, other: Array) -> NDArray[np.bool_]:
    """(N,) True where two values aren't the same: zeros of either sign differ, NaNs don't."""
    differs: NDArray[np.bool_] = one != other
    if one.dtype.kind == "f" and other.dtype.kind == "f":
        differs |= (one == 0) & (np.signbit(one) != np.signbit(other))
        differs &= ~(np.isnan(one) & np.isnan(other))
    return differs
