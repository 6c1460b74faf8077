"""Descs as other libraries take them: sizes folded to few dimensions, indices and lengths checked and cast."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from ..desc.values import Array
from ..operators.join import Join
from ..operators.split import Split


class Folded(Struct, frozen=True):
    """Sizes in as few dimensions as they need: `outer` blocks of `n` slices, each of `inner` elements."""

    outer: int
    n: int
    inner: int

    @classmethod
    def of(cls, sizes: Sequence[int], axis: int) -> Folded:
        return cls(math.prod(sizes[:axis]), sizes[axis], math.prod(sizes[axis + 1 :]))

    def shape(self, n: int | None = None) -> tuple[int, ...]:
        """The sizes with `n` slices, without an outer or inner 1."""
        slices = self.n if n is None else n
        return (*([self.outer] if self.outer > 1 else []), slices, *([self.inner] if self.inner > 1 else []))

    @property
    def axis(self) -> int:
        """The axis in `shape`."""
        return int(self.outer > 1)


def join_folded(desc: Join) -> tuple[Folded, list[int]]:
    """The output's sizes, and the inputs' ones along the axis."""
    assert desc.output_tensor is not None
    return Folded.of(desc.output_tensor.sizes, desc.axis), [t.sizes[desc.axis] for t in desc.input_tensors]


def split_folded(desc: Split) -> tuple[Folded, list[int]]:
    """The input's sizes, and the outputs' ones along the axis."""
    return Folded.of(desc.input_tensor.sizes, desc.axis), [t.sizes[desc.axis] for t in desc.output_tensors]


def interleaved(sizes: Sequence[int], repeats: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """TILE as a broadcast: the input's shape and the output's, with an axis of repeats before each that has some."""
    source: list[int] = []
    whole: list[int] = []
    for size, times in zip(sizes, repeats, strict=True):
        if times > 1:
            source.append(1)
            whole.append(times)
        if size > 1:
            if times == 1 and whole and source[-1] == whole[-1]:
                source[-1] *= size  # neighbours that are not repeated are one run
                whole[-1] *= size
            else:
                source.append(size)
                whole.append(size)
    return tuple(source) or (1,), tuple(whole) or (1,)


def indices_in_range(indices: Array, n: int) -> bool:
    """True if every index picks a slice that is there, counted from 0."""
    return bool((indices < n).all()) and (indices.dtype.kind == "u" or bool((indices >= 0).all()))


def signed(array: Array) -> Array:
    """The same bytes as signed integers."""
    return array.view(np.dtype(f"i{array.dtype.itemsize}"))


def uniform_length(lengths: Array, n: int) -> int | None:
    """The length that all sequences have; None where they differ."""
    low, high = int(lengths.min()), int(lengths.max())
    return min(high, n) if low == high or low >= n else None
