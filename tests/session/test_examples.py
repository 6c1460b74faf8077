"""The shipped examples: what the pages print, what they print wrong, and a broken desc for every rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.printed import PRINTED
from support.shipped import shipped

import dmlviz as dml
from dmlviz.operators.registry import operators
from dmlviz.operators.sentences import SENTENCES, SHARED_SENTENCES
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment
from dmlviz.session.writing import dump

FOLDER = Path(__file__).parents[2] / "examples"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))
SHELF = {each.name: each for each in examples.all_examples()}

PAGES = [*PRINTED, "gather-3-as-printed"]
INLINE = ["inline-reverse", "inline-split", "inline-gather-indices"]
ERRATA = [
    f"erratum-{name}"
    for name in [
        "gather-index-dimensions-range",
        "gather-output-tensor",
        "gather-leading-one",
        "tile-dimension-count",
        "gather-4-title",
        "gather-5-title",
        "tile-1-label",
        "reverse-labels",
    ]
]

LEVELS = {"join": "1_0", "split": "1_0", "tile": "1_0", "reverse": "2_1", "gather": "3_0"}


def file_name(rule: str) -> str:
    return "rule-" + rule.replace(".", "-").replace("_", "-")


ADDED = {rule for kind, each in operators().items() if kind not in shipped() for rule in each.sentences}
RECORDED = {*SENTENCES, *SHARED_SENTENCES, *(rule for each in shipped().values() for rule in each.sentences)}
RECORDED |= {rule for rule in ADDED if file_name(rule) in NAMES}
RECORDED = {rule for rule in RECORDED if not rule.startswith("chain.")}  # tests/session/test_wires.py breaks each
"""The ids of all rules, warnings and notes; of an operator that isn't shipped those that it has an example of."""
VALUES_AND_NOTES = sorted(rule for rule in RECORDED if rule.startswith(("values.", "note.")) or rule == "padding.value")
RULES = sorted(RECORDED - {*VALUES_AND_NOTES, "number.range", "value.known", "value.supported"})
"""Those that an example breaks; `number.range` is told only where no other rule blames the field."""


def experiments(name: str) -> tuple[Experiment, ...]:
    return SHELF[name].session().experiments


def only(name: str) -> Experiment:
    (found,) = experiments(name)
    return found


def traced(experiment: Experiment) -> list[Any]:
    trace = experiment.trace()
    return [trace.reference(k).tolist() for k in range(len(trace.outputs))]


def failures(experiment: Experiment) -> set[str]:
    return {c.id for c in experiment.check().failures}


# ---- every file -------------------------------------------------------------------------------------------------


def test_the_shelf_holds_every_file() -> None:
    assert set(NAMES) == {each.name for each in examples.all_examples()}
    wanted = {*PAGES, *INLINE, *ERRATA, *map(file_name, RULES)}
    wanted |= {"warning-length-clamped", "warning-index-range"}
    wanted |= {"note-negative-index", "note-join-dimensions", "note-tile-float64", "note-gather-shapes"}
    wanted |= {"note-gather-elements", "note-strides"}
    assert wanted <= set(NAMES)


def test_the_shelf_begins_with_the_pages_own_examples() -> None:
    names = [each.name for each in examples.all_examples()]
    first_other = min(i for i, name in enumerate(names) if name.startswith(("erratum-", "warning-", "note-", "rule-")))
    assert set(names[:first_other]) >= {*PAGES, *INLINE}


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_in_the_layout_that_is_saved(name: str) -> None:
    path = FOLDER / f"{name}.json"
    assert dump(dml.load(path)).encode() == path.read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_for_a_student(name: str) -> None:
    session = dml.load(FOLDER / f"{name}.json")
    assert session.title
    assert session.title != name
    names = [each.name for each in session.experiments]
    assert len(set(names)) == len(names)
    for each in session.experiments:
        assert 0 < len(each.name) <= 40
        assert "?" in each.notes, "every note asks something"
        assert sum(each.notes.count(mark) for mark in (". ", "? ", "! ")) <= 5
        assert "  " not in each.notes
        assert "\n" not in each.notes


@pytest.mark.parametrize("name", NAMES)
def test_a_valid_desc_traces_and_runs(name: str) -> None:
    for each in experiments(name):
        if each.check().ok:
            trace, arrays = each.trace(), [values.array() for values in each.sources()]
            ran = dml.run(each.desc, arrays, feature_level=each.feature_level)
            for k, array in enumerate(ran):
                np.testing.assert_array_equal(trace.reference(k), array)


# ---- the pages --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(PRINTED))
def test_a_page_example_gives_what_the_page_prints(name: str) -> None:
    found = only(name)
    assert found.check().ok
    assert traced(found) == PRINTED[name]
    outputs = [list(part.tensor.sizes) for part in found.desc.outputs]
    assert outputs == [list(np.array(printed).shape) for printed in PRINTED[name]]
    assert not found.desc.inferred & {"OutputTensor", "OutputTensors"}


@pytest.mark.parametrize("name", [*PRINTED, *INLINE])
def test_a_page_example_stands_at_the_lowest_level_that_admits_it(name: str) -> None:
    for each in experiments(name):
        operator = each.desc.TYPE.removeprefix("DML_OPERATOR_").split("_")[0].lower()
        assert each.feature_level.value == LEVELS[operator]
        assert each.check().lowest_level is each.feature_level


def test_gather_3_as_printed_breaks_one_rule_and_the_first_fix_gives_what_is_printed() -> None:
    printed = only("gather-3-as-printed")
    assert printed.desc.get("IndexDimensions") == 2
    report = printed.check()
    assert failures(printed) == {"gather.fits"}
    (broken,) = report.errors
    mended = [fix for fix in broken.fixes if fix.mends_all]
    assert mended[0] is broken.fixes[0]
    assert mended[0].desc == only("gather-3-corrected").desc
    again = Experiment("mended", mended[0].desc, mended[0].feature_level, printed.values)
    assert again.check().ok
    assert traced(again) == PRINTED["gather-3-corrected"]


# ---- errata -----------------------------------------------------------------------------------------------------


def test_what_the_errata_show() -> None:
    closed = only("erratum-gather-index-dimensions-range")
    assert closed.desc.get("IndexDimensions") == closed.desc.get("IndicesTensor").dimension_count == 1
    assert closed.check().ok
    own = only("erratum-gather-output-tensor")
    assert own.check().ok
    assert own.desc.get("OutputTensor").data_type is own.desc.get("InputTensor").data_type is dml.DataType.FLOAT16
    one = only("erratum-gather-leading-one")
    assert one.desc.get("IndexDimensions") == 0
    assert traced(one) == [[[3, 4]]]
    assumed, mended = experiments("erratum-tile-dimension-count")
    assert failures(assumed) == {"dimension_count.equal"}
    assert mended.check().ok
    for name, axis in (("4", 2), ("5", 1)):
        titled = only(f"erratum-gather-{name}-title")
        assert titled.desc == only(f"gather-{name}").desc
        assert titled.desc.get("Axis") == axis
    assert only("erratum-tile-1-label").desc.outputs[0].tensor.sizes == (1, 1, 6, 9)
    assert [each.desc for each in experiments("erratum-reverse-labels")] == [
        only("reverse-1").desc,
        only("reverse-2").desc,
    ]


@pytest.mark.parametrize("name", ERRATA)
def test_an_erratum_says_what_is_printed_and_what_is_true(name: str) -> None:
    printed, *_ = experiments(name)
    assert "Printed:" in printed.notes
    assert "True:" in printed.notes


# ---- one for each rule ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_example_breaks_exactly_its_rule(rule: str) -> None:
    for each in experiments(file_name(rule)):
        report = each.check()
        assert {c.id for c in report.errors} == {rule}, each.name
        # The one whose indices have the output's sizes.
        assert failures(each) - {"note.gather_elements"} == {rule}, each.name


def test_no_rule_example_stands_for_a_rule_that_is_not_there() -> None:
    assert {name for name in NAMES if name.startswith("rule-")} == {file_name(rule) for rule in RULES}


@pytest.mark.parametrize("rule", [*RULES, *VALUES_AND_NOTES])
def test_every_rule_has_an_example_that_breaks_it(rule: str) -> None:
    assert any(rule in failures(each) for name in NAMES for each in experiments(name))


def test_warnings_and_notes() -> None:
    assert failures(only("warning-length-clamped")) == {"values.length_clamped"}
    unsigned, signed = experiments("warning-index-range")
    assert failures(unsigned) == {"values.index_range"}
    assert failures(signed) == {"values.index_range", "note.negative_index"}
    assert failures(only("note-negative-index")) == {"note.negative_index"}
    for each in experiments("note-join-dimensions"):
        assert failures(each) == {"dimension_count.supported", "note.join_dimensions"}
    assert failures(only("note-tile-float64")) == {"dtype.supported", "note.tile_float64"}
    assert failures(only("note-gather-elements")) == {"gather.fits", "note.gather_elements"}
    columns, broadcast, padded = experiments("note-strides")
    assert failures(columns) == {"note.strides"}
    assert failures(broadcast) == {"note.strides", "note.strides_broadcast"}
    assert failures(padded) == {"note.strides", "note.strides_padding"}
    for each in experiments("note-gather-shapes"):
        assert failures(each) == {"note.gather_shapes"}
        assert each.check().ok
