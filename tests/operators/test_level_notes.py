"""Notes stand exactly where public sources disagree about a feature level."""

from __future__ import annotations

import pytest
from support.reports import f32, notes, tensor, u32

import dmlviz as dml
from dmlviz import FeatureLevel

LEVELS = list(FeatureLevel)


@pytest.mark.parametrize("level", [level.value for level in LEVELS])
@pytest.mark.parametrize("dimensions_", range(1, 9))
def test_the_join_note_stands_exactly_where_sources_disagree(level: str, dimensions_: int) -> None:
    report = dml.check(dml.Join((f32(*(1,) * dimensions_),), 0), feature_level=level)
    disagree = level in ("3_1", "4_0") and dimensions_ not in (4, 5)
    assert notes(report) == ({"note.join_dimensions"} if disagree else set())
    if disagree:  # the page decides: it is an error all the same
        assert "dimension_count.supported" in {c.id for c in report.errors}


@pytest.mark.parametrize("level", [level.value for level in LEVELS])
@pytest.mark.parametrize("kind", ["FLOAT64", "INT64", "FLOAT32"])
def test_the_tile_note_stands_exactly_for_doubles_from_4_1(level: str, kind: str) -> None:
    report = dml.check(dml.Tile(tensor(kind, 1, 1, 2, 2), (1, 1, 1, 2)), feature_level=level)
    noted = kind == "FLOAT64" and FeatureLevel.of(level) >= FeatureLevel.of("4_1")
    assert notes(report) == ({"note.tile_float64"} if noted else set())
    if kind == "FLOAT64":
        assert "dtype.supported" in {c.id for c in report.errors}


@pytest.mark.parametrize("level", [level.value for level in LEVELS])
def test_the_gather_note_stands_exactly_at_1_0_and_2_0(level: str) -> None:
    report = dml.check(dml.Gather(f32(1, 1, 3, 2), u32(1, 1, 1, 4), 2, 1), feature_level=level)
    assert notes(report) == ({"note.gather_shapes"} if level in ("1_0", "2_0") else set())
    assert report.ok


def test_other_operators_have_no_notes() -> None:
    for level in LEVELS:
        for desc in (
            dml.Split(tensor("FLOAT64", 2, 2), (tensor("FLOAT64", 2, 2),), 0),
            dml.ReverseSubsequences(tensor("FLOAT64", 2, 2), u32(2, 1), 1),
        ):
            assert not notes(dml.check(desc, feature_level=level))
