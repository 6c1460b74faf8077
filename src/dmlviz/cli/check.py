"""`dmlviz check`: every rule held against every desc, as text or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import plain
from .shared import FINE, INVALID, parser, progress, read

if TYPE_CHECKING:
    from ..operators.report import Report
    from ..session.experiments import Experiment


def run(argv: list[str]) -> int:
    """Checks the experiments of every file that is named."""
    words = parser(
        "check",
        "Hold every rule against every desc in session files.",
        "Exit codes: 0 every desc is valid, 1 one is not, 2 a file can't be read as a session.",
    )
    words.add_argument("files", nargs="+", metavar="FILE", help="a session file, a token, what can be imported, or -")
    words.add_argument("--level", metavar="L", help="check at this feature level, such as 5_0, whatever the file says")
    words.add_argument("--json", action="store_true", help="print every check, passed ones too, as JSON")
    args = words.parse_args(argv)
    from ..desc.levels import FeatureLevel
    from ..operators.report_json import report_json

    level = FeatureLevel.of(args.level) if args.level is not None else None
    code, found = FINE, []
    for file in args.files:
        experiments, failed = read(file)
        code = max(code, failed)
        for each in experiments:
            experiment = replace(each, feature_level=level) if level else each
            with progress(f"checking {plain(experiment.name)}"):
                report = experiment.check()
            code = max(code, FINE if report.ok else INVALID)
            if args.json:
                found.append({"file": file, "name": experiment.name, **report_json(report)})
            else:
                print("\n".join(_lines(file if len(args.files) > 1 else "", experiment, report)))
    if args.json:
        print(json.dumps({"experiments": found}, ensure_ascii=False, indent=1))
    return code


def _lines(file: str, experiment: Experiment, report: Report) -> Iterator[str]:
    from ..operators.registry import operator_of

    held = sum(c.ok for c in report.checks)
    lowest = f"lowest level {report.lowest_level}" if report.lowest_level else "no feature level accepts it"
    where = f"{plain(file)}: " if file else ""
    what = f"{where}{plain(experiment.name)} · {operator_of(experiment.desc).name} at {report.feature_level}"
    if report.ok:
        yield f"✔ {what}: valid, {held} checks hold, {lowest}"
    else:
        count = len(report.errors)
        yield f"✘ {what}: E_INVALIDARG, {count} {'rule' if count == 1 else 'rules'} broken, {lowest}"
    for c in report.failures:
        mark = {"error": "✘", "warning": "!", "note": "i"}[c.severity.value]
        yield f"    {mark} {c.id}: {c.message}"
        yield f"      {c.page}"
        for number, fix in enumerate(c.fixes, 1):
            yield f"      fix {number}: {fix.label}{'' if fix.mends_all else ' (other rules stay broken)'}"
    for waiting in report.waiting:
        yield f"    … {waiting.id} ({waiting.field}) waits for {waiting.on}"
