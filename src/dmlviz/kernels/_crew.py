"""The threads that help with a large call.

One helper a processor, made when it is first needed and bound to its processor: a thread that slept is otherwise often
woken on its caller's own processor, where it helps nothing. Helpers end with the process.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import numpy as np

MOST = 8
"""Threads of one call, its caller among them: a few of them use all there is of the memory's bandwidth."""
LOOKS = 400_000
"""Times that a helper looks out for the next call before it sleeps, some 0.1 ms: to be woken takes it 30 µs, and much
longer where its processor sleeps too."""

Run = Callable[[tuple[Any, ...], Any, int], None]


class _Job:
    """What one helper does for one call."""

    __slots__ = ("arrays", "busy", "call", "cancelled", "done", "numbers", "run", "turn")

    def __init__(self, call: _Call, turn: int) -> None:
        self.call = call  # whose counters and turns lie where `turn` says
        self.turn = turn
        self.cancelled = True
        """The caller needs no help any more. It is set before `busy` is looked at, and looked at after that is set: so
        whatever happens when, a helper that works is seen."""
        self.busy = False
        self.done = threading.Lock()
        """Let go by a helper that has ended."""
        self.run: Run | None = None
        self.arrays: tuple[Any, ...] = ()
        self.numbers: Any = None

    def serve(self) -> None:
        self.busy = True
        try:
            if not self.cancelled and self.run is not None:
                self.run(self.arrays, self.numbers, self.turn)
        finally:
            self.busy = False
            if self.done.locked():
                self.done.release()


class _Helper:
    def __init__(self, number: int, processor: int | None) -> None:
        self.number, self.processor = number, processor
        self.jobs: SimpleQueue[_Job] = SimpleQueue()
        self.bell = np.zeros(8, np.int64)
        threading.Thread(target=self._help, name="dmlviz-helper", daemon=True).start()

    def put(self, job: _Job) -> None:
        self.jobs.put(job)
        self.bell[0] = 1

    def _help(self) -> None:
        if self.processor is not None:
            with contextlib.suppress(OSError):
                os.sched_setaffinity(0, {self.processor})  # 0 is this thread
        from ._wait import waiting  # not before there is a call to help with: it needs Numba

        bell, linger = self.bell.ctypes.data, next(iter(waiting.overloads.values())).entry_point
        while True:
            self.bell[0] = 0
            if self.jobs.empty():
                linger(bell, LOOKS)
            self.jobs.get().serve()


class _Call:
    """A shared call: its counters, every thread's turn, and the helpers' jobs; used again when it is over."""

    def __init__(self, own: int, helpers: list[_Helper]) -> None:
        self.own, self.helpers = own, helpers
        count = len(helpers) + 1
        # As `_blocks.claim` reads them; no two threads write to the same cache line.
        self.counters = np.zeros((count, 8), np.int64)
        self.turns = np.zeros((count, 8), np.int64)
        self.turns[:, 0], self.turns[:, 1] = self.counters.ctypes.data, count
        self.turns[:, 2] = [own, *(each.number for each in helpers)]
        at, step = self.turns.ctypes.data, self.turns.strides[0]
        self.turn = at
        self.jobs = [_Job(self, at + k * step) for k in range(1, count)]

    def do(self, run: Run, arrays: tuple[Any, ...], numbers: Any) -> None:
        """Does it, and waits for the helpers that have begun: none may write any more when the arrays are let go.

        An exception that comes meanwhile, such as ctrl+c, is raised when they have ended.
        """
        self.counters.fill(0)
        self.turns[:, 3] = 0
        interrupted: BaseException | None = None
        try:
            for helper, job in zip(self.helpers, self.jobs, strict=True):
                job.run, job.arrays, job.numbers = run, arrays, numbers
                job.cancelled = False
                helper.put(job)
            run(arrays, numbers, self.turn)
        except BaseException as error:
            interrupted = error
        # Nothing is called before the next `try`: Python raises ctrl+c where a function begins, too.
        while True:
            try:
                for job in self.jobs:
                    job.cancelled = True
                for job in self.jobs:
                    while job.busy:
                        job.done.acquire(timeout=1)
                    job.arrays = ()
                break
            except BaseException as error:
                interrupted = error
        if interrupted is not None:
            raise interrupted


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
    """The helpers there are, and calls that are over."""

    def __init__(self) -> None:
        self._helpers: list[_Helper] = []
        self._numbers: dict[int, int] = {}  # by processor
        self._free: list[list[_Call]] = []
        self._lock = threading.Lock()
        self._made = False
        self._current = _find_current()

    def _make(self) -> None:
        with self._lock:
            if not self._made:
                count, processors = threads(), _processors()
                if count > 1:
                    # One more than help at a time: nobody helps on the caller's own processor.
                    many: list[int | None] = [None] * count
                    if len(processors) >= count:
                        many[:] = processors[:count]
                    self._helpers = [_Helper(k, each) for k, each in enumerate(many)]
                    self._numbers = {each: k for k, each in enumerate(many) if each is not None}
                    self._free = [[] for _ in many]
                self._made = True

    def _own(self) -> int:
        """The number of the helper whose processor the caller is on, whose part of the work it does itself."""
        return self._numbers.get(self._current(), 0)

    def chosen(self) -> list[_Helper]:
        """Whoever helps the thread that asks."""
        if not self._made:
            self._make()
        return [each for each in self._helpers if each.number != self._own()]

    def share(self, run: Run, arrays: tuple[Any, ...], numbers: Any) -> None:
        if not self._made:
            self._make()
        if not self._helpers:
            run(arrays, numbers, 0)
            return
        own = self._own()
        free = self._free[own]
        try:
            call = free.pop()
        except IndexError:
            call = _Call(own, [each for each in self._helpers if each.number != own])
        call.do(run, arrays, numbers)
        free.append(call)


_crew = _Crew()


def _forget() -> None:
    """A process that was forked has none of its parent's threads."""
    global _crew
    _crew = _Crew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def share(run: Run, arrays: tuple[Any, ...], numbers: Any) -> None:
    """Calls `run` once here and once in each helper, each with its turn (see `_blocks.claim`).

    A helper that has not woken when all is done is not waited for. The part of the work that falls to a processor is
    the same at every call, wherever the caller runs.
    """
    _crew.share(run, arrays, numbers)
