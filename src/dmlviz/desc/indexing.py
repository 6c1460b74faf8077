"""Index arithmetic: coordinates, and flat row-major indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from .values import Index, Indices

T = TypeVar("T")


def unravel(flat: Indices, sizes: Sequence[int]) -> Index:
    """Row-major flat indices (N,) as one (N,) array an axis."""
    index = []
    for size in reversed(sizes):
        index.append(flat % size)
        flat = flat // size
    return tuple(reversed(index))


def ravel(index: Sequence[Indices], sizes: Sequence[int]) -> Indices:
    """One (N,) array an axis as row-major flat indices (N,)."""
    flat: Indices = np.zeros_like(index[0])
    for coordinates, size in zip(index, sizes, strict=True):
        flat = flat * size + coordinates
    return flat


def arrays_of(index: Sequence[int]) -> Index:
    """One element's index, as those of N elements are given."""
    return tuple(np.array([coordinate], np.int64) for coordinate in index)


def flat_in(index: Sequence[int], sizes: Sequence[int]) -> int:
    """One element's row-major flat index."""
    return int(ravel(arrays_of(index), sizes)[0])


def index_in(flat: int, sizes: Sequence[int]) -> tuple[int, ...]:
    """One element's index by its row-major flat index."""
    return tuple(int(axis[0]) for axis in unravel(np.array([flat], np.int64), sizes))


def put(items: Sequence[T], at: int, item: T) -> tuple[T, ...]:
    """`items` with the one at `at` replaced."""
    return (*items[:at], item, *items[at + 1 :])


def leading_ones(sizes: Sequence[int]) -> int:
    """How many sizes are 1 before the first that isn't."""
    return next((d for d, size in enumerate(sizes) if size != 1), len(sizes))


def sample_indices(count: int, most: int = 256) -> Indices:
    """Flat indices, ascending: at the beginning, at the end and between, one in each stretch.

    Each lies elsewhere in its stretch: evenly spaced ones may be in step with values that repeat, and all alike.
    """
    if count <= most:
        return np.arange(count, dtype=np.int64)
    stretch, golden = np.arange(most), (5**0.5 - 1) / 2  # whose multiples by squares lie over 0 to 1, never evenly
    places = ((stretch + stretch**2 * golden % 1) * (count / most)).astype(np.int64)
    places[-1] = count - 1
    return np.unique(places)
