"""`dmlviz check --fix`: fixes that lose nothing, made in the descs of a file, which is then saved.

Session files and DxDispatch models are written, whole or not at all, laid out as dmlviz writes them.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from .. import opening
from ..errors import DmlvizError, plain, quote
from ..exporters.dxdispatch import desc_json
from ..exporters.lib.writing import write_several
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
from ..session.writing import save
from .shared import progress, say, shown_word


def fix_all(words: Iterable[str]) -> None:
    """Writes fixes into the files that words name; tells on stderr each field that changed, and what is left."""
    for word in words:
        try:
            if word == "-" or is_token(word) or opening.example_of(word) is not None:
                say(f"{shown_word(word)} is left as it is: it is no file of yours.")
                continue
            with progress(f"fixing {plain(word)}"):
                told = list(_fixed(Path(word)))
        except DmlvizError:
            continue  # the check tells why
        for said in told:
            say(said)


def _fixed(path: Path) -> Iterator[str]:
    """Fixes a file, and says what was done. Raises DmlvizError where nothing can be read."""
    data, shown, _ = read_file(path)
    found = opening.open_file(path)
    is_model = getattr(importing.source_of(data, shown), "__name__", "").endswith(".dxdispatch.source")
    before = found.session
    after, left = _mended(before, is_model=is_model)
    done = [
        f"{shown}: experiment {quote(new.name)}: fixed: {change}"
        for old, new in zip(before.experiments, after.experiments, strict=True)
        for change in changes_between(old.desc, new.desc, old.feature_level, new.feature_level)
    ]
    why = "not all of its experiments can be read" if found.errors else ""
    if found.path is None and not is_model:
        makes_one = f"`dmlviz import {shlex.quote(str(path))} -o s.json` makes one"
        why = f"no session file and no DxDispatch model; {makes_one}"
    elif not path.stat().st_mode & 0o222:
        why = "it is read-only"
    if why:
        yield from [f"{shown} is left as it is: {why}."] if done or left else ()
        return
    try:
        if done and is_model:
            _save_model(path, data, found.locate(), before, after)
        elif done:
            save(after, path)
    except DmlvizError as error:
        done = [str(error)]
    yield from (*done, *(f"{shown}: {said}" for said in left))


def _save_model(path: Path, data: bytes, places: Places, before: Session, after: Session) -> None:
    """Writes a DxDispatch model with the descs that have changed. Raises DmlvizError where it can't be done."""
    root: Any = parse_tolerant(data)
    for i, (old, new) in enumerate(zip(before.experiments, after.experiments, strict=True)):
        if old.desc == new.desc and old.feature_level is new.feature_level:
            continue
        called = places[i][""].pointer.split("/")[2].replace("~1", "/").replace("~0", "~")
        node: dict[str, Any] = root["dispatchables"][called]
        node["Type" if "Type" in node else "type"] = new.desc.TYPE
        fields = node["Desc" if "Desc" in node else "desc"]
        for field in old.desc.FIELDS:
            fields.pop(field.name, None)
        fields |= desc_json(new.desc)
        for note in root[NOTED]["operators"] if old.feature_level is not new.feature_level else ():
            if isinstance(note, dict) and note.get("dispatchable") == called:
                note["feature_level"] = new.feature_level.value
    write_several([(path, json_file(root, in_rows=True).encode())])


def _mended(session: Session, *, is_model: bool) -> tuple[Session, Iterable[str]]:
    """The session after all fixes that lose nothing; why the rest is left.

    Each fix leaves fewer checks that fail or wait, so it ends.
    """
    session = Document(session).session
    changes = True
    left = dict[str, None]()
    while changes:
        changes, left = False, {}
        for i in range(len(session.experiments)):
            one = session.experiments[i]
            for cause in one.check().broken:
                try:
                    session = _after(session, i, cause, is_model=is_model)
                except DmlvizError as error:
                    left[f"experiment {quote(one.name)}: {cause.first.id}: {error}"] = None
                else:
                    changes = True
                    break  # the causes are others now
    return session, left


def _after(session: Session, i: int, cause: Cause, *, is_model: bool) -> Session:
    """The session after the first fix of a cause that loses nothing. Raises DmlvizError where none is to be made."""
    fixes = cause.first.fixes
    if not fixes:
        raise DmlvizError("none of the edits that were tried fixes it, so it is unchanged.")
    fix = next((fix for fix in fixes if not fix.loses), None)
    if fix is None:
        raise DmlvizError(f"each fix loses something, the first {fixes[0].loses}, so it is left.")
    doc = Document(session)
    doc.go(i)
    doc.edit(doc.experiment.mended(fix))
    after = doc.session
    pairs = zip(session.experiments, after.experiments, strict=True)
    changed = [pair for pair in pairs if pair[0] is not pair[1]]
    if lost := [path for old, new in changed for path in _lost(old, new, is_model=is_model)]:
        raise DmlvizError(f"its fix would lose the values of {', '.join(lost)}, so it is left.")
    if sum(_trouble(new) - _trouble(old) for old, new in changed) >= 0:
        raise DmlvizError("its fix would leave something else that doesn't fit, so it is left.")
    return after


def _trouble(one: Experiment) -> int:
    """How many checks of an experiment fail or wait for others."""
    report = one.check()
    return len(report.errors) + len(report.waiting)


def _lost(before: Experiment, after: Experiment, *, is_model: bool) -> list[str]:
    """Inputs whose values have no place after a fix; a model's buffers stay, of as many elements of their type."""
    had, tensors = ({part.path: part.tensor for part in one.desc.inputs} for one in (before, after))
    if not is_model:
        kept = after.settled(keeps_missing=True).values
        return [path for path in before.values if path in tensors and path not in kept]
    buffers = [{path: (t.data_type, t.element_count) for path, t in each.items()} for each in (had, tensors)]
    return [path for path in before.values if buffers[0][path] != buffers[1].get(path)]
