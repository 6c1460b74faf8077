"""One file, checked: every rule held against every desc in it."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ... import opening
from ...desc.base import Desc
from ...desc.levels import FeatureLevel
from ...errors import DmlvizError, EmptyFileError, SessionError, plain
from ...formats.json_places import NO_LINE, Place, Places
from ...importers.lib.imported import ImportFailedError, Why, checked
from ...operators.report import Report, Verdict
from ...session.experiments import Experiment
from ...session.report_json import report_json
from ...session.tokens import is_token
from ..shared import INVALID, UNREADABLE, progress, sentences_about, worst
from . import findings
from .as_text import desc_lines, told_lines
from .findings import NOT_CHECKED, DescTold, FileTold, Finding

_PLACE = re.compile(r"\bline ([\d,]{1,15})\b(?:, column (\d{1,15}))?")


class Options(Struct, frozen=True, kw_only=True):
    """What the words of the command line say of each file."""

    level: FeatureLevel | None = None
    dims: Mapping[str, int] = {}
    json: bool = False
    """The whole report is wanted as JSON."""
    taking_path: bool = False
    """What the word names stands in front of its findings even where it is the only one."""


def check_file(word: str, options: Options, *, is_found: bool = False) -> FileTold:
    """What is told of the file, token or example that a word names; little of one that is only found."""
    is_path = is_found or (word != "-" and not is_token(word))
    name = "<stdin>" if word == "-" else word if is_path else "<token>"
    try:
        if is_found:
            source = opening.open_file(word, level=options.level, dims=options.dims)
        else:
            source = opening.find(word, level=options.level, dims=options.dims)
    except DmlvizError as error:
        why = error.why if isinstance(error, ImportFailedError) else None
        is_none = why in (Why.NOTHING, Why.NOT_FILLED, Why.UNKNOWN)
        if is_found and (is_none or not os.path.lexists(word)):  # or gone since it was found
            return FileTold(name=name, nothing=True)
        if why is Why.NOTHING:
            ignored = {"where": word, "kind": "ignored", "text": str(error)}
            told = {"file": word, "error": None, "remarks": [ignored]}
            return FileTold(name=name, says=(str(error),), json=told, nothing=True)
        if is_none or isinstance(error, EmptyFileError):
            error = _with_hint(word, error)
        return _unread(word, name, error, is_path=is_path)
    if is_found:  # of a folder nobody asked what each file holds besides
        source = replace(source, remarks=tuple(remark for remark in source.remarks if remark.unchecked or remark.told))
    return _Checked(word, name, source, options, is_path=is_path and source.example is None).told()


def _with_hint(word: str, error: DmlvizError) -> DmlvizError:
    """The error; of what may be a program's output without a dump it says what that means."""
    if word != "-" and os.path.splitext(word)[1] not in (".log", ".txt", ""):
        return error
    hint = "it has no desc that dml_dump.h prints, and none is printed where CreateOperator accepts them all"
    return SessionError(f"{str(error).removesuffix('.')}; {hint}.")


def _unread(word: str, name: str, error: DmlvizError, *, is_path: bool) -> FileTold:
    """What is told of a file that can't be read, or of which no desc can be."""
    sentence = str(error)
    why = error.why if isinstance(error, ImportFailedError) else None
    id_, level = (NOT_CHECKED, "note") if why is Why.NOT_READ else (findings.UNREADABLE, "error")
    return FileTold(
        name=name,
        code=INVALID if why is Why.INVALID else UNREADABLE,
        says=(sentence,),
        json={"file": word, "error": sentence, "remarks": []},
        findings=(Finding(id=id_, level=level, message=sentence, place=_place_said(sentence)),),
        is_path=is_path,
    )


def _place_said(sentence: str) -> Place | None:
    """The line, and the column, that a sentence names first."""
    said = _PLACE.search(sentence)
    return _spot(int(said[1].replace(",", "") or 0), int(said[2] or 1)) if said is not None else None


def _spot(line: int, column: int = 1) -> Place | None:
    """A place of no length; None for line 0."""
    if not line:
        return None
    return replace(NO_LINE, line=line, column=column, end_line=line, end_column=column)


class _Checked:
    """A file that was read, while its experiments are checked one by one."""

    def __init__(self, word: str, name: str, source: opening.Found, options: Options, *, is_path: bool) -> None:
        self.word, self.name, self.source, self.options, self.is_path = word, name, source, options, is_path
        self.codes: set[int] = set()

    @cached_property
    def places(self) -> Places:
        """Where fields stand; found for the first thing that is told of one."""
        return self.source.places

    def told(self) -> FileTold:
        """What is told of the file as a whole, and of each of its experiments."""
        source = self.source
        unchecked = [remark for remark in source.remarks if remark.unchecked]
        if source.errors or any(remark.check is None for remark in unchecked):
            self.codes.add(UNREADABLE)
        if any(remark.check is not None for remark in unchecked):
            self.codes.add(INVALID)
        of_file = [self._of_error(k, error) for k, error in enumerate(source.errors)]
        of_file += [
            Finding(id=NOT_CHECKED, level="note", message=remark.text, place=_spot(remark.line))
            for remark in unchecked
            if remark.experiment is None
        ]
        tasks = self._tasks()
        lesson = tasks.get(None, {})
        of_file += [_of_task(sentence) for sentence in lesson.get("faults", ())]
        descs = [self._desc(i, experiment, tasks.get(i, {})) for i, experiment in enumerate(source.session.experiments)]
        error = "\n".join(map(str, source.errors)) or None
        remarks = [{"where": remark.where, "kind": remark.kind, "text": remark.text} for remark in source.remarks]
        told = {"file": self.word, "error": error, "remarks": remarks}
        return FileTold(
            name=self.name,
            code=worst(self.codes),
            says=tuple(sentences_about(source, apart=True)),
            lines=tuple(told_lines(lesson, f"{plain(self.word)}: ")),
            descs=tuple(descs),
            findings=tuple(of_file),
            json=told | ({"lesson": lesson} if tasks else {}),
            is_path=self.is_path,
        )

    def _of_error(self, k: int, error: SessionError) -> Finding:
        """What is told of experiment `k` of those that can't be read."""
        places = self.places.get(-1 - k, {})
        place = places.get("name") or places.get("Type") or places.get("") or _place_said(str(error))
        return Finding(id=findings.UNREADABLE, level="error", message=str(error), place=place)

    def _tasks(self) -> Mapping[int | None, dict[str, list[str]]]:
        """Faults and notes of tasks by experiment, under None those of the lesson; {} where there is neither."""
        session = self.source.session
        if not session.extra and not any(one.extra or one.view.written for one in session.experiments):
            return {}
        from ...teaching.lessons import task_checks

        asking = {k for k, one in enumerate(session.experiments) if "task" in one.extra}
        told: dict[int | None, dict[str, list[str]]] = {
            k: {"faults": [], "notes": []} for k in (None, *range(len(session.experiments)))
        }
        for fault in task_checks.faults(session):
            told[fault.number]["faults"].append(fault.sentence)
            self.codes.add(INVALID)
        for note in task_checks.notes(session):
            told[note.number]["notes"].append(note.sentence)
        lesson = told.pop(None)
        own = {k: each for k, each in told.items() if k in asking or each["notes"]}
        return {None: lesson, **own} if own or "lesson" in session.extra else {}

    def _desc(self, i: int, experiment: Experiment, task: Mapping[str, list[str]]) -> DescTold:
        options = self.options
        if options.level is not None:
            experiment = dataclasses.replace(experiment, feature_level=options.level)
        with progress(f"checking {plain(experiment.name)}"):
            faults = [one.check for one in self.source.remarks if one.experiment == i and one.check is not None]
            report = checked(experiment, faults)
        in_ring = bool(report.errors) and all(check.id == "chain.cycle" for check in report.errors)
        if report.verdict is not Verdict.VALID:  # a ring is the session's fault, no desc's
            self.codes.add(INVALID if report.errors and not in_ring else UNREADABLE)
        found = list(self._findings(i, experiment, report))
        found += [_of_task(fault, experiment.name) for fault in task.get("faults", ())]
        told = None
        if options.json:
            told = report_json(experiment, report)
            for check in told["checks"] if self.source.example is None else ():
                if check["ok"] is not True and (place := self._place(i, experiment.desc, check["field"])) is not None:
                    check["place"] = place_json(place)
            told = {"file": self.word, "name": experiment.name, **told, **({"task": task} if task else {})}
        where, path = self.name if options.taking_path else "", self.name if self.is_path else ""
        lines = desc_lines(where, path, experiment, report, [finding.place for finding in found])
        return DescTold(
            verdict=report.verdict.value,
            lines=(*lines, *(f"    {line}" for line in told_lines(task))),
            findings=tuple(found),
            json=told,
        )

    def _place(self, i: int, desc: Desc, field: str) -> Place | None:
        """The place of a field, or of the nearest that its source names."""
        return nearest(self.places.get(i, {}), desc, field)

    def _findings(self, i: int, experiment: Experiment, report: Report) -> Iterator[Finding]:
        """What is broken, worst first, then what was not checked."""
        desc, name = experiment.desc, experiment.name
        lines = {f"{remark.where}: {remark.text}": remark.line for remark in self.source.remarks}
        for cause in report.causes:
            first = cause.first
            place = self._place(i, desc, first.field)
            yield Finding(id=first.id, level=first.severity.value, message=cause.message, place=place, experiment=name)
        for left in report.not_checked:
            place = _spot(lines.get(left.message, 0)) or self._place(i, desc, left.field)
            yield Finding(id=NOT_CHECKED, level="note", message=left.message, place=place, experiment=name)
        if report.verdict is Verdict.WAITS:
            message = f"{plain(name)} waits for {plain(report.waits_for)}, which is not valid."
            place = self._place(i, desc, "")
            yield Finding(id=findings.WAITS, level="note", message=message, place=place, experiment=name)


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


def place_json(place: Place) -> dict[str, Any]:
    """A place as `--json` prints it; of a source without lines its name."""
    members = ("name",) if place.name else ("line", "column", "end_line", "end_column")
    return {member: getattr(place, member) for member in members}


def _of_task(sentence: str, experiment: str = "") -> Finding:
    return Finding(id=findings.TASK, level="error", message=sentence, experiment=experiment)
