"""What wrong rules make of valid descs, as misreadings.txt has it, and where that differs from the truth.

The text was written when each line agreed with an oracle of NumPy for its rule, over thousands of random descs.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from support.effort import tried
from support.misreadings import drawn, equal, rule
from support.random_sessions import distinct, int32, small_cases
from support.strategies import Case

import dmlviz as dml
from dmlviz.desc.values import Cycle, Filled, Iota
from dmlviz.operators.maps import Reader
from dmlviz.operators.registry import operator_of
from dmlviz.operators.wrong_rules import LOOKED_AT


def join(axis: int, *sizes: tuple[int, ...]) -> Case:
    return Case(dml.Join([int32(each) for each in sizes], axis), distinct(*sizes))


def split(axis: int, whole: tuple[int, ...], *lengths: int) -> Case:
    parts = [int32((*whole[:axis], n, *whole[axis + 1 :])) for n in lengths]
    return Case(dml.Split(int32(whole), parts, axis), distinct(whole))


def reverse(axis: int, sizes: tuple[int, ...], lengths: list[int]) -> Case:
    cells = (*sizes[:axis], 1, *sizes[axis + 1 :])
    desc = dml.ReverseSubsequences(int32(sizes), dml.TensorDesc("UINT32", cells), axis)
    return Case(desc, [*distinct(sizes), np.array(lengths, np.uint32).reshape(cells)])


def gather(axis: int, sizes: tuple[int, ...], cells: tuple[int, ...], own: int, indices: list[int]) -> Case:
    desc = dml.Gather(int32(sizes), dml.TensorDesc("INT32", cells), axis, own)
    return Case(desc, [*distinct(sizes), np.array(indices, np.int32).reshape(cells)])


def tile(sizes: tuple[int, ...], repeats: tuple[int, ...]) -> Case:
    return Case(dml.Tile(int32(sizes), repeats), distinct(sizes))


CASES = (
    join(1, (2, 3), (2, 1)),
    join(0, (2, 2), (2, 2)),
    join(1, (1, 3, 2), (1, 2, 2), (1, 1, 2)),
    split(1, (2, 5), 2, 3),
    split(0, (4, 2), 2, 2),
    split(1, (1, 6, 2), 1, 2, 3),
    reverse(1, (2, 4), [2, 3]),
    reverse(0, (3, 3), [0, 1, 3]),
    reverse(1, (2, 5, 1), [4, 9]),
    gather(0, (3, 2), (1, 4), 1, [2, 0, -1, 1]),
    gather(1, (2, 3), (1, 1), 0, [1]),
    gather(1, (1, 2, 3), (1, 2, 2), 2, [0, 1, 1, 1]),
    gather(1, (1, 3), (1, 3), 1, [1, 2, 0]),
    gather(0, (2, 2), (1, 2), 1, [1, 5]),
    tile((2, 3), (2, 1)),
    tile((2, 2), (2, 2)),
    tile((1, 2, 2), (1, 3, 2)),
)


def told(case: Case) -> Iterator[str]:
    """What each rule about outputs that differs makes of a desc; sizes alone where it says no more."""
    trace = dml.trace(case.desc, case.arrays)
    yield str(case.desc)
    for each in operator_of(case.desc).misreadings():
        wrong = each.outputs(case.desc, trace.read) if each.outputs is not None and each.accepts is None else None
        if wrong is None or not each.differs(case.desc, trace.read):
            continue
        made = drawn(wrong, case.desc, trace.read) if wrong.source is not None else [None] * len(wrong.sizes)
        for sizes, array in zip(wrong.sizes, made, strict=True):
            numbers = "sizes alone" if array is None else " ".join(map(str, array.ravel()))
            yield f"{each.id:>3} {'x'.join(map(str, sizes))}: {numbers}"


def test_outputs_are_as_the_text_has_them() -> None:
    lines = [line for case in CASES for line in told(case)]
    assert lines == (Path(__file__).parent / "misreadings.txt").read_text("utf-8").splitlines()


def test_the_text_has_every_rule_about_outputs_of_valid_descs() -> None:
    shown = {line.split()[0] for case in CASES for line in told(case)}
    every = [each for case in CASES for each in operator_of(case.desc).misreadings()]
    assert {each.id for each in every if each.outputs is not None and each.accepts is None} <= shown


@tried(300)
@given(small_cases())
def test_a_rule_differs_where_its_outputs_are_not_the_truth(case: Case) -> None:
    assume(all(part.tensor.element_count <= LOOKED_AT for part in case.desc.outputs))
    trace = dml.trace(case.desc, case.arrays)
    for each in operator_of(case.desc).misreadings():
        if each.outputs is None or each.accepts is not None:
            continue
        wrong, same = each.outputs(case.desc, trace.read), True
        if wrong is not None and wrong.source is None:  # a rule about sizes alone
            same = wrong.sizes == tuple(part.tensor.sizes for part in trace.outputs)
        elif wrong is not None:
            true = [trace.reference(k) for k in range(len(trace.outputs))]
            same = equal(drawn(wrong, trace.desc, trace.read), true)
        assert each.differs(trace.desc, trace.read) is not same, each.id


@tried(100)
@given(small_cases())
def test_memory_is_read_down_the_columns(case: Case) -> None:
    order = rule(case.desc, "C4").order
    assert order is not None
    trace = dml.trace(case.desc, case.arrays)
    for k in range(len(trace.outputs)):
        truth = trace.reference(k)
        assert np.array_equal(trace.window(k, order(case.desc, k, np.arange(truth.size))), truth.ravel(order="F"))


@tried(100)
@given(small_cases("TILE"))
def test_reads_are_added_where_they_multiply(case: Case) -> None:
    each, trace = rule(case.desc, "T7"), dml.trace(case.desc, case.arrays)
    factors = [r for r in case.desc.repeats if r > 1]
    assert each.reads is not None
    assert each.reads(case.desc, trace.read, 0, (0,) * case.arrays[0].ndim) == (sum(factors) or 1)
    assert each.differs(case.desc, trace.read) is (len(factors) > 1 and factors != [2, 2])


@tried(100)
@given(small_cases("REVERSE_SUBSEQUENCES"))
def test_lengths_by_position_have_other_sizes(case: Case) -> None:
    each, sizes = rule(case.desc, "R10"), case.arrays[0].shape
    assert each.input_sizes is not None
    found = [each.input_sizes(case.desc, k) for k in range(2)]
    assert found == [None, tuple(n if d == case.desc.axis else 1 for d, n in enumerate(sizes))]
    assert each.differs(case.desc, Reader(())) is (max(sizes) > 1)


def test_cells_that_a_rule_takes_are_those_whose_numbers_it_uses() -> None:
    """G8 takes another index, R4 another length; C1 reads lengths in their order."""
    x, indices = dml.TensorDesc("INT32", (1, 3)), dml.TensorDesc("INT32", (2, 1))
    gather = dml.Gather(x.resized((1, 1, 3)), indices.resized((1, 2, 1)), 2, 2)
    reverse = dml.ReverseSubsequences(x.resized((2, 3)), dml.TensorDesc("UINT32", (2, 1)), 1)
    square = dml.ReverseSubsequences(x.resized((3, 3)), dml.TensorDesc("UINT32", (3, 1)), 1)
    for desc, id_, at, cell in [
        (gather, "G8", (0, 0, 0), (0, 0, 0)),
        (reverse, "R4", (0, 2), (1, 0)),
        (square, "C1", (0, 2), (2, 0)),
    ]:
        read = dml.trace(desc).read
        outputs = rule(desc, id_).outputs
        wrong = outputs(desc, read) if outputs else None
        assert wrong is not None
        assert wrong.source is not None
        sources = wrong.source(0, tuple(np.array([i]) for i in at))
        assert sources.via is not None
        assert (sources.via_tensor, tuple(int(i[0]) for i in sources.via)) == (1, cell), id_


HUGE = 65535
WHOLE = dml.TensorDesc("INT8", (HUGE, HUGE))
HALVES = [dml.TensorDesc("INT8", (HUGE, n)) for n in (HUGE // 2, HUGE - HUGE // 2)]


@pytest.mark.parametrize(
    "desc",
    [
        dml.Join(HALVES, 1),
        dml.Split(WHOLE, HALVES, 1),
        dml.ReverseSubsequences(WHOLE, dml.TensorDesc("UINT32", (HUGE, 1)), 1),
        dml.Gather(WHOLE, dml.TensorDesc("UINT32", (1, HUGE)), 1, 1),
        dml.Tile(dml.TensorDesc("INT8", (HUGE // 5, HUGE // 3)), (5, 3)),
    ],
    ids=lambda desc: type(desc).__name__,
)
def test_of_a_huge_tensor_few_elements_are_compared(desc: Any) -> None:
    values = [Filled(part.tensor, Cycle(4) if k else Iota(1, 1)) for k, part in enumerate(desc.inputs)]
    differing = {each.id for each in operator_of(desc).misreadings() if each.differs(desc, Reader(values))}
    assert {"C4", "C5"} <= differing
    assert not differing & {"J5", "S8", "G3", "G6", "R1", "R7", "T1"}


def test_indices_of_a_large_input_are_told_apart() -> None:
    desc = dml.Gather(dml.TensorDesc("INT8", (2, 5000)), dml.TensorDesc("INT32", (1, 3)), 1, 1)
    read = Reader([Filled(desc.input_tensor, Iota(1, 1)), Filled(desc.indices_tensor, Iota(4000, -1))])
    assert {each.id for each in operator_of(desc).misreadings() if each.differs(desc, read)} >= {"G3", "G4", "G11"}
