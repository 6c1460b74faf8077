"""A report as JSON: the shape that `dmlviz check --json` prints for each experiment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..operators.report import Check, Fix, Report
from .experiments import Experiment
from .writing import dump_desc

Json = dict[str, Any]


def report_json(experiment: Experiment, report: Report) -> Json:
    """The desc and every check that was evaluated, passed ones too; checks that wait for another stand apart.

    `ok` is null where no rule is broken, but part of the desc is held against none. A fix's `edits` are a JSON Patch
    (RFC 6902) of the experiment as it stands here: of `desc` and `feature_level`.
    """
    found = {
        "feature_level": report.feature_level.value,
        "type": experiment.desc.TYPE,
        "desc": dump_desc(experiment.desc),
    }
    return {
        "feature_level": found["feature_level"],
        "ok": None if report.ok and report.not_checked else report.ok,
        "lowest_level": report.lowest_level.value if report.lowest_level else None,
        "checks": [_check(check, found) for check in report.checks],
        "verdict": report.verdict.value,
        "type": found["type"],
        "desc": found["desc"],
        "waiting": [{"id": w.id, "field": w.field, "on": w.on} for w in report.waiting],
        "not_checked": [{"field": n.field, "found": n.found, "message": n.message} for n in report.not_checked],
    }


def _check(check: Check, found: Json) -> Json:
    return {
        "id": check.id,
        "severity": check.severity.value,
        "ok": check.ok,
        "field": check.field,
        "expected": check.expected,
        "found": check.found,
        "message": check.message,
        "page": check.page,
        "fixes": [_fix(fix, found) for fix in check.fixes],
        "expected_kind": check.expected_kind.value,
        "found_kind": check.found_kind.value,
    }


def _fix(fix: Fix, found: Json) -> Json:
    after = {**found, "feature_level": fix.feature_level.value, "desc": dump_desc(fix.desc)}
    return {"label": fix.label, "mends_all": fix.mends_all, "edits": list(json_patch(found, after))}


def json_patch(before: Any, after: Any, path: str = "") -> Iterator[Json]:
    """The operations of a JSON Patch (RFC 6902) that make `after` of `before`.

    An array of another length is replaced whole.
    """
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before.keys() - after.keys():
            yield {"op": "remove", "path": f"{path}/{_escaped(key)}"}
        for key, value in after.items():
            if key in before:
                yield from json_patch(before[key], value, f"{path}/{_escaped(key)}")
            else:
                yield {"op": "add", "path": f"{path}/{_escaped(key)}", "value": value}
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for i, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from json_patch(old, new, f"{path}/{i}")
    elif before != after:
        yield {"op": "replace", "path": path, "value": after}


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
