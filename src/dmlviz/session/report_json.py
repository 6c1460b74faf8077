"""A report as JSON: the shape that `dmlviz check --json` prints for each experiment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..desc.base import Desc
from ..desc.levels import FeatureLevel
from ..formats.json_places import in_pointer
from ..operators.report import Check, Report
from .experiments import Experiment
from .writing import dump_desc

Json = dict[str, Any]


def report_json(one: Experiment, report: Report) -> Json:
    """The desc and every check that was evaluated, passed ones too; checks that wait for another stand apart.

    A cause that breaks a rule in several tensors is told at the first of them, with `fixes` that mend it in all.

    `ok` is null where no rule is broken, but part of the desc is held against none. A fix's `edits` are a JSON Patch
    (RFC 6902) of the experiment in its session: of `desc`, `type` and `feature_level`, which stand here too.
    """
    before = _head(one.desc, report.feature_level)
    messages = {(cause.first.id, cause.first.field): cause.message for cause in report.causes}
    return {
        "feature_level": before["feature_level"],
        "ok": report.ok,
        "lowest_level": report.lowest_level.value if report.lowest_level else None,
        "checks": [
            _check_json(check, messages.get((check.id, check.field), check.message), before) for check in report.checks
        ],
        "verdict": report.verdict.value,
        "type": before["type"],
        "desc": before["desc"],
        "waiting": [{"id": w.id, "field": w.field, "on": w.on} for w in report.waiting],
        "not_checked": [{"field": n.field, "found": n.found, "message": n.message} for n in report.not_checked],
    }


def _head(desc: Desc, level: FeatureLevel) -> Json:
    return {"feature_level": level.value, "type": desc.TYPE, "desc": dump_desc(desc)}


def _check_json(check: Check, message: str, before: Json) -> Json:
    told: Json = {name: getattr(check, name) for name in ("id", "severity", "ok", "field", "expected", "found")}
    told |= {"message": message, "page": check.page, "fixes": []}
    for fix in check.fixes:
        edits = [*json_patch(before, _head(fix.desc, fix.feature_level))]
        told["fixes"].append({"label": fix.text, "mends_all": fix.mends_all, "edits": edits})
    return {**told, "expected_kind": check.expected_kind.value, "found_kind": check.found_kind.value}


def json_patch(before: Any, after: Any, path: str = "") -> Iterator[Json]:
    """The JSON Patch (RFC 6902) that makes `after` of `before`. An array of another length is replaced whole."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before.keys() - after.keys():
            yield {"op": "remove", "path": f"{path}/{in_pointer(key)}"}
        for key, value in after.items():
            if key in before:
                yield from json_patch(before[key], value, f"{path}/{in_pointer(key)}")
            else:
                yield {"op": "add", "path": f"{path}/{in_pointer(key)}", "value": value}
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for i, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from json_patch(old, new, f"{path}/{i}")
    elif before != after:
        yield {"op": "replace", "path": path, "value": after}
