"""Compiled kernels on shapes around every threshold, alone and shared, between guard bands and not aligned."""

from __future__ import annotations

import enum
from itertools import chain
from typing import Any

import numpy as np
import pytest
from support.folded import (
    NEVER,
    SMALL,
    STREAMING,
    USUAL,
    Buffers,
    Work,
    changed,
    fenced,
    gather,
    join,
    planned,
    reverse,
    some_indices,
    some_lengths,
    split,
    stream_works,
    tile,
    works,
)

from dmlviz.kernels.lib import loading, plan, thread_pool

pytestmark = pytest.mark.integration

SHARED = changed(USUAL, SHARED=300, SHARE=40, STREAMED=NEVER)
"""The thresholds there are, but small works are shared too."""
STREAMED = changed(SHARED, STREAMED=1)
"""And all outputs go past the caches."""


@pytest.fixture(autouse=True)
def helpers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four threads, wherever this runs."""
    global _helpers
    monkeypatch.setenv("DMLVIZ_THREADS", "4")
    monkeypatch.setattr(thread_pool, "_processors", list)
    _helpers = _helpers or thread_pool._Pool()
    monkeypatch.setattr(thread_pool, "_pool", _helpers)


_helpers: thread_pool._Pool | None = None


class How(enum.Enum):
    """How a kernel is called."""

    ALONE = "with no turn"
    SHARED = "by all threads of the pool"
    LEFT = "by one of three threads, which takes over the parts of the two that never come"


def right(work: Work, numbers: list[int], seed: int, how: How) -> bool:
    """True if the compiled kernel writes what is wanted and nothing else, half the time with nothing behind inputs."""
    buffers = Buffers(np.random.default_rng(seed), *(each.nbytes for each in (*work.outputs, *work.inputs)))
    arrays: list[Any] = list(buffers.arrays)
    for k, each in enumerate(work.inputs, len(work.outputs)):
        arrays[k] = buffers.fill(k, each) if seed % 2 else fenced(each)
    for wanted, each in zip(buffers.wanted, work.outputs, strict=False):
        wanted[:] = each.reshape(-1).view(np.uint8)
    kernel, told = loading.load(work.kernel.upper()), np.array(numbers, np.int64)
    if how is How.SHARED:
        thread_pool.share(kernel, tuple(arrays), told)
    elif how is How.LEFT:
        counters = np.zeros((3, 8), np.int64)
        turn = np.array([counters.ctypes.data, 3, seed % 3, 0], np.int64)
        kernel.run(tuple(arrays), told, turn.ctypes.data)
    else:
        kernel.run(tuple(arrays), told, 0)
    return buffers.right()


@pytest.mark.drawn(1)
@pytest.mark.parametrize("how", How)
def test_works_that_reach_every_branch(how: How) -> None:
    """Planned with thresholds that small works pass, with and without streams, and as usual."""
    generator = np.random.default_rng(9)
    for k, work in enumerate(chain(works(generator), stream_works(generator))):
        for constants in (SMALL, STREAMING, USUAL, STREAMED):
            numbers = planned(work.kernel, work.folded, constants)
            assert right(work, [numbers[0], 1 + k % 2, *numbers[2:]], k, how), work


def test_outputs_of_every_alignment_past_the_caches() -> None:
    """Whole lines are streamed, whatever lies before the first and behind the last: 64 addresses of each output."""
    generator = np.random.default_rng(11)
    for work in (
        join(generator, 30, [60, 8, 31]),
        split(generator, 60, [60, 8, 31]),
        gather(generator, 2, 3, 100, some_indices(generator, "i4", 20, 3)),
        reverse(generator, 1500, 1, 2, some_lengths(generator, "u8", 2, 1500, "random")),
        tile(generator, 4, [(3, 40), (7, 3)]),
    ):
        numbers, kernel = planned(work.kernel, work.folded, STREAMED), loading.load(work.kernel.upper()).run
        sizes = [each.nbytes for each in work.outputs]
        held = [np.zeros(size + 3 * 64, np.uint8) for size in sizes]
        for off in range(64):
            out = []
            for each, size in zip(held, sizes, strict=True):
                each.fill(0xA5)
                start = 64 + (off - each.ctypes.data) % 64
                out.append(each[start : start + size])
            kernel((*out, *work.inputs), np.array(numbers), 0)
            for each, own, wanted in zip(held, out, work.outputs, strict=True):
                assert (own == wanted.reshape(-1).view(np.uint8)).all(), (work, off)
                own[:] = 0xA5
                assert (each == 0xA5).all(), (work, off)


def folded_for(units: int) -> list[tuple[str, tuple[int, ...], float]]:
    """A work of each kernel, as folded, with the bytes of a run that it is cut into; 1 KiB for each of `units`."""
    return [
        ("join", (units, 1024, 1000, 24), 64),
        ("split", (units, 1024, 1000, 24), 64),
        ("gather", (1, 2, units, 1024, 4, 1), 64),
        ("reverse_subsequences", (units, 256, 1, 4, 4), 64),
        ("reverse_subsequences", (1, units, 256, 4, 4), 4),
        ("tile", (4, units, 1, 16, 16), 64),
    ]


@pytest.mark.parametrize("times", [0.3, 0.98, 1.02, 3.0, 100.0])
def test_what_is_shared_and_what_is_not(times: float) -> None:
    """A thread is woken for SHARED nanoseconds of work and more, and takes about SHARE of them at a time."""
    for k in range(len(folded_for(1))):
        _, _, run = folded_for(1)[k]
        count = round(times * plan.SHARED / (1024 / plan.BYTES + 1024 / run * plan.MOVE))
        name, folded, _ = folded_for(count)[k]
        made = loading.load(name.upper()).plan
        assert made is not None
        units, step = made(*folded)[:2]
        assert (step < units) == (times > 1), name
        assert times < 1 or step == 1 or 0.5 < step / units * times * plan.SHARED / plan.SHARE < 1.1, name


PAST, INTO = changed(USUAL, STREAMED=1), changed(USUAL, STREAMED=NEVER)
"""All outputs go past the caches, or into them."""


def test_large_outputs_go_past_the_caches() -> None:
    """From STREAMED bytes read and written on: plans are then those for outputs that always do, else that never do."""
    # What each KiB of output reads: of TILE a 16th of it, of GATHER two slices in all.
    reads = {"tile": 1 / 16, "gather": 0.0}
    for k in range(len(folded_for(1))):
        full = plan.STREAMED / 1024 / (1 + reads.get(folded_for(1)[k][0], 1.0))
        for count, streams in ((int(full) - 3, False), (int(full) + 1, True)):
            name, folded, _ = folded_for(count)[k]
            made = loading.load(name.upper()).plan
            assert made is not None
            always, never = (planned(name, folded, each) for each in (PAST, INTO))
            assert always != never
            assert made(*folded) == (always if streams else never), name
