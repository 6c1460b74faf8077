"""The plain copy that a kernel's time is held against: as many bytes as its outputs have, by as many threads."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial

import numpy as np

from ..desc.values import Array

SEVERAL = 1.25
"""Threads' worth of processor time from which on a call counts as one by several threads."""
PAGE = 4096
LEAST = 1 << 20
"""Bytes from which on a copy may be split: below, handing it out takes longer than the copy."""
WATCHED = 5e-3
"""Seconds over which `threads_busy` watches a call."""


def plain_copy(count: int, threads: int = 1) -> Callable[[], object]:
    """A call that copies `count` bytes from one contiguous block to another with np.copyto.

    Several threads copy equal parts, each on a processor of its own. One thread, or fewer than `LEAST` bytes, means a
    copy in the caller. Source and target are there already, their pages touched.
    """
    source = _block(count, 1)
    target = _block(count, 0)
    if threads <= 1 or count < LEAST:
        return partial(np.copyto, target, source)
    places = tuple(processors()[:threads])
    step = -(-count // len(places))
    parts = [slice(at, at + step) for at in range(0, count, step)]
    return lambda: list(_pool(places).map(lambda part: np.copyto(target[part], source[part]), parts))


def _block(count: int, value: int) -> Array:
    """Bytes that begin at a page: two blocks that lie just so to each other can be copied half as fast."""
    room = np.full(count + PAGE, value, np.uint8)
    start = -room.ctypes.data % PAGE
    return room[start : start + count]


def processors() -> list[int]:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def threads_busy(call: Callable[[], object], count: int) -> int:
    """Threads that the plain copy of `count` bytes beside `call` has: all if the call keeps `SEVERAL` busy, else 1."""
    if count < LEAST or len(processors()) < 2:
        return 1
    call()
    began = time.perf_counter()
    spent = time.process_time()
    while (lasted := time.perf_counter() - began) < WATCHED:
        call()
    if time.process_time() - spent >= SEVERAL * lasted:
        return len(processors())
    return 1


@lru_cache(maxsize=1)
def _pool(places: tuple[int, ...]) -> ThreadPoolExecutor:
    """A thread on each of these processors."""
    left = list(places)

    def pin() -> None:
        # Where a thread goes after it slept is the scheduler's choice: often the processor of whoever woke it.
        if hasattr(os, "sched_setaffinity"):
            with contextlib.suppress(OSError):
                os.sched_setaffinity(0, {left.pop()})

    return ThreadPoolExecutor(len(places), "dmlviz-copy", pin)
