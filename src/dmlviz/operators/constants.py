"""Where elements of an output come from nowhere and hold a constant, as far as it follows from a desc alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..desc.base import Desc
from ..desc.fields import Role
from ..desc.indexing import unravel
from ..desc.values import Indices
from .maps import NOWHERE, Reader, Region, Sources, Starts

MOST_ALONG = 1 << 16
"""Elements along an axis that are looked at for where constants begin."""
NO_VALUES = Reader(())
"""What maps read that no index and no length steers."""


def moved_element(
    desc: Desc, region: Callable[[Any, int, tuple[int, ...], Reader], Region | None]
) -> tuple[int, tuple[int, ...]] | None:
    """(output, index) of the first element that reads the first of a data tensor, by the `region` of its operator.

    None where no first element is read, and where index or length values would have to be asked.
    """
    if any(part.field.role is not Role.DATA for part in desc.inputs):
        return None
    for k, part in enumerate(desc.inputs):
        read = region(desc, k, (0,) * part.tensor.dimension_count, NO_VALUES)
        if read is not None and all(len(factor.positions) for factor in read.factors):
            at = (unravel(np.array([f.positions[0]], np.int64), f.sizes) for f in read.factors)
            return read.output, tuple(int(axis[0]) for axes in at for axis in axes)
    return None


def constant_cuts(
    desc: Desc,
    output: int,
    index: tuple[int, ...],
    source: Callable[[Any, int, tuple[Indices, ...], Reader], Sources],
) -> Starts:
    """Cuts of an output where constants begin or end along each axis through element `index`, which has a source.

    `source` is that of the desc's operator. Axes without such a place, or longer than `MOST_ALONG`, aren't cut.
    """
    cuts: dict[int, Indices] = {}
    for d, size in enumerate(desc.outputs[output].tensor.sizes):
        if not 1 < size <= MOST_ALONG:
            continue
        along = [np.full(size, at, np.int64) for at in index]
        along[d] = np.arange(size, dtype=np.int64)
        filled = source(desc, output, tuple(along), NO_VALUES).tensor == NOWHERE
        ends = np.flatnonzero(filled[1:] != filled[:-1]) + 1
        if len(ends):
            cuts[d] = np.concatenate([np.zeros(1, np.int64), ends])
    return cuts
