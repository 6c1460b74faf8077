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
from ...desc.fields import Role
from ...desc.levels import NEWEST
from ...desc.tensors import TensorDesc
from ...desc.value_sources import Listed, ValueSource, fill_from
from ...desc.values import Iota
from ...errors import DmlvizError, ValuesError, plain, quote
from ...formats.json_places import JsonPlaces, in_pointer
from ...formats.tolerant_json import parse_tolerant
from ...session.dxdispatch_names import NOTED
from ...session.experiments import Experiment
from ...stopping import checked
from ..lib.found import Found, Item
from ..lib.imported import ImportFailedError, Note, Why
from .buffers import value_source
from .descs import Json, NotKnownError, described_by, found, object_or_empty
from .dumped import read_dump

__all__ = ["ORDER", "TITLE", "knows", "read", "read_dump"]

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
    model = _Model(object_or_empty(root.get("resources")), folder, _noted(root.get(NOTED)))
    model.follow(root.get("commands"), dispatchables)
    places = cache(lambda: JsonPlaces(data.decode("utf-8-sig", "replace")))
    for called, dispatchable in checked(dispatchables.items()):
        where = f"dispatchables.{plain(called, 60)}"
        try:
            kind, described = described_by(dispatchable)
            item = found(kind, described, where)
        except DmlvizError as error:
            model.items.append(Note(str(error), at=where, unchecked=not isinstance(error, NotKnownError)))
            continue
        item.locate = partial(_fields, places, f"/dispatchables/{in_pointer(called)}")
        model.items.append(item)
        model.found[called] = item
    for called, item in model.found.items():
        model.take(called, item, object_or_empty(dispatchables[called].get("bindings")))
    if model.found:
        return model.items
    left = [item for item in model.items if isinstance(item, Note) and item.at.startswith("dispatchables.")]
    first = next((note for note in left if note.unchecked), None)
    if first is None:
        none = f"{name} holds none of the operators that are known here"
        raise ImportFailedError(f"{none}; {left[0].at}: {left[0].text}", Why.NOTHING)
    raise ImportFailedError(f"{name} has no operator that can be taken; {first.at}: {first.text}", Why.NOT_READ)


def _fields(places: Any, root: str) -> Any:
    return places().fields({0: root})[0]


# ---- values and wires ---------------------------------------------------------------------------------------------


class _Dispatch(Struct):
    """The first dispatch of an operator."""

    bindings: Json
    before: dict[str, tuple[str, str]]
    """Buffers that earlier dispatches had written: of which operator, and which output; "" for a window of one, or for
    one of a later dispatch than the first, whose bindings are taken."""
    times: int = 1


class _Model(Struct):
    """A model while it is read."""

    resources: Json
    folder: Path | None
    noted: dict[str, Json]
    items: list[Item] = field(default_factory=list)
    found: dict[str, Found] = field(default_factory=dict)
    """By dispatchable."""
    dispatches: dict[str, _Dispatch] = field(default_factory=dict)
    work: int = 0

    def follow(self, commands: object, dispatchables: Json) -> None:
        """Notes the first dispatch of each operator and how often it is dispatched; remarks on other commands."""
        if not isinstance(commands, list):
            self.items.append(
                Note(f"found {quote(commands)}, expected a list; inputs are filled by default.", at="commands")
            )
            return
        written: dict[str, tuple[str, str]] = {}
        for i, command in enumerate(commands):
            kind = object_or_empty(command).get("type")
            kind = kind.lower() if isinstance(kind, str) else kind
            if kind in ("print", "writefile"):
                continue
            called = object_or_empty(command).get("dispatchable")
            if kind != "dispatch" or not isinstance(called, str) or called not in dispatchables:
                what = quote(kind if kind != "dispatch" else called)
                sentence = f"found {what}, expected a dispatch of one of the dispatchables, or print."
                self.items.append(Note(sentence, at=f"commands[{i}]"))
                continue
            bindings = object_or_empty(command.get("bindings"))
            is_first = called not in self.dispatches  # what a later one reads, and so what it writes, is taken of none
            if is_first:
                bound = (name for bound_to in bindings.values() for name in _buffer_names(bound_to))
                self.dispatches[called] = _Dispatch(bindings, {x: written[x] for x in bound if x in written})
            else:
                self.dispatches[called].times += 1
            for key, bound_to in bindings.items():
                if key.lower().startswith("output"):
                    for k, one in enumerate(bound_to if isinstance(bound_to, list) else [bound_to]):
                        path = f"{key}[{k}]" if isinstance(bound_to, list) else key
                        output = path if is_first and not object_or_empty(one).get("elementOffset") else ""
                        written.update((name, (called, output)) for name in _buffer_names(one))

    def take(self, called: str, item: Found, own: Json) -> None:
        """Takes what is bound to the inputs of a desc, and its name, level and notes if dmlviz noted them."""
        item.name, item.folder = called, self.folder
        dispatch = self.dispatches.get(called, _Dispatch({}, {}, 0))
        if dispatch.times == 0:
            item.notes.append(Note("it is never dispatched, so its inputs are filled by default.", at=item.at))
        elif dispatch.times > 1:
            sentence = f"it is dispatched {dispatch.times:,} times; the first one's bindings are taken."
            item.notes.append(Note(sentence, at=item.at))
        bindings = {**own, **dispatch.bindings}
        for part in item.desc.TENSORS:
            if part.role is Role.OUTPUT or part.name not in bindings:
                continue
            tensors = [bound for bound in item.desc.inputs if bound.field.name == part.name]
            sources = bindings[part.name] if isinstance(bindings[part.name], list) else [bindings[part.name]]
            if len(sources) != len(tensors):
                sentence = (
                    f"{len(sources):,} buffers are bound to it, expected {len(tensors):,}; it is filled by default."
                )
                item.notes.append(Note(sentence, at=f"{item.at}.{part.name}", unchecked=True))
                continue
            for bound, source in zip(tensors, sources, strict=True):
                self._fill(item, bound, source, dispatch)
        if (noted := self.noted.get(called)) is not None:
            try:
                item.experiment = Experiment(
                    noted.get("name", called),
                    item.desc,
                    noted.get("feature_level", NEWEST),
                    values=item.values,
                    notes=noted.get("notes", ""),
                    folder=self.folder,
                )
            except DmlvizError as error:
                item.notes.append(Note(str(error), at=item.at))

    def _fill(self, item: Found, bound: Part, source: object, dispatch: _Dispatch) -> None:
        """Takes what one buffer holds for one input, and reads what another operator wrote there just before."""
        where = f"{item.at}.{bound.path}"
        names = _buffer_names(source)
        before = next((dispatch.before[name] for name in names if name in dispatch.before), None)
        if before is not None and not object_or_empty(source).get("elementOffset"):
            writer = self.found.get(before[0])
            made = {part.path: part.tensor for part in writer.desc.outputs}.get(before[1]) if writer else None
            if writer is not None and made is not None and _may_be_wire(bound.tensor, made):
                item.reads[bound.path] = writer, before[1] if "[" in before[1] else ""
        is_led = bound.path in item.reads
        if not self.noted:
            item.roots.update((bound.path, name) for name in names)
        try:
            if bound.tensor.members.strides is not None:
                raise ValuesError("its strides are not those of a packed tensor.")
            entry, said = self._buffer_values(source, bound.tensor)
            if bound.tensor.can_exist:
                fill_from(entry, bound.tensor, Iota(0, 1), bound.path, self.folder, None)
        except DmlvizError as error:
            if not is_led:
                sentence = f"{str(error).rstrip('.')}; it is filled by default."
                item.notes.append(Note(sentence, at=where, unchecked=True))
            return
        item.values[bound.path] = entry
        if before is not None:
            shown, writer_name = plain(names[0], 60), plain(before[0], 60)
            said.append(f"{shown} is written by {writer_name} before; its initial values are taken.")
        item.notes += [Note(text, at=where) for text in said if not is_led]

    def _buffer_values(self, source: object, tensor: TensorDesc) -> tuple[ValueSource, list[str]]:
        """What a bound buffer fills the tensor with, and sentences about that. Raises ValuesError."""
        name = source if isinstance(source, str) else object_or_empty(source).get("name")
        if not isinstance(name, str) or name not in self.resources:
            raise ValuesError(f"the buffer {quote(name)} is bound to it, expected one of the resources.")
        if self.work > MOST_WORK:
            raise ValuesError(f"this model's operators bind lists of more than {MOST_WORK:,} elements in all.")
        try:
            entry, said = value_source(self.resources[name], object_or_empty(source), tensor, self.folder)
        except ValuesError as error:
            self.work += MOST_WORK // 64
            raise ValuesError(f"buffer {quote(name)}: {error}") from None
        self.work += len(entry.items) if isinstance(entry, Listed) else 1
        return entry, said


def _noted(note: object) -> dict[str, Json]:
    """What dmlviz noted of each experiment when it wrote the model, by dispatchable; empty for other models."""
    items = object_or_empty(note).get("operators")
    kept: dict[str, Json] = {}
    for entry in items if isinstance(items, list) else ():
        if isinstance(entry, dict) and isinstance(called := entry.get("dispatchable"), str):
            kept[called] = entry
    return kept


def _may_be_wire(reader: TensorDesc, source: TensorDesc) -> bool:
    """False for what reads the first of the elements alone, or reads their bits as another type of that size.

    Both are meant as often as not; whoever reads more than was written, or elements of another size, is wrong.
    """
    if reader.members.strides is not None or source.members.strides is not None:
        return False
    if reader.data_type is not source.data_type:
        return reader.data_type.item_size != source.data_type.item_size
    return not (reader.can_exist and source.can_exist) or reader.element_count >= source.element_count


def _buffer_names(bound: object) -> list[str]:
    """The buffers in a binding: one or several, each with or without a window."""
    bindings = bound if isinstance(bound, list) else [bound]
    names = [one if isinstance(one, str) else object_or_empty(one).get("name") for one in bindings]
    return [name for name in names if isinstance(name, str)]
