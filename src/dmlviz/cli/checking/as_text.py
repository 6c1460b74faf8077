"""What a check found, as text for people."""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import plain
from ...formats.json_places import Place
from ...operators.registry import operator_of
from ...operators.report import Verdict, listed
from ..shared import count_of, shown_word
from .findings import TASK, CheckedDesc, CheckedFile

MARKS = {"error": "✘", "warning": "!", "note": "i"}


def text_lines(told: CheckedFile, *, is_named: bool, quiet: bool) -> Iterator[str]:
    """All that is told of a file; where `quiet` nothing of what is valid and has nothing to say.

    Where `is_named`, each verdict begins with the file.
    """
    lesson = told.json.get("lesson", {})
    for fault in lesson.get("faults", ()):
        yield f"✘ {shown_word(told.word)}: {fault}"
    for desc in told.descs:
        lines = [*_desc_lines(desc, plain(told.word) if told.is_path else "")]
        where = f"{shown_word(told.word)}: " if is_named else ""
        if not quiet or len(lines) > 1 or desc.report.verdict is not Verdict.VALID:
            yield f"{desc.report.verdict.mark} {where}{lines[0]}"
            yield from (f"    {line}" for line in lines[1:])


def _spot(path: str, place: Place | None) -> str:
    """Where something stands in a file, as a line begins; "" where the file has no lines."""
    if not path or place is None:
        return ""
    return f"{path}:{f' {place.name}' if place.name else f'{place.line}:{place.column}'}: "


def _desc_lines(desc: CheckedDesc, path: str) -> Iterator[str]:
    """The verdict on an experiment, and what is broken, not checked or waits; `path` is "" where it has no lines."""
    one, report = desc.experiment, desc.report
    lowest = "no feature level accepts it"
    if report.lowest_level:
        lowest = f"lowest feature level {report.lowest_level}"
    head = {
        Verdict.VALID: "valid",
        Verdict.WAITS: f"blocked by {plain(report.waits_for)}",
        Verdict.NOT_CHECKED: f"{count_of(len(report.not_checked), 'thing')} not checked",
        Verdict.INVALID: f"{count_of(len(report.broken), 'check')} failed",
    }[report.verdict]
    if report.verdict is not Verdict.INVALID:
        head = f"{head}, {sum(check.ok for check in report.checks)} checks pass, {lowest}"
    elif report.is_refused:
        head = f"E_INVALIDARG, {head}, {lowest}"
    yield f"{plain(one.name)} · {operator_of(one.desc).name} at {report.feature_level}: {head}"
    for cause, finding in zip(report.causes, desc.findings, strict=False):
        yield f"{MARKS[finding.level]} {finding.id}: {finding.message}"
        yield f"  {_spot(path, finding.place)}{cause.first.page}"
        for number, fix in enumerate(cause.first.fixes, 1):
            yield f"  fix {number}: {fix.text}{'' if fix.mends_all else ' (other checks still fail)'}"
    for left in report.not_checked:
        yield f"? {plain(left.message)}"
    waits: dict[tuple[str, str], list[str]] = {}
    for waiting in report.waiting:
        waits.setdefault((waiting.id, waiting.until), []).append(waiting.field)
    for (id_, until), fields in waits.items():
        yield f"… {id_} ({listed(fields)}): not checked until {until}"
    faults = (finding for finding in desc.findings if finding.id == TASK)
    yield from (f"✘ {_spot(path, fault.place)}{fault.message}" for fault in faults)
