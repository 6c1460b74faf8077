"""JOIN's and SPLIT's rules."""

from __future__ import annotations

from typing import Any

import pytest
from support.reports import assert_sound, errors, evaluated, f32, waiting

import dmlviz as dml


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
