"""GATHER_ELEMENTS beside GATHER, which it is taken for."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.reports import f32, u32

import dmlviz as dml
from dmlviz.session.report_json import report_json


def gather(data: tuple[int, ...], indices: tuple[int, ...], axis: int, counted: int, *out: int) -> dml.Gather:
    return dml.Gather(f32(*data), u32(*indices), axis, counted, f32(*out) if out else None)


def turned(desc: dml.Gather | dml.GatherElements) -> list[str]:
    return [fix.desc.TYPE for c in dml.check(desc).errors for fix in c.fixes if fix.turned]


@pytest.mark.parametrize(
    "desc",
    [
        gather((3, 2), (2, 2), 0, 2, 2, 2),  # gather.fits
        gather((3, 2), (2, 2), 0, 1, 2, 2),  # indices.leading
        gather((1, 3, 2), (1, 4, 2), 1, 2, 1, 4, 2),  # gather.sizes
    ],
)
def test_a_gather_that_smells_of_it_is_turned_into_it(desc: dml.Gather) -> None:
    (broken,) = dml.check(desc).errors
    (fix,) = [fix for fix in broken.fixes if fix.turned]
    assert fix.desc == dml.GatherElements(desc.input_tensor, desc.indices_tensor, desc.axis, desc.output_tensor)
    assert dml.check(fix.desc).ok
    assert fix.label == f"operator GATHER → GATHER_ELEMENTS, remove IndexDimensions {desc.index_dimensions}"
    within = [each for each in broken.fixes if each.mends_all and not each.loses and not each.turned]
    assert broken.fixes.index(fix) == len(within)


@pytest.mark.parametrize(
    "desc",
    [
        gather((3, 2), (1, 2), 0, 1, 3, 2),  # the output is as long as neither
        gather((3, 2), (2, 3), 0, 2, 2, 3),  # no column for the third index
        gather((3, 2), (2, 2), 0, 1),  # nobody gave an output
    ],
)
def test_other_mistakes_of_gather_are_mended_within_it(desc: dml.Gather) -> None:
    assert dml.check(desc).errors
    assert not turned(desc)


def test_it_is_turned_into_gather_where_whole_slices_are_asked_for() -> None:
    desc = dml.GatherElements(f32(3, 2), u32(1, 4), 0, f32(4, 2))
    fixes = [fix for c in dml.check(desc).errors for fix in c.fixes if fix.turned]
    assert {fix.desc for fix in fixes} == {gather((3, 2), (1, 4), 0, 1, 4, 2)}
    assert fixes[0].label == "operator GATHER_ELEMENTS → GATHER, add IndexDimensions 1"


def test_applied_it_keeps_the_values_and_the_json_says_how() -> None:
    experiment = dml.load(Path(__file__).parents[2] / "examples" / "note-gather-elements.json").experiments[0]
    report = experiment.check()
    fix = next(fix for c in report.errors for fix in c.fixes if fix.turned)
    assert experiment.mended(fix).trace().reference(0).tolist() == [[1, 6], [3, 2]]
    told = report_json(experiment, report)
    edits = next(f["edits"] for c in told["checks"] for f in c["fixes"] if "GATHER_ELEMENTS" in f["label"])
    assert edits == [
        {"op": "replace", "path": "/type", "value": "DML_OPERATOR_GATHER_ELEMENTS"},
        {"op": "remove", "path": "/desc/IndexDimensions"},
    ]
