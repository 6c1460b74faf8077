"""Wrong rules about JOIN: each is what NumPy makes of its formula, and differs just where it says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from support.effort import tried
from support.misreadings import (
    Arrays,
    Oracle,
    accepts,
    drawn,
    outputs_test,
    reader,
    rule,
    rules_of,
    verdicts_test,
)
from support.small_descs import distinct, int32, perhaps_broken, small_joins
from support.strategies import Case

import dmlviz as dml
from dmlviz.operators.misreadings.join import MISREADINGS
from dmlviz.operators.registry import operator_of
from dmlviz.session.examples import example

OWN = list(rules_of(dml.Join).values())


def stack(desc: dml.Join, arrays: Arrays) -> Arrays | None:
    alike = len({a.shape for a in arrays}) == 1
    return [np.stack(arrays, desc.axis)] if alike else None


def deal(desc: dml.Join, arrays: Arrays) -> Arrays | None:
    a, count = desc.axis, len(arrays)
    places = range(sum(each.shape[a] for each in arrays))
    try:
        return [np.stack([arrays[j % count].take(j // count, a) for j in places], a)]
    except IndexError:
        return None


def diagonal(desc: dml.Join, arrays: Arrays) -> Arrays:
    grows = [d == desc.axis or n > 1 for d, n in enumerate(arrays[0].shape)]
    out = np.zeros([sum(a.shape[d] for a in arrays) if g else 1 for d, g in enumerate(grows)], np.int64)
    at = np.zeros(len(grows), int)
    for a in arrays:
        out[tuple(slice(i, i + n) for i, n in zip(at, a.shape, strict=True))] = a
        at += np.array(a.shape) * grows
    return [out]


def times_first(desc: dml.Join, arrays: Arrays) -> Arrays:
    return [np.zeros([n * (len(arrays) if d == desc.axis else 1) for d, n in enumerate(arrays[0].shape)])]


def append(desc: dml.Join, arrays: Arrays) -> Arrays:
    return [np.concatenate([a.ravel() for a in arrays]).reshape(np.concatenate(arrays, desc.axis).shape)]


def forget_start(desc: dml.Join, arrays: Arrays) -> Arrays:
    a, tensors = desc.axis, [k for k, each in enumerate(arrays) for _ in range(each.shape[desc.axis])]
    return [np.stack([arrays[k].take(j % arrays[k].shape[a], a) for j, k in enumerate(tensors)], a)]


def says_nothing(desc: dml.Join, arrays: Arrays) -> None:
    """Of a valid desc."""


ORACLES: dict[str, Oracle] = {
    "J1": stack,
    "J2": deal,
    "J3": diagonal,
    "J4": times_first,
    "J5": append,
    "J6": forget_start,
    "J8": says_nothing,
}


def test_declared() -> None:
    assert {each.id for each in MISREADINGS} == {f"C{i}" for i in range(1, 11)} | {f"J{i}" for i in range(1, 9)}
    assert operator_of("DML_OPERATOR_JOIN").misreadings() is MISREADINGS


test_outputs = outputs_test(OWN, small_joins(), ORACLES)
test_verdicts = verdicts_test(OWN, perhaps_broken(small_joins()))


@pytest.mark.parametrize(
    ("sizes", "axis", "equal_at_axis", "padded"),
    [
        ([(2, 3), (2, 4)], 1, False, None),
        ([(2, 3), (2, 3)], 1, True, None),
        ([(2, 3), (3, 3)], 1, True, True),
        ([(2, 3), (3, 4)], 1, False, True),
        ([(2, 3)], 1, None, None),
        ([(2, 3), (2, 3, 1)], 1, None, None),
        ([(2, 3), (3, 3)], 2, None, None),
        ([(2, 3), (3, 0)], 1, None, None),
    ],
)
def test_what_sizes_may_differ(sizes: Any, axis: int, equal_at_axis: bool | None, padded: bool | None) -> None:
    desc = dml.Join([int32(each) for each in sizes], axis)
    assert [accepts(MISREADINGS, id_, desc) for id_ in ("J7", "J8")] == [equal_at_axis, padded]


@tried(40)
@given(small_joins())
def test_the_smaller_one_is_padded_with_zeros(case: Case) -> None:
    """J8 takes inputs of any sizes off Axis, and fills them up."""
    axis = case.desc.axis
    sizes = [tuple(n + (k if d != axis else 0) for d, n in enumerate(a.shape)) for k, a in enumerate(case.arrays)]
    desc, arrays = dml.Join([int32(each) for each in sizes], axis), distinct(*sizes)
    read, padded = reader(desc, arrays), rule(MISREADINGS, "J8")
    made = padded.outputs(desc, read) if padded.outputs else None
    if len(sizes) == 1 or len(sizes[0]) == 1:
        assert made is None
        assert not padded.differs(desc, read)
        return
    most = np.max(sizes, 0)
    want = [np.pad(a, [(0, most[d] - n if d != axis else 0) for d, n in enumerate(a.shape)]) for a in arrays]
    assert made is not None
    assert padded.differs(desc, read)
    assert np.array_equal(drawn(made, desc, read)[0], np.concatenate(want, axis))


# ---- what a student of each rule answers in the lesson


def answers(name: str, id_: str) -> tuple[Any, Any]:
    """An example's trace, and its outputs by a rule."""
    trace = example(name).session().experiments[0].trace()
    each = rule(MISREADINGS, id_)
    assert each.outputs is not None
    assert each.differs(trace.desc, trace.read)
    return trace, each.outputs(trace.desc, trace.read)


@pytest.mark.parametrize(("id_", "sizes"), [("J4", (1, 1, 2, 6)), ("J3", (1, 1, 4, 7))])
def test_sizes_in_the_lesson(id_: str, sizes: tuple[int, ...]) -> None:
    assert answers("join-1", id_)[1].sizes == (sizes,)


@pytest.mark.parametrize(("id_", "number"), [("J2", 9), ("J5", 3)])
def test_a_cell_in_the_lesson(id_: str, number: int) -> None:
    trace, wrong = answers("join-2-axis-3", id_)
    assert drawn(wrong, trace.desc, trace.read)[0][0, 0, 0, 2] == number


def test_memory_in_the_lesson() -> None:
    trace, wrong = answers("join-2-axis-3", "J5")
    assert drawn(wrong, trace.desc, trace.read)[0].ravel()[:6].tolist() == [1, 2, 3, 4, 5, 6]
    order = rule(MISREADINGS, "C4").order
    assert order is not None
    assert trace.window(0, order(trace.desc, 0, np.arange(6))).tolist() == [1, 3, 2, 4, 5, 7]


def test_a_source_in_the_lesson() -> None:
    trace, wrong = answers("join-1", "J6")
    found = wrong.source(0, tuple(np.array([i]) for i in (0, 0, 1, 3)))
    assert (found.tensor.tolist(), [axis.tolist() for axis in found.index]) == ([1], [[0], [0], [1], [3]])
    assert rule(MISREADINGS, "J6").says(trace.desc, trace.read).startswith("InputTensors[1] begins at 3 ")


@pytest.mark.parametrize("id_", ["J7", "J8"])
def test_a_verdict_in_the_lesson(id_: str) -> None:
    desc: Any = example("rule-sizes-match").session().experiments[0].desc
    assert dml.check(desc).ok is False
    assert accepts(MISREADINGS, id_, desc)
