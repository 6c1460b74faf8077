"""Sessions to session files, which stand beside the .npy files that they name."""

from __future__ import annotations

import os
from typing import Any

from msgspec import UNSET

from ..desc.base import Desc
from ..desc.fields import Field
from ..desc.npy_files import resolved
from ..desc.tensors import TensorDesc
from ..desc.value_sources import Npy, dump_source
from ..errors import DmlvizError, SessionError, plain, quote, reason_of
from ..formats.json_text import json_file
from .experiments import Experiment, Session
from .reading import VERSION, named_path
from .whole_files import write_whole


def dump_desc(desc: Desc) -> dict[str, Any]:
    """The JSON of a desc, without what is inferred."""
    return {field.name: field_json(desc, field) for field in desc.FIELDS if field.name not in desc.inferred}


def field_json(desc: Desc, field: Field) -> Any:
    """The JSON of what a field holds."""
    content = desc.get(field.name)
    if field not in desc.TENSORS:
        return field.dump(content)
    if field.many:
        return [dump_tensor(tensor) for tensor in content]
    return dump_tensor(content)


def dump_tensor(tensor: TensorDesc) -> dict[str, Any]:
    """DataType and Sizes, and whatever else says more than these imply."""
    told = {name: list(m) if isinstance(m, tuple) else m for name, m in tensor.members.items()}
    return {"DataType": tensor.data_type.name, "Sizes": list(tensor.listed_sizes), **told}


def dump(session: Session, *, views: bool = True, keeps_missing: bool = False) -> str:
    """The file's text; with `views` how experiments were looked at, with `keeps_missing` .npy files not there."""
    tree = {
        "dmlviz": VERSION,
        "title": session.title,
        "experiments": [dump_experiment(one.settled(keeps_missing=keeps_missing), view=views) for one in session.whole],
        **session.extra,
    }
    return json_file(tree)


def dump_experiment(one: Experiment, *, view: bool = True) -> dict[str, Any]:
    """The JSON that `parse_experiment` reads back, with its view or without; the experiment is settled."""
    head = {
        "name": one.name,
        "feature_level": one.feature_level.value,
        "type": one.desc.TYPE,
        "desc": dump_desc(one.desc),
        "values": dump_values(one),
    }
    told = {"notes": one.notes, "not_checked": list(one.not_checked)}
    looked = {"view": one.view.written} if view and one.view.written is not UNSET else {}
    return {**head, **{key: value for key, value in told.items() if value}, **looked, **one.extra}


def dump_values(one: Experiment) -> dict[str, Any]:
    """The JSON of what fills the inputs, by the field's name."""
    values: dict[str, Any] = {}
    for own in one.desc.TENSORS:
        entries = [one.values.get(p.path) for p in one.desc.inputs if p.field.name == own.name]
        if any(entry is not None for entry in entries):
            dumped = [None if entry is None else dump_source(entry) for entry in entries]
            values[own.name] = dumped if own.many else dumped[0]
    return values


def save(session: Session, path: str | os.PathLike[str]) -> None:
    """Writes the session beside its .npy files, whole or not at all. Raises SessionError, and leaves what was there."""
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
        raise SessionError(f"{shown} can't be written as JSON, expected finite numbers and whole text.") from None
    try:
        target = resolved(file)  # a link stays a link to the file that is replaced
        for one in session.whole:
            files = [entry.file for entry in one.values.values() if isinstance(entry, Npy)]
            if files and one.folder is not None and one.folder.resolve() != target.parent:
                told = f"experiment {quote(one.name)} reads {plain(files[0])} in {plain(str(one.folder))}"
                raise SessionError(f"{shown} can't be written: {told}, expected a session file in that folder.")
        write_whole(target, data)
    except DmlvizError:
        raise
    except (OSError, ValueError) as error:
        raise SessionError(f"{shown} can't be written: {reason_of(error)}.") from None
