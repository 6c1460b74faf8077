"""A report as JSON: the shape that `dmlviz check --json` prints for each experiment."""

from __future__ import annotations

from typing import Any

from .report import Report


def report_json(report: Report) -> dict[str, Any]:
    """Every check that was evaluated, passed ones too; those that wait for another are left out."""
    return {
        "feature_level": report.feature_level.value,
        "ok": report.ok,
        "lowest_level": report.lowest_level.value if report.lowest_level else None,
        "checks": [
            {
                "id": c.id,
                "severity": c.severity.value,
                "ok": c.ok,
                "field": c.field,
                "expected": c.expected,
                "found": c.found,
                "message": c.message,
                "page": c.page,
                "fixes": [{"label": fix.label} for fix in c.fixes],
            }
            for c in report.checks
        ],
    }
