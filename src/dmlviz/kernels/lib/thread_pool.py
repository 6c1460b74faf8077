"""The threads that help with a large call.

There is one helper a processor, made when it is first needed and bound to its processor. A thread that slept is
otherwise often woken on its caller's own processor, where it helps nothing. Helpers end with the process.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .uninterrupted import uninterrupted

if TYPE_CHECKING:
    from .kernel import Kernel

MOST = 8
"""Threads of one call, its caller among them: a few of them use all there is of the memory's bandwidth."""
MOST_TOLD = 64
"""Threads that `DMLVIZ_THREADS` may ask for."""
LOOKS = 400_000
"""Times that a helper looks out for the next call before it sleeps, some 0.1 ms. Waking it takes 30 µs, and much longer
where its processor sleeps too."""
PATIENCE = 100_000
"""Times that a caller who is done looks whether the helpers are too, before it lets other threads run."""
FOREVER = 1 << 62


class _Helper:
    def __init__(self, number: int, processor: int | None) -> None:
        self.number, self.processor = number, processor
        self.box = _lines(2)
        self.box[1, 0] = 1  # asleep
        self._bell: SimpleQueue[None] = SimpleQueue()
        threading.Thread(target=self._help, name="dmlviz-helper", daemon=True).start()

    def wake(self) -> None:
        """Lets it look at its mailbox, where it doesn't already."""
        if self.box[1, 0]:
            self._bell.put(None)

    def _help(self) -> None:
        if self.processor is not None:
            with contextlib.suppress(OSError):
                os.sched_setaffinity(0, {self.processor})  # 0 is this thread
        from . import mailbox  # not before there is a call to help with: it needs Numba

        serve = mailbox.entry(mailbox.serve)
        while True:
            self._bell.get()
            serve(self.box.ctypes.data, LOOKS)


class _Call:
    """A shared call: its counters and every thread's turn; used again when it is over."""

    def __init__(self, own: int, helpers: list[_Helper]) -> None:
        self._together, self._work, self._finish = _entries or uninterrupted(_find_entries)
        self.helpers, self._count = helpers, len(helpers)
        self._boxes = np.array([helper.box.ctypes.data for helper in helpers], np.int64)
        # As `blocks.claim` reads them; no two threads write to the same cache line.
        self._counters, self._turns = _lines(self._count + 1), _lines(self._count + 1)
        self._turns[:, 0], self._turns[:, 1] = self._counters.ctypes.data, self._count + 1
        self._turns[:, 2] = [own, *(helper.number for helper in helpers)]
        self._turns[:, 4] = 1  # ended
        self._where = self._boxes.ctypes.data, self._turns.ctypes.data

    def do(self, code: int, arrays: tuple[Any, ...], numbers: Any) -> None:
        """Does it, and waits for the helpers that have begun: none may write any more when the arrays are let go.

        An exception that comes meanwhile, such as ctrl+c, is raised when they have ended.
        """
        count, (boxes, turns) = self._count, self._where
        # Python may raise ctrl+c between any two of its instructions, also where it waits for the first one's sake.
        try:
            try:
                over = self._together(boxes, count, code, arrays, numbers, turns, PATIENCE)
                if over < 0:
                    for helper in self.helpers:
                        helper.wake()
                    over = self._work(boxes, count, code, arrays, numbers, turns, PATIENCE)
                while True:  # with a condition, the jump back is left out of the `try` from Python 3.12 on
                    if over != 0:
                        break
                    time.sleep(0.0001)  # its processor may be this one
                    over = self._finish(boxes, count, turns, 1)
            except BaseException:
                self._finish(boxes, count, turns, FOREVER)
                raise
        except BaseException:
            self._finish(boxes, count, turns, FOREVER)
            raise


_entries: tuple[Callable[..., int], Callable[..., int], Callable[..., int]] | None = None
"""What a call is shared by: `together`, `work` and `finish` of `mailbox`."""


def _find_entries() -> tuple[Callable[..., int], Callable[..., int], Callable[..., int]]:
    from . import mailbox  # the helpers import it too, and wait for each other

    global _entries
    _entries = mailbox.entry(mailbox.together), mailbox.entry(mailbox.work), mailbox.entry(mailbox.finish)
    return _entries


def _lines(count: int) -> NDArray[np.int64]:
    """Zeros on so many cache lines of 64 bytes."""
    room = np.zeros(8 * count + 8, np.int64)
    skip = -room.ctypes.data % 64 // 8
    return room[skip : skip + 8 * count].reshape(count, 8)


def threads() -> int:
    """How many threads a large call uses: `DMLVIZ_THREADS`, or one for each processor that the process may use."""
    told = os.environ.get("DMLVIZ_THREADS", "")
    if told.isdecimal() and (count := int(told[-4:]) if len(told.lstrip("0")) < 5 else MOST_TOLD) > 0:
        return min(count, MOST_TOLD)
    return min(MOST, len(_processors()) or os.cpu_count() or 1)


def _processors() -> list[int]:
    """The processors that this process may use; empty where the system doesn't tell."""
    processors: set[int] = getattr(os, "sched_getaffinity", lambda _: set())(0)
    return sorted(processors)


def _find_current() -> Callable[[], int]:
    with contextlib.suppress(AttributeError, OSError, TypeError):
        current = ctypes.CDLL(None).sched_getcpu
        current.restype = ctypes.c_int
        return current
    return lambda: -1


class _ThreadPool:
    """The helpers there are, and calls that are over."""

    def __init__(self) -> None:
        self._helpers: list[_Helper] = []
        self._numbers: dict[int, int] = {}  # by processor
        self._free: list[list[_Call]] = []
        self._lock = threading.Lock()
        self._started = False
        self._current = _find_current()

    def _make(self) -> None:
        with self._lock:
            if not self._started:
                count, processors = threads(), _processors()
                if count > 1:
                    # One more than help at a time: nobody helps on the caller's own processor.
                    many: list[int | None] = [None] * count
                    if len(processors) >= count:
                        many[:] = processors[:count]
                    with contextlib.suppress(RuntimeError):  # no thread can be started: calls run alone
                        self._helpers = [_Helper(k, processor) for k, processor in enumerate(many)]
                    self._numbers = {processor: k for k, processor in enumerate(many) if processor is not None}
                    self._free = [[] for _ in many]
                self._started = True

    def _own(self) -> int:
        """The number of the helper whose processor the caller is on, whose part of the work it does itself."""
        return self._numbers.get(self._current(), 0)

    def chosen(self) -> list[_Helper]:
        """The helpers of the thread that asks."""
        if not self._started:
            uninterrupted(self._make)
        return [helper for helper in self._helpers if helper.number != self._own()]

    def share(self, kernel: Kernel, arrays: tuple[Any, ...], numbers: Any) -> None:
        if not self._started:
            uninterrupted(self._make)
        if not self._helpers or not kernel.code:
            kernel.run(arrays, numbers, 0)
            return
        own = self._own()
        free = self._free[own]
        try:
            call = free.pop()
        except IndexError:
            call = _Call(own, [helper for helper in self._helpers if helper.number != own])
        call.do(kernel.code, arrays, numbers)
        free.append(call)


_pool = _ThreadPool()


def _forget() -> None:
    """A process that was forked has none of its parent's threads."""
    global _pool
    _pool = _ThreadPool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def share(kernel: Kernel, arrays: tuple[Any, ...], numbers: Any) -> None:
    """Calls the kernel once here and once in each helper that is free, each with its turn (see `blocks.claim`).

    A helper that has not begun when all is done is not waited for. The part of the work that falls to a processor is
    the same at every call, wherever the caller runs.
    """
    _pool.share(kernel, arrays, numbers)
