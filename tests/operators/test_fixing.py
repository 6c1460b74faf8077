"""Fixes: the likeliest first, each verified."""

from __future__ import annotations

from typing import Any

import pytest
from support.reports import f32, tensor, u32

import dmlviz as dml
from dmlviz.desc.levels import LEVELS
from dmlviz.operators import fixing
from dmlviz.operators.evaluation import evaluate, record_rules
from dmlviz.operators.fixing import Outcome
from dmlviz.operators.level_rules import LEVEL_CHECKS, may_hold
from dmlviz.operators.registry import operator_of
from dmlviz.operators.report import root_of
from dmlviz.session import examples

EXPERIMENTS = [
    pytest.param(each, id=f"{example.name}-{i}")
    for example in examples.all_examples()
    for i, each in enumerate(example.session().experiments)
]


def test_the_first_fix_is_the_likely_one() -> None:
    def first(desc: Any, level: str = "6_4") -> str:
        (broken, *_) = dml.check(desc, feature_level=level).errors
        assert broken.fixes[0].mends_all
        return broken.fixes[0].label

    assert first(dml.Gather(f32(3, 2), u32(1, 2), 1, 2, f32(3, 2))) == "IndexDimensions 2 → 1"
    assert first(dml.Join((f32(1, 1, 2, 3), f32(1, 1, 2, 4)), -1)) == "Axis -1 → 3"
    assert first(dml.Gather(f32(3, 2), u32(4), 0, 1, f32(4, 2))) == "IndicesTensor {4} → {1, 4}"
    lengths = first(dml.ReverseSubsequences(f32(2, 4), u32(2), 1, f32(2, 4)))
    assert lengths == "SequenceLengthsTensor {2} → {2, 1}"
    assert first(dml.ReverseSubsequences(f32(1, 1, 2, 4), u32(1, 1, 2, 1), 3), "2_0") == "feature level 2_0 → 2_1"
    assert first(dml.Tile(f32(2, 3), (2, 2), f32(4, 5))) == "OutputTensor {4, 5} → {4, 6}"


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_an_outcome_is_what_an_evaluation_comes_to(experiment: dml.Experiment) -> None:
    tried = [experiment.desc, *(fix.desc for check in experiment.check().failures for fix in check.fixes)]
    for desc in tried:
        operator = operator_of(desc)
        for level in LEVELS:
            whole, outcome = evaluate(operator, desc, level), Outcome(operator.page)
            record_rules(operator, desc, level, outcome)
            broken = [c for c in whole.checks if not c.ok]
            waits = {(w.id, root_of(w.field)) for w in whole.waiting}
            assert outcome.failing == {(c.id, root_of(c.field)) for c in broken}
            assert outcome.unmet == outcome.failing | waits
            assert outcome.left == len(broken)
            assert outcome.off == whole.off == {id_ for id_, _ in outcome.unmet}
            for check in (c for c in broken if c.id in LEVEL_CHECKS):
                for higher in LEVELS[LEVELS.index(level) + 1 :]:
                    there = Outcome(operator.page)
                    record_rules(operator, desc, higher, there)
                    meets = (check.id, root_of(check.field)) not in there.unmet
                    assert may_hold(operator, desc, check, higher) is meets, (check, higher)


def test_an_edit_is_tried_once_for_all_that_it_may_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []

    def counted(operator: Any, desc: Any, level: Any, record: Any) -> None:
        tried.append((desc, desc.inferred, level))
        record_rules(operator, desc, level, record)

    monkeypatch.setattr(fixing, "record_rules", counted)
    doubles = [tensor("FLOAT64", 1, 1, 2, 2)] * 8
    report = dml.check(dml.Join(doubles, 3, tensor("FLOAT64", 1, 1, 2, 16)), feature_level="1_0")
    assert len(report.errors) == 9
    assert len(tried) == len(set(tried)) < 20
