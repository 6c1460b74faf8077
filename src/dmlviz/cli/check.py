"""`dmlviz check`: every rule held against every desc, as text or as JSON."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import DmlvizError, plain
from .parsers import add_file, parser
from .shared import FINE, INVALID, OF_REPORT, UNREADABLE, progress, say, say_about, worst

if TYPE_CHECKING:
    from ..desc.levels import FeatureLevel
    from ..opening import Found
    from ..operators.report import Report
    from ..session.experiments import Experiment, Session

Told = dict[str, list[str]]
"""Sentences: `faults` and `notes`."""


def run(argv: list[str]) -> int:
    """Checks the experiments of every file that is named."""
    words = parser(
        "check",
        "Hold every rule against every desc in session files, or in whatever can be imported, and the tasks of lessons "
        "to account.",
        "Exit codes: 0 every desc is valid, 1 one is not, or a task is at fault; 2 nothing is known to be broken, but "
        "a file can't be read, or something in it could not be checked.",
    )
    add_file(words, "files", nargs="+")
    words.add_argument("--level", metavar="L", help="check at this feature level, such as 5_0, whatever the file says")
    words.add_argument("--json", action="store_true", help="print every check, passed ones too, as JSON")
    words.add_argument(
        "--errors-only",
        action="store_true",
        help="print broken rules, tasks' faults and what could not be checked: no warning, note, or check that holds "
        "or waits",
    )
    args = words.parse_args(argv)
    from ..desc.levels import FeatureLevel
    from ..formats.json_text import escaped

    level = FeatureLevel.of(args.level) if args.level is not None else None
    checked = _Checked(args, level)
    for file in args.files:
        checked.check_file(file)
    if args.json:
        whole = {"experiments": checked.experiments, "files": checked.files}
        print(escaped(json.dumps(whole, ensure_ascii=False, indent=1)))
    return worst(checked.codes)


class _Checked:
    """What was checked so far, by the words of the command line."""

    def __init__(self, args: argparse.Namespace, level: FeatureLevel | None) -> None:
        self._args, self._level = args, level
        self.codes: set[int] = set()
        self.experiments: list[dict[str, Any]] = []
        self.files: list[dict[str, Any]] = []

    def check_file(self, file: str) -> None:
        from .. import opening
        from ..importers.lib.imported import NothingHereError

        try:
            source = opening.find(file, level=self._level, dims=self._args.dims)
        except NothingHereError as error:
            say(str(error))
            self.codes.add(FINE)
            ignored = {"where": file, "kind": "ignored", "text": str(error)}
            self.files.append({"file": file, "error": None, "remarks": [ignored]})
            return
        except DmlvizError as error:
            say(str(error))
            self.codes.add(UNREADABLE)
            self.files.append({"file": file, "error": str(error), "remarks": []})
            return
        self.codes.add(say_about(source, apart=True))
        self.codes |= {UNREADABLE for remark in source.remarks if remark.unchecked}
        self.files.append(
            {"file": file, "error": "\n".join(map(str, source.errors)) or None, "remarks": _remarks_json(source)}
        )
        faults = self._faults(file, source.session)
        for k, experiment in enumerate(source.session.experiments):
            shown = replace(experiment, feature_level=self._level) if self._level else experiment
            self._check_one(
                file, shown, source.session, faults[k] if faults is not None and "task" in experiment.extra else None
            )

    def _faults(self, file: str, session: Session) -> dict[int | None, Told] | None:
        """What to say of a session's tasks by experiment, of its lesson under None; None where it has neither."""
        if "lesson" not in session.extra and not any("task" in experiment.extra for experiment in session.experiments):
            return None
        from ..teaching.lessons import task_checks

        told: dict[int | None, Told] = {
            k: {"faults": [], "notes": []} for k in (None, *range(len(session.experiments)))
        }
        for fault in task_checks.faults(session):
            told[fault.number]["faults"].append(fault.sentence)
            self.codes.add(INVALID)
        for note in () if self._args.errors_only else task_checks.notes(session):
            told[note.number]["notes"].append(note.sentence)
        if self._args.json:
            self.files[-1]["lesson"] = told[None]
        else:
            for line in _told_lines(told[None], f"{plain(file)}: "):
                print(line)
        return told

    def _check_one(self, file: str, experiment: Experiment, session: Session, task: Told | None = None) -> None:
        from ..session.report_json import report_json

        with progress(f"checking {plain(experiment.name)}"):
            report = experiment.check(session)
        in_ring = report.errors and all(check.id == "chain.cycle" for check in report.errors)
        self.codes.add(UNREADABLE if in_ring else OF_REPORT[report.ok])  # a ring is the session's fault, no desc's
        if not self._args.json:
            print(
                "\n".join(_lines(file if len(self._args.files) > 1 else "", experiment, report, self._args.errors_only))
            )
            for line in _told_lines(task or {}):
                print(f"    {line}")
            return
        more = {} if task is None else {"task": task}
        checked = report_json(experiment, report, errors_only=self._args.errors_only)
        self.experiments.append({"file": file, "name": experiment.name, **checked, **more})


def _told_lines(told: Told, where: str = "") -> Iterator[str]:
    """Lines with the faults, then with the notes."""
    yield from (f"✘ {where}{sentence}" for sentence in told.get("faults", ()))
    yield from (f"i {where}{sentence}" for sentence in told.get("notes", ()))


def _remarks_json(source: Found) -> list[dict[str, str]]:
    return [{"where": remark.where, "kind": remark.kind, "text": remark.text} for remark in source.remarks]


def _lines(file: str, experiment: Experiment, report: Report, errors_only: bool) -> Iterator[str]:
    from ..operators.registry import operator_of
    from ..operators.report import Verdict, listed

    holding = sum(c.ok for c in report.checks)
    lowest = f"lowest level {report.lowest_level}" if report.lowest_level else "no feature level accepts it"
    where = f"{plain(file)}: " if file else ""
    what = f"{where}{plain(experiment.name)} · {operator_of(experiment.desc).name} at {report.feature_level}"
    verdict = report.verdict
    if verdict is Verdict.VALID:
        yield f"{verdict.mark} {what}: valid, {holding} checks hold, {lowest}"
    elif verdict is Verdict.WAITS:
        yield f"{verdict.mark} {what}: waits for {plain(report.waits_for)}, {holding} checks hold, {lowest}"
    elif verdict is Verdict.NOT_CHECKED:
        count = len(report.not_checked)
        things = f"{count} thing{'s' * (count != 1)} not checked"
        yield f"{verdict.mark} {what}: {things}, {holding} checks hold, {lowest}"
    else:
        count = len(report.broken)
        yield f"{verdict.mark} {what}: E_INVALIDARG, {count} {'rule' if count == 1 else 'rules'} broken, {lowest}"
    for cause in report.broken if errors_only else report.causes:
        c = cause.first
        mark = {"error": "✘", "warning": "!", "note": "i"}[c.severity.value]
        yield f"    {mark} {c.id}: {cause.message}"
        yield f"      {c.page}"
        for number, fix in enumerate(c.fixes, 1):
            yield f"      fix {number}: {fix.text}{'' if fix.mends_all else ' (other rules stay broken)'}"
    for left in report.not_checked:
        yield f"    ? {plain(left.message)}"
    waits: dict[tuple[str, str], list[str]] = {}
    for waiting in () if errors_only else report.waiting:
        waits.setdefault((waiting.id, waiting.on), []).append(waiting.field)
    for (id_, on), fields in waits.items():
        yield f"    … {id_} ({listed(fields)}) waits for {on}"
