"""Model files of Microsoft's DxDispatch: one desc for each operator in them that dmlviz knows.

A DxDispatch model has resources (buffers with initial values), dispatchables (operators, shaders, whole models) and
commands, which bind the ones to the others. The values of an experiment are what its first dispatch binds.
"""

from __future__ import annotations

import re
from functools import cache, partial
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from ...desc.base import Part
from ...desc.levels import FeatureLevel
from ...desc.tensors import TensorDesc
from ...desc.value_sources import Listed, ValueSource, fill_from
from ...desc.values import Iota
from ...errors import DmlvizError, ValuesError, plain, quote
from ...formats.json_places import JsonPlaces, in_pointer
from ...formats.tolerant_json import parse_tolerant
from ...session.dxdispatch_names import NOTED
from ...stopping import checked
from ..lib.found import Found, Item
from ..lib.imported import ImportFailedError, Note, Why
from .buffers import value_source
from .descs import Json, NotKnownError, described_by, found, object_or_empty

TITLE = "a DxDispatch model"
ORDER = 10
MOST_WORK = 1 << 21
"""Elements of the lists that are made for one model.

Many operators may bind one buffer: what is read for all of them could be any multiple of the file.
"""
_BEGIN = re.compile(rb'(?:\xef\xbb\xbf)?\s*+(?:(?://[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)\s*+)*+\{(?!"dml_dump")')


def knows(data: bytes, name: str) -> bool:
    """True for an object, maybe behind comments, that has dispatchables; what dml_dump.h prints is a log."""
    return b'"dispatchables"' in data and _BEGIN.match(data) is not None


def read(data: bytes, name: str, folder: Path | None) -> list[Item]:
    """Each known operator, and notes on the rest; files lie in `folder`. Raises ImportFailedError."""
    try:
        root = parse_tolerant(data)
    except DmlvizError as error:
        raise ImportFailedError(f"{name}: {error}") from None
    if not isinstance(root, dict) or "dispatchables" not in root:
        raise ImportFailedError(f"{name} has no dispatchables, as a DxDispatch model has.", Why.NOTHING)
    dispatchables = root["dispatchables"]
    if not isinstance(dispatchables, dict) or not dispatchables:
        raise ImportFailedError(
            f"{name}: dispatchables is {quote(dispatchables)}, expected an object with at least one operator."
        )
    items: list[Item] = []
    taken: dict[str, Found] = {}
    places = cache(lambda: JsonPlaces(data.decode("utf-8-sig", "replace")))
    for called, dispatchable in checked(dispatchables.items()):
        where = f"dispatchables.{plain(called, 60)}"
        try:
            item = found(*described_by(dispatchable), where)
        except DmlvizError as error:
            items.append(Note(str(error), at=where, unchecked=not isinstance(error, NotKnownError)))
            continue
        item.name, item.folder = called, folder
        item.locate = partial(_fields, places, f"/dispatchables/{in_pointer(called)}")
        items.append(item)
        taken[called] = item
    model = _Model(object_or_empty(root.get("resources")), folder, taken)
    model.follow(root.get("commands"), dispatchables)
    noted = object_or_empty(root.get(NOTED)).get("operators")
    for entry in noted if isinstance(noted, list) else ():
        if (called := str(object_or_empty(entry).get("dispatchable"))) in taken:
            _take_notes(taken[called], entry)
    if taken:
        return [*model.items, *items]
    left = [item for item in items if isinstance(item, Note)]
    first = next((note for note in left if note.unchecked), None)
    if first is None:
        none = f"{name} holds none of the operators that are known here"
        raise ImportFailedError(f"{none}; {left[0].at}: {left[0].text}", Why.NOTHING)
    raise ImportFailedError(f"{name} has no operator that can be taken; {first.at}: {first.text}", Why.NOT_READ)


def _fields(places: Any, root: str) -> Any:
    return places().fields({0: root})[0]


# ---- values and wires ---------------------------------------------------------------------------------------------


class _Model(Struct):
    """A model while its commands are followed."""

    resources: Json
    folder: Path | None
    found: dict[str, Found]
    """By dispatchable."""
    items: list[Item] = field(default_factory=list)
    """Remarks on commands."""
    written: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By buffer, which dispatchable wrote it last, and which output; "" for what is none of its first dispatch."""
    dispatched: set[str] = field(default_factory=set)
    work: int = 0

    def follow(self, commands: object, dispatchables: Json) -> None:
        """Takes what the first dispatch of each operator binds; remarks on other commands."""
        for i, command in enumerate(commands if isinstance(commands, list) else []):
            kind = str(object_or_empty(command).get("type")).lower()
            called = object_or_empty(command).get("dispatchable")
            if kind == "dispatch" and isinstance(called, str) and called in dispatchables:
                self._dispatch(called, object_or_empty(command.get("bindings")), dispatchables[called])
            elif kind not in ("print", "writefile"):
                sentence = "this command is no dispatch of one of the dispatchables, and is passed over."
                self.items.append(Note(sentence, at=f"commands[{i}]"))
        for called, item in self.found.items():
            if called not in self.dispatched:
                item.notes.append(Note("it is never dispatched, so its inputs are filled by default.", at=item.at))

    def _dispatch(self, called: str, bindings: Json, dispatchable: object) -> None:
        is_first, item = called not in self.dispatched, self.found.get(called)
        self.dispatched.add(called)
        if item is not None and is_first:
            bound = {**object_or_empty(object_or_empty(dispatchable).get("bindings")), **bindings}
            for part in item.desc.inputs:
                self._fill(item, part, bound.get(part.field.name))
        elif item is not None:
            item.notes.append(Note("it is dispatched again; the first one's bindings are taken.", at=item.at))
        for key, bound_to in bindings.items():
            if key.lower().startswith("output"):
                for k, one in enumerate(bound_to if isinstance(bound_to, list) else [bound_to]):
                    name, is_window = _buffer(one)
                    path = f"{key}[{k}]" if isinstance(bound_to, list) else key
                    self.written[name] = (called, path if is_first and not is_window else "")

    def _fill(self, item: Found, part: Part, bound_to: object) -> None:
        """Takes what one buffer holds for one input, and reads what another operator wrote there just before."""
        several = bound_to if isinstance(bound_to, list) else [bound_to] if bound_to is not None else []
        if not several:
            return
        where = f"{item.at}.{part.path}"
        k = int(part.path.partition("[")[2].rstrip("]") or 0)
        tensors = sum(one.field is part.field for one in item.desc.inputs)
        name, is_window = _buffer(several[k]) if len(several) == tensors else ("", True)
        writer, path = self.written.get(name, ("", ""))
        made = {one.path: one.tensor for one in self.found[writer].desc.outputs} if writer in self.found else {}
        is_led = path in made and name != "" and not is_window and _may_be_wire(part.tensor, made[path])
        if is_led:
            item.reads[part.path] = self.found[writer], path if "[" in path else ""
        item.roots[part.path] = name
        try:
            if len(several) != tensors or is_window or name not in self.resources:
                raise ValuesError(f"found {quote(bound_to)}, expected a whole one of the resources for each tensor.")
            entry, said = self._values(name, part)
        except DmlvizError as error:
            if not is_led:
                sentence = f"{str(error).rstrip('.')}; it is filled by default."
                item.notes.append(Note(sentence, at=where, unchecked=True))
            return
        item.values[part.path] = entry
        if writer and not is_led:
            said = f"{plain(name, 60)} is written by {plain(writer, 60)} before; its initial values are taken."
        item.notes += [Note(said, at=where)] if said and not is_led else []

    def _values(self, name: str, part: Part) -> tuple[ValueSource, str]:
        """What a bound buffer fills a tensor with, and a sentence about that. Raises ValuesError."""
        tensor = part.tensor
        if tensor.members.strides is not None or not tensor.can_exist:
            raise ValuesError("values are taken for a packed tensor of sizes that can exist.")
        if self.work > MOST_WORK:
            raise ValuesError(f"this model's operators bind lists of more than {MOST_WORK:,} elements in all.")
        self.work += MOST_WORK // 64
        entry, said = value_source(object_or_empty(self.resources[name]), tensor, self.folder)
        fill_from(entry, tensor, Iota(0, 1), f"buffer {quote(name)}", self.folder, None)
        self.work += (len(entry.items) if isinstance(entry, Listed) else 1) - MOST_WORK // 64
        return entry, said


def _take_notes(item: Found, noted: Json) -> None:
    """Takes what dmlviz noted of an experiment when it wrote the model."""
    name, level, notes = (noted.get(key) for key in ("name", "feature_level", "notes"))
    if isinstance(name, str) and isinstance(level, str) and level in {*FeatureLevel}:
        item.name, item.level, item.roots = name, FeatureLevel(level), {}
        item.written = notes.encode(errors="replace").decode() if isinstance(notes, str) else ""


def _may_be_wire(reader: TensorDesc, source: TensorDesc) -> bool:
    """False for what reads the first of the elements alone, or reads their bits as another type of that size.

    Both are meant as often as not; whoever reads more than was written, or elements of another size, is wrong.
    """
    if reader.members.strides is not None or source.members.strides is not None:
        return False
    if reader.data_type is not source.data_type:
        return reader.data_type.item_size != source.data_type.item_size
    return not (reader.can_exist and source.can_exist) or reader.element_count >= source.element_count


def _buffer(bound: object) -> tuple[str, bool]:
    """The name of the buffer in a binding, and whether that takes it from another element than the first on."""
    members = object_or_empty(bound)
    name = members.get("name") if members else bound
    return name if isinstance(name, str) else "", bool(members.get("elementOffset"))
