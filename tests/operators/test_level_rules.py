"""Rules that depend on the feature level, and the lowest level that accepts a desc."""

from __future__ import annotations

from typing import Any

import numpy as np
from support.reports import errors, evaluated, f32, notes, tensor, u32, waiting, warnings

import dmlviz as dml
from dmlviz import FeatureLevel

LEVELS = list(FeatureLevel)


def test_a_missing_level_skips_both_support_rules() -> None:
    desc = dml.ReverseSubsequences(tensor("INT64", 9), tensor("INT8", 1), 0)
    for level in ("1_0", "2_0"):
        report = dml.check(desc, feature_level=level)
        assert errors(report) == {("level.operator", "FeatureLevel")}
        assert waiting(report) == {
            "dtype.supported": "level.operator",
            "dimension_count.supported": "level.operator",
        }
        assert len(report.waiting) == 6
        assert not evaluated(report) & {"dtype.supported", "dimension_count.supported"}


def test_2_0_behaves_as_1_0_and_reverse_is_on_neither() -> None:
    descs: list[Any] = [
        dml.Join((f32(1, 1, 2, 2),), 3),
        dml.Join((tensor("INT8", 1, 1, 2, 2),), 3),
        dml.Split(f32(2, 2), (f32(2, 2),), 1),
        dml.Tile(tensor("INT32", 1, 1, 2, 2), (1, 1, 1, 2)),
        dml.Gather(f32(1, 1, 3, 2), u32(1, 1, 1, 4), 2, 1),
        dml.ReverseSubsequences(f32(1, 1, 2, 2), u32(1, 1, 2, 1), 3),
    ]
    for desc in descs:
        first, second = (dml.check(desc, feature_level=level) for level in ("1_0", "2_0"))
        assert errors(first) == errors(second)
        assert notes(first) == notes(second)
        assert first.lowest_level == second.lowest_level
        exists = not isinstance(desc, dml.ReverseSubsequences)
        assert (("level.operator", "FeatureLevel") not in errors(first)) is exists
    assert dml.check(descs[-1], feature_level="2_1").ok


def test_lowest_levels_that_the_specification_names() -> None:
    six = dml.Join((f32(1, 1, 1, 1, 2, 2), f32(1, 1, 1, 1, 2, 3)), 5)
    for level in LEVELS:
        found = dml.check(six, feature_level=level).lowest_level
        assert found is FeatureLevel.of("4_1")
        assert (
            dml.check(dml.Tile(tensor("FLOAT64", 1, 1, 2, 2), (1, 1, 1, 2)), feature_level=level).lowest_level is None
        )


def test_a_broken_rule_that_no_level_mends_leaves_no_lowest_level() -> None:
    assert dml.check(dml.Join((f32(1, 1, 2, 2),), 4)).lowest_level is None
    assert dml.check(dml.Tile(f32(2), (2,), f32(5))).lowest_level is None


def test_warnings_and_notes_do_not_count_for_the_lowest_level() -> None:
    clamped = dml.ReverseSubsequences(f32(1, 1, 1, 2), u32(1, 1, 1, 1), 3)
    report = dml.check(clamped, [np.zeros((1, 1, 1, 2), np.float32), np.full((1, 1, 1, 1), 9, np.uint32)])
    assert warnings(report)
    assert report.ok
    assert report.lowest_level is FeatureLevel.of("2_1")
    early = dml.check(dml.Gather(f32(1, 1, 3, 2), u32(1, 1, 1, 4), 2, 1), feature_level="1_0")
    assert notes(early)
    assert early.lowest_level is FeatureLevel.of("1_0")
