"""What hands a large call to threads: the mailbox and its helpers, Python's own thread pool, or Numba's layers.

Each way runs in a process of its own, as threads that look out for work are in each other's way; the processes take
turns, a stretch of calls each, on the same kernels, plans and values. Prints least times and medians over the
mailbox's, and their geometric means: `python benchmarks/threads.py [--rounds N] [--every K] [--busy]`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

import numba
import numpy as np
from grid import cells
from grid.cells import Cell
from numba import types

from dmlviz.kernels.lib import loading, thread_pool
from dmlviz.kernels.lib.primitives import call, pointer
from dmlviz.operators.registry import operator_of

WAYS = ("mailbox", "thread pool", "omp", "workqueue")
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
        self.counters[:] = 0
        self.lines[:, 3] = 0


@numba.njit(types.void(*[types.int64] * 5), parallel=True, nogil=True)  # type: ignore[untyped-decorator]
def _by_layer(code: int, arrays: int, numbers: int, turns: int, count: int) -> None:
    for k in numba.prange(count):
        call(code, pointer(arrays), pointer(numbers), turns + 64 * k)


def shared(way: str, kernel: Any, arrays: tuple[Any, ...], numbers: Any) -> Callable[[], None]:
    """A call of the kernel that threads share in one of `WAYS`."""
    count = thread_pool.threads()
    if way == "mailbox":
        return partial(thread_pool.share, kernel, arrays, numbers)
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

    return by_pool if way == "thread pool" else by_layer


def numbers_of(cell: Cell) -> Any:
    kernel = loading.load(cell.operator)
    assert kernel.plan is not None
    return np.array(kernel.plan(*operator_of(cell.desc).kernel_numbers(cell.desc)))


def work(way: str, pipe: Connection) -> None:
    """Prepares the cell whose id comes, or times a stretch of its calls where None comes."""
    numba.config.THREADING_LAYER = way if way in ("omp", "workqueue") else "default"
    by_id = {cell.id: cell for cell in cells.grid("full")}
    run: Callable[[], None] | None = None
    while True:
        try:
            word = pipe.recv()
        except EOFError:
            return
        if word is None and run is not None:
            times, end = [], time.perf_counter() + STRETCH
            while (start := time.perf_counter()) < end:
                run()
                times.append(time.perf_counter() - start)
            pipe.send(times)
        else:
            cell = by_id[word]
            outputs = [cells.aligned(part.tensor) for part in cell.desc.outputs]
            run = shared(way, loading.load(cell.operator), (*outputs, *cell.arrays()), numbers_of(cell))
            run()
            pipe.send([output.tobytes() for output in outputs])


def spin() -> None:
    while True:
        pass


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--rounds", type=int, default=5)
    words.add_argument("--every", type=int, default=8, help="one cell in so many; 8")
    words.add_argument("--busy", action="store_true", help="beside a process that keeps one processor busy")
    chosen = words.parse_args()
    grid = [c for c in cells.grid("full") if c.id.startswith("4Mi/float32") and (n := numbers_of(c))[1] < n[0]]
    context = multiprocessing.get_context("spawn")
    if chosen.busy:
        context.Process(target=spin, daemon=True).start()
    pipes = []
    for way in WAYS:
        near, far = context.Pipe()
        context.Process(target=work, args=(way, far), daemon=True).start()
        pipes.append(near)
    least: list[list[float]] = [[] for _ in WAYS]
    median: list[list[float]] = [[] for _ in WAYS]
    for cell in grid[:: chosen.every]:
        outputs = []
        for pipe in pipes:
            pipe.send(cell.id)
            outputs.append(pipe.recv())
        assert all(output == outputs[0] for output in outputs), cell.id
        times: list[list[float]] = [[] for _ in WAYS]
        for _ in range(chosen.rounds):
            for seconds, pipe in zip(times, pipes, strict=True):
                pipe.send(None)
                seconds += pipe.recv()[3:]
                time.sleep(0.01)
        for k, seconds in enumerate(times):
            least[k].append(min(seconds) / min(times[0]))
            median[k].append(statistics.median(seconds) / statistics.median(times[0]))
        ratios = " ".join(f"{a[-1]:6.2f} {b[-1]:6.2f}" for a, b in zip(least[1:], median[1:], strict=True))
        print(f"{cell.id:58} {min(times[0]) * 1e6:7.0f} µs {ratios}", flush=True)
    for k, name in enumerate(WAYS[1:], 1):
        means = statistics.geometric_mean(least[k]), statistics.geometric_mean(median[k])
        print(f"{name}: least {means[0]:.2f}, median {means[1]:.2f} times the mailbox's, of {len(least[k])} cells")


if __name__ == "__main__":
    main()
