"""Timing calls: what a sample is, when there are enough of them, and the words for what was timed.

Four words, each with one meaning, here, on the screen, in JSON and in benchmarks/README.md:

- **cold**: the first call of a process that finds no compiled kernel on disk. Importing Numba and compiling are in it.
- **cached**: the first call of a process that finds the compiled kernel on disk. Importing Numba and loading are in it.
- **first**: a call of a kernel that is ready, when nothing else is: the first after getting it ready, or after the
  others' turns in `benchmarks/bench.py`. Caches hold other things, and the outputs' fresh pages are touched.
- **warm**: a call that follows another of the same arrays at once.

A process's opening call is cold, cached or first, as the kernel's state says; every statistic is of warm calls unless
it is called otherwise.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import repeat
from typing import Any

import numpy as np
from msgspec import Struct, to_builtins

from ..desc.base import Desc
from ..desc.fields import Role
from ..desc.values import Array, Stored
from ..kernels.lib import loading
from ..kernels.lib.kernel import Kernel, KernelState
from ..operators.maps import Reader
from ..operators.registry import operator_of
from ..running.engine import Bound, memory_needed

BUDGET = 0.02
"""Seconds of warm calls that `measure` spends at most."""
SHORTEST_SAMPLE = 20e-6
"""Calls are batched until a sample lasts this long; the clock's own cost, some 0.1 µs, is then lost in it."""
LONGEST_WARM_UP = 2e-3
"""A sample up to this long follows a call that isn't timed and brings its arrays back into the caches."""
FEWEST_ROUNDS = 7
PATIENCE = 10
"""Times the budget that `sample` may spend to reach `FEWEST_ROUNDS`, where nothing else is said."""


class Spread(Struct, frozen=True, rename={"median": "median_seconds", "min": "min_seconds", "p95": "p95_seconds"}):
    """How long one call takes, in seconds, over `n` samples."""

    median: float
    min: float
    p95: float
    """What 95 of 100 samples don't exceed."""
    n: int

    @classmethod
    def of(cls, samples: Iterable[float]) -> Spread:
        """The spread of at least one sample."""
        ordered = sorted(samples)
        n = len(ordered)
        return cls(median=float(np.median(ordered)), min=ordered[0], p95=ordered[math.ceil(0.95 * n) - 1], n=n)


class Timing(Struct, frozen=True, kw_only=True, rename={"opening": "cold_seconds"}):
    """How long a bound call takes; for the words see the module.

    The clock counts the kernel on arrays that are there already, and Python's call of it. It does not count checking
    and folding the desc, allocating, filling inputs and copying those that are not contiguous; the garbage collector is
    held. A fresh output's pages are touched for the first time by `opening` alone.
    """

    opening: float
    """Seconds of the first call and of getting the kernel ready: a cold, cached or first one, as `word` says."""
    kernel: KernelState
    """What getting the kernel ready took."""
    warm: Spread
    bytes_read: int
    bytes_written: int
    kernel_seconds: float = 0.0
    """Seconds of `opening` that compiling the kernel took, or loading it from the cache."""

    @property
    def word(self) -> str:
        """What the opening call was: `cold`, `cached` or `first`."""
        return {KernelState.COMPILED: "cold", KernelState.CACHED: "cached"}.get(self.kernel, "first")

    @property
    def gb_per_s(self) -> float:
        """10^9 bytes read and written in a second, at the median."""
        return (self.bytes_read + self.bytes_written) / self.warm.median / 1e9

    def to_json(self) -> dict[str, Any]:
        """What `dmlviz run --json` prints; `cold_seconds` is `opening`, cold only if `kernel` says "compiled now"."""
        json = {**to_builtins(self), "gb_per_second": self.gb_per_s}
        del json["kernel_seconds"]
        return json


def measure(bound: Bound, budget: float = BUDGET) -> Timing:
    """Times the first call of `bound`, then warm calls for at most `budget` seconds; only 1 where one takes longer."""
    start = time.perf_counter()
    ready = loading.is_loaded(bound.name)
    kernel = loading.load(bound.name)
    bound()
    opening = time.perf_counter() - start
    (warm,) = sample([bound], budget, patience=1)
    return timing_of(bound, opening, None if ready else kernel, warm)


def timing_of(bound: Bound, opening: float, kernel: Kernel | None, warm: Spread) -> Timing:
    """The timing of `bound`; `kernel` is None where it was ready before the first call."""
    read, written = bytes_moved(bound.desc, bound.inputs)
    state, seconds = (kernel.state, kernel.seconds) if kernel else (KernelState.READY, 0.0)
    return Timing(
        opening=opening, kernel=state, warm=warm, bytes_read=read, bytes_written=written, kernel_seconds=seconds
    )


def bytes_moved(desc: Desc, arrays: Sequence[Array] = ()) -> tuple[int, int]:
    """Bytes that a valid desc reads and writes by its operator's definition, whatever a kernel does.

    Written: every element of the outputs. Read: a data element for each of those that has a source, and the index or
    length tensor once. `arrays` are the inputs, where those decide which elements have no source.
    """
    written = memory_needed(desc)
    steering = sum(p.tensor.byte_count for p in desc.inputs if p.field.role in (Role.INDICES, Role.LENGTHS))
    filled, op = 0, operator_of(desc)
    for k, part in enumerate(desc.outputs if op.constant_path else ()):
        if op.constant(desc, k) is not None:
            read = Reader([Stored(p.tensor, array) for p, array in zip(desc.inputs, arrays, strict=False)])
            filled += op.constant_count(desc, k, read) * part.tensor.data_type.item_size
    return written - filled + steering, written


def sample(calls: Sequence[Callable[[], object]], budget: float, patience: float = PATIENCE) -> list[Spread]:
    """The spreads of `samples_of` these calls."""
    return [Spread.of(of_call) for of_call in samples_of(calls, budget, patience)]


def samples_of(calls: Sequence[Callable[[], object]], budget: float, patience: float = PATIENCE) -> list[list[float]]:
    """Times warm `calls` in turns for `budget` seconds in all: the seconds of each call's samples, round by round.

    A round takes one sample of each call, so that whatever else the machine does meets all of them alike; the order
    rotates. The clock counts the call, and some 10 ns of Python's loop where short calls are batched into a sample,
    which is then their mean. Calls that aren't counted: one before the first sample, which touches fresh pages, and one
    before every sample that is short. The garbage collector is held.

    `FEWEST_ROUNDS` are taken at least, unless they took `patience` budgets.
    """
    clock = time.perf_counter
    with collector_held():
        batches = [_batch(call) for call in calls]
        seconds: list[list[float]] = [[] for _ in calls]
        began = clock()
        turn = 0
        while True:
            for at in range(len(calls)):
                k = (at + turn) % len(calls)
                count, warm = batches[k]
                if warm:
                    calls[k]()
                seconds[k].append(seconds_of(calls[k], count))
            turn += 1
            spent = clock() - began
            if spent >= budget and (turn >= FEWEST_ROUNDS or spent >= patience * budget):
                return seconds


@contextmanager
def collector_held() -> Iterator[None]:
    """Holds the garbage collector while a clock runs, and lets it go as it was."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def seconds_of(call: Callable[[], object], count: int) -> float:
    """Seconds a call, over `count` of them."""
    turns = repeat(None, count)
    clock = time.perf_counter
    start = clock()
    for _ in turns:
        call()
    return (clock() - start) / count


def _batch(call: Callable[[], object]) -> tuple[int, bool]:
    """How many calls make a sample, and whether one that isn't timed goes before it."""
    count = 1
    while True:
        lasts = seconds_of(call, count) * count
        # Once more: something else may have had the processor.
        if SHORTEST_SAMPLE <= lasts <= LONGEST_WARM_UP:
            lasts = min(lasts, seconds_of(call, count) * count)
        if lasts >= SHORTEST_SAMPLE or count >= 1 << 12:
            return count, lasts <= LONGEST_WARM_UP
        count *= 2
