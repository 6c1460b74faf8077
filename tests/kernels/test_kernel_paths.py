"""Compiled kernels on shapes around every threshold, alone and shared, between guard bands and not aligned."""

from __future__ import annotations

import enum
import importlib
from itertools import chain, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from support.effort import tried
from support.folded import (
    FAR,
    NEVER,
    SMALL,
    STREAMING,
    USUAL,
    Constants,
    Work,
    changed,
    gather,
    join,
    reverse,
    some_indices,
    some_lengths,
    split,
    stream_works,
    tile,
    works,
)
from support.guarded import Buffers
from support.twins import Unjitted, module_of

from dmlviz.kernels.lib import loading, plan, thread_pool
from dmlviz.kernels.lib.primitives import SCRATCH

pytestmark = pytest.mark.integration

MOST = plan.SEGMENT * 3 // 2
"""Bytes of the largest outputs."""
SHARED = changed(USUAL, SHARED=300, SHARE=40, STREAMED=NEVER)
"""The thresholds there are, but small works are shared too."""
STREAMED = changed(SHARED, STREAMED=1)
"""And all outputs go past the caches."""
WORDS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
"""Bytes at which the loops over runs change."""


@pytest.fixture(autouse=True)
def helpers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four threads, wherever this runs."""
    global _helpers
    monkeypatch.setenv("DMLVIZ_THREADS", "4")
    monkeypatch.setattr(thread_pool, "_processors", list)
    _helpers = _helpers or thread_pool._ThreadPool()
    monkeypatch.setattr(thread_pool, "_pool", _helpers)


_helpers: thread_pool._ThreadPool | None = None


def constants(kernel: str) -> list[int]:
    """The thresholds of a kernel: all numbers with names of their own in it and in what it is made of."""
    modules = [module_of(name) for name in (kernel, "plan", "blocks")]
    found = {n for module in modules for name, n in vars(module).items() if name.isupper() and type(n) is int}
    return sorted(found)


def around(numbers: list[int], most: int) -> st.SearchStrategy[int]:
    """A number, one less or one more of `numbers`, 1 to `most`; or a small one."""
    near = sorted({n + d for n in numbers for d in (-1, 0, 1) if 1 <= n + d <= most})
    return st.one_of(st.integers(1, min(40, most)), st.sampled_from(near)) if near else st.integers(1, most)


def totals(kernel: str) -> st.SearchStrategy[int]:
    """Bytes of all outputs of a work."""
    return st.one_of(st.just(500), st.sampled_from([n for n in constants(kernel) if n <= plan.SEGMENT]), st.just(MOST))


@st.composite
def rows_works(draw: st.DrawFn) -> Work:
    """JOIN and SPLIT: parts alike or not, rows of all lengths, as many of them as make a total."""
    make, generator = draw(st.sampled_from([join, split])), np.random.default_rng(draw(st.integers(0, 99)))
    parts = draw(st.sampled_from([1, 2, 3, 4, 5, 7, 8, 16, 33]))
    if draw(st.booleans()):
        lengths = [draw(st.sampled_from([1, 2, 4, 8, 3, 16, 64]))] * parts
    else:
        numbers = [*constants("join"), *WORDS, parts * plan.ABREAST]
        stride = max(parts, draw(around(numbers, MOST // 2)))
        cuts = sorted(draw(st.lists(st.integers(0, stride - parts), min_size=parts - 1, max_size=parts - 1)))
        edges = [0, *(cut + k + 1 for k, cut in enumerate(cuts)), stride]
        lengths = [b - a for a, b in pairwise(edges)]
    outer = max(1, draw(totals("join")) // sum(lengths) + draw(st.integers(-1, 1)))
    return make(generator, outer, lengths)


@st.composite
def gather_works(draw: st.DrawFn) -> Work:
    generator = np.random.default_rng(draw(st.integers(0, 99)))
    run = draw(around([*constants("gather"), *WORDS], MOST))
    n, kind = draw(st.integers(1, 9)), draw(st.sampled_from(["i4", "u4", "i8", "u8"]))
    n = min(n, max(1, 2 * MOST // run))
    total = max(1, draw(totals("gather")) // run)
    count = min(total, draw(around(constants("gather"), 2000)))
    outer = max(1, min(total // count, 2 * MOST // (n * run)))
    return gather(generator, outer, n, run, some_indices(generator, kind, count, n, draw(st.booleans())))


@st.composite
def reverse_works(draw: st.DrawFn) -> Work:
    generator = np.random.default_rng(draw(st.integers(0, 99)))
    item, kind = draw(st.sampled_from([1, 2, 4, 8])), draw(st.sampled_from(["u4", "u8"]))
    numbers = constants("reverse_subsequences")
    held = importlib.import_module("dmlviz.kernels.reverse_subsequences").HELD
    total = draw(totals("reverse_subsequences")) // item
    steps = [16 // item, 32 // item, 64 // item, (SCRATCH - held) // 64, (SCRATCH - held) // item]
    n = draw(around([*numbers, *(m // item for m in numbers), *steps], min(total, 1 << 17) or 1))
    inner = draw(st.one_of(st.just(1), around([*numbers, 64 // item], max(1, total // n))))
    outer = max(1, total // (n * inner) + draw(st.integers(-1, 1)))
    how = draw(st.sampled_from(["random", "hostile", "0", str(n), str(n // 2)]))
    return reverse(generator, n, inner, item, some_lengths(generator, kind, outer * inner, n, how))


@st.composite
def tile_works(draw: st.DrawFn) -> Work:
    """Axes from the innermost out, each of a size or repeats that bring the bytes so far near some threshold."""
    generator, item = np.random.default_rng(draw(st.integers(0, 99))), draw(st.sampled_from([1, 2, 4, 8]))
    most, pairs, bytes_ = draw(totals("tile")), [], item
    for _ in range(draw(st.integers(1, 5))):
        pair = []
        for _ in range(2):
            room = max(1, most // bytes_)
            numbers = [n // bytes_ for n in constants("tile")] + constants("tile")
            pair.append(draw(st.one_of(st.integers(1, min(room, 4)), around(numbers, room))))
            bytes_ *= pair[-1]
        pairs.append((pair[0], pair[1]))
    if draw(st.booleans()):
        pairs = [(b, a) for a, b in pairs]
    return tile(generator, item, pairs[::-1])


class How(enum.Enum):
    """How a kernel is called."""

    ALONE = "with no turn"
    SHARED = "by all threads of the pool"
    LEFT = "by one of three threads, which takes over the parts of the two that never come"


def right(work: Work, numbers: list[int], seed: int, how: How) -> bool:
    """True if the compiled kernel writes what is wanted and nothing else."""
    buffers = Buffers(np.random.default_rng(seed), *(each.nbytes for each in (*work.outputs, *work.inputs)))
    arrays: list[Any] = list(buffers.arrays)
    for k, each in enumerate(work.inputs, len(work.outputs)):
        arrays[k] = buffers.fill(k, each)
    for wanted, each in zip(buffers.wanted, work.outputs, strict=False):
        wanted[:] = each.reshape(-1).view(np.uint8)
    kernel, planned = loading.load(work.kernel.upper()), np.array(numbers, np.int64)
    if how is How.SHARED:
        thread_pool.share(kernel, tuple(arrays), planned)
    elif how is How.LEFT:
        counters = np.zeros((3, 8), np.int64)
        turn = np.array([counters.ctypes.data, 3, seed % 3, 0], np.int64)
        kernel.run(tuple(arrays), planned, turn.ctypes.data)
    else:
        kernel.run(tuple(arrays), planned, 0)
    return buffers.right()


def planned(work: Work, constants: Constants) -> list[int]:
    return Unjitted.with_constants(constants).plan(work.kernel, work.folded)


RARELY = tried(250, suppress_health_check=list(HealthCheck))
STEPS = st.sampled_from([0, 0, 1, 3])
PLANS = st.sampled_from([USUAL, SHARED, STREAMED, SMALL, STREAMING, FAR])


def check(work: Work, seed: int, how: How, step: int, constants: Constants) -> None:
    numbers = planned(work, constants)
    numbers[1] = step or numbers[1]
    assert right(work, numbers, seed, how)


@pytest.mark.slow
@given(rows_works(), st.integers(0, 99), st.sampled_from(How), STEPS, PLANS)
@RARELY
def test_join_and_split(work: Work, seed: int, how: How, step: int, constants: Constants) -> None:
    check(work, seed, how, step, constants)


@given(gather_works(), st.integers(0, 99), st.sampled_from(How), STEPS, PLANS)
@RARELY
def test_gather(work: Work, seed: int, how: How, step: int, constants: Constants) -> None:
    check(work, seed, how, step, constants)


@given(reverse_works(), st.integers(0, 99), st.sampled_from(How), STEPS, PLANS)
@RARELY
def test_reverse_subsequences(work: Work, seed: int, how: How, step: int, constants: Constants) -> None:
    check(work, seed, how, step, constants)


@given(tile_works(), st.integers(0, 99), st.sampled_from(How), STEPS, PLANS)
@RARELY
def test_tile(work: Work, seed: int, how: How, step: int, constants: Constants) -> None:
    check(work, seed, how, step, constants)


@pytest.mark.drawn(1)
@pytest.mark.parametrize("how", How)
def test_works_that_reach_every_branch(how: How) -> None:
    """What runs every branch as plain Python, compiled: planned as there, with and without streams, and as usual."""
    generator = np.random.default_rng(9)
    for k, work in enumerate(chain(works(generator), stream_works(generator))):
        for constants in (SMALL, STREAMING, FAR, USUAL, STREAMED):
            numbers = planned(work, constants)
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
        numbers, kernel = planned(work, STREAMED), loading.load(work.kernel.upper()).run
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
            made, unjitted = loading.load(name.upper()).plan, Unjitted.with_constants
            assert made is not None
            always, never = (unjitted(each).plan(name, folded) for each in (PAST, INTO))
            assert always != never
            assert made(*folded) == (always if streams else never), name
