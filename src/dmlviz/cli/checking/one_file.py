"""One file, checked: every rule held against every desc in it."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from msgspec.structs import replace

from ... import opening
from ...desc.base import Desc
from ...desc.levels import FeatureLevel
from ...errors import DmlvizError, EmptyFileError, plain
from ...formats.json_places import NO_LINE, Place
from ...importers.lib.imported import ImportFailedError, Remark, Why, checked
from ...operators.report import Report, Verdict
from ...session.experiments import Session
from ...session.tokens import is_token
from ..shared import progress, sentences_about
from .findings import NOT_CHECKED, TASK, UNREAD, WAITS, CheckedDesc, CheckedFile, Finding

Tasks = Mapping[int | None, dict[str, list[str]]]
"""`faults` of tasks by experiment; under None those of the lesson."""
_PLACE = re.compile(r"\bline ([\d,]{1,15})\b(?:, column (\d{1,15}))?")
_NO_DUMP = "a log has no desc if CreateOperator accepted every one"


def check_file(word: str, level: FeatureLevel | None, dims: Mapping[str, int], *, is_found: bool) -> CheckedFile | None:
    """What is told of the file, token or example that a word names; None for one that is only found and none of ours.

    `level` stands in for the feature level of each experiment, and `dims` for what a model leaves free.
    """
    is_path = is_found or (word != "-" and not is_token(word))
    try:
        source = opening.find(word, dims=dims)
    except DmlvizError as error:
        return _unread(word, error, is_path=is_path, is_found=is_found)
    if is_found:  # of a folder nobody asked what each file holds besides
        kept = (each for each in source.remarks if each.unchecked or each.told)
        source = replace(source, remarks=tuple(kept))
    session = source.session
    remarks = source.remarks
    # Only places of what is reported are looked up.
    locate = cache(lambda: source.locate() if source.example is None else {})
    findings = []
    for k, unread in enumerate(source.errors, 1):
        own = locate().get(-k, {})
        place = own.get("name") or own.get("Type") or own.get("") or _place_said(str(unread))
        findings.append(Finding(id=UNREAD, level="error", message=str(unread), place=place))
    for remark in remarks:
        if remark.unchecked and remark.experiment is None:
            place = _spot(remark.line)
            id_, grade = NOT_CHECKED, "note"
            if remark.check is not None:
                id_, grade = "invalid", "error"
            findings.append(Finding(id=id_, level=grade, message=remark.text, place=place))
    tasks = _tasks(session)
    lesson = tasks.get(None, {})
    findings += [Finding(id=TASK, level="error", message=fault) for fault in lesson.get("faults", ())]
    told = [{"where": remark.where, "kind": remark.kind, "text": remark.text} for remark in remarks]
    json = {"file": word, "error": "\n".join(map(str, source.errors)) or None, "remarks": told}
    descs = []
    for i, one in enumerate(session.experiments):
        if level is not None:
            one = dataclasses.replace(one, feature_level=level)
        own_remarks = [remark for remark in remarks if remark.experiment == i]
        with progress(f"checking {plain(one.name)}"):
            report = checked(one, [remark.check for remark in own_remarks if remark.check is not None])
        task = tasks.get(i, {})
        told_of = report.failures or report.verdict is not Verdict.VALID or task.get("faults")
        places = locate().get(i, {}) if told_of else {}
        found = [*_findings(one.desc, report, own_remarks, places)]
        for fault in task.get("faults", ()):
            member = re.match(r"task[\w.\[\]]*|", fault)
            place = nearest(places, one.desc, member[0] if member is not None else "")
            found.append(Finding(id=TASK, level="error", message=fault, place=place))
        descs.append(CheckedDesc(experiment=one, report=report, task=task, places=places, findings=found))
    return CheckedFile(
        word=word,
        is_path=is_path and source.example is None,
        json=json | ({"lesson": lesson} if tasks else {}),
        says=sentences_about(source, apart=True),
        descs=descs,
        findings=findings,
    )


def _unread(word: str, error: DmlvizError, *, is_path: bool, is_found: bool) -> CheckedFile | None:
    """What is told of a file that can't be read, or of which no desc can be."""
    why = error.why if isinstance(error, ImportFailedError) else None
    is_none = why in (Why.NOTHING, Why.NOT_FILLED, Why.UNKNOWN)
    if is_found and (is_none or not os.path.lexists(word)):  # or gone since it was found
        return None
    said = str(error)
    ignored = {"where": word, "kind": "ignored", "text": str(error)}
    if why is Why.NOTHING:
        json: dict[str, Any] = {"file": word, "error": None, "remarks": [ignored]}
        return CheckedFile(word=word, is_path=is_path, json=json, says=[said])
    is_log = word == "-" or os.path.splitext(word)[1] in (".log", ".txt", "")
    # Perhaps a program's output without a dump.
    if is_log and (is_none or isinstance(error, EmptyFileError)):
        said = f"{said.removesuffix('.')}; {_NO_DUMP}."
    id_, level = UNREAD, "error"
    if why is Why.NOT_READ:
        id_, level = NOT_CHECKED, "note"
    elif why is Why.INVALID:
        id_ = "invalid"
    found = Finding(id=id_, level=level, message=said, place=_place_said(said))
    json = {"file": word, "error": said, "remarks": []}
    return CheckedFile(word=word, is_path=is_path, json=json, says=[said], findings=[found])


def _place_said(line: str) -> Place | None:
    """The line, and the column, that a sentence names first."""
    said = _PLACE.search(line)
    if said is None:
        return None
    number = int(said[1].replace(",", "") or 0)
    return _spot(number, int(said[2] or 1))


def _spot(line: int, column: int = 1) -> Place | None:
    """A place of no length; None for line 0."""
    if line:
        return replace(NO_LINE, line=line, column=column, end_line=line, end_column=column)
    return None


def _tasks(session: Session) -> Tasks:
    """What is said of tasks: of each that asks something, and of the lesson; {} where there is neither."""
    asking = [k for k, one in enumerate(session.experiments) if "task" in one.extra]
    if not asking and "lesson" not in session.extra:
        return {}
    from ...teaching.lessons.lessons import faults

    told: Tasks = {k: {"faults": []} for k in (None, *asking)}
    for fault in faults(session):
        told[fault.number]["faults"].append(fault.sentence)
    return told


def _findings(desc: Desc, report: Report, remarks: list[Remark], places: Mapping[str, Place]) -> Iterator[Finding]:
    """What is broken, worst first, then what was not checked."""
    for cause in report.causes:
        first = cause.first
        place = nearest(places, desc, first.field)
        yield Finding(id=first.id, level=first.severity.value, message=cause.message, place=place)
    lines = {f"{remark.where}: {remark.text}": remark.line for remark in remarks}
    for left in report.not_checked:
        place = _spot(lines.get(left.message, 0)) or nearest(places, desc, left.field)
        yield Finding(id=NOT_CHECKED, level="note", message=left.message, place=place)
    if report.verdict is Verdict.WAITS:
        message = f"not checked: it reads {plain(report.waits_for)}, which is not valid."
        yield Finding(id=WAITS, level="note", message=message, place=nearest(places, desc, ""))


def nearest(places: Mapping[str, Place], desc: Desc, field: str) -> Place | None:
    """The place of a field, of the nearest around it, or of its experiment's type; None where nothing has one."""
    arrays = {count.name: count.arrays[0] for count in desc.COUNTS}
    field = arrays.get(field, field) if field not in places else field
    if field.endswith(".DimensionCount") and field not in places:
        field = f"{field.removesuffix('.DimensionCount')}.Sizes"
    while field:
        if field in places:
            return places[field]
        field = field[: field.rindex("[")] if field.endswith("]") else field.rpartition(".")[0]
    return places.get("Type") or places.get("")
