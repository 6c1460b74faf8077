"""What tests ask of a report, and descs' tensors in short."""

from __future__ import annotations

from typing import Any

import dmlviz as dml
from dmlviz import TensorDesc
from dmlviz.operators.general_rules import evaluate
from dmlviz.operators.registry import operator_of
from dmlviz.operators.report import Check, Severity

Failures = set[tuple[str, str]]


def errors(report: dml.Report) -> Failures:
    return {(c.id, c.field) for c in report.errors}


def notes(report: dml.Report) -> set[str]:
    return {c.id for c in report.failures if c.severity is Severity.NOTE}


def warnings(report: dml.Report) -> list[Check]:
    return [c for c in report.failures if c.severity is Severity.WARNING]


def evaluated(report: dml.Report) -> set[str]:
    return {c.id for c in report.checks}


def tensor(kind: str, *sizes: int) -> TensorDesc:
    return TensorDesc(kind, sizes)


def f32(*sizes: int) -> TensorDesc:
    return TensorDesc("FLOAT32", sizes)


def u32(*sizes: int) -> TensorDesc:
    return TensorDesc("UINT32", sizes)


def complete(desc: Any) -> Any:
    """The same desc with its outputs and counts written out, so that edits elsewhere don't move them."""
    return type(desc).build({field.name: desc.get(field.name) for field in desc.FIELDS})


def assert_sound(report: dml.Report) -> None:
    """What holds of every report: messages, what waits, and fixes that were promised to help."""
    failed = {c.id for c in report.errors}
    for w in report.waiting:
        assert w.on in failed | {x.id for x in report.waiting}, w
        own = w.field.split(".")[0]
        assert not any(c.id == w.id and c.field.split(".")[0] == own for c in report.checks), w
    for c in report.checks:
        assert "\n" not in c.message
        assert c.message.endswith(".")
        assert ". " not in c.message
        assert c.page.startswith("DML_") or c.is_own
        if c.ok:
            assert not c.fixes
        elif c.severity is Severity.ERROR:
            assert c.field.split(".")[0].split("[")[0] in c.message.replace("Feature level", "FeatureLevel")
            last_name = c.field.split(".")[-1].split("[")[0]
            assert last_name in c.message.replace("Feature level", "FeatureLevel"), c.message
            assert "expected" in c.message, c.message
            assert_fixes_help(report, c)


def assert_fixes_help(report: dml.Report, broken: Check) -> None:
    labels = [fix.label for fix in broken.fixes]
    assert len(set(labels)) == len(labels)
    for fix in broken.fixes:
        assert fix.label
        assert "\n" not in fix.label
        # `check` would look for fixes again, which nobody asks for here.
        after = evaluate(operator_of(fix.desc), fix.desc, fix.feature_level)
        wrong = [c for c in after.checks if not c.ok and c.severity is not Severity.NOTE]
        still = {(c.id, c.field.split(".")[0]) for c in wrong}
        still |= {(w.id, w.field.split(".")[0]) for w in after.waiting}
        assert (broken.id, broken.field.split(".")[0]) not in still, fix
        assert fix.mends_all is (not wrong), fix
        assert fix.feature_level >= report.feature_level
