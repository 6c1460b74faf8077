"""The document: experiments with their descs, values and notes. Load, save, edit, undo.

A session is frozen; an edit makes a new one. The file format is JSON in UTF-8; README describes it.
"""

from __future__ import annotations

import contextlib
import errno
import filecmp
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

import numpy as np

from ..desc.base import Desc, Part
from ..desc.fields import CountField, NumberField, Role, TensorField
from ..desc.levels import NEWEST, FeatureLevel
from ..desc.tensors import DataType, TensorDesc, integer
from ..desc.value_sources import (
    Listed,
    Npy,
    Spec,
    check_alone,
    dump_spec,
    fill_from,
    fitted,
    locate,
    parse_spec,
)
from ..desc.values import Fill, Filled, Iota, Values
from ..errors import DmlvizError, SessionError, ValuesError, plain, quote
from ..formats.json_text import parse_json
from ..operators.checking import check
from ..operators.registry import operator_of
from ..operators.report import Report
from ..tracing import Trace

VERSION = 1
MOST_NESTED = 100
"""Lists in lists, in keys that this version doesn't know."""
Specs = Mapping[str, Spec]
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class Experiment:
    """One desc at one feature level, with what fills its tensors, and notes in Markdown.

    `values` maps a tensor's path (`InputTensor`, `InputTensors[1]`) to what fills it; what is left out is filled.
    """

    name: str
    desc: Desc
    feature_level: FeatureLevel = NEWEST
    values: Specs = field(default_factory=lambda: _NOTHING)
    notes: str = ""
    folder: Path | None = None
    extra: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)

    def __post_init__(self) -> None:
        if not isinstance(self.desc, Desc):
            raise SessionError(f"desc is {quote(self.desc)}, expected a desc such as dmlviz.Tile(...).")
        object.__setattr__(self, "name", _text(self.name, "name"))
        object.__setattr__(self, "notes", _text(self.notes, "notes"))
        object.__setattr__(self, "feature_level", FeatureLevel.of(self.feature_level))
        specs = {path: _spec(found, f"values.{path}") for path, found in self.values.items()}
        object.__setattr__(self, "values", MappingProxyType(specs))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "values": dict(self.values), "extra": dict(self.extra)}  # a proxy can't be pickled

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, values=MappingProxyType(state["values"]))

    def sources(self) -> list[Values]:
        """What fills each input, in field order. Raises ValuesError where values don't fit their tensor."""
        return [self._filled(k, part) for k, part in enumerate(self.desc.inputs)]

    def sources_or_defaults(self) -> tuple[list[Values], list[str]]:
        """`sources` for a desc that is being edited, and a sentence for each tensor whose values don't fit it any more.

        A list is fitted to sizes that were edited; what can't be used at all is filled by default.
        """
        made: list[Values] = []
        said: list[str] = []
        for k, part in enumerate(self.desc.inputs):
            if not part.tensor.can_exist:
                part = Part(part.field, part.path, TensorDesc(part.tensor.data_type, (1,)))
                made.append(Filled(part.tensor, self._default(k)))
                continue
            try:
                made.append(self._filled(k, part))
            except ValuesError as error:
                said.append(str(error))
                spec = self._fitted(k, part)
                made.append(fill_from(spec, part.tensor, self._default(k), part.path, self.folder, None))
        return made, said

    def _filled(self, k: int, part: Part) -> Values:
        operator = operator_of(self.desc)
        below = operator.bound(self.desc, k)
        return fill_from(self.values.get(part.path), part.tensor, self._default(k), part.path, self.folder, below)

    def _fitted(self, k: int, part: Part) -> Listed | None:
        """What becomes of values that don't fit: a list is fitted; None, the default, stands for anything else."""
        spec = self.values[part.path]
        return fitted(spec, part.tensor, self._default(k)) if isinstance(spec, Listed) else None

    def _default(self, k: int) -> Fill:
        return operator_of(self.desc).default_fill(self.desc, k) or Iota(1, 1)

    def check(self) -> Report:
        """Every rule, the ones about index and length values included."""
        return check(self.desc, self.sources_or_defaults()[0], self.feature_level)

    def trace(self) -> Trace:
        """The links between elements; only for a desc that is valid."""
        return Trace(self.desc, self.sources_or_defaults()[0])

    def settled(self) -> Experiment:
        """A copy whose lists fit the desc, so that it can be read back after it was saved."""
        values = dict(self.values)
        known = {part.path: (k, part) for k, part in enumerate(self.desc.inputs)}
        for path in self.values:
            if path not in known:
                del values[path]
                continue
            k, part = known[path]
            if part.tensor.can_exist:
                try:
                    self._filled(k, part)
                except ValuesError:
                    del values[path]
                    if (mended := self._fitted(k, part)) is not None:
                        values[path] = mended
        return replace(self, values=values)


@dataclass(frozen=True)
class Session:
    """A document of experiments. `folder` is where its .npy files lie; `extra` keeps keys this version doesn't know."""

    experiments: tuple[Experiment, ...]
    title: str = ""
    folder: Path | None = None
    extra: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)

    def __post_init__(self) -> None:
        object.__setattr__(self, "experiments", tuple(self.experiments))
        object.__setattr__(self, "title", _text(self.title, "title"))
        for i, each in enumerate(self.experiments):
            if not isinstance(each, Experiment):
                raise SessionError(f"experiments[{i}] is {quote(each)}, expected an Experiment.")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "extra": dict(self.extra)}  # a proxy can't be pickled

    def with_experiment(self, number: int, experiment: Experiment) -> Session:
        """A copy with one experiment replaced."""
        items = self.experiments
        return replace(self, experiments=(*items[:number], experiment, *items[number + 1 :]))


class History:
    """A session and the ones before and after it. Edits that share a `key` and follow each other count as one."""

    def __init__(self, session: Session) -> None:
        self.now = session
        self._past: list[Session] = []
        self._future: list[Session] = []
        self._key: object = None

    def edit(self, session: Session, key: object = None) -> None:
        """Makes `session` the present one."""
        if same_file(session, self.now):
            return
        if key is None or key != self._key:
            self._past.append(self.now)
        self._key = key
        self._future.clear()
        self.now = session

    def pause(self) -> None:
        """Ends the run of edits that count as one."""
        self._key = None

    @property
    def can_undo(self) -> bool:
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        return bool(self._future)

    def undo(self) -> bool:
        return self._move(self._past, self._future)

    def redo(self) -> bool:
        return self._move(self._future, self._past)

    def _move(self, source: list[Session], target: list[Session]) -> bool:
        self._key = None
        if not source:
            return False
        target.append(self.now)
        self.now = source.pop()
        return True


def same_file(one: Session, other: Session) -> bool:
    """True if both sessions are written alike.

    Equal sessions may not be: an output that is given as it would be inferred makes an equal desc, but another file.
    """
    left, right = ([each.desc.inferred for each in session.experiments] for session in (one, other))
    return one == other and left == right


# ---- reading ----------------------------------------------------------------------------------------------------


def load(path: str | os.PathLike[str]) -> Session:
    """The session in a file. Raises SessionError with one sentence where it can't be read as one."""
    session, errors = load_what_reads(path)
    if errors:
        raise errors[0]
    return session


def load_what_reads(path: str | os.PathLike[str]) -> tuple[Session, list[SessionError]]:
    """The session in a file without the experiments that can't be read, and an error for each of those."""
    return parse(*read_file(path))


def read_file(path: str | os.PathLike[str]) -> tuple[bytes, str, Path]:
    """What a file holds, what it is called in sentences, and its folder. Raises SessionError where it can't be read."""
    file, shown = _path(path)
    try:
        if file.is_char_device():
            raise SessionError(f"{shown} is a device, expected a session file.")  # it may never end
        data = file.read_bytes()
    except FileNotFoundError:
        raise SessionError(f"{shown}: no such file, expected a session file.") from None
    except IsADirectoryError:
        raise SessionError(f"{shown} is a directory, expected a session file.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a file name"
        raise SessionError(f"{shown} can't be read: {reason}.") from None
    return data, shown, file.resolve().parent


def _path(path: str | os.PathLike[str]) -> tuple[Path, str]:
    """A path, and what it is called in sentences."""
    try:
        return Path(path), plain(str(path) or ".")
    except TypeError:
        raise SessionError(f"path is {quote(path)}, expected the name of a session file.") from None


def parse(data: bytes, shown: str, folder: Path | None) -> tuple[Session, list[SessionError]]:
    """The session that `data` holds, called `shown` in sentences; see `load_what_reads`."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = data[error.start]
        raise SessionError(
            f"{shown} is not UTF-8: found byte 0x{byte:02x} at position {error.start}, expected JSON in UTF-8."
        ) from None
    if not text.strip():
        raise SessionError(f"{shown} is empty, expected a session in JSON.")
    try:
        found = parse_json(text)
    except ValuesError as error:
        raise SessionError(f"{shown}: {error}") from None
    return _session(found, shown, folder)


def _session(found: object, shown: str, folder: Path | None) -> tuple[Session, list[SessionError]]:
    if not isinstance(found, dict):
        raise SessionError(f"{shown} holds {_kind(found)}, expected an object with dmlviz and experiments.")
    if "dmlviz" not in found:
        raise SessionError(f"{shown}: dmlviz is missing, expected the format's version, {VERSION}.")
    version = found["dmlviz"]
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise SessionError(f"{shown}: dmlviz is {quote(version)}, expected the format's version, {VERSION}.")
    if version > VERSION:
        raise SessionError(
            f"{shown}: dmlviz is {quote(version)}, a newer format, expected {VERSION}; a newer dmlviz reads it."
        )
    title = _text(found.get("title", ""), f"{shown}: title")
    items = found.get("experiments")
    if items is None and "experiments" not in found:
        raise SessionError(f"{shown}: experiments is missing, expected a list of experiments.")
    if not isinstance(items, list) or not items:
        raise SessionError(f"{shown}: experiments is {quote(items)}, expected a list of at least one experiment.")
    extra = {key: value for key, value in found.items() if key not in ("dmlviz", "title", "experiments")}
    _keepable(extra, shown)
    good: list[Experiment] = []
    errors: list[SessionError] = []
    for i, item in enumerate(items):
        try:
            good.append(parse_experiment(item, folder))
        except DmlvizError as error:
            name = item.get("name") if isinstance(item, dict) else None
            which = f"experiment {quote(name)}" if isinstance(name, str) else f"experiment {i + 1}"
            errors.append(SessionError(f"{shown}: {which}: {error}"))
    return Session(tuple(good), title, folder, extra), errors


def _keepable(extra: Mapping[str, Any], shown: str) -> None:
    """Refuses what could not be written back: keys that this version doesn't know have to survive."""
    level: list[Any] = list(extra.values())
    for _ in range(MOST_NESTED):
        level = [item for each in level for item in _items(each)]
    if level:
        raise SessionError(f"{shown} holds lists more than {MOST_NESTED} deep, expected at most {MOST_NESTED}.")
    try:
        json.dumps(extra, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        raise SessionError(
            f"{shown} holds {quote(next(iter(extra)))}, which is no field of a session and can't be written back, "
            f"expected finite numbers and whole characters."
        ) from None


def _items(found: Any) -> Iterator[Any]:
    if isinstance(found, (dict, list)):
        yield from found.values() if isinstance(found, dict) else found


def _kind(found: object) -> str:
    kinds = {list: "a list", str: "a string", bool: "a boolean", type(None): "null"}
    return kinds.get(type(found), "a number")


def _text(found: object, field: str) -> str:
    if not isinstance(found, str):
        raise SessionError(f"{field} is {quote(found)}, expected text.")
    try:
        found.encode()
    except UnicodeEncodeError:
        raise SessionError(f"{field} is {quote(found)}, which is half of a character, expected text.") from None
    return found


def _spec(found: object, field: str) -> Spec:
    """What fills a tensor, given as a session file would have it, as an array, or ready made."""
    if isinstance(found, np.ndarray):
        found = found.tolist()
    return found if isinstance(found, Spec) else parse_spec(found, field)


def parse_experiment(found: object, folder: Path | None) -> Experiment:
    """An experiment from its JSON; its .npy files lie in `folder`. Raises DmlvizError with a sentence."""
    if not isinstance(found, dict):
        raise SessionError(f"found {_kind(found)}, expected an object with name, type, feature_level and desc.")
    for key in ("name", "feature_level", "type", "desc"):
        if key not in found:
            raise SessionError(f"{key} is missing, expected it in every experiment.")
    name = _text(found["name"], "name")
    notes = _text(found.get("notes", ""), "notes")
    if not isinstance(found["feature_level"], str):
        raise SessionError(f'feature_level is {quote(found["feature_level"])}, expected text such as "5_0".')
    level = FeatureLevel.of(found["feature_level"])
    if not isinstance(found["type"], str):
        raise SessionError(f'type is {quote(found["type"])}, expected text such as "DML_OPERATOR_GATHER".')
    desc = parse_desc(found["type"], found["desc"])
    values = _values(found.get("values", {}), desc)
    known = ("name", "feature_level", "type", "desc", "values", "notes")
    extra = {key: value for key, value in found.items() if key not in known}
    _keepable(extra, "it")
    made = Experiment(name, desc, level, values, notes, folder, extra)
    for k, part in enumerate(desc.inputs):
        if part.tensor.can_exist:
            made._filled(k, part)
        elif part.path in values:
            check_alone(values[part.path], part.path, folder)
    return made


def parse_desc(kind: str, found: object) -> Desc:
    """A desc from its JSON, as DxDispatch writes it. Raises DmlvizError for unknown, missing or ill-typed fields."""
    operator = operator_of(kind)
    if not isinstance(found, dict):
        raise SessionError(f"desc is {quote(found)}, expected an object with the fields of {kind}.")
    fields = {each.name: each for each in operator.desc.FIELDS}
    made: dict[str, Any] = {}
    for name, value in found.items():
        each = fields.get(name)
        if each is None:
            raise SessionError(f"desc has {quote(name)}, expected only {', '.join(fields)}.")
        if isinstance(each, TensorField):
            if each.many:
                if not isinstance(value, list):
                    raise SessionError(f"{name} is {quote(value)}, expected a list of tensor descs.")
                made[name] = [_tensor(item, f"{name}[{i}]") for i, item in enumerate(value)]
            else:
                made[name] = _tensor(value, name)
        elif isinstance(each, (NumberField, CountField)):
            made[name] = integer(value, name)
        else:
            if not isinstance(value, list):
                raise SessionError(f"{name} is {quote(value)}, expected a list of integers.")
            made[name] = [integer(item, f"{name}[{i}]") for i, item in enumerate(value)]
    built: Desc = operator.desc.build(made)
    return built


def _tensor(found: object, name: str) -> TensorDesc:
    if not isinstance(found, dict):
        raise SessionError(f"{name} is {quote(found)}, expected an object with DataType and Sizes.")
    for key in found:
        if key not in ("DataType", "Sizes"):
            raise SessionError(f"{name} has {quote(key)}, expected only DataType and Sizes.")
    for key in ("DataType", "Sizes"):
        if key not in found:
            raise SessionError(f"{name}.{key} is missing, expected it in every tensor desc.")
    if not isinstance(found["Sizes"], list):
        raise SessionError(f"{name}.Sizes is {quote(found['Sizes'])}, expected a list of integers.")
    kind = found["DataType"]
    if not isinstance(kind, str) or kind.removeprefix("DML_TENSOR_DATA_TYPE_") not in DataType.__members__:
        raise SessionError(f"{name}.DataType is {quote(kind)}, expected one of {', '.join(DataType.__members__)}.")
    return TensorDesc(kind, [integer(size, f"{name}.Sizes[{d}]") for d, size in enumerate(found["Sizes"])])


def _values(found: object, desc: Desc) -> dict[str, Spec]:
    if not isinstance(found, dict):
        raise SessionError(f"values is {quote(found)}, expected an object with an entry for each input tensor.")
    inputs = [f for f in desc.FIELDS if isinstance(f, TensorField) and f.role is not Role.OUTPUT]
    names = {f.name: f for f in inputs}
    made: dict[str, Spec] = {}
    for name, value in found.items():
        if name not in names:
            raise SessionError(f"values has {quote(name)}, expected only {', '.join(names)}.")
        if not names[name].many:
            made[name] = parse_spec(value, f"values.{name}")
            continue
        count = len(desc.get(name))
        if not isinstance(value, list) or len(value) != count:
            raise SessionError(
                f"values.{name} is {quote(value)}, expected a list of {count} entries, one for each tensor."
            )
        for i, item in enumerate(value):
            if item is not None:  # null leaves this tensor to be filled by default
                made[f"{name}[{i}]"] = parse_spec(item, f"values.{name}[{i}]")
    return made


# ---- writing ----------------------------------------------------------------------------------------------------


def dump_desc(desc: Desc) -> dict[str, Any]:
    """The JSON of a desc, without what is inferred."""
    made: dict[str, Any] = {}
    for name, held in desc.given().items():
        if isinstance(held, TensorDesc):
            made[name] = _dump_tensor(held)
        elif isinstance(held, tuple):
            made[name] = [_dump_tensor(item) if isinstance(item, TensorDesc) else item for item in held]
        else:
            made[name] = held
    return made


def _dump_tensor(tensor: TensorDesc) -> dict[str, Any]:
    return {"DataType": tensor.data_type.name, "Sizes": list(tensor.sizes)}


def dump(session: Session) -> str:
    """The session's file, as text that `load` reads back."""
    found = {
        "dmlviz": VERSION,
        "title": session.title,
        "experiments": [dump_experiment(each.settled()) for each in session.experiments],
        **session.extra,
    }
    return "".join(_layout(found, 0)) + "\n"


def dump_experiment(each: Experiment) -> dict[str, Any]:
    """The JSON that `parse_experiment` reads back; `each` is settled."""
    values: dict[str, Any] = {}
    for each_field in each.desc.FIELDS:
        if isinstance(each_field, TensorField):
            specs = [each.values.get(p.path) for p in each.desc.inputs if p.field.name == each_field.name]
            if any(spec is not None for spec in specs):
                dumped = [None if spec is None else dump_spec(spec) for spec in specs]
                values[each_field.name] = dumped if each_field.many else dumped[0]
    made = {
        "name": each.name,
        "feature_level": each.feature_level.value,
        "type": each.desc.TYPE,
        "desc": dump_desc(each.desc),
        "values": values,
    }
    return {**made, **({"notes": each.notes} if each.notes else {}), **each.extra}


def _layout(found: Any, depth: int) -> Iterator[str]:
    """JSON with a line for whatever is short, so that people can read and compare session files."""
    line = json.dumps(found, ensure_ascii=False, allow_nan=False)
    if len(line) + 2 * depth <= 110 or not isinstance(found, (dict, list)) or not found:
        yield line
        return
    opening, closing = ("{", "}") if isinstance(found, dict) else ("[", "]")
    yield f"{opening}\n"
    items: Sequence[Any] = list(found.items()) if isinstance(found, dict) else found
    for i, item in enumerate(items):
        yield "  " * (depth + 1)
        if isinstance(found, dict):
            yield f"{json.dumps(item[0], ensure_ascii=False)}: "
            item = item[1]
        yield from _layout(item, depth + 1)
        yield ",\n" if i < len(items) - 1 else "\n"
    yield f"{'  ' * depth}{closing}"


def save(session: Session, path: str | os.PathLike[str]) -> None:
    """Writes the session to a file, whole or not at all, with the .npy files it needs beside it.

    Raises SessionError where that can't be done; what was there before is then untouched.
    """
    file, shown = _path(path)
    if not isinstance(session, Session):
        raise SessionError(f"session is {quote(session)}, expected a Session.")
    if not session.experiments:
        raise SessionError(f"{shown} can't be written: the session has no experiment, expected at least one.")
    try:
        data = dump(session).encode()
    except (ValueError, TypeError, RecursionError):  # made in Python; nothing like this comes out of a file
        raise SessionError(
            f"{shown} can't be written: the session holds what is no JSON, expected finite numbers and whole text."
        ) from None
    brought: list[Path] = []
    try:
        target = file.resolve()  # a link stays a link to the file that is replaced
        for source, beside in _npy_files(session, target.parent):
            if beside.exists():
                if not filecmp.cmp(source, beside, shallow=False):
                    raise SessionError(
                        f"{plain(beside.name)} is another file in {plain(str(beside.parent))}, expected the session's."
                    )
                continue
            beside.parent.mkdir(parents=True, exist_ok=True)
            with source.open("rb") as opened:
                _replace(beside, lambda out, opened=opened: shutil.copyfileobj(opened, out))  # type: ignore[misc]
            brought.append(beside)
        write_whole(target, data)
    except BaseException as error:
        for each in brought:
            with contextlib.suppress(OSError):
                each.unlink()
        if isinstance(error, IsADirectoryError):
            raise SessionError(f"{shown} is a directory, expected a file to write.") from None
        if isinstance(error, (OSError, ValueError, RuntimeError)):  # RuntimeError: a link that leads to itself
            reason = getattr(error, "strerror", None) or "not a file name"
            raise SessionError(f"{shown} can't be written: {reason}.") from None
        raise


def write_whole(target: Path, data: bytes) -> None:
    """Writes a file so that a reader sees all of it or what was there before. Raises OSError."""
    _replace(target, lambda out: out.write(data))


def _replace(target: Path, fill: Callable[[BinaryIO], object]) -> None:
    name = staged(target, fill)
    try:
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def staged(target: Path, fill: Callable[[BinaryIO], object]) -> str:
    """Writes a file beside `target` that is to replace it, and returns its name. Raises OSError; there is none then."""
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "it is no regular file")
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.", suffix=".new")
    try:
        with os.fdopen(handle, "wb") as out:
            fill(out)
            out.flush()
            os.fsync(out.fileno())
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        os.chmod(name, mode)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    return name


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _npy_files(session: Session, folder: Path) -> Iterator[tuple[Path, Path]]:
    """Each .npy file that the session takes from elsewhere, and where it belongs beside a session file in `folder`."""
    for each in session.experiments:
        if each.folder is None or each.folder.resolve() == folder:
            continue
        for path, spec in each.settled().values.items():
            if isinstance(spec, Npy):
                try:
                    source, target = locate(spec.file, path, each.folder), locate(spec.file, path, folder)
                except ValuesError as error:
                    raise SessionError(f"experiment {quote(each.name)}: {error}") from None
                if source.is_file():
                    yield source, target
