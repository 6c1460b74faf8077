"""`dmlviz check --fix`: fixes that lose nothing, made in the descs of a file, which is then saved.

Session files and DxDispatch models are written, whole or not at all, laid out as dmlviz writes them.
"""

from __future__ import annotations

import shlex
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import opening
from ..desc.levels import NEWEST, FeatureLevel
from ..desc.tensors import DataType, TensorDesc
from ..errors import DmlvizError, plain, quote, reason_of
from ..exporters.dxdispatch import desc_json
from ..exporters.lib.json_page import json_page
from ..formats.json_places import Places
from ..formats.tolerant_json import parse_tolerant
from ..importers.lib import importing
from ..importers.lib.pasted_text import has_dumps
from ..operators.fixes.differences import changes_between
from ..operators.report import Cause, Fix, Report
from ..session.document import Document
from ..session.dxdispatch_names import NOTED
from ..session.experiments import Experiment, Session
from ..session.reading import read_file
from ..session.tokens import is_token
from ..session.whole_files import write_whole
from ..session.writing import save
from .shared import progress, say


def fix_all(words: Iterable[str], level: FeatureLevel | None) -> None:
    """Writes fixes into the files that words name; tells on stderr each field that changed, and what is left."""
    for word in words:
        example = opening.example_of(word) if word != "-" and not is_token(word) else None
        if word == "-" or is_token(word) or example is not None:
            shown = "standard input" if word == "-" else f"the example {example.name}" if example else "the token"
            say(f"{shown} is left as it is: it is no file of yours.")
            continue
        try:
            with progress(f"fixing {plain(word)}"):
                told = list(_fixed(Path(word), level))
        except DmlvizError:
            continue  # the check tells why
        for sentence in told:
            say(sentence)


def _fixed(path: Path, level: FeatureLevel | None) -> Iterator[str]:
    """Fixes a file, and says what was done. Raises DmlvizError where nothing can be read."""
    data, shown, _ = read_file(path)
    found = opening.open_file(path)
    is_model = getattr(importing.source_of(data, shown), "__name__", "").endswith(".dxdispatch.source")
    mender = _Mender(found.session, shown, level, is_model=is_model)
    if not mender.is_broken:
        return
    if why := _why_left(found, path, data, is_model=is_model):
        yield f"{shown} is left as it is: {why}."
        return
    left = list(mender.mend())
    done = list(mender.changes())
    if done:
        try:
            if is_model:
                _save_model(path, data, found.places, found.session, mender.session)
            else:
                save(mender.session, path)
        except DmlvizError as error:
            done = [str(error)]
    yield from (*done, *left)


def _why_left(found: opening.Found, path: Path, data: bytes, *, is_model: bool) -> str:
    """Why a file isn't written, as the end of a sentence; "" for one that is."""
    if has_dumps(data) and found.path is None and not is_model:
        return f"a log; `dmlviz import {shlex.quote(str(path))} -o s.json` makes a session of it, which --fix writes"
    if found.path is None and not is_model:
        return "no session file and no DxDispatch model"
    if found.errors:
        return "not all of its experiments can be read"
    return "" if path.stat().st_mode & 0o222 else "it is read-only"


def _save_model(path: Path, data: bytes, places: Places, before: Session, after: Session) -> None:
    """Writes a DxDispatch model with the descs that have changed. Raises DmlvizError where it can't be done."""
    root: Any = parse_tolerant(data)
    for i, (old, new) in enumerate(zip(before.experiments, after.experiments, strict=True)):
        if old.desc == new.desc and old.feature_level is new.feature_level:
            continue
        called = places[i][""].pointer.split("/")[2].replace("~1", "/").replace("~0", "~")
        node: dict[str, Any] = root["dispatchables"][called]
        node["Type" if "Type" in node else "type"] = new.desc.TYPE
        beside = next((key for key in ("Desc", "desc") if key in node), None)
        fields = node if beside is None else node[beside]
        for field in old.desc.FIELDS:
            fields.pop(field.name, None)
        fields |= desc_json(new.desc)
        for note in root[NOTED]["operators"] if old.feature_level is not new.feature_level else ():
            if isinstance(note, dict) and note.get("dispatchable") == called:
                note["feature_level"] = new.feature_level.value
    try:
        write_whole(path.resolve(), json_page(root).encode())
    except OSError as error:
        raise DmlvizError(f"{plain(str(path))} can't be written: {reason_of(error)}.") from None


class _Mender:
    """Makes fixes in the experiments of one file, one after the other."""

    def __init__(self, session: Session, shown: str, level: FeatureLevel | None, *, is_model: bool) -> None:
        """Experiments are mended at `level`, which is written only where a fix raises it."""
        self._shown, self._level, self._is_model = shown, level, is_model
        self._own = [one.feature_level for one in session.experiments]
        if level is not None:
            session = replace(
                session, experiments=tuple(replace(one, feature_level=level) for one in session.experiments)
            )
        self._before = self._now = Document(session).session
        self._reports: dict[int, tuple[Experiment, Report]] = {}

    @property
    def session(self) -> Session:
        """What is to be saved."""
        every = (
            replace(one, feature_level=own) if one.feature_level is self._level else one
            for one, own in zip(self._now.experiments, self._own, strict=True)
        )
        return replace(self._now, experiments=tuple(every))

    @property
    def is_broken(self) -> bool:
        """True if a desc breaks a rule."""
        return any(self._report(one, self._now).errors for one in self._now.experiments)

    def mend(self) -> Iterator[str]:
        """Makes fixes as long as there are any; a sentence for each broken rule of which none was.

        Each leaves fewer checks that fail or wait, so it ends.
        """
        left: dict[tuple[int, str, str], str] = {}
        while (step := next(self._steps(left), None)) is not None:
            i, cause = step
            try:
                self._now = self._after(i, _lossless(cause))
            except DmlvizError as error:
                left[i, cause.first.id, cause.first.field] = f"{self._where(i)}: {cause.first.id}: {error}"
            else:
                if any(one.is_wired for one in self._now.experiments):
                    self._reports.clear()  # a fix is tried on all that read it
        yield from dict.fromkeys(left.values())

    def changes(self) -> Iterator[str]:
        """A sentence for each field that has changed."""
        for i, (old, new) in enumerate(zip(self._before.experiments, self._now.experiments, strict=True)):
            for change in changes_between(old.desc, new.desc, old.feature_level, new.feature_level):
                yield f"{self._where(i)}: fixed: {change}"

    def _where(self, i: int) -> str:
        return f"{self._shown}: experiment {quote(self._now.experiments[i].name)}"

    def _steps(self, left: Container[tuple[int, str, str]]) -> Iterator[tuple[int, Cause]]:
        """What experiments break, by number, but for what is left."""
        for i, one in enumerate(self._now.experiments):
            for cause in self._report(one, self._now).broken:
                if (i, cause.first.id, cause.first.field) not in left:
                    yield i, cause

    def _after(self, i: int, fix: Fix) -> Session:
        """The session after a fix. Raises DmlvizError where it is not to be made."""
        document = Document(self._now)
        document.go(i)
        document.mend(fix)
        after = document.session
        changed = [
            pair for pair in zip(self._now.experiments, after.experiments, strict=True) if pair[0] is not pair[1]
        ]
        if (
            self._is_model
            and self._own[i] is NEWEST
            and fix.feature_level is not self._now.experiments[i].feature_level
        ):
            raise DmlvizError("a DxDispatch model has no feature level that could be raised.")
        for before, one in changed:
            self._require_kept(before, one)
        if sum(self._trouble(one, after) - self._trouble(before, self._now) for before, one in changed) >= 0:
            raise DmlvizError("its fix would leave something else that doesn't fit, so it is left.")
        return after

    def _require_kept(self, before: Experiment, after: Experiment) -> None:
        """Raises DmlvizError where values would get lost, or something changes that the file has no place for."""
        tensors = {part.path: part.tensor for part in after.desc.inputs}
        kept = after.settled(keeps_missing=True).values
        lost = [path for path in before.values if path in tensors and path not in kept]
        if self._is_model:  # whose buffers stay as they are
            had = {part.path: part.tensor for part in before.desc.inputs}
            lost = [path for path in before.values if _buffer_of(tensors.get(path)) != _buffer_of(had[path])]
        if lost:
            raise DmlvizError(f"its fix would lose the values of {', '.join(lost)}, so it is left.")

    def _trouble(self, experiment: Experiment, session: Session) -> int:
        """How many checks of an experiment fail or wait for others."""
        report = self._report(experiment, session)
        return len(report.errors) + len(report.waiting)

    def _report(self, experiment: Experiment, session: Session) -> Report:
        """The report of an experiment, of which each is made once."""
        if id(experiment) not in self._reports:
            self._reports[id(experiment)] = experiment, experiment.check(session)
        return self._reports[id(experiment)][1]


def _buffer_of(tensor: TensorDesc | None) -> tuple[DataType, int] | None:
    """What a tensor wants of a buffer: elements of a type, and so many."""
    return (tensor.data_type, tensor.element_count) if tensor is not None else None


def _lossless(cause: Cause) -> Fix:
    """The first fix that loses nothing. Raises DmlvizError where there is none."""
    fixes = cause.first.fixes
    if not fixes:
        raise DmlvizError("no edit that was tried mends it, so it is left.")
    fix = next((fix for fix in fixes if not fix.loses), None)
    if fix is None:
        raise DmlvizError(f"each fix loses something, the first {fixes[0].loses}, so it is left.")
    return fix
