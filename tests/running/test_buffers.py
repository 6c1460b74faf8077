"""Memory that is used again: never while anybody can see it, and never handed out twice."""

from __future__ import annotations

import gc
import os
import random
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from numpy.typing import NDArray
from support.effort import tried

from dmlviz.running import buffers

pytestmark = pytest.mark.integration

PAGE = 4096
LARGE, KEPT = 2 * PAGE, 16 * PAGE
SOME = (np.uint8, np.float16, np.float32, np.int64)


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Memory is kept from two pages on, sixteen pages at most; nothing is kept before and after a test."""
    monkeypatch.setattr(buffers, "LARGE", LARGE)
    monkeypatch.setattr(buffers, "PAGE", 1)
    monkeypatch.setattr(buffers, "KEPT", KEPT)
    buffers.release()
    yield
    gc.collect()
    buffers.release()


def place(array: NDArray[Any]) -> int:
    return array.ctypes.data


def made(pages: int) -> NDArray[Any]:
    return buffers.empty((pages * PAGE,), np.dtype(np.uint8))


@pytest.mark.drawn(2)
@pytest.mark.parametrize("dtype", SOME)
@pytest.mark.parametrize("sizes", [(0,), (3,), (4, 1, 2048), (2, 3, 2, 1, 2, 1, 2, 999)])
def test_an_array_as_any_other(sizes: tuple[int, ...], dtype: Any) -> None:
    array = buffers.empty(sizes, np.dtype(dtype))
    assert (array.shape, array.dtype) == (sizes, np.dtype(dtype))
    assert array.flags.c_contiguous
    assert array.flags.writeable
    assert array.flags.aligned
    array[...] = 3
    assert (array == 3).all()


def test_small_arrays_are_not_kept() -> None:
    array = buffers.empty((LARGE - 1,), np.dtype(np.uint8))
    del array
    assert buffers.kept() == 0


@pytest.mark.drawn(4)
@pytest.mark.parametrize(
    "view",
    [
        lambda array: array[5:],
        lambda array: array[::-7],
        lambda array: array.reshape(2, -1).T,
        lambda array: array.view(np.int32),
        lambda array: array[:4].view(np.recarray),
        lambda array: memoryview(array)[3:],
        lambda array: np.frombuffer(array, np.int16),
        lambda array: np.asarray(memoryview(array)),
        lambda array: np.lib.stride_tricks.sliding_window_view(array, 9),
        lambda array: np.broadcast_to(array[:1], (5,)),
        lambda array: array[9:][2:].view(np.uint8).flat,
        lambda array: np.from_dlpack(array),
        lambda array: array.data.cast("B"),
        lambda array: np.ndarray((3,), np.uint8, array),
        lambda array: array.base,
    ],
)
def test_whoever_shares_memory_keeps_it(view: Any) -> None:
    array = made(4)
    array[:] = 7
    at, held = place(array), view(array)
    assert buffers.kept() == 0
    del array
    gc.collect()
    assert buffers.kept() == 0
    other = made(4)
    assert place(other) != at
    other[:] = 9
    del held
    gc.collect()
    assert buffers.kept() == 4 * PAGE
    assert place(made(4)) == at


def test_memory_of_another_type_and_about_the_same_size_is_used_again() -> None:
    array = buffers.empty((9, 1024), np.dtype(np.float32))
    at = place(array)
    del array
    array = buffers.empty((4 * PAGE,), np.dtype(np.int16))
    assert place(array) == at
    assert array.nbytes == 8 * PAGE
    del array
    held = [made(5), made(10), made(7)]  # too small, too large, much too small
    assert at not in map(place, held)
    assert buffers.kept() == 9 * PAGE


def test_what_is_kept_has_a_limit() -> None:
    held = [made(6) for _ in range(4)]
    last = place(held[3])
    while held:
        del held[0]
        assert buffers.kept() <= KEPT
    assert buffers.kept() == 12 * PAGE
    assert place(made(6)) == last
    wide = made(17)
    del wide
    assert buffers.kept() <= KEPT
    buffers.release()
    assert buffers.kept() == 0


def test_memory_that_the_system_refuses_is_looked_for_among_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    del_me = made(4)
    del del_me
    real, asked = buffers._new_mapping, []

    def refuse_once(count: int) -> Any:
        asked.append(buffers.kept())
        if len(asked) == 1:
            raise OSError
        return real(count)

    monkeypatch.setattr(buffers, "_new_mapping", refuse_once)
    assert made(8).nbytes == 8 * PAGE
    assert asked == [4 * PAGE, 0]
    monkeypatch.setattr(buffers, "_new_mapping", lambda count: real(1 << 62))
    with pytest.raises(MemoryError):
        made(9)


VIEWS = (
    lambda array: np.asarray(memoryview(array)),
    lambda array: array[1:-1],
    lambda array: np.frombuffer(array, np.uint8),
    lambda array: array.view(np.uint8)[::3],
)


class Handed(RuleBasedStateMachine):
    """Arrays, views of them and views of views come and go in any order; each keeps the bytes that were put there."""

    held = Bundle("held")

    @initialize()
    def begin(self) -> None:
        buffers.LARGE, buffers.KEPT = LARGE, KEPT
        buffers.release()
        self.mark = 0
        self.roots: dict[int, tuple[int, int, int]] = {}
        """What somebody holds: by mark, where it begins and ends and how many hold it."""

    @rule(target=held, pages=st.integers(1, 9), extra=st.integers(0, 3), kind=st.sampled_from(SOME))
    def make(self, pages: int, extra: int, kind: Any) -> list[Any]:
        dtype = np.dtype(kind)
        array = buffers.empty((pages * PAGE // dtype.itemsize + extra,), dtype)
        low, high = place(array), place(array) + array.nbytes
        assert all(high <= a or b <= low for a, b, _ in self.roots.values())
        self.mark = self.mark + 1
        array.view(np.uint8)[:] = self.mark % 251
        self.roots[self.mark] = (low, high, 1)
        return [self.mark, array]

    @rule(target=held, one=held, how=st.integers(0, 3))
    def look(self, one: list[Any], how: int) -> list[Any]:
        mark, array = one
        plain = array.flags.c_contiguous and len(array) > 4
        view = VIEWS[how if plain else 0](array)
        low, high, count = self.roots[mark]
        self.roots[mark] = (low, high, count + 1)
        return [mark, view]

    @rule(one=consumes(held))
    def drop(self, one: list[Any]) -> None:
        mark, array = one
        assert (np.ascontiguousarray(array).view(np.uint8) == mark % 251).all()
        del array
        one.clear()
        low, high, count = self.roots.pop(mark)
        if count > 1:
            self.roots[mark] = (low, high, count - 1)

    @rule()
    def release(self) -> None:
        buffers.release()

    @invariant()
    def limit(self) -> None:
        assert buffers.kept() <= KEPT


def test_in_any_order() -> None:
    run_state_machine_as_test(Handed, settings=tried(60, stateful_step_count=40))


def test_from_many_threads() -> None:
    """Nobody's bytes change while he holds them."""
    wrong: list[int] = []

    def work(seed: int) -> None:
        chosen, held = random.Random(seed), []
        for k in range(300):
            array = made(chosen.choice([2, 3, 4, 8]))
            array[:] = mark = (seed * 41 + k) % 256
            held.append((array[chosen.randrange(99) :], mark))
            del array
            if chosen.random() < 0.7:
                found, mark = held.pop(chosen.randrange(len(held)))
                wrong.extend([seed] * bool((found != mark).any()))
                del found
        wrong.extend(seed for found, mark in held if (found != mark).any())

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert buffers.kept() <= KEPT


@pytest.mark.slow
def test_a_collection_while_the_lock_is_held() -> None:
    """Arrays in a cycle are given back by whatever happens to allocate, even within `buffers`."""
    for _ in range(20):
        cycle: list[Any] = [made(3)]
        cycle.append(cycle)
        del cycle
        with buffers._lock:
            gc.collect()
    assert 0 < buffers.kept() <= KEPT


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_process_that_forks_has_memory_of_its_own() -> None:
    """Even where another thread held the lock; and what the child writes, its parent does not see."""
    array, spare = made(4), made(5)
    array[:] = 1
    del spare
    locked, go = threading.Event(), threading.Event()

    def hold() -> None:
        with buffers._lock:
            locked.set()
            go.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    assert locked.wait(60)
    child = os.fork()
    if not child:
        code = 1
        try:
            again = made(5)
            again[:] = 2
            array[:] = 3
            code = 0 if (again == 2).all() and buffers.kept() == 0 else 2
        finally:
            os._exit(code)
    go.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
    assert (array == 1).all()
    assert buffers.kept() == 5 * PAGE
