"""The kernels as plain Python, where every byte that is read or written is looked at.

NUMBA_BOUNDSCHECK has nothing to check in kernels that know addresses only; the regions of the twins are what stands in
for it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import tried
from support.folded import SMALL, STREAMING, USUAL, WORDS_STREAMED, Work, stream_works, word_works, works
from support.pages import outputs
from support.strategies import Case, cases
from support.twins import LINE, AstrayError, Memory, Order, Unjitted, Use, module_of

from dmlviz.operators.registry import operator_of


@pytest.fixture(scope="module")
def small() -> Unjitted:
    return Unjitted(SMALL)


def check(
    kernels: Unjitted, work: Work, threads: int, step: int, alignments: list[int], order: Order = Order.ROUND
) -> None:
    sizes, inputs = [each.nbytes for each in work.outputs], [each.tobytes() for each in work.inputs]
    made = kernels.run(work.kernel, work.folded, sizes, inputs, threads, step, alignments, order)
    assert made == [each.tobytes() for each in work.outputs], f"{work}, {threads} threads, {step}, {order}"


@given(
    cases(), st.booleans(), st.integers(0, 3), st.integers(0, 2),
    st.lists(st.integers(0, 63), min_size=1, max_size=4), st.sampled_from(Order),
)  # fmt: skip
@tried(300)
def test_small_thresholds(
    case: Case, streams: bool, threads: int, step: int, alignments: list[int], order: Order
) -> None:
    operator = operator_of(case.desc)
    sizes = [part.tensor.byte_count for part in case.desc.outputs]
    inputs = [array.tobytes() for array in case.arrays]
    kernels, folded = Unjitted.with_constants(STREAMING if streams else SMALL), operator.kernel_numbers(case.desc)
    made = kernels.run(operator.name.lower(), folded, sizes, inputs, threads, step, alignments, order)
    assert made == outputs(case.desc, case.arrays)


@pytest.mark.slow
def test_works_around_every_threshold() -> None:
    generator, orders = np.random.default_rng(5), list(Order)
    for constants, some in ((SMALL, works), (STREAMING, works), ({}, word_works), (WORDS_STREAMED, stream_works)):
        kernels = Unjitted(constants)
        for k, work in enumerate(some(generator)):
            check(kernels, work, k % 4, k // 4 % 3, [k % 64, 3 * k % 64, 5 * k % 64], orders[k % len(orders)])


# ---- the model itself -------------------------------------------------------------------------------------------


def test_a_kernel_that_goes_astray_is_caught(small: Unjitted) -> None:
    """Every rule of the model, broken once."""
    memory = small.on(Memory([bytes(8)], [bytes(8), bytes(8)], [1, 2]))
    out, one, other = (region.base for region in memory.arrays)
    does = small.primitives
    memory.claimed()
    does.move(out, 0, one, 4, 4)
    for astray in (
        lambda: does.move(out, 5, one, 0, 4),
        lambda: does.move(out, 0, one, -1, 4),
        lambda: does.move(out, 0, one, other - one + 1 - 8, 4),
        lambda: does.move(one, 0, other, 0, 4),
        lambda: does.move(out, 4, out, 2, 4),
        lambda: does.move(out, 0, one, 0, 3),
        lambda: does.move(out, 7, does.scratch(), 0, 1),
        lambda: does.put(does.scratch(), small.scratch_size, 1, 1),
        lambda: does.put(out, 0, 2**63, 8),
        lambda: does.read(5, 0, 1),
        lambda: does.number(memory.numbers, 2),
        lambda: does.number(memory.numbers, -1),
        lambda: does.address(memory.arrays, 3),
        lambda: does.fetch_add(out, 1),
        lambda: does.stream256(out, 0, one, 0),
    ):
        with pytest.raises(AstrayError):
            astray()
    memory.claimed()
    for astray in (lambda: does.put(out, 0, 1, 1), lambda: does.put(out, 7, does.read(out, 0, 1), 1)):
        with pytest.raises(AstrayError, match="another claim"):
            astray()


def test_threads_that_go_astray_are_caught(small: Unjitted) -> None:
    memory = small.on(Memory([bytes(8)], []))
    does = small.primitives
    memory.share(2)
    counters = next(region.base for region in memory.regions if region.use is Use.COUNTERS)
    own, others = memory.turns
    wrong: list[Callable[[int], object]] = [
        lambda _: does.fetch_add(counters + 8, 1),
        lambda _: does.fetch_add(counters + 2 * LINE, 1),
        lambda _: does.fetch_add(counters, 0),
        lambda _: does.fetch_add(own, 1),
        lambda _: does.read(counters, 0, 8),
        lambda turn: does.put(own + others - turn, 24, 1, 8),
    ]
    for astray in wrong:
        with pytest.raises(AstrayError):
            memory.run(astray)
    memory.claimed(0, 3, 5)
    with pytest.raises(AstrayError, match="unit 2 of 5 is claimed twice"):
        memory.claimed(2, 2, 5)


# ---- who does what ----------------------------------------------------------------------------------------------


@given(st.integers(0, 5), st.integers(0, 4), st.integers(0, 200), st.integers(1, 40), st.sampled_from(Order))
@tried(300)
def test_every_unit_is_claimed_once(threads: int, first: int, units: int, step: int, order: Order) -> None:
    """Whoever comes when; what is claimed twice is caught by the model itself. A thread that is alone claims once."""
    kernels = Unjitted.with_constants(USUAL)
    memory, done = kernels.on(Memory([], [])), [list[int]() for _ in range(max(1, threads))]
    if threads:
        memory.share(threads, first)
    else:
        step = max(1, units)

    def claims(turn: int) -> None:
        before = -1
        while (before := kernels.claim(turn, step, units, before)) < units:
            assert before % step == 0
            done[memory.thread].append(before)
        assert before == units

    memory.run(claims, order, units)
    assert sorted(each for one in done for each in one) == list(range(0, units, step))
    steps = -(-units // step)
    parts = [
        {k * step for k in range(part * steps // threads, (part + 1) * steps // threads)} for part in range(threads)
    ]
    for thread, firsts in enumerate(done[:threads]):
        own = parts[(first + thread) % threads] & set(firsts)
        assert set(firsts[: len(own)]) == own  # its own part comes first


def test_constants_that_are_patched_are_there(small: Unjitted) -> None:
    for module, constants in SMALL.items():
        for name, value in constants.items():
            assert module == "primitives" or small.modules[module][name] == value
            assert hasattr(module_of(module), name)
