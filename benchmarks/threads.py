"""What hands a large call to threads: the mailbox and its helpers, Python's own thread pool, or Numba's layers.

Each way runs in a process of its own, as threads that look out for work are in each other's way; the processes take
turns, a stretch of calls each, on the same kernels, plans and values. Prints least times and medians over the
mailbox's, and their geometric means: `python benchmarks/threads.py [--rounds N] [--every K] [--busy]`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from statistics import geometric_mean, median

import cells
import numba
import numpy as np
from kernel_calls import STEP, UNITS, KernelCalls, planned
from numba import types
from timer import Remote

from dmlviz.kernels.lib import thread_pool
from dmlviz.kernels.lib.primitives import call

MAILBOX, POOL, *LAYERS = WAYS = ("mailbox", "thread pool", "omp", "workqueue")
STRETCH = 0.05
"""Seconds of calls in a turn."""


class Turns:
    """The turns of a call's threads, as `blocks.claim` reads them."""

    def __init__(self, count: int) -> None:
        self.counters, self.lines = thread_pool._lines(count), thread_pool._lines(count)
        self.lines[:, 0], self.lines[:, 1] = self.counters.ctypes.data, count
        self.lines[:, 2] = range(count)
        self.addresses = [self.lines.ctypes.data + 64 * k for k in range(count)]

    def begin(self) -> None:
        """Nothing of the work is claimed."""
        self.counters[:] = 0
        self.lines[:, 3] = 0


@numba.njit(types.void(*[types.int64] * 5), parallel=True, nogil=True)  # type: ignore[untyped-decorator]
def _by_layer(code: int, arrays: int, numbers: int, turns: int, count: int) -> None:
    for k in numba.prange(count):
        call(code, arrays, numbers, turns + 64 * k)


class Shared:
    """Calls of kernels that threads share in one of `WAYS`."""

    def __init__(self, way: str) -> None:
        self._way = way
        numba.config.THREADING_LAYER = way if way in LAYERS else "default"
        self._call: Callable[[], object] = lambda: None

    def prepare(self, cell_id: str) -> list[bytes]:
        """Makes the arrays of a cell and calls its kernel once; its outputs."""
        calls = KernelCalls(cells.grid()[cell_id])
        self._call = calls.call() if self._way == MAILBOX else self._shared(calls)
        self._call()
        return [output.tobytes() for output in calls.outputs]

    def _shared(self, calls: KernelCalls) -> Callable[[], None]:
        count = thread_pool.threads()
        kernel, arrays, numbers = calls.kernel, calls.arrays, np.array(calls.numbers)
        turns, pool = Turns(count), ThreadPoolExecutor(count - 1)

        def by_pool() -> None:
            turns.begin()
            helpers = [pool.submit(kernel.run, arrays, numbers, turn) for turn in turns.addresses[1:]]
            kernel.run(arrays, numbers, turns.addresses[0])
            for helper in helpers:
                helper.result()

        def by_layer() -> None:
            turns.begin()
            _by_layer(kernel.code, id(arrays), id(numbers), turns.addresses[0], count)

        return by_pool if self._way == POOL else by_layer

    def time(self) -> list[float]:
        """Seconds of each call in a stretch, but for the first ones, which bring the arrays back into the caches."""
        seconds, end = [], time.perf_counter() + STRETCH
        while (start := time.perf_counter()) < end:
            self._call()
            seconds.append(time.perf_counter() - start)
        return seconds[3:] or seconds[-1:]


def spin() -> None:
    while True:
        pass


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--rounds", type=int, default=5)
    words.add_argument("--every", type=int, default=8, help="one cell in so many; 8")
    words.add_argument("--busy", action="store_true", help="beside a process that keeps one processor busy")
    chosen = words.parse_args()
    if chosen.busy:
        multiprocessing.get_context("spawn").Process(target=spin, daemon=True).start()
    timers = {way: Remote(Shared, way) for way in WAYS}
    ids = [name for name, cell in cells.grid().items() if name.startswith("4Mi/float32") and is_shared(cell)]
    least: dict[str, list[float]] = {way: [] for way in WAYS}
    medians: dict[str, list[float]] = {way: [] for way in WAYS}
    for cell_id in ids[:: chosen.every]:
        outputs = [timer.ask("prepare", cell_id) for timer in timers.values()]
        assert all(of_way == outputs[0] for of_way in outputs), cell_id
        seconds: dict[str, list[float]] = {way: [] for way in WAYS}
        for _ in range(chosen.rounds):
            for way, timer in timers.items():
                seconds[way] += timer.ask("time")
                time.sleep(0.01)
        for way in WAYS:
            least[way].append(min(seconds[way]) / min(seconds[MAILBOX]))
            medians[way].append(median(seconds[way]) / median(seconds[MAILBOX]))
        ratios = " ".join(f"{least[way][-1]:6.2f} {medians[way][-1]:6.2f}" for way in WAYS[1:])
        print(f"{cell_id:58} {min(seconds[MAILBOX]) * 1e6:7.0f} µs {ratios}", flush=True)
    for way in WAYS[1:]:
        means = geometric_mean(least[way]), geometric_mean(medians[way])
        print(f"{way}: least {means[0]:.2f}, median {means[1]:.2f} times the mailbox's, of {len(least[way])} cells")


def is_shared(cell: cells.Cell) -> bool:
    numbers = planned(cell)
    return numbers[STEP] < numbers[UNITS]


if __name__ == "__main__":
    main()
