"""Runs of memory: how many copies an output needs, by the truth or by one wrong rule."""

from __future__ import annotations

import itertools
import math

import numpy as np

from ..desc.indexing import ravel, unravel
from ..desc.values import Indices
from ..operators.wrong_rules import NOWHERE
from ..tracing import Trace
from .subject import Reading

MOST_ELEMENTS = 4096
"""Elements of all outputs up to which runs are counted."""


def runs_of(trace: Trace, reading: Reading) -> list[int] | None:
    """The lengths of the longest stretches that one memcpy each can write, output by output.

    None where the outputs are larger than `MOST_ELEMENTS`, or the reading is about sizes alone.
    """
    if not reading.has_elements or sum(math.prod(sizes) for sizes in reading.sizes) > MOST_ELEMENTS:
        return None
    found: list[int] = []
    for output, sizes in enumerate(reading.sizes):
        count = math.prod(sizes)
        tensor, at = addresses(trace, reading, output, np.arange(count, dtype=np.int64))
        cut = (tensor[1:] != tensor[:-1]) | (at[1:] != at[:-1] + 1)
        ends = [0, *(np.flatnonzero(cut) + 1).tolist(), count]
        found += [b - a for a, b in itertools.pairwise(ends) if tensor[a] != NOWHERE]
    return found


def addresses(trace: Trace, reading: Reading, output: int, flat: Indices) -> tuple[Indices, Indices]:
    """(tensor, flat index there) of the sources of an output's elements; both (N,)."""
    sources = reading.sources(output, unravel(flat, reading.sizes[output]))
    where = np.zeros(len(flat), np.int64)
    for k in np.unique(sources.tensor).tolist():
        if k != NOWHERE:
            here = sources.tensor == k
            where[here] = ravel([axis[here] for axis in sources.index], trace.inputs[k].tensor.sizes)
    return sources.tensor, where
