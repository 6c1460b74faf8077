"""Reasons: what every broken example says of its fields."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from dmlviz.operators.registry import operator_of
from dmlviz.operators.report import Severity
from dmlviz.scene.view_state import view_state_of
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment
from dmlviz.session.rules_told import about


def experiments(*prefixes: str) -> list[Any]:
    """Every experiment of the examples whose names begin so."""
    return [
        pytest.param(each, id=f"{shelved.name}-{i}")
        for shelved in examples.all_examples()
        if shelved.name.startswith(prefixes)
        for i, each in enumerate(shelved.session().experiments)
    ]


@pytest.mark.drawn(8)
@pytest.mark.parametrize("experiment", experiments("rule-", "erratum-", "gather-3", "note-", "warning-"))
def test_every_example_says_field_found_expected_rule_and_page(experiment: Experiment) -> None:
    shown = view_state_of(experiment)
    told = [check for reason in shown.why.reasons for check in reason.checks]
    failing = [check for check in shown.report.failures if check.severity is not Severity.NOTE]
    assert Counter(map(id, told)) == Counter(map(id, failing))
    for reason in shown.why.reasons:
        told_of = dict(about(experiment.desc, reason.first))
        assert told_of["rule"]
        own = reason.first.is_own
        pages = ("dmlviz",) if own else ("DML_BUFFER_TENSOR_DESC", f"{operator_of(experiment.desc).name} page, ")
        assert told_of["page"].startswith(pages)
        assert len({(check.id, check.severity) for check in reason.checks}) == 1
        for row, check in zip(reason.rows, reason.checks, strict=True):
            assert row.field == check.field
            assert row.found
            assert row.expected
            assert row.found != row.expected
            assert "[" not in row.found  # nothing is printed as Python would
