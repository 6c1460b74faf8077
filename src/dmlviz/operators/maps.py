"""Maps between elements: what an operator answers when it is asked where an element comes from or goes to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ..desc.indexing import ravel
from ..desc.values import Array, Index, Indices, Values

T = TypeVar("T")
Starts = Mapping[int, "range | Indices"]
"""Axes of a tensor, ascending, that are cut into pieces: where the pieces begin, 0 first, the last up to the end."""
NEGATIVE, CLAMPED = 1, 2
"""Flags of a source: its index counts from the end; its index or length was clamped."""
NOWHERE = -1
"""In place of the number of an input tensor: an element without a source, which holds a constant."""
NOT_COUNTED, COUNTING = -1, -2
"""In place of a count: it would need too large a scan; its scan isn't made yet."""


class Reader:
    """Reads input tensor `k` at flat indices (N,): how maps see index and length values.

    `cache` keeps what a map derives from all of them; a reader lives as long as its values stay. Where it isn't
    `patient`, a map that would have to scan many values first answers COUNTING until `Operator.prepare` has run.
    """

    def __init__(self, values: Sequence[Values]) -> None:
        self.values = values
        self.cache: dict[str, Any] = {}
        self.patient = True

    def __call__(self, tensor: int, flat: Indices) -> NDArray[Any]:
        return self.values[tensor].read(flat)

    def kept(self, name: str, make: Callable[[], T]) -> T:
        """What is made once of all values; the cache keeps it by `name`."""
        if name not in self.cache:
            self.cache[name] = make()
        found: T = self.cache[name]
        return found

    def one(self, tensor: int, flat: int) -> int:
        return int(self(tensor, np.array([flat], np.int64))[0])

    def elements(self, tensor: Indices, flat: Indices, constant: np.generic) -> Array:
        """(N,) the elements at addresses, see `Trace.addresses`; `constant`, whose type they have, for NOWHERE."""
        numbers = tensors_among(tensor)
        if len(numbers) == 1 and (tensor == numbers[0]).all():  # as in most windows: no mask is made
            return self(numbers[0], flat).astype(constant.dtype, copy=False)
        values = np.full(len(tensor), constant, constant.dtype)
        for k in numbers:
            here = tensor == k
            values[here] = self(k, flat[here])
        return values


class Sources(Struct, frozen=True):
    """Where N output elements come from. All arrays are int64."""

    tensor: Indices
    """(N,) number of the input tensor; NOWHERE for an element that holds the operator's `constant`."""
    index: Index
    """One (N,) array an axis of that tensor; 0 along every axis for what comes from nowhere."""
    via: Index | None = None
    """The index or length cell that sent each element, one (N,) array an axis; None where there is none."""
    via_tensor: int = -1
    flags: Indices | None = None
    """(N,) of NEGATIVE | CLAMPED; None for none anywhere."""

    def flat(self, sizes: Sequence[Sequence[int]]) -> Indices:
        """(N,) row-major flat index of each source in its tensor, of all inputs' `sizes`; 0 for what has no source."""
        numbers = tensors_among(self.tensor)
        if len(numbers) == 1:
            return ravel(self.index, sizes[numbers[0]])  # 0 of index 0, which has no source
        flat = np.zeros(len(self.tensor), np.int64)
        for k in numbers:
            here = self.tensor == k
            flat[here] = ravel([axis[here] for axis in self.index], sizes[k])
        return flat


def nowhere(sources: Sources, where: NDArray[np.bool_]) -> Sources:
    """`sources`, where the elements that `where` marks come from nowhere."""
    index = tuple(np.where(where, 0, axis) for axis in sources.index)
    return Sources(np.where(where, NOWHERE, sources.tensor), index)


def tensors_among(tensor: Indices) -> list[int]:
    """The numbers of the tensors that (N,) elements come from, ascending; NOWHERE is none of them."""
    counts = np.bincount(tensor + 1)  # np.unique would import numpy.ma
    numbers: list[int] = np.flatnonzero(counts[1:]).tolist()
    return numbers


class Readers(Struct, frozen=True):
    """One output element for each of N input elements. All arrays are (N,) int64."""

    output: Indices
    """Number of the output."""
    index: Index
    """One array an axis of the outputs."""


class Factor(Struct, frozen=True):
    """Some neighbouring axes of an output, and the positions along them that belong to a region, ascending.

    `positions` are row-major over `sizes`, the sizes of those axes.
    """

    sizes: tuple[int, ...]
    positions: range | Array


def single(sizes: Sequence[int], index: Sequence[int]) -> tuple[Factor, ...]:
    """One element, as a factor for each axis."""
    return tuple(Factor((n,), range(i, i + 1)) for n, i in zip(sizes, index, strict=True))


class Region(Struct, frozen=True):
    """A set of elements of one output: the product of its factors, in axis order."""

    output: int
    factors: tuple[Factor, ...]


class Place(Struct, frozen=True):
    """A tensor of a desc by side and number: output 0, or input 2 in field order."""

    is_output: bool
    number: int
