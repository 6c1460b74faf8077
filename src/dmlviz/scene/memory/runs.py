"""Runs: neighbours in an output that come from neighbours in one input, or all from nowhere."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...desc.indexing import unravel
from ...operators.maps import NOWHERE
from ...tracing import Trace
from ..elements.cursor import Cursor, flat_of
from ..elements.known import EVERYTHING, Known

MOST_BLOCKS = 1 << 16


MOST_SINGLE = 1 << 14
"""How many blocks, or single elements, are looked at to either side for the ends of a run, so that no frame is late."""


class Run(NamedTuple):
    """Neighbours in an output that come from neighbours in one input, or all from nowhere: one memcpy, or one fill."""

    start: int
    length: int
    open: tuple[bool, bool] = (False, False)
    """(before, behind) True where it may go on beyond what was looked at, or is known."""

    @property
    def whole(self) -> bool:
        """True if both of its ends were met."""
        return not any(self.open)


def run_of(trace: Trace, cursor: Cursor) -> Run:
    """The longest run of an output's elements around `cursor` whose sources lie side by side too, or are all none."""
    k = cursor.place.number
    tensor = trace.outputs[k].tensor
    count, flat = tensor.element_count, flat_of(trace, cursor)
    block = math.gcd(trace.operator.block(trace.desc, k), count)
    first = flat // block
    back, met_back = _linked(trace, k, block, first, -1)
    forth, met_forth = _linked(trace, k, block, first, 1)
    return Run((first - back) * block, (back + 1 + forth) * block, (not met_back, not met_forth))


def _linked(trace: Trace, out: int, block: int, first: int, way: int) -> tuple[int, bool]:
    """How many blocks before (way -1) or behind (1) block `first` belong to its run; whether the end was met."""
    blocks = trace.outputs[out].tensor.element_count // block
    linked, chunk = 0, 32
    most = MOST_BLOCKS if block > 1 else MOST_SINGLE
    while linked < most:
        # The first elements of the blocks that may be linked to the one before them.
        near = first + linked + 1 if way > 0 else first - linked
        some = np.arange(near, min(near + chunk, blocks)) if way > 0 else np.arange(near, max(near - chunk, 0), -1)
        if not len(some):
            return linked, True
        at = some.astype(np.int64) * block
        sizes = trace.outputs[out].tensor.sizes
        here, before = (trace.addresses(out, unravel(flat, sizes)) for flat in (at, at - 1))
        follows = (here[1] == before[1] + 1) | (here[0] == NOWHERE)
        loose = np.flatnonzero((here[0] != before[0]) | ~follows)
        if len(loose):
            return linked + int(loose[0]), True
        linked += len(some)
        chunk *= 2
    return linked, False


def run_around(trace: Trace, cursor: Cursor, known: Known = EVERYTHING) -> Run:
    """`run_of` as far as it is known, remembered while the cursor stays in one run; the element itself is known."""
    k, cache = cursor.place.number, trace.kept
    n, run = cache.get("run", (-1, Run(0, 0)))
    if n != k or not run.whole or not run.start <= flat_of(trace, cursor) < run.start + run.length:
        run = run_of(trace, cursor)
        cache["run"] = k, run
    return run if known.whole else _known_part(trace, cursor, run, known)


def _known_part(trace: Trace, cursor: Cursor, run: Run, known: Known) -> Run:
    """The known part of a run; its ends are open where it may go on into what isn't known, or wasn't looked at."""
    k, flat = cursor.place.number, flat_of(trace, cursor)
    tensor = trace.outputs[k].tensor
    # One more at either side: that a run ends just where what is known does isn't told.
    first = max(run.start - 1, flat - MOST_SINGLE, 0)
    behind = min(run.start + run.length + 1, flat + MOST_SINGLE, tensor.element_count)
    looked_at = np.arange(first, behind, dtype=np.int64)
    hidden = first + np.flatnonzero(~known(k, unravel(looked_at, tensor.sizes)))
    before, after = hidden[hidden < flat], hidden[hidden > flat]
    start = max(run.start, first, int(before[-1]) + 1 if len(before) else 0)
    stop = min(run.start + run.length, behind, int(after[0]) if len(after) else behind)
    is_open = start > run.start or len(before) > 0, stop < run.start + run.length or len(after) > 0
    if known.ends_runs:
        is_open = False, False
    return Run(start, stop - start, (run.open[0] or is_open[0], run.open[1] or is_open[1]))
