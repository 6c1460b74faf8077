"""Sessions to session files, with the .npy files that they need."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..desc.base import Desc
from ..desc.fields import Field
from ..desc.npy_files import locate, read_any_npy, require_name, resolved
from ..desc.tensors import TensorDesc
from ..desc.value_sources import Npy, dump_source
from ..desc.values import Array
from ..errors import DmlvizError, SessionError, ValuesError, plain, quote, reason_of
from ..formats.json_text import json_file
from .experiments import Experiment, Session
from .reading import VERSION, named_path
from .whole_files import replace_whole, write_whole


def dump_desc(desc: Desc) -> dict[str, Any]:
    """The JSON of a desc, without what is inferred."""
    return {field.name: field_json(desc, field) for field in desc.FIELDS if field.name not in desc.inferred}


def field_json(desc: Desc, field: Field) -> Any:
    """The JSON of what a field holds."""
    content = desc.get(field.name)
    if field not in desc.TENSORS:
        return field.dump(content)
    return [dump_tensor(tensor) for tensor in content] if field.many else dump_tensor(content)


def dump_tensor(tensor: TensorDesc) -> dict[str, Any]:
    """DataType and Sizes, and whatever else says more than these imply."""
    told = {name: list(m) if isinstance(m, tuple) else m for name, m in tensor.told_members().items()}
    return {"DataType": tensor.data_type.name, "Sizes": list(tensor.listed_sizes), **told}


def dump(session: Session, *, views: bool = True, keeps_missing: bool = False) -> str:
    """The session's file, as text that `load` reads back; with `views`, it says how experiments were looked at last.

    With `keeps_missing`, it names .npy files that can't be read now; `load` reads it back once they can.
    """
    tree = {
        "dmlviz": VERSION,
        "title": session.title,
        "experiments": [
            dump_experiment(experiment.settled(keeps_missing=keeps_missing), view=views) for experiment in session.whole
        ],
        **session.extra,
    }
    return json_file(tree)


def dump_experiment(experiment: Experiment, *, view: bool = True) -> dict[str, Any]:
    """The JSON that `parse_experiment` reads back, with its view or without; the experiment is settled."""
    head = {
        "name": experiment.name,
        "feature_level": experiment.feature_level.value,
        "type": experiment.desc.TYPE,
        "desc": dump_desc(experiment.desc),
        "values": dump_values(experiment),
    }
    told = {"notes": experiment.notes, "not_checked": list(experiment.not_checked)}
    looked = {"view": experiment.view.written[0]} if view and experiment.view.written else {}
    return {**head, **{key: value for key, value in told.items() if value}, **looked, **experiment.extra}


def dump_values(experiment: Experiment) -> dict[str, Any]:
    """The JSON of what fills the inputs, by the field's name."""
    values: dict[str, Any] = {}
    for declared in experiment.desc.TENSORS:
        entries = [experiment.values.get(p.path) for p in experiment.desc.inputs if p.field.name == declared.name]
        if any(entry is not None for entry in entries):
            dumped = [None if entry is None else dump_source(entry) for entry in entries]
            values[declared.name] = dumped if declared.many else dumped[0]
    return values


def save(session: Session, path: str | os.PathLike[str]) -> None:
    """Writes the session with its .npy files, whole or not at all. Raises SessionError, and leaves what was there."""
    file, shown = named_path(path)
    if not isinstance(session, Session):
        raise SessionError(f"session is {quote(session)}, expected a Session.")
    if not session.experiments:
        raise SessionError(f"{shown} can't be written: the session has no experiment, expected at least one.")
    try:
        data = dump(session).encode()
    except DmlvizError:
        raise
    except (ValueError, TypeError, RecursionError):  # made in Python; nothing like this comes out of a file
        raise SessionError(
            f"{shown} can't be written: the session holds what is no JSON, expected finite numbers and whole text."
        ) from None
    brought: list[Path] = []
    try:
        target = resolved(file)  # a link stays a link to the file that is replaced
        for array, beside in _npy_files(session, target.parent):
            if beside.exists():
                if not _holds_array(beside, array):
                    raise SessionError(
                        f"{plain(beside.name)} is another file in {plain(str(beside.parent))}, expected the session's."
                    )
                continue
            beside.parent.mkdir(parents=True, exist_ok=True)
            # Written anew: a file may hold more than its array, and somebody else has chosen its name.
            replace_whole(beside, lambda out, array=array: np.lib.format.write_array(out, array, allow_pickle=False))  # type: ignore[misc]
            brought.append(beside)
        write_whole(target, data)
    except BaseException as error:
        for npy_file in brought:
            with contextlib.suppress(OSError):
                npy_file.unlink()
        if isinstance(error, IsADirectoryError):
            raise SessionError(f"{shown} is a directory, expected a file to write.") from None
        if isinstance(error, DmlvizError):
            raise
        if isinstance(error, (OSError, ValueError)):
            reason = reason_of(error)
            raise SessionError(f"{shown} can't be written: {reason}.") from None
        raise


def _holds_array(file: Path, array: Array) -> bool:
    """True if an .npy file holds just that array, bit for bit."""
    try:
        in_file = read_any_npy(file.name, "it", file.parent)
    except ValuesError:
        return False
    return in_file.dtype == array.dtype and in_file.shape == array.shape and in_file.tobytes() == array.tobytes()


def _npy_files(session: Session, folder: Path) -> Iterator[tuple[Array, Path]]:
    """Each array that the session takes from a file elsewhere, and where that belongs beside a session in `folder`."""
    for experiment in session.whole:
        if experiment.folder is None or experiment.folder.resolve() == folder:
            continue
        for path, entry in experiment.settled().values.items():
            if isinstance(entry, Npy):
                try:
                    require_name(entry.file, path)
                    target = locate(entry.file, path, folder)
                except ValuesError as error:
                    raise SessionError(f"experiment {quote(experiment.name)}: {error}") from None
                with contextlib.suppress(ValuesError):  # one that is missing or damaged can't come along
                    yield read_any_npy(entry.file, path, experiment.folder), target
