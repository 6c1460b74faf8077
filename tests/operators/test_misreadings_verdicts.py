"""Verdicts and levels by wrong rules, of descs that may be broken, and what their holders are told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import tried
from support.misreadings import drawn, equal, rule
from support.random_sessions import along, distinct, int32, perhaps_broken, small_cases, small_sizes
from support.strategies import Case

import dmlviz as dml
from dmlviz.desc.values import Stored
from dmlviz.operators.maps import Reader
from dmlviz.operators.registry import operator_of, operators
from dmlviz.session.examples import example

UINT32 = dml.TensorDesc("UINT32", (4,))
NOTHING = Reader(())


def says(desc: Any, id_: str, read: Reader = NOTHING) -> bool | None:
    """The verdict by a rule, which differs where it isn't the check's."""
    each = rule(desc, id_)
    assert each.accepts is not None
    said, valid = each.accepts(desc, read), dml.check(desc).ok
    assert each.differs(desc, read) is (said is not None and said is not valid), id_
    return said


def pictures(desc: Any, id_: str, arrays: list[Any]) -> list[Any]:
    """The outputs of a broken desc by a rule that accepts it."""
    read = Reader([Stored(part.tensor, array) for part, array in zip(desc.inputs, arrays, strict=True)])
    outputs = rule(desc, id_).outputs
    made = outputs(desc, read) if outputs else None
    assert made is not None
    return drawn(made, desc, read)


def test_each_operator_has_its_rules() -> None:
    counts = {"JOIN": 8, "SPLIT": 8, "TILE": 8, "GATHER": 11, "REVERSE_SUBSEQUENCES": 10}
    for name, count in counts.items():
        found = {each.id for each in operators()[f"DML_OPERATOR_{name}"].misreadings()}
        shared = {f"C{k}" for k in range(1, 11)} - ({"C2", "C3", "C6"} if name == "TILE" else set())
        assert found - {"S1c"} == shared | {f"{name[0]}{k}" for k in range(1, count + 1)}
        assert ("S1c" in found) is (name == "SPLIT")


@tried(300)
@given(perhaps_broken())
def test_what_a_rule_accepts_breaks_no_other(desc: Any) -> None:
    overlooked = {"C8": {"dtype.equal"}, "S1c": {"sizes.sum"}, "S6": {"sizes.positive"}, "S7": {"sizes.sum"}}
    broken = {check.id for check in dml.check(desc).errors}
    for each in operator_of(desc).misreadings():
        if each.accepts is not None and each.id not in ("G6", "R7"):
            said = says(desc, each.id)
            assert said is not False or each.id == "J7"
            assert not said or each.id not in overlooked or broken == overlooked[each.id], each.id
        if each.lowest_level is not None:
            differs = each.lowest_level(desc) is not dml.check(desc).lowest_level
            assert each.differs(desc, NOTHING) is differs, each.id


@pytest.mark.parametrize(
    ("desc", "id_", "verdict"),
    [
        (dml.Join([int32((1, 1, 2, 3)), int32((2, 4))], 3, int32((1, 1, 2, 7))), "C7", True),
        (dml.Join([int32((1, 1, 2, 3)), int32((2, 4))], 3), "C7", True),
        (dml.Join([int32((1, 1, 2, 3)), int32((3, 4))], 3), "C7", None),
        (dml.Join([int32((1, 1, 2, 3)), int32((2, 4))], -1), "C7", None),
        (dml.Join([int32((2, 3)), int32((2, 3))], 1), "C7", None),
        (dml.Gather(int32((3, 2)), UINT32, 0, 1, int32((4, 2))), "C7", True),
        (dml.ReverseSubsequences(int32((2, 4)), UINT32, 0), "C7", True),
        (dml.ReverseSubsequences(int32((2, 4)), UINT32.resized((2,)), 1), "C7", None),
        (dml.Tile(int32((2, 3)), [2, 2], int32((1, 4, 6))), "C7", True),
        (dml.Split(int32((1, 4, 2)), [int32((1, 2, 2)), int32((2, 2))], 1), "C7", True),
        (dml.Join([int32((2, 3)), UINT32.resized((2, 3))], 1), "C8", True),
        (dml.Join([int32((2, 3)), int32((2, 4))], 1), "J7", False),
        (dml.Join([int32((2, 3)), int32((2, 3))], 1), "J7", True),
        (dml.Join([int32((2, 3)), int32((3, 3))], 1), "J7", True),
        (dml.Join([int32((2, 3)), int32((3, 4))], 1), "J7", False),
        (dml.Join([int32((2, 3))], 1), "J7", None),
        (dml.Join([int32((2, 3)), int32((2, 3, 1))], 1), "J7", None),
        (dml.Join([int32((2, 3)), int32((2, 4))], 1), "J8", None),
        (dml.Join([int32((2, 3)), int32((3, 4))], 1), "J8", True),
        (dml.Join([int32((2, 3)), int32((3, 3))], 2), "J8", None),
        (dml.Join([int32((2, 3)), int32((3, 0))], 1), "J8", None),
        (dml.Tile(int32((2, 3)), (2,), int32((2, 6))), "T3", True),  # 1s in front
        (dml.Tile(int32((2, 3)), (2,), int32((4, 3))), "T3", True),  # or behind
        (dml.Tile(int32((2, 3)), (2,)), "T3", True),
        (dml.Tile(int32((2, 3)), (2,), int32((2, 5))), "T3", None),
        (dml.Tile(int32((3,)), (1, 2), int32((6,))), "T3", None),  # too many are no matter of filling up
        (dml.Tile(int32((2, 3)), (2, 2)), "T3", None),
        (dml.Tile(int32((2, 3)), (2, 2), int32((1, 4, 6)), 1), "C7", None),  # another rule is broken too
        *((dml.Tile(int32((2, 3)), (1, 3), int32((2, n))), "T8", 1 <= n <= 9 or None) for n in (0, 1, 8, 9, 10)),
    ],
)
def test_verdicts(desc: Any, id_: str, verdict: bool | None) -> None:
    assert says(desc, id_) is verdict


@tried(200)
@given(small_cases("GATHER", "REVERSE_SUBSEQUENCES"))
def test_values_outside_alone_make_the_verdict_differ(case: Case) -> None:
    desc, (x, steer) = case.desc, case.arrays
    n = x.shape[desc.axis]
    id_, low = ("G6", -n) if isinstance(desc, dml.Gather) else ("R7", 0)
    most = n - 1 if id_ == "G6" else n
    verdict = says(desc, id_, dml.trace(desc, case.arrays).read)
    assert verdict is all(low <= i <= most for i in steer.ravel().tolist())
    assert says(desc.replace({"OutputTensor": int32((9,) * x.ndim)}), id_) is None


@tried(200)
@given(small_sizes(), st.integers(-6, 5), st.data())
def test_what_accepted_descs_make(whole: Any, wanted: int, data: st.DataObject) -> None:
    """C6 and J8 of two inputs, S1c, S6 and S7 of parts of any sizes, as NumPy makes them."""
    axis = wanted % len(whole)
    two = distinct(whole, along(whole, axis, 2))
    desc = dml.Join([int32(x.shape) for x in two], wanted)
    assert says(desc, "C6") is (True if -len(whole) <= wanted < 0 else None)
    if says(desc, "C6"):
        assert equal(pictures(desc, "C6", two), [np.concatenate(two, wanted)])
    higher = [two[0], *distinct(tuple(n + (d != axis) for d, n in enumerate(whole)))]
    desc = dml.Join([int32(x.shape) for x in higher], axis)
    assert bool(says(desc, "J8")) is (len(whole) > 1)
    if says(desc, "J8"):
        grown = np.pad(higher[0], [(0, int(d != axis)) for d in range(len(whole))])
        assert equal(pictures(desc, "J8", higher), [np.concatenate([grown, higher[1]], axis)])

    sizes = data.draw(st.lists(st.integers(-1, 6), min_size=1, max_size=4))
    if data.draw(st.booleans()):  # cut points, or nearly
        sizes = sorted([*(min(max(size, 0), whole[axis]) for size in sizes), whole[axis]])
    split, n = dml.Split(int32(whole), [int32(along(whole, axis, size)) for size in sizes], axis), whole[axis]
    points = len(sizes) > 1 and sorted({0, *sizes}) == [0, *sizes] and sizes[-1] == n
    assert bool(says(split, "S1c")) is points
    assert bool(says(split, "S6")) is (min(sizes) < 1 and sum(sizes) == n)
    assert bool(says(split, "S7")) is (min(sizes) >= 1 and sum(sizes) < n)
    if points:
        assert equal(pictures(split, "S1c", two[:1]), np.split(two[0], sizes[:-1], axis))
    if says(split, "S7"):
        assert equal(pictures(split, "S7", two[:1]), np.split(two[0], np.cumsum(sizes), axis)[:-1])


@pytest.mark.parametrize(("name", "truth"), [("rule-dimension-count-supported", "4_1"), ("note-tile-float64", None)])
def test_levels_in_the_lesson(name: str, truth: str | None) -> None:
    desc: Any = example(name).session().experiments[0].desc
    each = rule(desc, "C9")
    assert dml.check(desc).lowest_level == truth
    assert each.lowest_level is not None
    assert each.lowest_level(desc) == "1_0"
    assert each.differs(desc, NOTHING)


def test_feedback_has_what_the_desc_holds() -> None:
    desc: Any = dml.Gather(int32((3, 2)), dml.TensorDesc("INT32", (1, 3)), 0, 1)
    said = [rule(desc, id_).says(desc) for id_ in ("G4", "G8", "G10")]
    assert said[0] == "Indices count from 0, as in Python: index 1 is the second of 3 slices."
    assert "IndexDimensions 1 counts IndicesTensor's sizes {1, 3} " in said[1]
    assert said[2].endswith("3, goes: {3, 2}.")
    padded: Any = dml.Padding(int32((2,)), "EDGE", 0, (1,), (0,))
    assert "{1} has the numbers before each axis, {0} those after" in rule(padded, "P7").says(padded)
