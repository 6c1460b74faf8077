"""Wrong rules about REVERSE_SUBSEQUENCES, each held against lists that are turned as its holder turns them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import tried
from support.misreadings import (
    Array,
    Arrays,
    Oracle,
    all_hold,
    distinct,
    perhaps_broken_values,
    picture,
    prove_outputs,
    prove_verdict,
    rules_of,
    source_at,
)
from support.strategies import LENGTH_TYPES, generators

import dmlviz as dml
from dmlviz.desc.values import Cycle, Filled, Iota
from dmlviz.operators.checking import check
from dmlviz.operators.maps import Reader
from dmlviz.operators.scans import SCAN_LIMIT
from dmlviz.tracing import Trace

RULES = rules_of(dml.ReverseSubsequences)
Row = list[float]


def traced(sizes: tuple[int, ...], axis: int, lengths: Any, kind: dml.DataType = LENGTH_TYPES[0]) -> Trace:
    cells = (*sizes[:axis], 1, *sizes[axis + 1 :])
    desc = dml.ReverseSubsequences(dml.TensorDesc("FLOAT32", sizes), dml.TensorDesc(kind, cells), axis)
    return dml.trace(desc, [distinct(desc.input_tensor), np.array(lengths, kind.dtype).reshape(cells)])


@st.composite
def reversals(draw: st.DrawFn) -> Trace:
    sizes = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    axis = draw(st.integers(0, len(sizes) - 1))
    if draw(st.booleans()):
        sizes = (*sizes[:axis], draw(st.integers(1, 7)), *sizes[axis + 1 :])
    n, kind = sizes[axis], draw(st.sampled_from(LENGTH_TYPES))
    pool = draw(st.lists(st.sampled_from([*range(n + 2), kind.integer_range[1]]), min_size=1, max_size=3))
    count = int(np.prod(sizes)) // n
    return traced(sizes, axis, [pool[i] for i in draw(generators()).integers(0, len(pool), count)], kind)


def by_row(x: Array, lengths: Array, axis: int, turn: Callable[[Row, int], Row]) -> Array:
    """Each sequence along an axis turned, with its acting length."""
    rows = np.moveaxis(x, axis, -1)
    cells = np.moveaxis(lengths, axis, -1)[..., 0]
    n = x.shape[axis]
    made = np.empty_like(rows)
    for at in np.ndindex(cells.shape):
        made[at] = turn(rows[at].tolist(), min(int(cells[at]), n))
    return np.moveaxis(made, -1, axis)


def index_rather_than_count(row: Row, length: int) -> Row:
    return row[: length + 1][::-1] + row[length + 1 :] if length < len(row) else row[::-1]


def stretches(row: Row, length: int) -> Row:
    if not length:
        return row
    return [each for i in range(0, len(row), length) for each in row[i : i + length][::-1]]


TURNS: dict[str, Callable[[Row, int], Row]] = {
    "R1": lambda row, length: row[::-1],
    "R2": lambda row, length: row[: len(row) - length] + row[len(row) - length :][::-1],
    "R3": index_rather_than_count,
    "R5": lambda row, length: [float(each) for each in np.roll(row, -length)],
    "R6": lambda row, length: row[: length or len(row)][::-1] + row[length or len(row) :],
    "R8": lambda row, length: row[:length][::-1] + [0] * (len(row) - length),
    "R9": stretches,
}


def across(x: Array, lengths: Array, axis: int) -> Array | None:
    """The other axis' lines are turned: that at `k` along Axis by the length number `k`, or by the last one."""
    others = [d for d, size in enumerate(x.shape) if d != axis and size > 1]
    if not others or x.shape[axis] == 1:
        return None
    last = others[-1]
    moved, cells = np.moveaxis(x, (axis, last), (-2, -1)), np.moveaxis(lengths, (axis, last), (-2, -1))[..., 0, :]
    made = np.empty_like(moved)
    for at in np.ndindex(cells.shape[:-1]):
        for k in range(x.shape[axis]):
            length = int(cells[at][min(k, x.shape[last] - 1)])
            line = moved[at][k].tolist()
            made[at][k] = line[:length][::-1] + line[length:]
    return np.moveaxis(made, (-2, -1), (axis, last))


def turned(turn: Callable[[Row, int], Row]) -> Oracle:
    return lambda desc, arrays: [by_row(arrays[0], arrays[1], desc.axis, turn)]


def turned_across(desc: dml.ReverseSubsequences, arrays: Arrays) -> Arrays | None:
    made = across(arrays[0], arrays[1], desc.axis)
    return None if made is None else [made]


ORACLES: dict[str, Oracle] = {**{name: turned(turn) for name, turn in TURNS.items()}, "R4": turned_across}


@tried(400)
@given(reversals())
def test_a_rule_differs_just_where_its_outputs_do(trace: Trace) -> None:
    all_hold(RULES, trace)
    for name, oracle in ORACLES.items():
        prove_outputs(RULES[name], trace, oracle)


@tried(200)
@given(reversals())
def test_lengths_by_position_have_other_sizes(trace: Trace) -> None:
    desc, rule = trace.desc, RULES["R10"]
    sizes, axis = desc.input_tensor.sizes, desc.axis  # type: ignore[attr-defined]
    assert rule.input_sizes is not None
    found = rule.input_sizes(desc, 1)
    assert found == tuple(n if d == axis else 1 for d, n in enumerate(sizes))
    assert rule.input_sizes(desc, 0) is None
    assert rule.differs(desc, trace.read) == (found != trace.inputs[1].tensor.sizes)


@tried(400)
@given(perhaps_broken_values(reversals(), ("Axis",), "SequenceLengthsTensor", ["INT32", "FLOAT32"]))
def test_too_long_lengths_alone_make_the_verdict_differ(case: tuple[dml.ReverseSubsequences, Reader]) -> None:
    desc, read = case
    verdict = prove_verdict(RULES["R7"], desc, read)
    if check(desc, read.values).ok:
        n = desc.input_tensor.sizes[desc.axis]
        assert verdict == bool((read.values[1].array() <= n).all())
    assert isinstance(RULES["R10"].differs(desc, read), bool)


@pytest.mark.parametrize(
    ("sizes", "trap", "right"),
    [((1, 5), [2], [3]), ((3, 4), [1, 3, 0], [2, 4, 1])],
)
def test_a_level_looks_won_to_who_takes_the_length_for_an_index(
    sizes: tuple[int, int], trap: list[int], right: list[int]
) -> None:
    goal = traced(sizes, 1, right).reference(0)
    found = picture(RULES["R3"], traced(sizes, 1, trap))
    assert found.tolist() == goal.tolist()


@pytest.mark.parametrize(
    ("lengths", "index", "said"),
    [
        ([3], (0, 0), "with length 3, only the first 3 elements turn,"),
        ([5], (0, 0), "with length 5, all 5 elements turn,"),
        ([0], (0, 4), "with length 0, nothing turns,"),
        ([2, 4], (1, 0), "with length 4, only the first 4 elements turn,"),
    ],
)
def test_feedback_has_the_length_of_the_elements_own_sequence(
    lengths: list[int], index: tuple[int, ...], said: str
) -> None:
    trace = traced((len(lengths), 5), 1, lengths)
    assert said in RULES["R1"].says(trace.desc, trace.read, index=index)


def test_a_huge_reversal_costs_what_is_asked() -> None:
    """Values are looked at up to the first that tells, and no further than the checks scan them."""
    sizes, cells = (65535, 65535), (65535, 1)
    desc = dml.ReverseSubsequences(dml.TensorDesc("INT8", sizes), dml.TensorDesc("UINT32", cells), 1)
    read = Reader([Filled(desc.input_tensor, Iota(1, 1)), Filled(desc.sequence_lengths_tensor, Cycle(65536))])
    turned = 39994
    want = {"R1": 65529, "R2": 5, "R3": 39995, "R5": 40005, "R6": turned, "R8": turned, "R9": turned}
    assert {name: source_at(RULES[name], desc, read, (40000, 5))[2] for name in TURNS} == want

    long = dml.ReverseSubsequences(dml.TensorDesc("INT8", (2**25, 2)), dml.TensorDesc("UINT32", (2**25, 1)), 1)
    read = Reader([Filled(long.input_tensor, Iota(1, 1)), Filled(long.sequence_lengths_tensor, Cycle(4))])
    assert long.sequence_lengths_tensor.element_count > SCAN_LIMIT
    assert RULES["R7"].accepts is not None
    assert RULES["R7"].accepts(long, read) is None
    assert not RULES["R7"].differs(long, read)
    assert RULES["R1"].differs(long, read)


def test_a_stretch_that_is_cut_turns_in_itself() -> None:
    trace = traced((1, 5), 1, [2])
    found = picture(RULES["R9"], trace)
    assert found.tolist() == [[2, 1, 4, 3, 5]]
