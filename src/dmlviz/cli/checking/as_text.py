"""What a check found, as text for people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ...errors import plain
from .findings import FileTold

if TYPE_CHECKING:
    from ...operators.report import Report
    from ...session.experiments import Experiment

MARKS = {"error": "✘", "warning": "!", "note": "i"}
_COLOURS = {"✘": 31, "!": 33, "i": 36, "?": 33, "✔": 32, "…": 36}
_MARK = re.compile(r"^( *)([✘!i?✔…])(?= )")


def told_lines(told: Mapping[str, Sequence[str]], where: str = "") -> Iterator[str]:
    """Lines with the faults of tasks, then with the notes."""
    yield from (f"✘ {where}{sentence}" for sentence in told.get("faults", ()))
    yield from (f"i {where}{sentence}" for sentence in told.get("notes", ()))


def desc_lines(file: str, experiment: Experiment, report: Report, spots: Mapping[str, str]) -> Iterator[str]:
    """The verdict on an experiment, and what is broken, not checked or waits; `spots` say where each field stands."""
    from ...operators.registry import operator_of
    from ...operators.report import Verdict, listed

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
        broken = f"{count} {'rule' if count == 1 else 'rules'} broken"
        yield f"{verdict.mark} {what}: {f'E_INVALIDARG, {broken}, {lowest}' if report.is_refused else broken}"
    for cause in report.causes:
        c = cause.first
        spot = f"{spots[c.field]}: " if c.field in spots else ""
        yield f"    {MARKS[c.severity.value]} {c.id}: {cause.message}"
        yield f"      {spot}{c.page}"
        for number, fix in enumerate(c.fixes, 1):
            yield f"      fix {number}: {fix.text}{'' if fix.mends_all else ' (other rules stay broken)'}"
    for left in report.not_checked:
        yield f"    ? {plain(left.message)}"
    waits: dict[tuple[str, str], list[str]] = {}
    for waiting in report.waiting:
        waits.setdefault((waiting.id, waiting.on), []).append(waiting.field)
    for (id_, on), fields in waits.items():
        yield f"    … {id_} ({listed(fields)}) waits for {on}"


def coloured(line: str) -> str:
    """A line whose mark has the colour of what it says."""
    return _MARK.sub(lambda match: f"{match[1]}\x1b[{_COLOURS[match[2]]}m{match[2]}\x1b[0m", line)


def text_lines(told: FileTold, quiet: bool = False) -> Iterator[str]:
    """All that is told of a file, for people; where `quiet` nothing of what is valid and has nothing to say."""
    yield from told.lines
    for desc in told.descs:
        if not quiet or len(desc.lines) > 1 or desc.verdict != "valid":
            yield from desc.lines
