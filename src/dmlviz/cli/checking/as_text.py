"""What a check found, as text for people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ...errors import plain
from ...formats.json_places import Place
from ...operators.registry import operator_of
from ...operators.report import Report, Verdict, listed
from ...session.experiments import Experiment
from ..shared import count_of
from .findings import FileTold

MARKS = {"error": "✘", "warning": "!", "note": "i"}
_COLOURS = {"✘": 31, "!": 33, "i": 36, "?": 33, "✔": 32, "…": 36}
_MARK = re.compile(r"^( *)([✘!i?✔…])(?= )")


def told_lines(told: Mapping[str, Sequence[str]], where: str = "") -> Iterator[str]:
    """Lines with the faults of tasks, then with the notes."""
    yield from (f"✘ {where}{sentence}" for sentence in told.get("faults", ()))
    yield from (f"i {where}{sentence}" for sentence in told.get("notes", ()))


def desc_lines(
    where: str, path: str, experiment: Experiment, report: Report, places: Sequence[Place | None]
) -> Iterator[str]:
    """The verdict on an experiment, and what is broken, not checked or waits.

    `where` is the file's name before its verdict, `path` that before a line of it; "" for none. `places` are where the
    causes stand, in their order.
    """
    lowest = f"lowest level {report.lowest_level}" if report.lowest_level else "no feature level accepts it"
    head = {
        Verdict.VALID: "valid",
        Verdict.WAITS: f"waits for {plain(report.waits_for)}",
        Verdict.NOT_CHECKED: f"{count_of(len(report.not_checked), 'thing')} not checked",
        Verdict.INVALID: f"{count_of(len(report.broken), 'rule')} broken",
    }[report.verdict]
    if report.verdict is not Verdict.INVALID:
        head = f"{head}, {sum(check.ok for check in report.checks)} checks hold, {lowest}"
    elif report.is_refused:
        head = f"E_INVALIDARG, {head}, {lowest}"
    what = f"{plain(experiment.name)} · {operator_of(experiment.desc).name} at {report.feature_level}"
    yield f"{report.verdict.mark} {f'{plain(where)}: ' if where else ''}{what}: {head}"
    for cause, place in zip(report.causes, places, strict=False):
        c = cause.first
        spot = ""
        if path and place is not None:
            spot = f"{plain(path)}:{f' {place.name}' if place.name else f'{place.line}:{place.column}'}: "
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
