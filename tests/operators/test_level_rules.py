"""What a feature level lacks of an operator's choices and relations, in words, by a toy that has both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.outside import installed

import dmlviz as dml
from dmlviz.desc.levels import FeatureLevel
from dmlviz.operators.level_rules import refusals
from dmlviz.operators.registry import operator_of
from dmlviz.operators.report import Check, Recorder
from dmlviz.scene.levels.strip import level_strip
from dmlviz.session.experiments import Experiment

TURN = "DML_OPERATOR_TURN"
F = dml.TensorDesc("FLOAT32", (1, 1, 2, 4))


@pytest.fixture(autouse=True)
def toys() -> Iterator[None]:
    with installed(Path(__file__).parents[1] / "operator_kit" / "toys"):
        yield


def turn(**fields: Any) -> Any:
    held = {"mode": "KEEP", "ratio": 1.0, "value": 0.5, **fields}
    return operator_of(TURN).desc(F, **held)


def only(report: dml.Report) -> Check:
    (found,) = report.errors
    return found


def test_a_choice_and_a_relation_are_refused_below_their_level() -> None:
    desc = turn(mode="ROTATE")
    report = dml.check(desc, feature_level="4_1")
    check = only(report)
    assert (check.id, check.field, check.expected) == ("value.supported", "Mode", ["KEEP", "REVERSE"])
    assert check.message == "Mode is ROTATE, expected KEEP or REVERSE at feature level 4_1."
    assert report.lowest_level is FeatureLevel.L5_0
    labels = [fix.label for fix in check.fixes]
    assert labels == ["Mode ROTATE → KEEP", "Mode ROTATE → REVERSE", "feature level 4_1 → 5_0"]
    assert all(fix.mends_all for fix in check.fixes)
    assert [c.message for c in refusals(desc, FeatureLevel.L4_1)] == [check.message]
    related = only(dml.check(turn(ratio=0.5), feature_level="4_0"))
    assert [fix.label for fix in related.fixes] == ["Ratio 0.5 → 1", "feature level 4_0 → 4_1"]
    unknown = dml.check(turn(mode=7), feature_level="1_0")
    assert only(unknown).message == "Mode is 7, expected KEEP, REVERSE or ROTATE."
    assert unknown.lowest_level is None


def test_levels_are_told_in_few_words() -> None:
    parts, rotated = (Experiment("it", desc, FeatureLevel.L4_0) for desc in (turn(ratio=0.5), turn(mode="ROTATE")))
    newest = Experiment("it", parts.desc)
    assert level_strip(newest, newest.check()).sentence == "4_0 rejects this Ratio"
    newest = Experiment("it", rotated.desc)
    assert level_strip(newest, newest.check()).sentence == "4_0 rejects Mode ROTATE"


@pytest.mark.parametrize(
    ("holds", "since", "lowest"), [(True, None, "4_1"), (False, None, None), (False, FeatureLevel.L6_0, "6_0")]
)
def test_what_waits_for_a_relation_is_counted_where_that_is_given_up(
    monkeypatch: pytest.MonkeyPatch, holds: bool, since: FeatureLevel | None, lowest: str | None
) -> None:
    """A rule that waits at the old level may be broken at the one that gives the relation up."""
    operator = operator_of(TURN)
    rules = type(operator).rules

    def more(self: Any, desc: Any, record: Recorder) -> None:
        rules(self, desc, record)
        if record.failed("turn.parts"):
            record.wait("turn.more", "Ratio", "turn.parts")
        else:
            record.expect("turn.more", holds, "Ratio", 1, desc.ratio, "Ratio is so.", since=since)

    monkeypatch.setattr(type(operator), "rules", more)
    for level in ("1_0", "4_1", "6_4"):
        assert dml.check(turn(ratio=0.5), feature_level=level).lowest_level == lowest
