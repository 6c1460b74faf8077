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
