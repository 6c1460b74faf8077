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
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from support.kernel_calls import calls, same

import dmlviz as dml
from dmlviz.kernels.lib import thread_pool
from dmlviz.kernels.lib.kernel import Kernel, KernelState

SOON = 20.0
"""Seconds after which something that should have happened won't."""


@pytest.fixture
def crew(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], thread_pool._Crew]:
    """Makes a crew of its own for as many threads as are told, bound to no processor."""

    def make(threads: str) -> thread_pool._Crew:
        monkeypatch.setenv("DMLVIZ_THREADS", threads)
        monkeypatch.setattr(thread_pool, "_processors", list)
        made = thread_pool._Crew()
        monkeypatch.setattr(thread_pool, "_crew", made)
        return made

    return make


CODE = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4, ctypes.c_int64)
"""A kernel's machine code, as Numba calls it: the result, what was raised, arrays, numbers and turn."""
HELD: list[Any] = []


def as_kernel(run: Callable[[int], None]) -> Kernel:
    """A kernel whose machine code calls `run(turn)`."""

    def called(result: int, raised: int, arrays: int, numbers: int, turn: int) -> int:
        run(turn)
        return 0

    HELD.append(CODE(called))
    code = ctypes.cast(HELD[-1], ctypes.c_void_p).value
    assert code is not None
    return Kernel(lambda arrays, numbers, turn: run(turn), None, KernelState.READY, 0.0, 0.0, code)


def share(run: Callable[[int], None]) -> None:
    """Shares a call of `run`."""
    thread_pool.share(as_kernel(run), (), np.zeros(1, np.int64))


@pytest.mark.parametrize(("size", "threads"), [(5, "4"), (210, "4"), (210, "1")])
def test_the_same_bytes_from_many_threads(crew: Callable[[str], thread_pool._Crew], size: int, threads: str) -> None:
    """Small calls and shared ones, each bound once for all threads, and run anew in each."""
    crew(threads)
    work = calls(1, size)
    bound = [dml.bind(desc, arrays) for desc, arrays, _ in work]
    assert any(each._plan.shared for each in bound if each() is each.outputs) == (size > 100)
    start = threading.Barrier(6)

    def one(seed: int) -> bool:
        start.wait(SOON)
        generator = np.random.default_rng(seed)
        right = True
        for _ in range(8 if size > 100 else 100):
            k = int(generator.integers(len(work)))
            desc, arrays, wanted = work[k]
            right &= same(dml.run(desc, arrays), wanted) and same(bound[k](), wanted)
        return right

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(one, range(6)))


# ---- who is waited for ------------------------------------------------------------------------------------------


def test_a_thread_for_each_that_is_told(
    crew: Callable[[str], thread_pool._Crew], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = threading.active_count()
    assert crew("1").chosen() == []
    assert threading.active_count() == before
    assert len(crew("3").chosen()) == 2
    monkeypatch.setattr(thread_pool, "_processors", lambda: [0, 1, 2])
    for told, found in (("7", 7), ("1000", 64), ("0", 3), ("", 3), ("-2", 3), ("two", 3)):
        monkeypatch.setenv("DMLVIZ_THREADS", told)
        assert thread_pool.threads() == found
    monkeypatch.setattr(thread_pool, "_processors", lambda: list(range(100)))
    assert thread_pool.threads() == thread_pool.MOST


def test_nobody_helps_on_the_callers_own_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DMLVIZ_THREADS", "3")
    monkeypatch.setattr(thread_pool, "_processors", lambda: [5000, 5001, 5002, 5003])
    made = thread_pool._Crew()
    for here, found in ((5000, {5001, 5002}), (5001, {5000, 5002}), (9, {5001, 5002})):
        monkeypatch.setattr(made, "_current", lambda here=here: here)
        assert {helper.processor for helper in made.chosen()} == found


def test_a_helper_that_is_late_is_not_waited_for(crew: Callable[[str], thread_pool._Crew]) -> None:
    crew("2")
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


class Late:
    """A kernel whose helper is still at work when the caller has done, or given up."""

    def __init__(self, helper: Callable[[], None] = lambda: None) -> None:
        self.begun, self.ended = threading.Event(), False
        self.helper = helper

    def __call__(self, turn: int) -> None:
        if is_caller():
            assert self.begun.wait(SOON)
        else:
            self.begun.set()
            time.sleep(0.05)
            self.helper()
            time.sleep(0.1)
            self.ended = True


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_helper_that_has_begun_is_waited_for(crew: Callable[[str], thread_pool._Crew]) -> None:
    crew("2")
    late = Late()
    share(late)
    assert late.ended


needs_alarms = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers that send signals")


@needs_alarms
def test_a_caller_that_is_interrupted_at_work_ends_it_first(crew: Callable[[str], thread_pool._Crew]) -> None:
    """ctrl+c while a large call is half done: it is heard when nobody writes to the arrays any more."""
    crew("2")
    x = np.random.default_rng(1).integers(0, 256, (1, 1 << 22), np.uint8)
    desc = dml.Tile(dml.TensorDesc("UINT8", x.shape), (24, 1))
    call = dml.bind(desc, [x])
    call()
    before, heard = signal.signal(signal.SIGALRM, interrupt), 0
    try:
        for _ in range(20):
            call.outputs[0].fill(0)
            with contextlib.suppress(KeyboardInterrupt):
                signal.setitimer(signal.ITIMER_REAL, 0.001)
                call()
                signal.setitimer(signal.ITIMER_REAL, 0)
                continue
            heard += 1
            before_long = call.outputs[0].copy()
            time.sleep(0.002)
            assert (call.outputs[0] == before_long).all()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert heard


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs signals to a thread")
def test_a_caller_that_is_interrupted_while_it_waits(crew: Callable[[str], thread_pool._Crew]) -> None:
    """ctrl+c when the caller has done its part and a helper has not."""
    crew("2")
    main = threading.main_thread().ident
    assert main is not None
    late = Late(helper=lambda: signal.pthread_kill(main, signal.SIGUSR1))
    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            share(late)
        assert late.ended
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_caller_that_is_interrupted_while_it_asks_for_help(
    crew: Callable[[str], thread_pool._Crew], monkeypatch: pytest.MonkeyPatch
) -> None:
    """ctrl+c when one helper is awake and the next is not: nothing has begun, and nothing will."""
    made, ran = crew("3"), list[int]()
    _, second = made.chosen()
    with monkeypatch.context() as patch:
        patch.setattr(second, "wake", interrupt)
        with pytest.raises(KeyboardInterrupt):
            share(ran.append)
    time.sleep(0.05)
    assert not ran
    share(Late())


def test_what_is_not_machine_code_is_not_shared(crew: Callable[[str], thread_pool._Crew]) -> None:
    crew("3")
    ran = list[tuple[Any, Any, int]]()
    thread_pool.share(Kernel(lambda *given: ran.append(given), None, KernelState.READY, 0.0, 0.0), (), (1, 2))
    assert ran == [((), (1, 2), 0)]


def test_arrays_are_let_go_when_a_call_is_done(crew: Callable[[str], thread_pool._Crew]) -> None:
    crew("4")
    desc, arrays, wanted = calls(2, 210)[0]
    out = dml.run(desc, arrays)
    assert same(out, wanted)
    gone = weakref.ref(out[0])
    del out
    until = time.monotonic() + SOON
    while gone() is not None and time.monotonic() < until:
        time.sleep(0.01)
    assert gone() is None


def test_every_thread_has_a_part_that_stays_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each begins with its turn as `claim` reads it, and has the same part at every call from the same processor."""
    monkeypatch.setenv("DMLVIZ_THREADS", "3")
    monkeypatch.setattr(thread_pool, "_processors", lambda: [5000, 5001, 5002])
    made = thread_pool._Crew()
    found: list[tuple[str, int, int, list[int], list[int]]] = []

    def look(turn: int) -> None:
        fields = (ctypes.c_int64 * 4).from_address(turn)
        counters = (ctypes.c_int64 * 24).from_address(fields[0])
        found.append((threading.current_thread().name, threading.get_ident(), turn, fields[:], counters[::8]))
        meet.wait(SOON)
        fields[3], counters[8 * fields[2]] = 3, 17

    parts, kernel = list[dict[int, int]](), as_kernel(look)
    for here in (5000, 5000, 5001, 5002, 9, 5001):
        monkeypatch.setattr(made, "_current", lambda here=here: here)
        meet = threading.Barrier(3)
        made.share(kernel, (), np.zeros(1, np.int64))
        assert len({turn // 64 for _, _, turn, _, _ in found}) == len({id_ for _, id_, _, _, _ in found}) == 3
        assert len({fields[0] for _, _, _, fields, _ in found}) == 1
        assert all(fields[1] == 3 and fields[3] == 0 for _, _, _, fields, _ in found)
        assert all(counters == [0, 0, 0] for *_, counters in found)
        assert {fields[2] for _, _, _, fields, _ in found} == {0, 1, 2}
        own = [fields[2] for _, id_, _, fields, _ in found if id_ == threading.get_ident()]
        assert own == [max(0, here - 5000)]
        parts.append({id_: fields[2] for _, id_, _, fields, _ in found if id_ != threading.get_ident()})
        found.clear()
    assert parts[0] == parts[1]
    assert parts[2] == parts[5]
    always = {id_: part for each in parts for id_, part in each.items()}
    assert all(each.items() <= always.items() for each in parts)


class Intruder:
    """Raises KeyboardInterrupt before the `at`-th instruction of Python's in `_crew`, wherever that is."""

    def __init__(self, at: int) -> None:
        self.left, self.where = at, ""

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != thread_pool.__file__:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            self.left -= 1
            if self.left == 0:
                self.where = f"{frame.f_code.co_name}, {dis.opname[frame.f_code.co_code[frame.f_lasti]]}"
                raise KeyboardInterrupt
        return self


def test_a_caller_that_is_interrupted_anywhere(crew: Callable[[str], thread_pool._Crew]) -> None:
    """Wherever in a shared call ctrl+c comes: when the caller goes on, no helper is at work or begins to be."""
    made, intruder, k = crew("3"), Intruder(0), 0
    begun, over, inside, wrong, places = threading.Event(), threading.Event(), list[int](), set[str](), set[str]()

    def work(turn: int) -> None:
        if is_caller():
            assert begun.wait(SOON)
            return
        inside.append(1)
        if over.is_set():
            wrong.add(intruder.where)
        begun.set()
        time.sleep(0.003)
        inside.pop()

    kernel, numbers = as_kernel(work), np.zeros(1, np.int64)
    made.share(kernel, (), numbers)
    while k == 0 or intruder.where:
        k += 1
        intruder = Intruder(k)
        begun.clear()
        over.clear()
        with contextlib.suppress(KeyboardInterrupt):
            sys.settrace(intruder)
            made.share(kernel, (), numbers)
        sys.settrace(None)
        if inside:
            wrong.add(intruder.where)
        over.set()
        places.add(intruder.where)
        time.sleep(0.004)
        while inside:
            time.sleep(0.001)
    assert {"wake, CALL", "do, CALL", "do, POP_JUMP_BACKWARD_IF_TRUE"} <= places or sys.version_info[:2] != (3, 11)
    assert not wrong


# ---- processes that fork and processes that end -----------------------------------------------------------------

PRELUDE = """
import os, sys, threading, time
sys.path.insert(0, sys.argv[1])
import numpy as np
import dmlviz as dml
from dmlviz.running import buffers
from dmlviz.kernels.lib import thread_pool
thread_pool._processors = list  # helpers on a machine of one processor too
from support.kernel_calls import calls, same
buffers.LARGE = 1 << 16
work = calls(3, 210)
def right():
    return all(same(dml.run(desc, arrays), wanted) for desc, arrays, wanted in work)
def helpers():
    return sum(thread.name == "dmlviz-helper" for thread in threading.enumerate())
assert right() and helpers() == 4
"""


def run(code: str, *, threads: str = "4") -> str:
    told = {**os.environ, "DMLVIZ_THREADS": threads, "PYTHONWARNINGS": "ignore"}
    arguments = [sys.executable, "-c", PRELUDE + textwrap.dedent(code), str(Path(__file__).parents[1])]
    made = subprocess.run(arguments, env=told, capture_output=True, text=True, timeout=120)
    assert made.returncode == 0, made.stderr
    assert not made.stderr
    return made.stdout


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@needs_fork
def test_a_process_that_forks() -> None:
    """The child has no helpers until it needs some, its own; the parent keeps those it has."""
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
    made.join(20)
    assert made.exitcode == 0
    assert right() and helpers() == 4
    print("done")
    """
    assert run(code) == "done\n"


@needs_fork
def test_a_process_that_ends_in_the_middle_of_a_call() -> None:
    """Eight processes, each of which ends its main thread while a daemon thread shares calls with its helpers."""
    code = """
    for k in range(8):
        child = os.fork()
        if not child:
            def forever():
                while True:
                    right()
            threading.Thread(target=forever, daemon=True).start()
            time.sleep(0.01 + 0.007 * k)
            sys.exit(0)
        until = time.monotonic() + 10
        while time.monotonic() < until:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                break
            time.sleep(0.002)
        assert done and status == 0, (k, done, status)
    print("done")
    """
    assert run(code) == "done\n"


def test_a_process_that_ends_while_its_helpers_sleep() -> None:
    start = time.monotonic()
    ended = float(run("print(time.monotonic())"))
    assert start < ended
    assert time.monotonic() - ended < 5
