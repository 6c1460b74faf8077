"""What a row of the form is told to be: from the operator's declaration and the report alone."""

from __future__ import annotations

import pytest

from dmlviz.operators.report import Severity
from dmlviz.session import examples
from dmlviz.session.document import Document
from dmlviz.session.experiments import Session
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.form.field_help import FieldHelp

EVERY = [each.name for each in examples.all_examples()]


def workspace_of(name: str) -> Workspace:
    return Workspace(Document(examples.example(name).session()))


def help_of(name: str, key: str) -> FieldHelp:
    return workspace_of(name).field_help(key)


def standings(found: FieldHelp) -> dict[str, Severity | None]:
    return {rule.id: rule.severity for rule in found.rules}


def test_an_axis_says_its_range_and_the_rules_that_read_it() -> None:
    found = help_of("gather-2", "Axis")
    assert found.here == ("[0, 1]",)
    assert standings(found) == {"axis.range": None, "gather.fits": None}
    assert all(rule.sentence.endswith(".") for rule in found.rules)


def test_a_broken_rule_stands_first_with_its_numbers() -> None:
    broken = help_of("rule-axis-range", "Axis")
    assert broken.rules[0].id == "axis.range"
    assert broken.rules[0].severity is Severity.ERROR
    assert broken.rules[0].message == "Axis is 4, expected 0 to 3 because DimensionCount is 4."


def test_values_are_told_their_warning_and_types_what_the_level_takes() -> None:
    found = help_of("warning-length-clamped", "SequenceLengthsTensor.values")
    assert standings(found) == {"values.length_clamped": Severity.WARNING}
    assert found.here == ("[0, 4]",)
    assert help_of("gather-2", "IndicesTensor.values").here == ("[0, 3)",)
    assert help_of("gather-2", "IndicesTensor.DataType").here == ("INT64, INT32, UINT64 or UINT32",)


@pytest.mark.parametrize("name", EVERY)
def test_every_row_is_told_something_and_every_rule_by_some_row(name: str) -> None:
    for experiment in examples.example(name).session().experiments:
        space = Workspace(Document(Session((experiment,))))
        report, told = space.view.report, set()
        for row in space.state.form.rows:
            found = space.field_help(row.key)
            assert found.about.endswith(".")
            told |= {rule.id for rule in found.rules}
            for rule in found.rules:
                of_id = [check.ok for check in report.checks if check.id == rule.id]
                assert (rule.severity is None) in of_id
        assert {check.id for check in report.checks} <= told
