"""DxDispatch's models: a desc for each operator, with the values that its first dispatch binds."""

from __future__ import annotations

import re
from functools import cache, partial
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from ...desc.base import Part
from ...desc.levels import FeatureLevel
from ...desc.tensors import TensorDesc
from ...desc.value_sources import Listed, Npy, Source, convert, fill_from
from ...desc.values import Constant, Iota
from ...errors import DmlvizError, ValuesError, plain, quote
from ...formats.json_places import in_pointer, json_places
from ...formats.tolerant_json import parse_tolerant
from ...session.dxdispatch_names import NOTED, adds_exactly
from ...stopping import checked
from ..lib.found import Found, Item
from ..lib.imported import ImportFailedError, Note, Why
from .descs import Json, NotKnownError, described_by, found, object_or_empty

TITLE = "a DxDispatch model"
ORDER = 10
MOST_LISTED = 1 << 16
_BEGIN = re.compile(rb'(?:\xef\xbb\xbf)?\s*+(?:(?://[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)\s*+)*+\{(?!"dml_dump")')


def knows(data: bytes, name: str) -> bool:
    """True for an object, maybe behind comments, that has dispatchables; what dml_dump.h prints is a log."""
    return b'"dispatchables"' in data and _BEGIN.match(data) is not None


def read(data: bytes, name: str, folder: Path | None) -> list[Item]:
    """Each known operator, and notes on the rest; files lie in `folder`. Raises ImportFailedError."""
    try:
        root = object_or_empty(parse_tolerant(data))
    except DmlvizError as error:
        raise ImportFailedError(f"{name}: {error}") from None
    dispatchables = root.get("dispatchables")
    if not isinstance(dispatchables, dict) or not dispatchables:
        said = f"dispatchables is {quote(dispatchables)}, expected an object with at least one operator."
        raise ImportFailedError(f"{name}: {said}", Why.NOTHING if dispatchables is None else Why.UNREADABLE)
    items: list[Item] = []
    taken: dict[str, Found] = {}
    places = cache(lambda: json_places(data.decode("utf-8-sig")))
    for called, dispatchable in checked(dispatchables.items()):
        where = f"dispatchables.{plain(called, 60)}"
        pointer = f"/dispatchables/{in_pointer(called)}"
        try:
            item = found(*described_by(dispatchable), where)
        except DmlvizError as error:
            items.append(Note(str(error), at=where, unchecked=not isinstance(error, NotKnownError)))
            continue
        item.name, item.folder = called, folder
        item.locate = partial(lambda at: places()[at], pointer)
        items.append(item)
        taken[called] = item
    model = _Model(object_or_empty(root.get("resources")), taken)
    commands = root.get("commands")
    for command in commands if isinstance(commands, list) else ():
        model.follow(object_or_empty(command))
    noted = object_or_empty(root.get(NOTED)).get("operators")
    for entry in map(object_or_empty, noted if isinstance(noted, list) else ()):
        own, level, notes = (entry.get(key) for key in ("name", "feature_level", "notes"))
        made = taken.get(str(entry.get("dispatchable")))
        if made is not None and isinstance(own, str) and isinstance(level, str) and level in {*FeatureLevel}:
            made.name = own
            made.level = FeatureLevel(level)
            made.roots = {}
            made.written = notes.encode(errors="replace").decode() if isinstance(notes, str) else ""
    return items


class _Model(Struct):
    resources: Json
    found: dict[str, Found]
    written: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By buffer, which dispatchable wrote it last, and which output; "" for what is none of its first dispatch."""
    dispatched: set[str] = field(default_factory=set)

    def follow(self, command: Json) -> None:
        called = command.get("dispatchable")
        bindings = object_or_empty(command.get("bindings"))
        if str(command.get("type")).lower() != "dispatch" or not isinstance(called, str):
            return
        is_first = called not in self.dispatched
        self.dispatched.add(called)
        if is_first and (item := self.found.get(called)) is not None:
            for part in item.desc.inputs:
                self._fill(item, part, bindings.get(part.field.name))
        for key, made in bindings.items():
            for k, one in enumerate(made if isinstance(made, list) else [made]):
                name, is_window = _buffer(one)
                path = f"{key}[{k}]" if isinstance(made, list) else key
                if key.lower().startswith("output"):
                    self.written[name] = (called, path if is_first and not is_window else "")

    def _fill(self, item: Found, part: Part, bound: object) -> None:
        if bound is None:
            return
        several = bound if isinstance(bound, list) else [bound]
        k = int(part.path.partition("[")[2].rstrip("]") or 0)
        name, is_window = _buffer(several[k] if k < len(several) else None)
        writer, path = self.written.get(name, ("", ""))
        item.roots[part.path] = name
        try:
            if is_window or (name not in self.resources and not writer):
                raise ValuesError(f"found {quote(bound)}, expected a whole one of the resources for each tensor.")
            if not writer:
                source = _value_source(object_or_empty(self.resources[name]), part.tensor)
                fill_from(source, part.tensor, Iota(0, 1), f"buffer {quote(name)}", item.folder, None)
                item.values[part.path] = source
            elif self._is_wire(part, writer, path):
                item.reads[part.path] = self.found[writer], path if "[" in path else ""
            else:
                raise ValuesError(f"{plain(name, 60)} is written by {plain(writer, 60)} before.")
        except DmlvizError as error:
            said = f"{str(error).rstrip('.')}; it is filled by default."
            item.notes.append(Note(said, at=f"{item.at}.{part.path}", unchecked=not writer))

    def _is_wire(self, part: Part, writer: str, path: str) -> bool:
        for one in self.found[writer].desc.outputs if writer in self.found else ():
            made = one.tensor
            reader = part.tensor
            if one.path == path and not ("Strides" in made.members or "Strides" in reader.members):
                return made.data_type is reader.data_type and made.element_count <= reader.element_count
        return False


def _buffer(bound: object) -> tuple[str, bool]:
    members: dict[Any, Any] = bound if isinstance(bound, dict) else {"name": bound}
    name = members.get("name")
    return name if isinstance(name, str) else "", bool(members.get("elementOffset"))


def _value_source(resource: Json, tensor: TensorDesc) -> Source:
    initial = resource.get("initialValues")
    named = resource.get("initialValuesDataType")
    if "Strides" in tensor.members or not tensor.can_exist:
        raise ValuesError("values are taken for a packed tensor of sizes that can exist.")
    members = object_or_empty(initial)
    count = tensor.element_count
    if isinstance(members.get("sourcePath"), str):
        return Npy(members["sourcePath"])
    if not isinstance(named, str) or named.removeprefix("DML_TENSOR_DATA_TYPE_") != tensor.data_type.name:
        raise ValuesError(f"initialValuesDataType is {quote(named)}, expected {tensor.data_type}, the tensor's type.")
    if resource.get("initialValuesOffsetInBytes"):
        raise ValuesError("initialValuesOffsetInBytes is not read here.")
    if isinstance(initial, list):
        if not count <= len(initial) <= MOST_LISTED:
            raise ValuesError(f"it has {len(initial):,} elements, expected {count:,} and at most {MOST_LISTED:,}.")
        return Listed(tuple(initial[:count]), tensor.sizes)
    if members.keys() not in ({"valueCount", "value"}, {"valueCount", "valueStart", "valueDelta"}):
        raise ValuesError(f"initialValues is {quote(initial)}, expected values, a constant, a sequence or a file.")
    held = members["valueCount"]
    if not isinstance(held, int) or held < count:
        raise ValuesError(f"valueCount is {quote(held)}, expected at least {count:,} for {tensor}.")
    if "value" in members:
        return Constant(members["value"])
    kind = tensor.data_type
    start, step = (convert(members[key], kind, f"initialValues.{key}") for key in ("valueStart", "valueDelta"))
    if kind.is_float:  # in which DxDispatch adds
        start, step = (float(kind.dtype.type(number)) for number in (start, step))
        if not adds_exactly(start, step, count, kind):
            raise ValuesError("DxDispatch rounds at every step of this sequence, expected one that it adds exactly.")
    return Iota(start, step)
