"""The shipped examples: what the pages print, what they print wrong, and a broken desc for every rule."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.shipped import PRINTED, shipped

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
ERRATA = [name for name in NAMES if name.startswith("erratum-")]
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


def test_the_shelf_holds_every_file_and_begins_with_the_pages_own_examples() -> None:
    names = [each.name for each in examples.all_examples()]
    assert sorted(names) == NAMES
    assert {*PAGES, *INLINE, *ERRATA, *map(file_name, RULES)} <= {*NAMES}
    assert {name for name in NAMES if name.startswith("rule-")} == {file_name(rule) for rule in RULES}
    first_other = min(i for i, name in enumerate(names) if name.startswith(("erratum-", "warning-", "note-", "rule-")))
    assert {*names[:first_other]} >= {*PAGES, *INLINE}


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_laid_out_as_it_is_saved_is_for_a_student_and_runs(name: str) -> None:
    path = FOLDER / f"{name}.json"
    session = dml.load(path)
    assert dump(session).encode() == path.read_bytes()
    assert session.title not in ("", name)
    assert len({each.name for each in session.experiments}) == len(session.experiments)
    for each in session.experiments:
        assert 0 < len(each.name) <= 40
        assert "?" in each.notes, "every note asks something"
        assert sum(each.notes.count(mark) for mark in (". ", "? ", "! ")) <= 5
        assert "  " not in each.notes
        assert "\n" not in each.notes
        if each.check().ok:
            trace, arrays = each.trace(), [values.array() for values in each.sources()]
            for k, array in enumerate(dml.run(each.desc, arrays, feature_level=each.feature_level)):
                np.testing.assert_array_equal(trace.reference(k), array)


# ---- the pages --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*PRINTED, *INLINE])
def test_a_page_example_gives_what_the_page_prints_at_the_lowest_level_that_admits_it(name: str) -> None:
    for each in experiments(name):
        operator = each.desc.TYPE.removeprefix("DML_OPERATOR_").split("_")[0].lower()
        assert each.feature_level.value == LEVELS[operator]
        assert each.check().lowest_level is each.feature_level
    if name in PRINTED:
        found = only(name)
        assert traced(found) == PRINTED[name]
        outputs = [list(part.tensor.sizes) for part in found.desc.outputs]
        assert outputs == [list(np.array(printed).shape) for printed in PRINTED[name]]
        assert not found.desc.inferred & {"OutputTensor", "OutputTensors"}


def test_an_erratum_says_what_is_printed_and_what_is_true_and_shows_it() -> None:
    for name in ERRATA:
        assert "Printed:" in experiments(name)[0].notes, name
        assert "True:" in experiments(name)[0].notes, name
    (broken,) = only("gather-3-as-printed").check().errors
    assert (broken.id, broken.fixes[0].mends_all) == ("gather.fits", True)
    assert traced(only("gather-3-as-printed").mended(broken.fixes[0])) == PRINTED["gather-3-corrected"]
    one = only("erratum-gather-leading-one")
    assert (one.desc.get("IndexDimensions"), traced(one)) == (0, [[[3, 4]]])
    told = [failures(each) for each in experiments("erratum-tile-dimension-count")]
    assert told == [{"dimension_count.equal"}, set()]
    labels = [each.desc for each in experiments("erratum-reverse-labels")]
    assert labels == [only("reverse-1").desc, only("reverse-2").desc]


# ---- one for each rule ------------------------------------------------------------------------------------------


@cache
def every_failure() -> list[set[str]]:
    """What fails in each experiment of each file."""
    return [failures(each) for name in NAMES for each in experiments(name)]


@pytest.mark.parametrize("rule", [*RULES, *VALUES_AND_NOTES])
def test_an_example_breaks_each_rule_and_a_rule_s_own_no_other(rule: str) -> None:
    breaking = [failed for failed in every_failure() if rule in failed]
    assert breaking
    assert rule in RULES or min(map(len, breaking)) <= 2, (
        "what is noted stands alone, or with the rule that it explains"
    )
    for each in experiments(file_name(rule)) if rule in RULES else ():
        # The one whose indices have the output's sizes.
        assert failures(each) - {"note.gather_elements"} == {c.id for c in each.check().errors} == {rule}, each.name
