"""The threads that help with a large call.

One helper a processor, made when it is first needed and bound to its processor: a thread that slept is otherwise often
woken on its caller's own processor, where it helps nothing. Helpers sleep between calls, and end with the process.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np

MOST = 8
"""Threads of one call, its caller among them: a few of them use all there is of the memory's bandwidth."""

Run = Callable[[tuple[Any, ...], Any, int], None]


class _Job(NamedTuple):
    run: Run
    arrays: tuple[Any, ...]
    numbers: Any
    counter: int
    begun: threading.Lock
    """Held by whoever is first: the helper that begins, or the caller that no longer needs it."""
    done: threading.Lock
    """Held until the helper is done."""


class _Helper:
    def __init__(self, processor: int | None) -> None:
        self.processor = processor
        self.jobs: SimpleQueue[_Job] = SimpleQueue()
        threading.Thread(target=self._help, name="dmlviz-helper", daemon=True).start()

    def _help(self) -> None:
        if self.processor is not None:
            with contextlib.suppress(OSError):
                os.sched_setaffinity(0, {self.processor})  # 0 is this thread
        while True:
            job = self.jobs.get()
            if job.begun.acquire(blocking=False):
                try:
                    job.run(job.arrays, job.numbers, job.counter)
                finally:
                    job.done.release()
            del job  # the arrays are the caller's to let go


def threads() -> int:
    """How many threads a large call uses: `DMLVIZ_THREADS`, or one for each processor that the process may use."""
    told = os.environ.get("DMLVIZ_THREADS", "")
    if told.isdecimal() and int(told) > 0:
        return min(int(told), 64)
    return min(MOST, len(_processors()) or os.cpu_count() or 1)


def _processors() -> list[int]:
    """The processors that this process may use; empty where the system doesn't tell."""
    found: set[int] = getattr(os, "sched_getaffinity", lambda _: set())(0)
    return sorted(found)


def _find_current() -> Callable[[], int]:
    with contextlib.suppress(AttributeError, OSError, TypeError):
        found = ctypes.CDLL(None).sched_getcpu
        found.restype = ctypes.c_int
        return found
    return lambda: -1


class _Crew:
    """The helpers there are."""

    def __init__(self) -> None:
        self._helpers: list[_Helper] = []
        self._lock = threading.Lock()
        self._count = 0
        self._current = _find_current()

    def chosen(self) -> list[_Helper]:
        """Whoever should help the thread that asks."""
        if not self._count:
            with self._lock:
                if not self._count:
                    count, processors = threads(), _processors()
                    if count > 1:
                        # One more than help at a time: nobody helps on the caller's own processor.
                        many: list[int | None] = [*processors[:count]] if processors else [None] * (count - 1)
                        self._helpers = [_Helper(each) for each in many]
                    self._count = count
        here = self._current()
        return [each for each in self._helpers if each.processor is None or each.processor != here][: self._count - 1]


_crew = _Crew()


def _forget() -> None:
    """A process that was forked has none of its parent's threads."""
    global _crew
    _crew = _Crew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def share(run: Run, arrays: tuple[Any, ...], numbers: Any) -> None:
    """Calls `run` once here and once in each helper, with a counter that they share.

    A helper that has not woken when all is done is not waited for.
    """
    counter = np.zeros(1, np.int64)
    at = counter.ctypes.data
    jobs = []
    for helper in _crew.chosen():
        job = _Job(run, arrays, numbers, at, threading.Lock(), threading.Lock())
        job.done.acquire()
        helper.jobs.put(job)
        jobs.append(job)
    try:
        run(arrays, numbers, at)
    finally:
        # Whatever happens here, such as ctrl+c, no helper may still write when the arrays are let go.
        for job in jobs:
            if not job.begun.acquire(blocking=False):
                job.done.acquire()
