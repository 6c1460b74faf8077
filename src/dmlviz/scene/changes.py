"""What an edit made of the outputs: which elements come from elsewhere, hold other values, are new, or are gone."""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence

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


class Fate(enum.IntEnum):
    """What an edit made of an output element."""

    SAME = 0
    MOVED = 1
    """It comes from another input element."""
    OTHER_VALUE = 2
    """It comes from the same one, which holds another value."""
    NEW = 3
    """The output had no such coordinate."""


class Counts(Struct, frozen=True):
    """How many elements of all outputs an edit made what."""

    before: int
    after: int
    new: int
    gone: int
    moved: int | None
    """None where that isn't counted: see `MOST_COUNTED`."""
    other_values: int | None


class Changes(Struct, frozen=True, eq=False):
    """Compares the outputs of two descs of one operator, coordinate by coordinate and only where it is asked.

    Outputs are compared by number. Coordinates of different rank are compared from the last axis on, and axes that one
    of both lacks are 0: descs of one meaning differ in leading axes of size 1.
    """

    before: Trace
    after: Trace

    def changed(self, output: int, flat: Indices) -> NDArray[np.bool_]:
        """(N,) True for the elements of an output at flat indices (N,) that changed."""
        changed: NDArray[np.bool_] = (
            self.fates(output, unravel(flat, self.after.outputs[output].tensor.sizes)) != Fate.SAME
        )
        return changed

    def fates(self, out: int, index: tuple[Indices, ...]) -> NDArray[np.int8]:
        """(N,) What became of the elements of an output at coordinates, see `Fate`."""
        before, after = self.before, self.after
        fate = np.full(len(index[0]), Fate.NEW, np.int8)
        if out >= len(before.outputs):
            return fate
        tensor = before.outputs[out].tensor
        there = np.flatnonzero(_inside(index, tensor.sizes))
        if not len(there):
            return fate
        now = tuple(axis[there] for axis in index)
        was = _aligned(now, tensor.dimension_count)
        one, other = before.sources(out, was), after.sources(out, now)
        moved = one.tensor != other.tensor
        rank = max(len(one.index), len(other.index))
        for a, b in zip(_aligned(one.index, rank), _aligned(other.index, rank), strict=True):
            moved |= a != b
        differs = _differ(before.window(out, was), after.window(out, now))
        fate[there] = np.where(moved, Fate.MOVED, np.where(differs, Fate.OTHER_VALUE, Fate.SAME))
        return fate

    def counts(self) -> Counts:
        """How many elements became what; moved and other values are None where outputs exceed `MOST_COUNTED`."""
        olds, news = ([part.tensor.sizes for part in trace.outputs] for trace in (self.before, self.after))
        before, after = (sum(map(math.prod, sizes)) for sizes in (olds, news))
        common = sum(_common(old, new) for old, new in zip(olds, news, strict=False))
        is_counted = sum(max(len(sizes) * math.prod(sizes), LEAST_OF_OUTPUT) for sizes in news) <= MOST_COUNTED
        fates = np.zeros(len(Fate), np.int64)
        for k, sizes in enumerate(news if is_counted else ()):
            index = unravel(np.arange(math.prod(sizes), dtype=np.int64), sizes)
            fates += np.bincount(self.fates(k, index), minlength=len(Fate))
        return Counts(
            before=before,
            after=after,
            new=after - common,
            gone=before - common,
            moved=int(fates[Fate.MOVED]) if is_counted else None,
            other_values=int(fates[Fate.OTHER_VALUE]) if is_counted else None,
        )


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    return math.prod(min(a, b) for a, b in zip(reversed(one), reversed(other), strict=False))


def _aligned(index: tuple[Indices, ...], rank: int) -> tuple[Indices, ...]:
    """Coordinates with `rank` axes: leading ones are left out, or are 0."""
    missing = rank - len(index)
    return index[-missing:] if missing <= 0 else (*[np.zeros_like(index[0])] * missing, *index)


def _inside(index: tuple[Indices, ...], sizes: Sequence[int]) -> NDArray[np.bool_]:
    inside = np.ones(len(index[0]), bool)
    missing = len(index) - len(sizes)
    for axis in index[: max(0, missing)]:
        inside &= axis == 0
    for axis, size in zip(_aligned(index, len(sizes)), sizes, strict=True):
        inside &= axis < size
    return inside


def _differ(one: Array, other: Array) -> NDArray[np.bool_]:
    """(N,) True where two values aren't the same: zeros of either sign differ, NaNs don't."""
    differs: NDArray[np.bool_] = one != other
    if one.dtype.kind == "f" and other.dtype.kind == "f":
        differs |= (one == 0) & (np.signbit(one) != np.signbit(other))
        differs &= ~(np.isnan(one) & np.isnan(other))
    return differs
