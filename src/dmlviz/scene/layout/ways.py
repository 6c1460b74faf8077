"""Every way to send axes down, across or into slices, and how usual each is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.int64]

UNROLLED = 16
"""The rank from which a way unrolls a matrix; blocks that lie otherwise are less strange than that."""


@dataclass(frozen=True)
class Ways:
    """M ways to assign some axes; sets of axes are bits, the first axis the lowest. All arrays are (M,)."""

    down: Bits
    across: Bits
    sliced: Bits
    ranks: Bits
    """How far each is from the way that people write tensors; 0 for rows and columns in turn."""
    order: Bits
    """Which to take first: no unrolled matrix, then the slices that were named first, then the most usual."""

    def first(self, good: NDArray[np.bool_]) -> int | None:
        """The one of the good ones to take."""
        if not good.any():
            return None
        return int(np.where(good, self.order, np.iinfo(np.int64).max).argmin())


@lru_cache(maxsize=64)
def ways(count: int, slices: tuple[tuple[int, ...], ...] = ((),)) -> Ways:
    """Every assignment of `count` axes that some sets of sliced ones leave."""
    down: list[int] = []
    sliced: list[int] = []
    ranks: list[int] = []
    groups: list[int] = []
    for group, each in enumerate(slices):
        left = [d for d in range(count) if d not in each]
        made = [0]
        for d in left:
            made += [bits | 1 << d for bits in made]
        down += made
        sliced += [sum(1 << d for d in each)] * len(made)
        ranks += [usual_rank(left, bits) for bits in made]
        groups += [group] * len(made)
    downs, slicing, rank = (np.array(each, np.int64) for each in (down, sliced, ranks))
    across = ((1 << count) - 1) & ~downs & ~slicing
    order = (rank >= UNROLLED) * (1 << 32) + np.array(groups, np.int64) * (1 << 16) + rank
    return Ways(downs, across, slicing, rank, order)


def usual_rank(axes: Sequence[int], down: int) -> int:
    """How unusual it is that the axes in `down` (bits) go down.

    The last axes alternate, as people write them: rows, columns, blocks of rows, blocks of columns.
    """
    rank = 0
    for i, d in enumerate(axes):
        left = len(axes) - i
        if (down >> d & 1) != (left % 2 == 0):
            rank += UNROLLED if left <= 2 else 1
    return rank
