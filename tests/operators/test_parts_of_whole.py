"""JOIN's and SPLIT's rules, and the pseudo-code that spells them out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import tried
from support.reports import assert_sound, errors, evaluated, f32, waiting

import dmlviz as dml
from dmlviz.operators.registry import operator_of
from dmlviz.operators.workings import CodeLine


def test_6_and_minus_2_add_up_to_4_and_are_still_wrong() -> None:
    report = dml.check(dml.Split(f32(1, 1, 4, 2), (f32(1, 1, 6, 2), f32(1, 1, -2, 2)), 2))
    assert errors(report) == {("sizes.positive", "OutputTensors[1].Sizes[2]")}
    assert "sizes.sum" in evaluated(report)
    assert any(fix.mends_all for fix in report.errors[0].fixes)


@pytest.mark.parametrize(
    ("desc", "broken"),
    [
        (dml.Join((), 0, f32(2, 3)), ("count.positive", "InputCount")),
        (dml.Join((), 0), ("count.positive", "InputCount")),
        (dml.Split(f32(2, 3), (), 0), ("count.positive", "OutputCount")),
        (dml.Join((), 0, f32(2, 3), 2), ("count.matches", "InputCount")),
    ],
)
def test_nothing_to_join_and_nothing_to_split_into(desc: Any, broken: tuple[str, str]) -> None:
    report = dml.check(desc)
    assert errors(report) == {broken}
    assert waiting(report)["sizes.sum"] == broken[0]
    assert_sound(report)


@st.composite
def wrong_parts(draw: st.DrawFn) -> Any:
    """JOINs and SPLITs that are right, nearly right, or anything."""
    n = draw(st.integers(1, 4))
    axis = draw(st.integers(-1, n))
    whole = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    along = draw(st.lists(st.integers(1, 3), min_size=0, max_size=4))
    parts = [[size if d != axis else part for d, size in enumerate(whole)] for part in along]
    if 0 <= axis < n and along:
        whole[axis] = sum(along)
    for sizes in (*parts, whole):
        wrong = draw(st.integers(0, 9))
        if wrong == 0:
            sizes[draw(st.integers(0, len(sizes) - 1))] = draw(st.integers(-1, 4))
        elif wrong == 1:
            sizes.insert(0, 1)
    kinds = tuple(dml.TensorDesc("FLOAT32", sizes) for sizes in parts)
    if draw(st.booleans()):
        return dml.Split(dml.TensorDesc("FLOAT32", whole), kinds, axis)
    return dml.Join(kinds, axis, None if draw(st.integers(0, 3)) == 0 else dml.TensorDesc("FLOAT32", whole))


def assertions(lines: list[CodeLine]) -> dict[str, CodeLine]:
    marks = {"DimensionCount": "dimension_count.equal", ".Sizes[d] ==": "sizes.match", "total ==": "sizes.sum"}
    return {id_: next(line for line in lines if mark in line.text) for mark, id_ in marks.items()} if lines else {}


@tried(150)
@given(wrong_parts())
def test_an_assertion_fails_where_its_rule_does(desc: Any) -> None:
    report = dml.check(desc)
    lines = operator_of(desc).pseudo_code(desc)
    assert bool(lines) == bool(desc.parts)
    for id_, line in assertions(lines).items():
        broken = any(check.id == id_ for check in report.errors)
        waits = any(each.id == id_ for each in report.waiting)
        assert line.text.lstrip().removeprefix("else: ").startswith("assert(")
        assert (line.ok is False) == broken, (id_, line, desc)
        assert bool(line.failing) == broken
        if id_ != "dimension_count.equal":
            assert (line.ok is None) == (waits and not broken), (id_, line, desc)
    for line in lines:
        assert line.ok is None or "assert(" in line.text


def test_a_failing_assertion_shows_its_numbers() -> None:
    desc = dml.Join((f32(1, 1, 2, 3), f32(1, 1, 3, 3)), 3, f32(1, 1, 2, 6))
    lines = assertions(operator_of(desc).pseudo_code(desc))
    assert lines["sizes.match"].failing == ("i = 1, d = 2: 3 == 2",)
    assert lines["sizes.match"].live == "1 of 6 fails"
    assert lines["sizes.sum"][1:] == ("6 == 6", True, ())
