"""What fills a tensor. Read by window, stored only if it must be."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ..stopping import checkpoint
from .tensors import DataType, TensorDesc

Array = NDArray[Any]
Indices = NDArray[np.int64]
Index = tuple[Indices, ...]
"""Coordinates of N elements, (N,) along each axis."""
CHUNK = 1 << 20
SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class Values(ABC):
    """The elements of one tensor, addressed by flat row-major index."""

    key: Hashable = None
    """What equal values have in common, cheaply; None where that would need every element."""

    def __init__(self, tensor: TensorDesc) -> None:
        self.tensor = tensor

    @abstractmethod
    def read(self, flat: Indices) -> Array:
        """The elements at `flat`, (N,) indices in [0, element_count), as (N,) of the tensor's dtype."""

    def array(self) -> Array:
        """Every element, in the tensor's shape and C order."""
        out = np.empty(self.tensor.element_count, self.tensor.data_type.dtype)
        for start, elements in self.chunks():
            out[start : start + len(elements)] = elements
        return out.reshape(self.tensor.sizes)

    def chunks(self) -> Iterator[tuple[int, Array]]:
        """(start, elements) over the whole tensor, CHUNK elements at a time."""
        count = self.tensor.element_count
        for start in range(0, count, CHUNK):
            checkpoint()
            yield start, self.read(np.arange(start, min(start + CHUNK, count), dtype=np.int64))


class Stored(Values):
    def __init__(self, tensor: TensorDesc, array: Array) -> None:
        super().__init__(tensor)
        self._array = array.reshape(tensor.sizes)

    def read(self, flat: Indices) -> Array:
        return np.asarray(self._array.reshape(-1)[flat])

    def array(self) -> Array:
        return self._array


class Filled(Values):
    """Elements computed from their index; nothing is stored."""

    def __init__(self, tensor: TensorDesc, fill: Fill) -> None:
        super().__init__(tensor)
        self.fill, self.key = fill, (tensor, fill)

    def read(self, flat: Indices) -> Array:
        return self.fill.make(flat, self.tensor.data_type)


class Iota(Struct, frozen=True):
    """start, start + step, ...; wraps in integers and rounds in floats, as NumPy's astype would."""

    start: int | float = 0
    step: int | float = 1

    def make(self, flat: Indices, data_type: DataType) -> Array:
        start, step = self.start, self.step
        whole = isinstance(start, int) and isinstance(step, int)
        with np.errstate(over="ignore", invalid="ignore"):
            if whole and not data_type.is_float:  # modulo 2**64, of which the type takes the low bits
                made: Array = flat.astype(np.uint64) * np.uint64(step % 2**64) + np.uint64(start % 2**64)
            elif whole and abs(start) + abs(step) * 2**32 < 2**63:
                made = flat * step + start
            else:
                made = flat * float(step) + float(start)
            return made.astype(data_type.dtype)


class Constant(Struct, frozen=True):
    """One value in every element; the nearest that the type has, where it is beyond the type's range."""

    value: int | float | str

    def make(self, flat: Indices, data_type: DataType) -> Array:
        value = SPECIAL[self.value] if isinstance(self.value, str) else clamp(self.value, data_type)
        return np.full(len(flat), value, data_type.dtype)


class Random(Struct, frozen=True):
    """Raw Philox by element index: element i is word i of `np.random.Philox(key=seed).random_raw(n)`.

    Integer types take the word's low bits; float types take `(word >> 11) * 2**-53`, which lies in [0, 1). Where the
    elements are indices or lengths, `below` keeps them meaningful: word modulo `below`.
    """

    seed: int = 0
    below: int | None = None

    def make(self, flat: Indices, data_type: DataType) -> Array:
        words = philox(flat, self.seed)
        if self.below is not None:
            return (words % np.uint64(min(self.below, 2**64 - 1))).astype(data_type.dtype)
        if data_type.is_float:
            return ((words >> np.uint64(11)) * 2.0**-53).astype(data_type.dtype)
        return words.astype(data_type.dtype)


class Cycle(Struct, frozen=True):
    """0, 1, ... n - 1, 0, 1, ...: what indices are when nothing is said."""

    n: int

    def make(self, flat: Indices, data_type: DataType) -> Array:
        return (flat % min(self.n, 2**63 - 1)).astype(data_type.dtype)


Fill = Iota | Constant | Random | Cycle
"""A rule that makes the elements at any indices, as (N,) of a type, without the others."""


def clamp(number: int | float, data_type: DataType) -> int | float:
    """`number`, or the end of the type's range that is nearer to it."""
    high = float(np.finfo(data_type.dtype).max) if data_type.is_float else 0.0
    low, high = (-high, high) if data_type.is_float else data_type.integer_range
    return min(max(number, low), high)


def element_of(number: int | float, data_type: DataType) -> np.generic:
    """A constant of a desc as an element: rounded to the nearest float, or as Direct3D makes an integer of it.

    That drops what stands behind the point and clamps to the range; NaN is 0. Microsoft's pages don't say it.
    """
    if not data_type.is_float:
        number = 0 if math.isnan(number) else int(clamp(number, data_type))
    with np.errstate(over="ignore"):
        element: np.generic = data_type.dtype.type(number)
    return element


def philox(flat: Indices, seed: int) -> NDArray[np.uint64]:
    """Word `flat[i]` of NumPy's Philox stream of `seed`, for any indices in any order.

    Four words are one block, of which each is made without the ones before: runs of blocks are drawn at once.
    """
    blocks, places = np.unique(flat >> 2, return_inverse=True)
    generator = np.random.Philox(key=seed)
    words = [np.empty(0, np.uint64)]
    at = 0
    for run in np.split(blocks, np.flatnonzero(np.diff(blocks) != 1) + 1):
        if len(run):
            generator.advance(int(run[0]) - at)
            words.append(generator.random_raw(4 * len(run)))
            at = int(run[-1]) + 1
    found: NDArray[np.uint64] = np.concatenate(words)[places * 4 + (flat & 3)]
    return found
