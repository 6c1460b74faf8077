"""Compiled kernels on shapes around every threshold, alone and shared, between guard bands and not aligned."""

from __future__ import annotations

import importlib
from itertools import chain, pairwise
from typing import Any

import numpy as np
import pytest
from folded import SMALL, Work, gather, join, reverse, some_indices, some_lengths, split, tile, word_works, works
from guarded import Buffers
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from twins import Unjitted

from dmlviz import kernels
from dmlviz.kernels import _crew, _plan
from dmlviz.kernels._memory import SCRATCH

MOST = _plan.SHARED * 3 // 2
"""Bytes of the largest outputs."""
WORDS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
"""Bytes at which the loops over runs change."""


@pytest.fixture(autouse=True)
def crew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four threads, wherever this runs."""
    global _helpers
    monkeypatch.setenv("DMLVIZ_THREADS", "4")
    monkeypatch.setattr(_crew, "_processors", list)
    _helpers = _helpers or _crew._Crew()
    monkeypatch.setattr(_crew, "_crew", _helpers)


_helpers: _crew._Crew | None = None


def constants(kernel: str) -> list[int]:
    """The thresholds of a kernel: all numbers with names of their own in it and in what it is made of."""
    modules = [importlib.import_module(f"dmlviz.kernels.{name}") for name in (kernel, "_plan", "_blocks")]
    found = {n for module in modules for name, n in vars(module).items() if name.isupper() and type(n) is int}
    return sorted(found)


def around(numbers: list[int], most: int) -> st.SearchStrategy[int]:
    """A number, one less or one more of `numbers`, 1 to `most`; or a small one."""
    near = sorted({n + d for n in numbers for d in (-1, 0, 1) if 1 <= n + d <= most})
    return st.one_of(st.integers(1, min(40, most)), st.sampled_from(near)) if near else st.integers(1, most)


def totals(kernel: str) -> st.SearchStrategy[int]:
    """Bytes of all outputs of a work."""
    return st.one_of(st.just(500), st.sampled_from([n for n in constants(kernel) if n <= _plan.SHARED]), st.just(MOST))


@st.composite
def rows_works(draw: st.DrawFn) -> Work:
    """JOIN and SPLIT: parts alike or not, rows of all lengths, as many of them as make a total."""
    make, generator = draw(st.sampled_from([join, split])), np.random.default_rng(draw(st.integers(0, 99)))
    parts = draw(st.sampled_from([1, 2, 3, 4, 5, 7, 8, 16, 33]))
    if draw(st.booleans()):
        lengths = [draw(st.sampled_from([1, 2, 4, 8, 3, 16, 64]))] * parts
    else:
        numbers = [*constants("join"), *WORDS, parts * _plan.LONG_RUN]
        stride = max(parts, draw(around(numbers, MOST // 2)))
        cuts = sorted(draw(st.lists(st.integers(0, stride - parts), min_size=parts - 1, max_size=parts - 1)))
        edges = [0, *(cut + k + 1 for k, cut in enumerate(cuts)), stride]
        lengths = [b - a for a, b in pairwise(edges)]
    outer = max(1, draw(totals("join")) // sum(lengths) + draw(st.integers(-1, 1)))
    return make(generator, outer, lengths)


@st.composite
def gather_works(draw: st.DrawFn) -> Work:
    generator = np.random.default_rng(draw(st.integers(0, 99)))
    run = draw(around([*constants("gather"), *WORDS], _plan.SHARED // 2))
    n, kind = draw(st.integers(1, 9)), draw(st.sampled_from(["i4", "u4", "i8", "u8"]))
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


def right(work: Work, numbers: list[int], seed: int, shared: bool) -> bool:
    """True if the compiled kernel writes what is wanted and nothing else."""
    buffers = Buffers(np.random.default_rng(seed), *(each.nbytes for each in (*work.outputs, *work.inputs)))
    arrays: list[Any] = list(buffers.arrays)
    for k, each in enumerate(work.inputs, len(work.outputs)):
        arrays[k] = buffers.fill(k, each)
    for wanted, each in zip(buffers.wanted, work.outputs, strict=False):
        wanted[:] = each.reshape(-1).view(np.uint8)
    kernel = kernels.load(work.kernel.upper())
    if shared:
        kernels.share(kernel.run, tuple(arrays), np.array(numbers, np.int64))
    else:
        kernel.run(tuple(arrays), np.array(numbers, np.int64), 0)
    return buffers.right()


def planned(work: Work) -> list[int]:
    plan = kernels.load(work.kernel.upper()).plan
    assert plan is not None
    return plan(*work.folded)


HOW = settings(deadline=None, max_examples=250, suppress_health_check=list(HealthCheck))
STEPS = st.sampled_from([0, 0, 1, 3])


def check(work: Work, seed: int, shared: bool, step: int) -> None:
    numbers = planned(work)
    numbers[1] = step or numbers[1]
    assert right(work, numbers, seed, shared)


@given(rows_works(), st.integers(0, 99), st.booleans(), STEPS)
@HOW
def test_join_and_split(work: Work, seed: int, shared: bool, step: int) -> None:
    check(work, seed, shared, step)


@given(gather_works(), st.integers(0, 99), st.booleans(), STEPS)
@HOW
def test_gather(work: Work, seed: int, shared: bool, step: int) -> None:
    check(work, seed, shared, step)


@given(reverse_works(), st.integers(0, 99), st.booleans(), STEPS)
@HOW
def test_reverse_subsequences(work: Work, seed: int, shared: bool, step: int) -> None:
    check(work, seed, shared, step)


@given(tile_works(), st.integers(0, 99), st.booleans(), STEPS)
@HOW
def test_tile(work: Work, seed: int, shared: bool, step: int) -> None:
    check(work, seed, shared, step)


def test_works_that_reach_every_branch() -> None:
    """What runs every branch as plain Python, compiled: planned as there, for small units, and as usual."""
    generator, small = np.random.default_rng(9), Unjitted.with_constants(SMALL)
    for k, work in enumerate(chain(works(generator), word_works(generator))):
        for numbers in (small.plan(work.kernel, work.folded), planned(work)):
            assert right(work, numbers, k, False), work
            assert right(work, [numbers[0], 1 + k % 2, *numbers[2:]], k + 1, True), work


def test_what_is_shared_and_what_is_not() -> None:
    """A thread is woken from SHARED bytes on, and takes about SHARE bytes at a time."""
    generator = np.random.default_rng(10)
    wide = _plan.SHARED // 1024
    for outer, shared in ((wide - 1, False), (wide, True), (wide + 1, True)):
        lengths = np.full(outer, 9, "u4")
        for work in (
            join(generator, outer, [1000, 24]),
            split(generator, outer, [1000, 24]),
            gather(generator, 1, 2, 1024, some_indices(generator, "i4", outer, 2)),
            reverse(generator, 256, 1, 4, lengths),
            tile(generator, 4, [(outer, 1), (16, 16)]),
        ):
            units, step = planned(work)[:2]
            written = sum(each.nbytes for each in work.outputs)
            assert (step < units) == shared, work
            assert not shared or 1 <= step <= max(1, 2 * units * _plan.SHARE // written), work
