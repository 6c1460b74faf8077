"""Session files to sessions: JSON in UTF-8, as docs/files.md describes it."""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from msgspec import UNSET

from ..desc.base import Desc
from ..desc.fields import Role
from ..desc.levels import FeatureLevel
from ..desc.npy_files import locate
from ..desc.tensors import MEMBERS, DataType, TensorDesc, snake
from ..desc.value_sources import Npy, ValueSource, Wired, parse_source
from ..errors import DmlvizError, EmptyFileError, SessionError, TakenOutError, ValuesError, plain, quote, reason_of
from ..formats.json_text import is_nested, parse_json
from ..formats.regular_files import read_regular
from ..operators.registry import operator_of
from ..stopping import checked
from .experiments import Experiment, Session, text_of
from .views import ViewEntry
from .wiring import rings

VERSION = 1
TAKEN_OUT = "taken_out"
"""The key of a session's experiments of operators that were taken out: they are kept as they are."""
_READ = ("name", "feature_level", "type", "desc", "values", "notes", "not_checked")
"""What is read of an experiment here; other keys are kept."""
MOST_NESTED = 100
"""Lists in lists, in keys that this version doesn't know."""
NEAR = 0.75
"""How like a known key another one has to be, from 0 to 1, to be taken for it: two letters of eight may differ."""


def load(path: str | os.PathLike[str]) -> Session:
    """The session in a file. Raises SessionError with one sentence where it can't be read as one."""
    session, errors = parse(*read_file(path))
    if errors:
        raise errors[0]
    return session


def read_file(path: str | os.PathLike[str]) -> tuple[bytes, str, Path]:
    """What a file holds, what it is called in sentences, and its folder. Raises SessionError where it can't be read."""
    file, shown = named_path(path)
    try:
        data = read_regular(file)
    except FileNotFoundError:
        raise SessionError(f"{shown}: no such file, expected a file to open.") from None
    except IsADirectoryError:
        raise SessionError(f"{shown} is a directory, expected a file to open.") from None
    except (OSError, ValueError) as error:
        raise SessionError(f"{shown} can't be read: {reason_of(error)}.") from None
    return data, shown, file.resolve().parent


def named_path(path: str | os.PathLike[str]) -> tuple[Path, str]:
    """A path, and what it is called in sentences. Raises SessionError for what is no path."""
    try:
        return Path(path), plain(str(path) or ".")
    except TypeError:
        raise SessionError(f"path is {quote(path)}, expected the name of a session file.") from None


def parse(
    data: bytes, shown: str, folder: Path | None, *, missing: list[str] | None = None
) -> tuple[Session, list[SessionError]]:
    """The session in `data` and an error for each experiment that can't be read; lost .npy files go to `missing`."""
    tree = _json_tree(data, shown)
    if not isinstance(tree, dict):
        raise SessionError(f"{shown} holds {quote(tree)}, expected an object with dmlviz and experiments.")
    version = tree.get("dmlviz")
    items = tree.get("experiments")
    if type(version) is not int or version != VERSION:
        found = f"is {quote(version)}" if "dmlviz" in tree else "is missing"
        newer = "; a newer version of dmlviz may read the file" * ("dmlviz" in tree)
        raise SessionError(f"{shown}: the key dmlviz {found}, expected the format's version, {VERSION}{newer}.")
    title = text_of(tree.get("title", ""), f"{shown}: title")
    if not isinstance(items, list) or not items:
        found = quote(items) if "experiments" in tree else "missing"
        raise SessionError(f"{shown}: experiments is {found}, expected a list of at least one experiment.")
    good = list[Experiment]()
    errors = list[SessionError]()
    told = dict[int, str]()
    for i, item in enumerate(checked(items)):
        try:
            good.append(parse_experiment(item, folder, missing))
        except DmlvizError as error:
            name = item.get("name") if isinstance(item, dict) else None
            which = f"experiment {quote(name) if isinstance(name, str) else i + 1}: {error}"
            if isinstance(error, TakenOutError):
                told[i] = which
            else:
                errors.append(SessionError(f"{shown}: {which}"))
                errors[-1].experiment = i
    if told and not good and not errors:
        errors.append(SessionError(f"{shown}: {next(iter(told.values()))}"))
    extra = {key: value for key, value in tree.items() if key not in ("dmlviz", "title", "experiments")}
    if told:
        before = extra.get(TAKEN_OUT)
        extra[TAKEN_OUT] = [*(before if isinstance(before, list) else ()), *(items[i] for i in told)]
    _require_keepable(extra, shown)
    session = Session(tuple(good), title, folder, extra=extra, told=told)
    if missing is None and any(one.is_wired for one in good):  # what was kept of one loses none by it
        said = f"{shown}: chain.cycle: %s, expected no way back."
        errors += [SessionError(said % ring) for ring in rings(session.experiments)]
    return session, errors


def _json_tree(data: bytes, shown: str) -> object:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = f"byte 0x{data[error.start]:02x} at position {error.start}"
        raise SessionError(f"{shown} is not UTF-8: found {found}, expected JSON in UTF-8.") from None
    if not text.strip():
        raise EmptyFileError(f"{shown} is empty, expected a session in JSON, or a log.")
    try:
        return parse_json(text)
    except ValuesError as error:
        raise SessionError(f"{shown}: {error}") from None


def _require_keepable(extra: Mapping[str, Any], shown: str) -> None:
    """Raises SessionError for keys that this version doesn't know and could not write back."""
    if is_nested(extra, MOST_NESTED):
        raise SessionError(f"{shown} holds lists more than {MOST_NESTED} deep, expected at most {MOST_NESTED}.")
    try:
        json.dumps(extra, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        held = f"{quote(next(iter(extra)))}, which is no field of a session and can't be written back"
        raise SessionError(f"{shown} holds {held}, expected whole characters.") from None


def parse_experiment(tree: object, folder: Path | None, missing: list[str] | None = None) -> Experiment:
    """An experiment from JSON; .npy files lie in `folder`. Raises DmlvizError; problems with those go to `missing`."""
    if not isinstance(tree, dict):
        raise SessionError(f"found {quote(tree)}, expected an object with name, type, feature_level and desc.")
    for key in ("name", "feature_level", "type", "desc"):
        if key not in tree:
            raise SessionError(f"{key} is missing, expected it in every experiment.")
    name = text_of(tree["name"], "name")
    desc = parse_desc(text_of(tree["type"], "type"), tree["desc"])
    values = _parse_values(tree.get("values", {}), desc)
    left = tree.get("not_checked", [])
    if not isinstance(left, list):
        raise SessionError(f"not_checked is {quote(left)}, expected a list of sentences.")
    extra = {key: entry for key, entry in tree.items() if key not in _READ}
    _require_keepable(extra, "it")
    level = FeatureLevel.of(text_of(tree["feature_level"], "feature_level"))
    not_checked = tuple(text_of(said, "not_checked") for said in left)
    view = ViewEntry(extra.pop("view", UNSET))
    told: dict[str, Any] = {"notes": tree.get("notes", ""), "not_checked": not_checked, "view": view}
    one = Experiment(name, desc, level, values, folder=folder, extra=extra, **told)
    for k, part in enumerate(desc.inputs):
        entry = values.get(part.path)
        if isinstance(entry, Wired):
            continue  # its session tells where it leads
        try:
            if part.tensor.can_exist:
                one.source(k, part)
            elif isinstance(entry, Npy):
                locate(entry.file, part.path, folder)
        except ValuesError as error:
            if missing is None or not isinstance(entry, Npy):
                raise
            missing.append(f"{quote(name)}: {error}")
    return one


def meant_by(key: str, known: Collection[str]) -> str:
    """The middle of a sentence that asks about the known key that is nearest to `key`; empty where none is near."""
    plain_key = key.replace("_", "").lower()[:99]
    by_plain = {low: name for name in known if (low := name.replace("_", "").lower())[:1] == plain_key[:1]}
    near = difflib.get_close_matches(plain_key, by_plain, 1, NEAR)
    return f"did you mean {quote(by_plain[near[0]])}? " if near else ""


def _object(tree: object, name: str, known: Collection[str], of: str) -> dict[str, Any]:
    """Raises SessionError, which calls `tree` `name`, for other keys than `known`; `of` says what is expected."""
    if not isinstance(tree, dict):
        raise SessionError(f"{name} is {quote(tree)}, expected an object with {of}.")
    for key in tree:
        if key not in known:
            raise SessionError(f"{name} has {quote(key)}, {meant_by(key, known)}expected only {', '.join(known)}.")
    return tree


def parse_desc(kind: str, tree: object) -> Desc:
    """A desc from its JSON, as DxDispatch writes it. Raises DmlvizError for unknown, missing or ill-typed fields."""
    op = operator_of(kind)
    fields = {field.name: field for field in op.desc.FIELDS}
    given: dict[str, Any] = {}
    for name, value in _object(tree, "desc", fields, f"the fields of {kind}").items():
        if fields[name] not in op.desc.TENSORS:
            given[name] = fields[name].checked(value)
        elif not fields[name].many:
            given[name] = _parse_tensor(value, name)
        elif isinstance(value, list):
            given[name] = [_parse_tensor(item, f"{name}[{i}]") for i, item in enumerate(value)]
        else:
            raise SessionError(f"{name} is {quote(value)}, expected a list of tensor descs.")
    built: Desc = op.desc.build(given)
    return built


def _parse_tensor(tree: object, name: str) -> TensorDesc:
    found = _object(tree, name, ("DataType", "Sizes", *MEMBERS), "DataType and Sizes")
    for key in ("DataType", "Sizes"):
        if key not in found:
            raise SessionError(f"{name}.{key} is missing, expected it in every tensor desc.")
    kind = found["DataType"]
    if not isinstance(kind, str) or kind.removeprefix("DML_TENSOR_DATA_TYPE_") not in DataType.__members__:
        raise SessionError(f"{name}.DataType is {quote(kind)}, expected one of {', '.join(DataType.__members__)}.")
    try:
        return TensorDesc(kind, found["Sizes"], **{snake(key): found[key] for key in MEMBERS if key in found})
    except DmlvizError as error:
        raise SessionError(f"{name}.{error}") from None


def _parse_values(tree: object, desc: Desc) -> dict[str, ValueSource]:
    fields = {field.name: field for field in desc.TENSORS if field.role is not Role.OUTPUT}
    sources: dict[str, ValueSource] = {}
    for name, value in _object(tree, "values", fields, "an entry for each input tensor").items():
        if not fields[name].many:
            sources[name] = parse_source(value, f"values.{name}")
            continue
        count = len(desc.get(name))
        if not isinstance(value, list) or len(value) != count:
            expected = f"a list of {count} entries, one for each tensor"
            raise SessionError(f"values.{name} is {quote(value)}, expected {expected}.")
        given = {f"{name}[{i}]": item for i, item in enumerate(value) if item is not None}  # null: filled by default
        sources |= {path: parse_source(item, f"values.{path}") for path, item in given.items()}
    return sources
