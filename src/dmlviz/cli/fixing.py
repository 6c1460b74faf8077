"""`dmlviz check --fix`: fixes that lose nothing, made in the descs of a file, which is then saved.

Session files and DxDispatch models are written, whole or not at all, laid out as dmlviz writes them.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import opening
from ..desc.levels import FeatureLevel
from ..desc.tensors import DataType, TensorDesc
from ..errors import DmlvizError, plain, quote, reason_of
from ..exporters.dxdispatch import desc_json
from ..formats.json_places import Places
from ..formats.json_text import json_file
from ..formats.tolerant_json import parse_tolerant
from ..importers.lib import importing
from ..operators.fixes.differences import changes_between
from ..operators.report import Cause
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
        try:
            if word == "-" or is_token(word) or opening.example_of(word) is not None:
                shown = "standard input" if word == "-" else "the token" if is_token(word) else plain(word)
                say(f"{shown} is left as it is: it is no file of yours.")
                continue
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
    before = found.session
    after, left = _mended(before, level, is_model=is_model)
    done = [
        f"{shown}: experiment {quote(new.name)}: fixed: {change}"
        for old, new in zip(before.experiments, after.experiments, strict=True)
        for change in changes_between(old.desc, new.desc, old.feature_level, new.feature_level)
    ]
    if not done and not left:
        return
    if why := _why_left(found, path, is_model=is_model):
        yield f"{shown} is left as it is: {why}."
        return
    try:
        if done and is_model:
            _save_model(path, data, found.places, before, after)
        elif done:
            save(after, path)
    except DmlvizError as error:
        done = [str(error)]
    yield from (*done, *(f"{shown}: {sentence}" for sentence in left))


def _why_left(found: opening.Found, path: Path, *, is_model: bool) -> str:
    """Why a file isn't written, as the end of a sentence; "" for one that is."""
    if found.path is None and not is_model:
        return f"no session file and no DxDispatch model; `dmlviz import {shlex.quote(str(path))} -o s.json` makes one"
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
        write_whole(path.resolve(), json_file(root, in_rows=True).encode())
    except OSError as error:
        raise DmlvizError(f"{plain(str(path))} can't be written: {reason_of(error)}.") from None


def _mended(session: Session, level: FeatureLevel | None, *, is_model: bool) -> tuple[Session, list[str]]:
    """The session after all fixes that lose nothing, at `level` where there is one; why the rest is left.

    Each fix leaves fewer checks that fail or wait, so it ends.
    """
    own = [one.feature_level for one in session.experiments]
    if level is not None:
        session = _at_levels(session, [level] * len(own))
    session = Document(session).session
    changes, left = True, dict[str, None]()
    while changes:
        changes, left = False, {}
        for i in range(len(session.experiments)):
            experiment = session.experiments[i]
            for cause in experiment.check().broken:
                try:
                    session = _after(session, i, cause, keeps_level=level is not None, is_model=is_model)
                except DmlvizError as error:
                    left[f"experiment {quote(experiment.name)}: {cause.first.id}: {error}"] = None
                else:
                    changes = True
                    break  # the causes are others now
    return _at_levels(session, own) if level is not None else session, [*left]


def _at_levels(session: Session, levels: Iterable[FeatureLevel]) -> Session:
    every = zip(session.experiments, levels, strict=True)
    return replace(session, experiments=tuple(replace(one, feature_level=level) for one, level in every))


def _after(session: Session, i: int, cause: Cause, *, keeps_level: bool, is_model: bool) -> Session:
    """The session after the first fix of a cause that loses nothing. Raises DmlvizError where none is to be made."""
    fixes = cause.first.fixes
    if not fixes:
        raise DmlvizError("no edit that was tried mends it, so it is left.")
    fix = next((fix for fix in fixes if not fix.loses), None)
    if fix is None:
        raise DmlvizError(f"each fix loses something, the first {fixes[0].loses}, so it is left.")
    if keeps_level and fix.feature_level is not session.experiments[i].feature_level:
        raise DmlvizError("its fix raises the feature level, which --level sets, so it is left.")
    document = Document(session)
    document.go(i)
    document.edit(document.experiment.mended(fix))
    after = document.session
    changed = [pair for pair in zip(session.experiments, after.experiments, strict=True) if pair[0] is not pair[1]]
    if lost := [path for old, new in changed for path in _lost(old, new, is_model=is_model)]:
        raise DmlvizError(f"its fix would lose the values of {', '.join(lost)}, so it is left.")
    if sum(_trouble(new) - _trouble(old) for old, new in changed) >= 0:
        raise DmlvizError("its fix would leave something else that doesn't fit, so it is left.")
    return after


def _trouble(experiment: Experiment) -> int:
    """How many checks of an experiment fail or wait for others."""
    report = experiment.check()
    return len(report.errors) + len(report.waiting)


def _lost(before: Experiment, after: Experiment, *, is_model: bool) -> list[str]:
    """Inputs whose values have no place after a fix; a model's buffers stay as they are."""
    had, tensors = ({part.path: part.tensor for part in one.desc.inputs} for one in (before, after))
    if is_model:
        return [path for path in before.values if _buffer_of(tensors.get(path)) != _buffer_of(had[path])]
    kept = after.settled(keeps_missing=True).values
    return [path for path in before.values if path in tensors and path not in kept]


def _buffer_of(tensor: TensorDesc | None) -> tuple[DataType, int] | None:
    """What a tensor wants of a buffer: elements of a type, and so many."""
    return (tensor.data_type, tensor.element_count) if tensor is not None else None
