"""Model files of Microsoft's DxDispatch: one experiment for each operator in them that dmlviz knows.

A DxDispatch model has resources (buffers with initial values), dispatchables (operators, shaders, whole models) and
commands, which bind the ones to the others. The values of an experiment are what its first dispatch binds.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from ...desc.base import Desc
from ...desc.fields import CountField, Role, TensorField
from ...desc.levels import NEWEST, FeatureLevel
from ...desc.tensors import TensorDesc
from ...desc.value_sources import Listed, ValueSource, fill_from
from ...desc.values import Iota
from ...errors import DmlvizError, ValuesError, plain, quote
from ...operators.registry import operator_of, operators
from ...session.dxdispatch_names import NOTED
from ...session.experiments import Experiment
from ...session.reading import parse_desc
from ...stopping import checked
from ..lib.imported import Imported, ImportFailedError, NothingHereError, Remark
from .buffers import MOST_BYTES, plain_array, source_of
from .tensors import tensor_of
from .tolerant_json import parse_tolerant

TITLE = "a DxDispatch model"
ORDER = 10
MOST_WORK = 1 << 23
"""Bytes of the lists that are made for one model, and of buffers in front of them or looked at in vain.

Many operators may bind one buffer: what is read for all of them could be any multiple of the file.
"""

Json = Mapping[str, Any]
_BESIDE = ("type", "Type", "desc", "Desc", "bindings", "executionFlags", "dmlCompileType")
"""Members of a dispatchable that are no field of its desc."""
_USUAL: tuple[object, ...] = (None, [], "NONE", ["NONE"], "DML_EXECUTION_FLAG_NONE", ["DML_EXECUTION_FLAG_NONE"])
_USUAL += ("DmlCompileOp",)
_OTHERS = {
    "hlsl": "an HLSL shader, which dmlviz doesn't read",
    "onnx": "an ONNX model, which dmlviz reads from its own file",
    "dmlserializedgraph": "a serialized graph, which dmlviz doesn't read",
}


def knows(data: bytes, name: str) -> bool:
    """True for an object, maybe behind comments, that has dispatchables."""
    return b'"dispatchables"' in data and data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"/")


def read(data: bytes, name: str, folder: Path | None) -> Imported:
    """One experiment for each operator that is known; a remark on everything else.

    .npy and raw files lie in `folder`. Raises ImportFailedError where no operator can be taken.
    """
    try:
        root = parse_tolerant(data)
    except DmlvizError as error:
        raise ImportFailedError(f"{name}: {error}") from None
    if not isinstance(root, dict):
        raise ImportFailedError(f"{name} holds {quote(root)}, expected an object with dispatchables.")
    found = root.get("dispatchables")
    if not isinstance(found, dict) or not found:
        raise ImportFailedError(
            f"{name}: dispatchables is {quote(found)}, expected an object with at least one operator."
        )
    model = _Model(_object(root.get("resources")), found, folder, _noted(root.get(NOTED)))
    model.follow(root.get("commands"))
    made = []
    for called, each in checked(found.items()):
        try:
            made.append(model.experiment(called, each))
        except NotKnownError as error:
            model.left(_where(called), str(error))
        except DmlvizError as error:
            model.left(_where(called), str(error), unchecked=True)
    if not made:
        left = [each for each in model.remarks if not each.taken and each.where.startswith("dispatchables.")]
        first = next((each for each in left if each.unchecked), None)
        if first is None:
            said = f"{left[0].where}: {left[0].text}"
            raise NothingHereError(f"{name} holds none of the operators that are known here; {said}")
        raise ImportFailedError(f"{name} has no operator that can be taken; {first.where}: {first.text}")
    return Imported(tuple(made), tuple(model.remarks))


class NotKnownError(DmlvizError):
    """A dispatchable is no operator that is known here."""


def _object(found: object) -> Json:
    return found if isinstance(found, dict) else {}


def _where(called: str) -> str:
    return f"dispatchables.{plain(called, 60)}"


def _noted(found: object) -> dict[str, Json]:
    """What dmlviz noted beside each dispatchable when it wrote the model."""
    items = _object(found).get("operators")
    kept: dict[str, Json] = {}
    for each in items if isinstance(items, list) else ():
        if isinstance(each, dict) and isinstance(called := each.get("dispatchable"), str):
            kept[called] = each
    return kept


class _Dispatch(Struct):
    """The first dispatch of an operator."""

    bindings: Json
    before: dict[str, str]
    """Buffers that earlier dispatches had written, and of which operator."""
    times: int = 1


class _Model(Struct):
    """A model while it is read, and what was remarked so far."""

    resources: Json
    dispatchables: Json
    folder: Path | None
    noted: dict[str, Json]
    remarks: list[Remark] = field(default_factory=list)
    dispatches: dict[str, _Dispatch] = field(default_factory=dict)
    work: int = 0
    made: int = 0
    """How many experiments there are so far."""
    weights: dict[str, int] = field(default_factory=dict)

    def left(self, where: str, text: str, *, unchecked: bool = False) -> None:
        """Remarks on something that was not taken."""
        self.remarks.append(Remark(where, False, text, unchecked))

    def follow(self, commands: object) -> None:
        """Finds the first dispatch of each operator."""
        if not isinstance(commands, list):
            self.left("commands", f"found {quote(commands)}, expected a list; inputs are filled by default.")
            return
        written: dict[str, str] = {}
        for i, each in enumerate(commands):
            kind = _object(each).get("type")
            kind = kind.lower() if isinstance(kind, str) else kind
            if kind in ("print", "writefile"):
                continue
            called = _object(each).get("dispatchable")
            if kind != "dispatch" or not isinstance(called, str) or called not in self.dispatchables:
                what = quote(kind if kind != "dispatch" else called)
                self.left(f"commands[{i}]", f"found {what}, expected a dispatch of one of the dispatchables, or print.")
                continue
            bindings = _object(each.get("bindings"))
            if called in self.dispatches:
                self.dispatches[called].times += 1
            else:
                bound = (name for each in bindings.values() for name in _names(each))
                self.dispatches[called] = _Dispatch(bindings, {x: written[x] for x in bound if x in written})
            for key, bound_to in bindings.items():
                if key.lower().startswith("output"):
                    written.update((name, called) for name in _names(bound_to))

    def experiment(self, called: str, found: object) -> Experiment:
        """The experiment of one dispatchable. Raises DmlvizError, with one sentence, where there can't be one."""
        where, begun = _where(called), len(self.remarks)
        if not isinstance(found, dict):
            raise NotKnownError(f"found {quote(found)}, expected an object with type and desc.")
        kind = _kind(found)
        fields = {}
        described = found.get("Desc", found.get("desc"))
        if described is None:  # DxDispatch takes the fields from beside the type then
            described = {key: value for key, value in found.items() if key not in _BESIDE}
        if not isinstance(described, dict):
            raise DmlvizError(f"desc is {quote(described)}, expected an object with the fields of {kind}.")
        known = {each.name: each for each in operator_of(kind).desc.FIELDS}
        for key, value in described.items():
            if key not in known:
                said = f"it is no field of {kind}, so it is left out."
                self.left(f"{where}.{plain(key, 40)}", said, unchecked=True)
                continue
            if not isinstance(known[key], TensorField):
                fields[key] = value
                continue
            tensors = []
            for i, each in enumerate(value if isinstance(value, list) else [value]):
                path = f"{key}[{i}]" if isinstance(value, list) else key
                tensor, strange = tensor_of(each, path)
                tensors.append(tensor)
                for text in strange:
                    self.left(f"{where}.{path}", text, unchecked=True)
            fields[key] = tensors if isinstance(value, list) else tensors[0]
        desc = parse_desc(kind, fields)
        for name, each in known.items():
            if name not in fields:
                what = "counted" if isinstance(each, CountField) else "inferred"
                said = f"it is missing, which DxDispatch refuses; here it is {what}."
                self.left(f"{where}.{name}", said, unchecked=True)
        for key in ("executionFlags", "dmlCompileType"):
            if found.get(key) not in _USUAL:
                self.left(f"{where}.{key}", f"{quote(found[key])} says how a device runs it, so it is left out.")
        at = len(self.remarks)
        made = self._named(called, desc, self._values(called, desc, _object(found.get("bindings"))))
        self.remarks.insert(at, Remark(where, True, kind))
        self.remarks[begun:] = [replace(each, experiment=self.made) for each in self.remarks[begun:]]
        self.made += 1
        return made

    def _named(self, called: str, desc: Desc, values: dict[str, ValueSource]) -> Experiment:
        noted = self.noted.get(called, {})
        name, notes, level = (noted.get(key) for key in ("name", "notes", "feature_level"))
        try:
            feature_level = FeatureLevel.of(level) if isinstance(level, str) else NEWEST
        except DmlvizError as error:
            feature_level = NEWEST
            self.left(_where(called), str(error))
        return Experiment(
            name=_text(name, called),
            desc=desc,
            feature_level=feature_level,
            values=values,
            notes=_text(notes, ""),
            folder=self.folder,
        )

    def _values(self, called: str, desc: Desc, own: Json) -> dict[str, ValueSource]:
        """What the first dispatch binds to each input, or the operator does itself; nothing for what can't be used."""
        where = _where(called)
        dispatch = self.dispatches.get(called)
        if dispatch is None:
            self.left(where, "it is never dispatched, so its inputs are filled by default.")
            dispatch = _Dispatch({}, {})
        elif dispatch.times > 1:
            self.left(where, f"it is dispatched {dispatch.times:,} times; the first one's bindings are taken.")
        made: dict[str, ValueSource] = {}
        bindings = {**own, **dispatch.bindings}
        for part in desc.FIELDS:
            if not isinstance(part, TensorField) or part.role is Role.OUTPUT or part.name not in bindings:
                continue
            tensors = [each for each in desc.inputs if each.field.name == part.name]
            sources = bindings[part.name] if isinstance(bindings[part.name], list) else [bindings[part.name]]
            if len(sources) != len(tensors):
                said = f"{len(sources):,} buffers are bound to it, expected {len(tensors):,}; it is filled by default."
                self.left(f"{where}.{part.name}", said, unchecked=True)
                continue
            for each, source in zip(tensors, sources, strict=True):
                try:
                    if each.tensor.members.strides is not None:
                        raise ValuesError("its strides are not those of a packed tensor.")
                    entry, remarked = self._bound(source, each.tensor)
                    if entry is not None and each.tensor.can_exist and not _is_plain(entry, each.tensor):
                        fill_from(entry, each.tensor, Iota(0, 1), each.path, self.folder, None)
                except DmlvizError as error:
                    said = f"{str(error).rstrip('.')}; it is filled by default."
                    self.left(f"{where}.{each.path}", said, unchecked=True)
                    continue
                if entry is not None:
                    made[each.path] = entry
                for text in remarked:
                    self.left(f"{where}.{each.path}", text)
                for name in _names(source):
                    if name in dispatch.before:
                        by = plain(dispatch.before[name], 60)
                        said = f"{plain(name, 60)} is written by {by} before; its initial values are taken."
                        self.left(f"{where}.{each.path}", said)
        return made

    def _bound(self, source: object, tensor: TensorDesc) -> tuple[ValueSource | None, list[str]]:
        name = source if isinstance(source, str) else _object(source).get("name")
        if not isinstance(name, str) or name not in self.resources:
            raise ValuesError(f"the buffer {quote(name)} is bound to it, expected one of the resources.")
        if self.work > MOST_WORK:
            raise ValuesError(f"this model's operators bind more than {MOST_WORK:,} bytes of lists in all.")
        try:
            entry, said = source_of(self.resources[name], _object(source), tensor, self.folder)
        except ValuesError as error:
            self.work += 8 * self._weight(name)
            raise ValuesError(f"buffer {quote(name)}: {error}") from None
        self.work += len(entry.items) * tensor.data_type.item_size + _reach(source) if isinstance(entry, Listed) else 1
        return entry, said

    def _weight(self, name: str) -> int:
        """How much there is in a buffer's declaration, counted once."""
        if name not in self.weights:
            held, count = [self.resources[name]], 0
            while held:
                each = held.pop()
                count += len(each) // 8 + 1 if isinstance(each, str) else 1
                held += each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
            self.weights[name] = count
        return self.weights[name]


def _is_plain(entry: ValueSource, tensor: TensorDesc) -> bool:
    """True for a list of which it is quickly told that the tensor can hold it."""
    return isinstance(entry, Listed) and plain_array(entry.items, tensor.data_type) is not None


def _reach(source: object) -> int:
    """About the bytes of a buffer in front of the window that a binding takes."""
    offset = _object(source).get("elementOffset", 0)
    return min(8 * offset, MOST_BYTES) if isinstance(offset, int) else 0


def _names(bound: object) -> list[str]:
    """The buffers in a binding: one or several, each with or without a window."""
    each = bound if isinstance(bound, list) else [bound]
    names = [one if isinstance(one, str) else _object(one).get("name") for one in each]
    return [name for name in names if isinstance(name, str)]


def _kind(found: Json) -> str:
    """The operator's type. Raises NotKnownError where it is none of dmlviz's."""
    kind = found.get("Type", found.get("type"))
    if not isinstance(kind, str):
        raise NotKnownError(f"type is {quote(kind)}, expected the type of an operator.")
    if kind.lower() in _OTHERS:
        raise NotKnownError(f"it is {_OTHERS[kind.lower()]}.")
    known = operators()
    for each in (kind, f"DML_OPERATOR_{kind}"):
        if each in known:
            return each
    names = ", ".join(each.name for each in known.values())
    raise NotKnownError(f"operator {quote(kind)} is none that dmlviz knows, expected one of {names}.")


def _text(found: object, default: str) -> str:
    """A name or notes, without half characters, which JSON can hold and no file can."""
    return (found if isinstance(found, str) else default).encode(errors="replace").decode()
