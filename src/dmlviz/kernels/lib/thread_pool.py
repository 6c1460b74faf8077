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

MOST, MOST_TOLD = 8, 64
"""Threads of one call, its caller among them, as a few of them use all there is of the memory's bandwidth; and those
that `DMLVIZ_THREADS` may ask for."""
LOOKS = 400_000
"""Times that a helper looks out for the next call before it sleeps, some 0.1 ms. Waking it takes 30 µs, and much longer
where its processor sleeps too."""
PATIENCE, FOREVER = 100_000, 1 << 62
"""Times that a caller who is done looks whether the helpers are too, before it lets other threads run."""


def threads() -> int:
    """How many threads a large call uses: `DMLVIZ_THREADS`, or one for each processor that the process may use."""
    told = os.environ.get("DMLVIZ_THREADS", "")
    if told.isdecimal() and (count := int(told[-4:]) if len(told.lstrip("0")) < 5 else MOST_TOLD) > 0:
        return min(count, MOST_TOLD)
    return min(MOST, len(_processors()) or os.cpu_count() or 1)


def _processors() -> list[int]:
    """The processors that this process may use; empty where the system doesn't tell."""
    return sorted(getattr(os, "sched_getaffinity", lambda _: [])(0))


def _current() -> int:
    """The processor of the thread that asks; -1 where the system doesn't tell."""
    return -1


with contextlib.suppress(AttributeError, OSError, TypeError):
    _current = ctypes.CDLL(None).sched_getcpu


def _lines(count: int) -> NDArray[np.int64]:
    """Zeros on so many cache lines of 64 bytes."""
    room = np.zeros(8 * count + 8, np.int64)
    skip = -room.ctypes.data % 64 // 8
    return room[skip : skip + 8 * count].reshape(count, 8)


class _Pool:
    """The helpers there are, and the turns of calls that are over, to be used again."""

    def __init__(self) -> None:
        self._lock, self._started, self._count = threading.Lock(), False, 0
        self._bells: list[SimpleQueue[None]] = []
        self._numbers: dict[int, int] = {}  # of helpers, by processor
        self._free: list[tuple[NDArray[np.int64], tuple[int, int, int]]] = []

    def make(self) -> None:
        """Starts the helpers, one more than help at a time: nobody helps on the caller's own processor."""
        with self._lock:
            if not self._started and (count := threads()) > 1:
                from . import mailbox  # not before there is a call to help with: it needs Numba
                from .compiled import only_version

                entries = [only_version(each).entry_point for each in (mailbox.serve, mailbox.share, mailbox.finish)]
                serve, self._share, self._finish = entries
                found = _processors()
                processors = [*found[:count]] if len(found) >= count else [-1] * count
                self._boxes = _lines(2 * count)
                self._boxes[1::2, 0] = 1  # asleep
                self._where = self._boxes.ctypes.data
                with contextlib.suppress(RuntimeError):  # no thread can be started: calls run alone
                    for k, processor in enumerate(processors):
                        self._bells.append(SimpleQueue())
                        told = self._bells[k].get, serve, self._where + k * mailbox.BOX, processor
                        threading.Thread(target=_help, args=told, name="dmlviz-helper", daemon=True).start()
                    self._count = count
                self._numbers = {processor: k for k, processor in enumerate(processors)}
            self._started = True

    def _turns(self) -> tuple[NDArray[np.int64], tuple[int, int, int]]:
        """Turns, and behind them counters, as `mailbox` has them; and what it is told of a call that has them."""
        count, turns = self._count, _lines(2 * self._count)
        turns[:count, 0], turns[:count, 1], turns[:count, 2] = turns.ctypes.data + 64 * count, count, range(count)
        turns[:count, 4] = 1  # ended
        return turns, (self._where, count, turns.ctypes.data)

    def _ring(self, own: int) -> None:
        for k, bell in enumerate(self._bells):
            if k != own and self._boxes[2 * k + 1, 0]:
                bell.put(None)

    def share(self, kernel: Kernel, arrays: tuple[Any, ...], numbers: Any) -> None:
        if not self._started:
            uninterrupted(self.make)
        if not self._count or not kernel.code:
            kernel.run(arrays, numbers, 0)
            return
        own = self._numbers.get(_current(), 0)
        try:
            kept = self._free.pop()
        except IndexError:
            kept = self._turns()
        call = kept[1]
        # Python may raise ctrl+c between any two of its instructions, also where it waits for the first one's sake.
        try:
            try:
                over = self._share(*call, PATIENCE, kernel.code, arrays, numbers, own, 1)
                if over < 0:
                    self._ring(own)  # a loop with a condition would jump back outside of this `try` from Python 3.12 on
                    over = self._share(*call, PATIENCE, kernel.code, arrays, numbers, own, 0)
                while True:  # with a condition, the jump back is left out of the `try` from Python 3.12 on
                    if over != 0:
                        break
                    time.sleep(0.0001)  # its processor may be this one
                    over = self._finish(*call, 1)
            except BaseException:
                self._finish(*call, FOREVER)
                raise
        except BaseException:
            self._finish(*call, FOREVER)
            raise
        self._free.append(kept)


def _help(wait: Callable[[], None], serve: Callable[[int, int], None], box: int, processor: int) -> None:
    with contextlib.suppress(AttributeError, OSError):
        if processor >= 0:
            os.sched_setaffinity(0, {processor})  # 0 is this thread
    while True:
        wait()
        serve(box, LOOKS)


_pool = _Pool()


def _forget() -> None:
    """A process that was forked has none of its parent's threads."""
    global _pool
    _pool = _Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def ready() -> None:
    """Starts the helpers; else the first call that is shared does, which takes 20 ms."""
    uninterrupted(_pool.make)


def share(kernel: Kernel, arrays: tuple[Any, ...], numbers: Any) -> None:
    """Calls the kernel once here and once in each helper that is free, each with its turn (see `blocks.claim`).

    A helper that has not begun when all is done is not waited for. The part of the work that falls to a processor is
    the same at every call, wherever the caller runs. An exception that comes meanwhile, such as ctrl+c, is raised when
    the helpers have ended: none may write any more when the arrays are let go.
    """
    _pool.share(kernel, arrays, numbers)
