"""What the mailbox and its helpers are worth: a large call shared by them, by Python's thread pool and by Numba's.

All three run the same machine code on the same parts of the work, with as many threads, cell by cell in turns, each in
a process of its own: threads that look out for the next call would take a processor from the others.

- the mailbox, as `dmlviz.kernels.lib.thread_pool` has it;
- Python's pool, `ThreadPoolExecutor`: the kernel holds no lock of Python's, so a thread for each part runs at once;
- Numba's own threads: a `prange` over the parts, in the layer that Numba chooses.

`python benchmarks/threads.py [--rounds N]` prints a row for each cell, and the geometric means of the last two over the
first: of the medians, and of the least times, which other programs disturb less.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from statistics import geometric_mean, median

import cells
import machine
import numba
import numpy as np
from kernel_calls import STEP, UNITS, KernelCalls, alone
from numba import types
from timer import Remote, Sample, batch, settle, timed

from dmlviz.kernels.lib import thread_pool
from dmlviz.kernels.lib.primitives import call, pointer
from dmlviz.timing.sampling import collector_held

MAILBOX, PYTHON, NUMBA = WAYS = ("mailbox", "Python's pool", "Numba's threads")
LINE = 8
"""INT64 of a cache line: no two threads write to the same one."""
CELLS = [name for name, cell in cells.grid().items() if name.startswith("4Mi/float32/") and cell.name in cells.RUN]


class Parts:
    """The parts of a call's work, one for each thread, as `dmlviz.kernels.lib.blocks.claim` reads them."""

    def __init__(self, threads: int) -> None:
        room = np.zeros(2 * threads * LINE + LINE, np.int64)
        skip = -room.ctypes.data % 64 // 8
        lines = room[skip : skip + 2 * threads * LINE].reshape(2 * threads, LINE)
        self._counters, self._turns = lines[:threads], lines[threads:]
        self._turns[:, 0], self._turns[:, 1], self._turns[:, 2] = lines.ctypes.data, threads, np.arange(threads)
        self.addresses = [self._turns.ctypes.data + 64 * k for k in range(threads)]

    def begin(self) -> None:
        """Nothing of the work is claimed."""
        self._counters[:, 0] = 0
        self._turns[:, 3] = 0


@numba.njit(types.void(*(types.int64,) * 5), parallel=True)  # type: ignore[untyped-decorator]
def in_parallel(code: int, arrays: int, numbers: int, turns: int, threads: int) -> None:
    """Calls the kernel at address `code` once for each part, with Python's objects at the next two addresses."""
    for k in numba.prange(threads):
        call(code, pointer(arrays), pointer(numbers), turns + 64 * k)


class Sharing:
    """Times the calls of one way to share work, in a process of its own."""

    def __init__(self, way: str) -> None:
        self.way = way
        self.threads = thread_pool.threads()
        self._parts = Parts(self.threads)
        if way == PYTHON:
            self._pool = ThreadPoolExecutor(max(1, self.threads - 1))
        elif way == NUMBA:
            warnings.simplefilter("ignore", numba.NumbaWarning)
            numba.set_num_threads(min(self.threads, numba.config.NUMBA_NUM_THREADS))

    def prepare(self, cell_id: str) -> bool:
        """Makes the arrays; True if the call writes what the kernel alone does."""
        self._calls = calls = KernelCalls(cells.grid()[cell_id])
        assert calls.numbers[STEP] < calls.numbers[UNITS], f"the work of {cell_id} is not shared"
        self._call = (
            calls.call() if self.way == MAILBOX else self._by_pool() if self.way == PYTHON else self._by_numba()
        )
        agree = calls.agree(calls.call(alone(calls.numbers)), self._call)
        with collector_held():
            self._count, _ = batch(self._call)
        settle()
        return agree

    def _by_pool(self) -> Callable[[], None]:
        """The caller does one part itself, and waits for the others."""
        parts, submit = self._parts, self._pool.submit
        run, arrays, numbers = self._calls.kernel.run, self._calls.arrays, np.array(self._calls.numbers)
        own, *others = parts.addresses

        def shared() -> None:
            parts.begin()
            futures = [submit(run, arrays, numbers, turn) for turn in others]
            run(arrays, numbers, own)
            for future in futures:
                future.result()

        return shared

    def _by_numba(self) -> Callable[[], None]:
        parts, arrays, numbers = self._parts, self._calls.arrays, np.array(self._calls.numbers)
        given = self._calls.kernel.code, id(arrays), id(numbers), parts.addresses[0], self.threads

        def shared(_alive: object = (arrays, numbers)) -> None:
            parts.begin()
            in_parallel(*given)

        return shared

    def time(self) -> Sample:
        return timed(self._call, self._count)

    def layer(self) -> str:
        """The threads that Numba has chosen."""
        return str(numba.threading_layer())


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--rounds", type=int, default=15, help="samples of every call; 15")
    rounds = words.parse_args().rounds
    timers = {way: Remote(Sharing, way) for way in WAYS}
    print(machine.sentence(machine.describe()))
    print(f"\n{thread_pool.threads()} threads; milliseconds\n\n| cell | {' | '.join(WAYS)} |\n|---|---|---|---|")
    ratios: dict[tuple[str, str], list[float]] = {}
    for cell_id in CELLS:
        for way, timer in timers.items():
            assert timer.ask("prepare", cell_id), f"{way} writes other bytes in {cell_id}"
        samples: dict[str, list[float]] = {way: [] for way in WAYS}
        for number in range(rounds):
            for at in range(len(WAYS)):
                way = WAYS[(number + at) % len(WAYS)]
                samples[way].append(timers[way].ask("time").warm)
        for kind, of in (("medians", median), ("least times", min)):
            for way in WAYS[1:]:
                ratios.setdefault((way, kind), []).append(of(samples[way]) / of(samples[MAILBOX]))
        print(f"| `{cell_id}` | {' | '.join(f'{median(samples[way]) * 1e3:.3f}' for way in WAYS)} |", flush=True)
    print(f"\nGeometric means over the mailbox; Numba's threads are those of {timers[NUMBA].ask('layer')}:\n")
    for (way, kind), of_cells in ratios.items():
        print(f"- {way}, {kind}: {geometric_mean(of_cells):.2f}")


if __name__ == "__main__":
    main()
