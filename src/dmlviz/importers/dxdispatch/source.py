"""Model files of Microsoft's DxDispatch: one experiment for each operator in them that dmlviz knows.

A DxDispatch model has resources (buffers with initial values), dispatchables (operators, shaders, whole models) and
commands, which bind the ones to the others. The values of an experiment are what its first dispatch binds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from ...desc.base import Desc
from ...desc.fields import Role
from ...desc.levels import NEWEST, FeatureLevel
from ...desc.tensors import TensorDesc
from ...desc.value_sources import Listed, ValueSource, Wired, fill_from
from ...desc.values import Iota
from ...errors import DmlvizError, ValuesError, plain, quote
from ...formats.json_places import JsonPlaces, Places, in_pointer
from ...formats.tolerant_json import parse_tolerant
from ...operators.registry import operator_of, operators
from ...retired import told
from ...session.dxdispatch_names import NOTED
from ...session.experiments import Experiment
from ...session.reading import parse_desc
from ...stopping import checked
from ..lib.imported import Imported, ImportFailedError, NothingHereError, NotReadError, Remark
from ..lib.wired import wired, with_roots
from .buffers import MOST_BYTES, plain_array, value_source

TITLE = "a DxDispatch model"
ORDER = 10
MOST_WORK = 1 << 23
"""Bytes of the lists that are made for one model, and of buffers in front of them or looked at in vain.

Many operators may bind one buffer: what is read for all of them could be any multiple of the file.
"""

DUMPED = "dml_dump"
"""The member of the root of what dml_dump.h printed."""
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
    """One experiment for each known operator, remarks on the rest; files lie in `folder`. Raises ImportFailedError."""
    try:
        root = parse_tolerant(data)
    except DmlvizError as error:
        raise ImportFailedError(f"{name}: {error}") from None
    if not isinstance(root, dict):
        raise ImportFailedError(f"{name} holds {quote(root)}, expected an object with dispatchables.")
    dispatchables = root.get("dispatchables")
    if not isinstance(dispatchables, dict) or not dispatchables:
        raise ImportFailedError(
            f"{name}: dispatchables is {quote(dispatchables)}, expected an object with at least one operator."
        )
    model = _Model(
        _object_or_empty(root.get("resources")), dispatchables, folder, _noted(root.get(NOTED)), dumped=DUMPED in root
    )
    if not model.dumped:
        model.follow(root.get("commands"))
    experiments: list[Experiment] = []
    numbers: dict[str, int] = {}
    for called, dispatchable in checked(dispatchables.items()):
        try:
            experiments.append(model.experiment(called, dispatchable))
            numbers[called] = len(experiments) - 1
        except NotKnownError as error:
            model.skip(_dispatchable_path(called), str(error))
        except DmlvizError as error:
            model.skip(_dispatchable_path(called), str(error), unchecked=True)
    if not experiments:
        left = [remark for remark in model.remarks if not remark.taken and remark.where.startswith("dispatchables.")]
        first = next((remark for remark in left if remark.unchecked), None)
        if first is None:
            sentence = f"{left[0].where}: {left[0].text}"
            if model.dumped:
                raise NothingHereError(f"{name}: {_called(left[0])}: {left[0].text}")
            raise NothingHereError(f"{name} holds none of the operators that are known here; {sentence}")
        if model.dumped:
            raise NotReadError(f"{name}: {_called(first)}: {first.text}")
        raise NotReadError(f"{name} has no operator that can be taken; {first.where}: {first.text}")
    found = model.wired(experiments, numbers)  # which remarks on them too
    return Imported(found, tuple(model.remarks), lambda: _places(data, numbers))


def _places(data: bytes, numbers: Mapping[str, int]) -> Places:
    """Where the fields of experiments stand, by `numbers` of dispatchables."""
    roots = {i: f"/dispatchables/{in_pointer(called)}" for called, i in numbers.items()}
    return JsonPlaces(data.decode("utf-8-sig", "replace")).fields(roots)


def _called(remark: Remark) -> str:
    """The dispatchable that a remark is about."""
    return remark.where.removeprefix("dispatchables.")


class NotKnownError(DmlvizError):
    """A dispatchable is no operator that is known here."""


def _object_or_empty(node: object) -> Json:
    return node if isinstance(node, dict) else {}


def _dispatchable_path(called: str) -> str:
    return f"dispatchables.{plain(called, 60)}"


def _noted(note: object) -> dict[str, Json]:
    """What dmlviz noted of each experiment when it wrote the model, by dispatchable; empty for other models."""
    items = _object_or_empty(note).get("operators")
    kept: dict[str, Json] = {}
    for entry in items if isinstance(items, list) else ():
        if isinstance(entry, dict) and isinstance(called := entry.get("dispatchable"), str):
            kept[called] = entry
    return kept


class _Dispatch(Struct):
    """The first dispatch of an operator."""

    bindings: Json
    before: dict[str, tuple[str, str]]
    """Buffers that earlier dispatches had written: of which operator, and which output; "" for a window of one, or for
    one of a later dispatch than the first, whose bindings are taken."""
    times: int = 1


class _Model(Struct):
    """A model while it is read, and what was remarked so far."""

    resources: Json
    dispatchables: Json
    folder: Path | None
    noted: dict[str, Json]
    dumped: bool = False
    """True for what dml_dump.h printed: one desc as it is in memory, which nothing dispatches."""
    remarks: list[Remark] = field(default_factory=list)
    dispatches: dict[str, _Dispatch] = field(default_factory=dict)
    work: int = 0
    count: int = 0
    """How many experiments there are so far."""
    weights: dict[str, int] = field(default_factory=dict)
    reads: dict[int, dict[str, tuple[str, str]]] = field(default_factory=dict)
    """By experiment and path: the operator, and its output, that wrote the buffer which is read there as a whole."""
    roots: dict[int, dict[str, str]] = field(default_factory=dict)
    """By experiment and path, the buffer that is bound there."""

    def skip(self, where: str, text: str, *, unchecked: bool = False) -> None:
        """Remarks on something that was not taken."""
        self.remarks.append(Remark(where, False, text, unchecked))

    def follow(self, commands: object) -> None:
        """Notes the first dispatch of each operator and how often it is dispatched; remarks on other commands."""
        if not isinstance(commands, list):
            self.skip("commands", f"found {quote(commands)}, expected a list; inputs are filled by default.")
            return
        written: dict[str, tuple[str, str]] = {}
        for i, command in enumerate(commands):
            kind = _object_or_empty(command).get("type")
            kind = kind.lower() if isinstance(kind, str) else kind
            if kind in ("print", "writefile"):
                continue
            called = _object_or_empty(command).get("dispatchable")
            if kind != "dispatch" or not isinstance(called, str) or called not in self.dispatchables:
                what = quote(kind if kind != "dispatch" else called)
                self.skip(f"commands[{i}]", f"found {what}, expected a dispatch of one of the dispatchables, or print.")
                continue
            bindings = _object_or_empty(command.get("bindings"))
            is_first = called not in self.dispatches  # what a later one reads, and so what it writes, is taken of none
            if not is_first:
                self.dispatches[called].times += 1
            else:
                bound = (name for bound_to in bindings.values() for name in _buffer_names(bound_to))
                self.dispatches[called] = _Dispatch(bindings, {x: written[x] for x in bound if x in written})
            for key, bound_to in bindings.items():
                if key.lower().startswith("output"):
                    for k, one in enumerate(bound_to if isinstance(bound_to, list) else [bound_to]):
                        path = f"{key}[{k}]" if isinstance(bound_to, list) else key
                        output = path if is_first and _is_bound_whole(one) else ""
                        written.update((name, (called, output)) for name in _buffer_names(one))

    def experiment(self, called: str, dispatchable: object) -> Experiment:
        """The experiment of one dispatchable. Raises DmlvizError, with one sentence, where there can't be one."""
        where, begun = _dispatchable_path(called), len(self.remarks)
        if not isinstance(dispatchable, dict):
            raise NotKnownError(f"found {quote(dispatchable)}, expected an object with type and desc.")
        kind = _operator_type(dispatchable)
        fields = {}
        described = dispatchable.get("Desc", dispatchable.get("desc"))
        if described is None:  # DxDispatch takes the fields from beside the type then
            described = {key: value for key, value in dispatchable.items() if key not in _BESIDE}
        if not isinstance(described, dict):
            raise DmlvizError(f"desc is {quote(described)}, expected an object with the fields of {kind}.")
        desc_type = operator_of(kind).desc
        known = {field.name: field for field in desc_type.FIELDS}
        for key, value in described.items():
            if key not in known:
                sentence = f"it is no field of {kind}, so it is left out."
                self.skip(f"{where}.{plain(key, 40)}", sentence, unchecked=True)
                continue
            if known[key] not in desc_type.TENSORS:
                fields[key] = value
                continue
            tensors = []
            for i, entry in enumerate(value if isinstance(value, list) else [value]):
                path = f"{key}[{i}]" if isinstance(value, list) else key
                tensor, strange = tensor_of(entry, path, dumped=self.dumped)
                tensors.append(tensor)
                for text in strange:
                    self.skip(f"{where}.{path}", text, unchecked=True)
            fields[key] = tensors if isinstance(value, list) else tensors[0]
        desc = parse_desc(kind, fields)
        for name, entry in known.items():
            if name not in fields:
                what = "counted" if entry in desc_type.COUNTS else "inferred"
                sentence = f"it is missing, which DxDispatch refuses; here it is {what}."
                self.skip(f"{where}.{name}", sentence, unchecked=True)
        for key in ("executionFlags", "dmlCompileType"):
            if dispatchable.get(key) not in _USUAL:
                self.skip(f"{where}.{key}", f"{quote(dispatchable[key])} says how a device runs it, so it is left out.")
        at = len(self.remarks)
        experiment = self._noted_experiment(
            called, desc, self._values(called, desc, _object_or_empty(dispatchable.get("bindings")))
        )
        self.remarks.insert(at, Remark(where, True, kind))
        self.remarks[begun:] = [replace(remark, experiment=self.count) for remark in self.remarks[begun:]]
        self.count += 1
        return experiment

    def wired(self, experiments: Sequence[Experiment], numbers: Mapping[str, int]) -> tuple[Experiment, ...]:
        """The experiments, by `numbers` of dispatchables, with a wire where one reads what another wrote just before.

        A remark on such a buffer's initial values gives way to one on the wire.
        """
        links: dict[int, dict[str, tuple[int, str]]] = {}
        for i, experiment in enumerate(experiments):
            inputs = {part.path: part.tensor for part in experiment.desc.inputs} if self.reads[i] else {}
            for path, (writer, output) in self.reads[i].items():
                made = experiments[numbers[writer]].desc.outputs if writer in numbers else ()
                tensor = next((part.tensor for part in made if part.path == output), None)
                if tensor is not None and _may_be_wire(inputs[path], tensor):
                    links.setdefault(i, {})[path] = numbers[writer], output if "[" in output else ""
        found = wired(experiments, links)
        kept: list[Remark] = []
        led: list[str] = []  # by the last experiment that was told to be taken
        for remark in self.remarks:
            i = remark.experiment if remark.experiment is not None else -1
            if remark.taken and i in links:
                led = [path for path in links[i] if isinstance(found[i].values.get(path), Wired)]
                read = dict.fromkeys(plain(self.reads[i][path][0], 60) for path in led)
                told = f"{remark.text}; it reads {', '.join(read)}" if read else remark.text
                remark = replace(remark, text=told)
            elif remark.taken or i < 0:
                led = []
            elif any(remark.where.endswith(f".{path}") for path in led):
                continue
            kept.append(remark)
        self.remarks = kept
        return with_roots(found, {} if self.noted else {i: self.roots[i] for i in range(len(found))})

    def _noted_experiment(self, called: str, desc: Desc, values: dict[str, ValueSource]) -> Experiment:
        """The experiment with the name, level and notes that dmlviz noted, or called after the dispatchable."""
        noted = self.noted.get(called, {})
        name, notes, level = (noted.get(key) for key in ("name", "notes", "feature_level"))
        try:
            feature_level = FeatureLevel.of(level) if isinstance(level, str) else NEWEST
        except DmlvizError as error:
            feature_level = NEWEST
            self.skip(_dispatchable_path(called), str(error))
        return Experiment(
            name=_text(name, called),
            desc=desc,
            feature_level=feature_level,
            values=values,
            notes=_text(notes, ""),
            folder=self.folder,
        )

    def _values(self, called: str, desc: Desc, own: Json) -> dict[str, ValueSource]:
        """What the first dispatch, or else the operator itself, binds to inputs, by path; without unusable values."""
        where = _dispatchable_path(called)
        self.reads[self.count], self.roots[self.count] = {}, {}
        dispatch = self.dispatches.get(called)
        if dispatch is None:
            if not self.dumped:
                self.skip(where, "it is never dispatched, so its inputs are filled by default.")
            dispatch = _Dispatch({}, {})
        elif dispatch.times > 1:
            self.skip(where, f"it is dispatched {dispatch.times:,} times; the first one's bindings are taken.")
        entries: dict[str, ValueSource] = {}
        bindings = {**own, **dispatch.bindings}
        for part in desc.TENSORS:
            if part.role is Role.OUTPUT or part.name not in bindings:
                continue
            tensors = [tensor_part for tensor_part in desc.inputs if tensor_part.field.name == part.name]
            sources = bindings[part.name] if isinstance(bindings[part.name], list) else [bindings[part.name]]
            if len(sources) != len(tensors):
                sentence = (
                    f"{len(sources):,} buffers are bound to it, expected {len(tensors):,}; it is filled by default."
                )
                self.skip(f"{where}.{part.name}", sentence, unchecked=True)
                continue
            for bound, source in zip(tensors, sources, strict=True):
                for name in _buffer_names(source):
                    self.roots[self.count][bound.path] = name
                    if name in dispatch.before and _is_bound_whole(source):
                        self.reads[self.count][bound.path] = dispatch.before[name]
                try:
                    if bound.tensor.members.strides is not None:
                        raise ValuesError("its strides are not those of a packed tensor.")
                    entry, remarked = self._buffer_values(source, bound.tensor)
                    if entry is not None and bound.tensor.can_exist and not _is_plain(entry, bound.tensor):
                        fill_from(entry, bound.tensor, Iota(0, 1), bound.path, self.folder, None)
                except DmlvizError as error:
                    sentence = f"{str(error).rstrip('.')}; it is filled by default."
                    self.skip(f"{where}.{bound.path}", sentence, unchecked=True)
                    continue
                if entry is not None:
                    entries[bound.path] = entry
                for text in remarked:
                    self.skip(f"{where}.{bound.path}", text)
                for name in _buffer_names(source):
                    if name in dispatch.before:
                        by = plain(dispatch.before[name][0], 60)
                        sentence = f"{plain(name, 60)} is written by {by} before; its initial values are taken."
                        self.skip(f"{where}.{bound.path}", sentence)
        return entries

    def _buffer_values(self, source: object, tensor: TensorDesc) -> tuple[ValueSource | None, list[str]]:
        """What a bound buffer fills the tensor with, and sentences about that. Raises ValuesError."""
        name = source if isinstance(source, str) else _object_or_empty(source).get("name")
        if not isinstance(name, str) or name not in self.resources:
            raise ValuesError(f"the buffer {quote(name)} is bound to it, expected one of the resources.")
        if self.work > MOST_WORK:
            raise ValuesError(f"this model's operators bind more than {MOST_WORK:,} bytes of lists in all.")
        try:
            entry, remarks = value_source(self.resources[name], _object_or_empty(source), tensor, self.folder)
        except ValuesError as error:
            self.work += 8 * self._weight(name)
            raise ValuesError(f"buffer {quote(name)}: {error}") from None
        self.work += len(entry.items) * tensor.data_type.item_size + _reach(source) if isinstance(entry, Listed) else 1
        return entry, remarks

    def _weight(self, name: str) -> int:
        """A measure of the size of a buffer's declaration, worked out once."""
        if name not in self.weights:
            waiting, count = [self.resources[name]], 0
            while waiting:
                node = waiting.pop()
                count += len(node) // 8 + 1 if isinstance(node, str) else 1
                waiting += node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
            self.weights[name] = count
        return self.weights[name]


def _is_bound_whole(bound: object) -> bool:
    """True for a binding that begins where its buffer does."""
    return not _object_or_empty(bound).get("elementOffset", 0)


def _may_be_wire(reader: TensorDesc, source: TensorDesc) -> bool:
    """False for what reads the first of the elements alone, or reads their bits as another type of that size.

    Both are meant as often as not; whoever reads more than was written, or elements of another size, is wrong.
    """
    if reader.members.strides is not None or source.members.strides is not None:
        return False
    if reader.data_type is not source.data_type:
        return reader.data_type.item_size != source.data_type.item_size
    return not (reader.can_exist and source.can_exist) or reader.element_count >= source.element_count


def _is_plain(entry: ValueSource, tensor: TensorDesc) -> bool:
    """True for a list of plain numbers that the tensor's type holds."""
    return isinstance(entry, Listed) and plain_array(entry.items, tensor.data_type) is not None


def _reach(source: object) -> int:
    """About the bytes of a buffer in front of the window that a binding takes."""
    offset = _object_or_empty(source).get("elementOffset", 0)
    return min(8 * offset, MOST_BYTES) if isinstance(offset, int) else 0


def _buffer_names(bound: object) -> list[str]:
    """The buffers in a binding: one or several, each with or without a window."""
    bindings = bound if isinstance(bound, list) else [bound]
    names = [one if isinstance(one, str) else _object_or_empty(one).get("name") for one in bindings]
    return [name for name in names if isinstance(name, str)]


def _operator_type(dispatchable: Json) -> str:
    """The operator's type. Raises NotKnownError where it is none of dmlviz's."""
    kind = dispatchable.get("Type", dispatchable.get("type"))
    if not isinstance(kind, str):
        raise NotKnownError(f"type is {quote(kind)}, expected the type of an operator.")
    if kind.lower() in _OTHERS:
        raise NotKnownError(f"it is {_OTHERS[kind.lower()]}.")
    known = operators()
    for name in (kind, f"DML_OPERATOR_{kind}"):
        if name in known:
            return name
    if sentence := told(kind.removeprefix("DML_OPERATOR_")):
        raise NotKnownError(sentence)
    names = ", ".join(operator.name for operator in known.values())
    raise NotKnownError(f"operator {quote(kind)} is none that dmlviz knows, expected one of {names}.")


def _text(text: object, default: str) -> str:
    """A name or notes, or `default`, without half characters, which JSON can hold and no file can."""
    return (text if isinstance(text, str) else default).encode(errors="replace").decode()


_MEMBERS = (
    "DataType",
    "Sizes",
    "DimensionCount",
    "Strides",
    "TotalTensorSizeInBytes",
    "Flags",
    "GuaranteedBaseOffsetAlignment",
)


def tensor_of(node: object, path: str, *, dumped: bool = False) -> tuple[dict[str, Any], list[str]]:
    """The known members of a tensor desc as a session file has them, and a sentence for each other one.

    Raises DmlvizError where it is no tensor desc of a buffer. Of one that is `dumped` 0 bytes in all are no default.
    """
    if not isinstance(node, dict):
        raise DmlvizError(f"{path} is {quote(node)}, expected an object with DataType and Sizes.")
    kind = node.get("Type")
    if kind not in (None, "BUFFER", "DML_TENSOR_TYPE_BUFFER"):
        raise DmlvizError(f"{path}.Type is {quote(kind)}, expected DML_TENSOR_TYPE_BUFFER.")
    inner = node.get("Desc", node)
    if not isinstance(inner, dict):
        raise DmlvizError(f"{path}.Desc is {quote(inner)}, expected an object with DataType and Sizes.")
    data_type, sizes = inner.get("DataType"), inner.get("Sizes")
    if not isinstance(data_type, str) or not isinstance(sizes, list) or not all(_is_whole(size) for size in sizes):
        what = "DataType" if not isinstance(data_type, str) else "Sizes"
        expected = "a type such as FLOAT32" if what == "DataType" else "a list of integers"
        raise DmlvizError(f"{path}.{what} is {quote(inner.get(what))}, expected {expected}.")
    members = {key: inner[key] for key in _MEMBERS if inner.get(key) is not None}
    if members.get("Strides") == []:
        del members["Strides"]  # as good as none to DxDispatch
    if members.get("TotalTensorSizeInBytes") == 0 and not dumped:
        del members["TotalTensorSizeInBytes"]  # DxDispatch works it out then
    strange = (key for key in inner if key not in _MEMBERS and key != "Type")
    return members, [f"{quote(key)} is no member of DML_BUFFER_TENSOR_DESC, so it is left out." for key in strange]


def _is_whole(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)
