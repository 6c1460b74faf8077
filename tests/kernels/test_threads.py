"""Kernels called from many threads, by processes that fork and by processes that end."""

from __future__ import annotations

import contextlib
import ctypes
import dis
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.folded import large_works

import dmlviz as dml
from dmlviz.kernels.lib import thread_pool
from dmlviz.kernels.lib.kernel import Kernel, KernelState
from dmlviz.kernels.lib.uninterrupted import uninterrupted

pytestmark = pytest.mark.integration

SOON = 20.0
"""Seconds after which something that should have happened won't."""


@pytest.fixture(autouse=True)
def no_faults() -> Iterator[None]:
    """What a kernel of `as_kernel` raises can't leave machine code; the test fails when it is over."""
    FAULTS.clear()
    yield
    assert not FAULTS


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], thread_pool._Pool]:
    """Makes a pool of its own for as many threads as are told, bound to no processor."""

    def make(threads: str) -> thread_pool._Pool:
        monkeypatch.setenv("DMLVIZ_THREADS", threads)
        monkeypatch.setattr(thread_pool, "_processors", list)
        made = thread_pool._Pool()
        monkeypatch.setattr(thread_pool, "_pool", made)
        return made

    return make


CODE = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4, ctypes.c_int64)
"""A kernel's machine code, as Numba calls it: the result, what was raised, arrays, numbers and turn."""
HELD: list[Any] = []
FAULTS: list[BaseException] = []


def as_kernel(run: Callable[[int], object]) -> Kernel:
    """A kernel whose machine code calls `run(turn)`."""

    def called(result: int, raised: int, arrays: int, numbers: int, turn: int) -> int:
        try:
            run(turn)
        except BaseException as error:
            FAULTS.append(error)
        return 0

    HELD.append(CODE(called))
    code = ctypes.cast(HELD[-1], ctypes.c_void_p).value
    assert code is not None
    return Kernel(
        run=lambda arrays, numbers, turn: None,
        plan=None,
        state=KernelState.READY,
        seconds=0.0,
        code=code,
    )


def share(run: Callable[[int], object]) -> None:
    """Shares a call of `run`."""
    thread_pool.share(as_kernel(run), (), np.zeros(1, np.int64))


@pytest.mark.parametrize(("size", "threads"), [(5, "4"), (210, "4"), (210, "1")])
def test_the_same_bytes_from_many_threads(pool: Callable[[str], thread_pool._Pool], size: int, threads: str) -> None:
    """Small calls and shared ones, each bound once for all threads, and run anew in each."""
    pool(threads)
    works = large_works(1, size)
    bound = [dml.bind(each.desc, each.inputs) for each in works]
    assert any(each._plan.shared for each in bound if each() is each.outputs) == (size > 100)
    start = threading.Barrier(6)

    def one(seed: int) -> bool:
        start.wait(SOON)
        generator = np.random.default_rng(seed)
        right = True
        for _ in range(8 if size > 100 else 100):
            k = int(generator.integers(len(works)))
            work = works[k]
            right &= work.is_right(dml.run(work.desc, work.inputs)) and work.is_right(bound[k]())
        return right

    with ThreadPoolExecutor(6) as executor:
        assert all(executor.map(one, range(6)))


# ---- who is waited for ------------------------------------------------------------------------------------------


def test_dmlviz_threads_says_how_many_threads(
    pool: Callable[[str], thread_pool._Pool], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = set(threading.enumerate())
    for told, helpers in (("1", 0), ("3", 3)):
        pool(told).make()
        made = [each for each in set(threading.enumerate()) - before if each.name == "dmlviz-helper"]
        assert len(made) == helpers
    monkeypatch.setattr(thread_pool, "_processors", lambda: [0, 1, 2])
    for told, found in (
        ("7", 7), ("00002", 2), ("1000", 64), ("9" * 5000, 64), ("0", 3), ("", 3), ("-2", 3), ("two", 3),
    ):  # fmt: skip
        monkeypatch.setenv("DMLVIZ_THREADS", told)
        assert thread_pool.threads() == found
    monkeypatch.setattr(thread_pool, "_processors", lambda: list(range(100)))
    assert thread_pool.threads() == thread_pool.MOST


def test_a_helper_that_is_late_is_not_waited_for(pool: Callable[[str], thread_pool._Pool]) -> None:
    pool("2")
    busy, go, ran = threading.Event(), threading.Event(), []

    def hold(turn: int) -> None:
        if not is_caller():
            busy.set()
        go.wait(SOON)

    caller = threading.Thread(target=share, args=(hold,), name="caller")
    caller.start()
    assert busy.wait(SOON)
    # Both of `hold` wait for `go`: the helper and the thread that called it.
    share(lambda turn: ran.append(threading.current_thread()))
    assert ran == [threading.current_thread()]
    go.set()
    caller.join(SOON)
    done = threading.Event()

    def both(turn: int) -> None:
        if is_caller():
            assert done.wait(SOON)
        else:
            done.set()

    share(both)
    assert len(ran) == 1  # the helper has passed over what was no longer wanted


def is_caller() -> bool:
    return threading.current_thread().name != "dmlviz-helper"


def test_every_thread_has_a_part_that_stays_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each begins with its turn as `claim` reads it, and has the same part at every call; nobody helps on the caller's
    own processor, whose part the caller does.
    """
    monkeypatch.setenv("DMLVIZ_THREADS", "3")
    monkeypatch.setattr(thread_pool, "_processors", lambda: [5000, 5001, 5002, 5003])
    made, parts = thread_pool._Pool(), dict[int, int]()

    def look(turn: int) -> None:
        fields = (ctypes.c_int64 * 4).from_address(turn)
        counters = (ctypes.c_int64 * 24).from_address(fields[0])
        found.append((threading.get_ident(), turn, fields[:], counters[::8]))
        meet.wait(SOON)
        fields[3], counters[8 * fields[2]] = 3, 17

    kernel, caller = as_kernel(look), threading.get_ident()
    for here in (5000, 5000, 5001, 5002, 9, 5001):
        monkeypatch.setattr(thread_pool, "_current", lambda here=here: here)
        meet, found = threading.Barrier(3), list[tuple[int, int, list[int], list[int]]]()
        made.share(kernel, (), np.zeros(1, np.int64))
        assert len({turn // 64 for _, turn, _, _ in found}) == len({thread for thread, *_ in found}) == 3
        assert len({fields[0] for _, _, fields, _ in found}) == 1
        assert all(fields[1] == 3 and fields[3] == 0 and counters == [0, 0, 0] for _, _, fields, counters in found)
        assert {fields[2] for _, _, fields, _ in found} == {0, 1, 2}
        for thread, _, fields, _ in found:
            own = max(0, here - 5000) if thread == caller else parts.setdefault(thread, fields[2])
            assert fields[2] == own


class Intruder:
    """Raises KeyboardInterrupt before the `at`-th instruction of Python's in `thread_pool`; never if 0."""

    def __init__(self, at: int, raised: threading.Event) -> None:
        self.left, self.where, self.raised = at, "", raised

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != thread_pool.__file__:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            self.left -= 1
            if self.left == 0:
                self.where = f"{frame.f_code.co_name}, {dis.opname[frame.f_code.co_code[frame.f_lasti]]}"
                self.raised.set()
                raise KeyboardInterrupt
        return self


class Bell:
    """A helper's queue that tells when the helper sleeps and nobody has woken it."""

    def __init__(self) -> None:
        self.changed, self.rings, self.waits = threading.Condition(), 0, False

    def put(self, _: None) -> None:
        with self.changed:
            self.rings += 1
            self.changed.notify_all()

    def get(self) -> None:
        with self.changed:
            self.waits = True
            self.changed.notify_all()
            self.changed.wait_for(lambda: self.rings)
            self.waits, self.rings = False, self.rings - 1

    def wait_until_asleep(self) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: self.waits and not self.rings, SOON)


def test_a_caller_that_is_interrupted_anywhere(
    pool: Callable[[str], thread_pool._Pool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever in a shared call ctrl+c comes: when the caller goes on, no helper is at work or begins to be.

    Each call takes the same way: helpers are asleep before it, and are at work until the caller has slept twice.
    """
    monkeypatch.setattr(thread_pool, "SimpleQueue", Bell)
    begun, go, over = threading.Event(), threading.Event(), threading.Event()
    inside, wrong, places, turns = list[int](), set[str](), set[str](), list[Any]()
    made, intruder, slept = pool("3"), Intruder(0, go), 0
    made.make()
    new_turns = made._turns

    def turns_made() -> Any:
        made = new_turns()
        turns.append(made[0])
        return made

    def sleep(seconds: float) -> None:
        nonlocal slept
        slept += 1
        if slept == 2:
            go.set()
            until = time.monotonic() + SOON
            while not turns[-1][:3, 4].all() and time.monotonic() < until:
                time.sleep(0.001)

    def work(turn: int) -> None:
        if is_caller():
            assert begun.wait(SOON)
            return
        inside.append(turn)
        begun.set()
        assert go.wait(SOON)
        if over.wait(0.002):
            wrong.add(intruder.where)
        inside.remove(turn)

    monkeypatch.setattr(made, "_turns", turns_made)
    monkeypatch.setattr(thread_pool, "time", SimpleNamespace(sleep=sleep))
    kernel, numbers = as_kernel(work), np.zeros(1, np.int64)
    for k in count():
        for bell in made._bells:
            assert isinstance(bell, Bell)
            bell.wait_until_asleep()
        intruder, slept = Intruder(k, go), 0
        for event in (begun, go, over):
            event.clear()
        with contextlib.suppress(KeyboardInterrupt):
            sys.settrace(intruder)
            made.share(kernel, (), numbers)
        sys.settrace(None)
        over.set()
        if inside or made._boxes[::2, 0].any():
            wrong.add(intruder.where)
        places.add(intruder.where)
        if wrong or (k and not intruder.where):
            break
    assert not wrong
    assert {"share, CALL", "share, CALL_FUNCTION_EX", "share, JUMP_BACKWARD"} <= places or sys.version_info[:2] != (
        3,
        11,
    )


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="needs a signal of our own")
def test_nothing_breaks_into_what_is_done_uninterrupted() -> None:
    """What a signal raises comes out of the waiting; the work is done to its end."""

    class Told(BaseException):
        pass

    def handler(number: int, frame: FrameType | None) -> None:
        if not told.is_set():
            told.set()
            raise Told

    def work() -> None:
        while not told.wait(0.01):  # a signal that comes before the waiting has quite begun is heard after it
            signal.pthread_kill(main, signal.SIGUSR1)
        done.set()

    told, done, main = threading.Event(), threading.Event(), threading.get_ident()
    before = signal.signal(signal.SIGUSR1, handler)
    try:
        with pytest.raises(Told):
            uninterrupted(work)
        assert done.wait(SOON)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert uninterrupted(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        uninterrupted(lambda: 1 // 0)


# ---- processes that fork and processes that end -----------------------------------------------------------------

PRELUDE = """
import os, sys, threading, time
sys.path.insert(0, sys.argv[1])
import numpy as np
import dmlviz as dml
from dmlviz.kernels.lib import thread_pool
thread_pool._processors = list  # helpers on a machine of one processor too
from support.folded import large_works
works = large_works(3, 210)
def right():
    return all(work.is_right(dml.run(work.desc, work.inputs)) for work in works)
def helpers():
    return sum(thread.name == "dmlviz-helper" for thread in threading.enumerate())
assert right() and helpers() == 4
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_processes_that_fork_and_end_in_the_middle_of_a_call() -> None:
    """A child has no helpers until it needs some, its own; the parent keeps those it has."""
    code = """
    import multiprocessing
    busy = threading.Thread(target=lambda: [right() for _ in range(40)])
    busy.start()
    for k in range(6):
        child = os.fork()
        if not child:
            before = helpers()
            sys.exit(0 if before == 0 and right() and helpers() == 4 else 1)
        assert os.waitpid(child, 0)[1] == 0, k
        assert right()
    busy.join()
    def child():
        sys.exit(0 if right() and helpers() == 4 else 1)
    made = multiprocessing.get_context("fork").Process(target=child)
    made.start()
    made.join()
    assert made.exitcode == 0
    assert right() and helpers() == 4
    for k in range(8):
        child = os.fork()
        if not child:
            def forever():
                while True:
                    right()
            threading.Thread(target=forever, daemon=True).start()
            time.sleep(0.01 + 0.007 * k)
            sys.exit(0)
        assert os.waitpid(child, 0)[1] == 0, k
    print("done")
    """
    told = {**os.environ, "DMLVIZ_THREADS": "4", "PYTHONWARNINGS": "ignore"}
    for work in large_works(1, 5):
        dml.run(work.desc, work.inputs)  # compiled kernels lie on disk then
    thread_pool.ready()
    arguments = [sys.executable, "-c", PRELUDE + textwrap.dedent(code), str(Path(__file__).parents[1])]
    made = subprocess.run(arguments, env=told, capture_output=True, text=True, timeout=600)
    assert (made.returncode, made.stdout, made.stderr) == (0, "done\n", "")
