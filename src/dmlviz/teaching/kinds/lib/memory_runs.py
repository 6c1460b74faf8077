"""Runs of memory: how many copies an output needs, by the truth or by one wrong rule."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ....desc.indexing import ravel, unravel
from ....desc.values import Indices
from ....operators.wrong_rules import NOWHERE, Misreading
from ....tracing import Trace
from ...questions.subject import Reading, Subject

MOST_ELEMENTS = 4096
"""Elements of all outputs up to which runs are counted."""


Order = Callable[[Any, int, Indices], tuple[Indices, ...]]
"""See `Misreading.order`."""


def runs_of(trace: Trace, reading: Reading, order: Order | None = None) -> list[int] | None:
    """The lengths of the longest stretches that one memcpy each can write, output by output.

    By `order`, if given, memory runs along the first axis first. None where the outputs are larger than
    `MOST_ELEMENTS`, or the reading is about sizes alone.
    """
    if not reading.has_elements or sum(math.prod(sizes) for sizes in reading.sizes) > MOST_ELEMENTS:
        return None
    found: list[int] = []
    for output, sizes in enumerate(reading.sizes):
        count = math.prod(sizes)
        tensor, at = addresses(trace, reading, output, np.arange(count, dtype=np.int64), order)
        cut = (tensor[1:] != tensor[:-1]) | (at[1:] != at[:-1] + 1)
        ends = [0, *(np.flatnonzero(cut) + 1).tolist(), count]
        found += [b - a for a, b in itertools.pairwise(ends) if tensor[a] != NOWHERE]
    return found


def runs_by(subject: Subject, rule: Misreading[Any] | None) -> list[int] | None:
    """The stretches as the holder of a rule sees them; None is the truth's holder."""
    if rule is not None and rule.order is not None:
        return runs_of(subject.trace, subject.truth, rule.order)
    return runs_of(subject.trace, subject.reading(rule))


def addresses(
    trace: Trace, reading: Reading, output: int, flat: Indices, order: Order | None = None
) -> tuple[Indices, Indices]:
    """(tensor, flat index there) of the sources of an output's elements at flat positions in memory; both (N,)."""
    sizes = reading.sizes[output]
    sources = reading.sources(output, unravel(flat, sizes) if order is None else order(trace.desc, output, flat))
    where = np.zeros(len(flat), np.int64)
    for k in np.unique(sources.tensor).tolist():
        if k != NOWHERE:
            here = sources.tensor == k
            axes, lengths = [axis[here] for axis in sources.index], trace.inputs[k].tensor.sizes
            where[here] = ravel(axes, lengths) if order is None else ravel(axes[::-1], lengths[::-1])
    return sources.tensor, where
