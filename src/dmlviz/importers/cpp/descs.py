"""Structs that were read from C++ text, and calls of DirectMLX, to descs, each with what is said beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from tree_sitter import Node

from ...desc.fields import Role, TensorField
from ...desc.indexing import put
from ...desc.levels import FeatureLevel
from ...desc.tensors import TensorDesc
from ...errors import DmlvizError, plain
from ...operators.registry import operators
from ...retired import told
from ..lib.found import Found, Item
from ..lib.imported import Note
from ..log import NULL, fault, held
from . import function_of
from .names import Array, Kind, Made, Names, Output, Place, Symbol, Unknown, Value, Wide, is_null, shown, why

BUFFER = "DML_BUFFER_TENSOR_DESC"
TENSOR = "DML_TENSOR_DESC"
OPERATOR = "DML_OPERATOR_DESC"
_LEVELS = "|".join(level.value for level in FeatureLevel)
_LEVEL = re.compile(rf"\bDML_FEATURE_LEVEL_({_LEVELS})\b".encode())
_NAME = r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"'
TITLE = re.compile(rf"// Experiment ({_NAME})\n *// at DML_FEATURE_LEVEL_({_LEVELS})".encode())
_MEMBERS = "DataType Flags DimensionCount Sizes Strides TotalTensorSizeInBytes GuaranteedBaseOffsetAlignment"
_BYTES = {
    4: "int, unsigned, unsigned int, int32_t, uint32_t, INT, UINT, INT32, UINT32, DWORD, float, FLOAT",
    8: "double, int64_t, uint64_t, INT64, UINT64, size_t, long long, unsigned long long",
}
_NARROW = {
    1: "char, unsigned char, int8_t, uint8_t, INT8, UINT8, BYTE",
    2: "short, unsigned short, int16_t, uint16_t, INT16, UINT16, WORD, half, HALF",
}
BYTES: Mapping[str, int] = {name: size for size, names in _BYTES.items() for name in names.split(", ")}
"""The types of numbers whose values are followed: others may cut some off."""
NARROW: Mapping[str, int] = {name: size for size, names in _NARROW.items() for name in names.split(", ")}
_SLIP = re.compile(r"line (\d+) (?:can't be parsed|names \w+, )|.* initialisers for ")
_HEADER = "; include the header of `dmlviz header`, and `dmlviz check -` reads what the program prints"
_ENUMS = ("DML_TENSOR_DATA_TYPE", "DML_TENSOR_FLAGS", "DML_TENSOR_TYPE")


class Calculated(Wide):
    """Bytes as DMLCalcBufferTensorSize says them."""


def _bytes_of(read: Mapping[str, Any]) -> int:
    count, strides = read.get("DimensionCount"), read.get("Strides")
    return TensorDesc(read["DataType"], read["Sizes"], dimension_count=count, strides=strides).total_bytes


class Descs(Names):
    is_open = False
    """True behind `using namespace dml;`, and inside of it."""

    def __init__(self, data: bytes, doomed: dict[int | str, str]) -> None:
        super().__init__(data, doomed)
        self.items: list[Item] = []
        self.notes: list[Note] = []
        self.lines: dict[str, int] = {}
        self.spaces = {"dml"}
        self.free = set[str]()
        """Names of DirectMLX's namespace, and of what was taken out of it: `using dml::Join;`."""
        self.functions = {function_of(kind): one.desc for kind, one in operators().items()}
        self.known = {one.page: one.desc for one in operators().values()}
        self.members = {page: [field.name for field in desc.FIELDS] for page, desc in self.known.items()}
        self.members |= {BUFFER: _MEMBERS.split(), TENSOR: ["Type", "Desc"], OPERATOR: ["Type", "Desc"]}
        self.types: dict[str, Kind] = {}
        self.scalars = {*BYTES, *_ENUMS, *(one.c_type for desc in self.known.values() for one in desc.ATTRIBUTES)}
        said = set(_LEVEL.findall(data))
        self.level = FeatureLevel(said.pop().decode()) if len(said) == 1 else None
        self.title: re.Match[bytes] | None = None

    def is_struct(self, kind: str) -> bool:
        return kind in self.members or (kind.endswith("_OPERATOR_DESC") and kind.startswith("DML_"))

    def operator(self, value: Value) -> tuple[Place, Made, Value, int] | None:
        type_: Value = None
        line = 0
        for _ in range(2):
            place = self.led(value)
            made = self.written(place) if place is not None else None
            if place is None or not isinstance(made, Made):
                return None
            if made.kind != OPERATOR:
                if made.kind in (BUFFER, TENSOR):
                    return None
                return place, made, type_, line
            value = self.at(place.part("Desc"))
            type_ = self.at(place.part("Type"))
            line = made.lines.get("Type", made.line)
        return None

    def finish(self, value: Value, *, at_end: bool = False, is_given: bool = False) -> None:
        """Takes the desc of an operator's struct as it is: at the end of its block only if it never was before."""
        one = self.operator(value)
        if one is None or one[0].of.level < self.deferred:
            return
        place, made, type_, line = one
        variable, key = place.of, place.path
        is_told = key in variable.taken
        if (at_end and is_told) or not (variable.name or made.members):
            return  # or a tag of its type
        variable.is_given |= is_given
        last = variable.taken.setdefault(key, None)
        called = f"{plain(made.kind)} {plain(variable.name, 60)}".rstrip()
        if made.kind not in self.known:
            gone = told(made.kind.removeprefix("DML_").removesuffix("_OPERATOR_DESC"))
            said = gone or f"{called} isn't supported, expected one of {', '.join(self.known)}."
            self.items += [] if is_told else [Note(said, made.line)]
            return
        self.notes = []
        self.lines = {f"{OPERATOR}.Type": line or made.line}
        kind = self.known[made.kind].TYPE
        wrong = []
        if isinstance(type_, Symbol) and type_.name != kind:
            wrong.append(fault("level.operator", f"{OPERATOR}.Type", shown(type_), kind, OPERATOR))
        is_enumerator = shown(type_).startswith("DML_OPERATOR_")
        try:
            item = held(kind, self._fields(place, made), made.line, "", *(wrong if is_enumerator else ()))
        except DmlvizError as error:
            slip = _SLIP.match(str(error))
            said = f"{called} is not read: {str(error).removesuffix('.')}{'' if slip else _HEADER}."
            self.items.append(Note(said, int(slip[1]) if slip and slip[1] else made.line, unchecked=True))
            return
        if item.desc != last:
            for left in () if is_enumerator else wrong:
                self.note(left.message, made)
            variable.taken[key] = item.desc
            item.called = called
            item.name = plain(variable.name) or None
            item.lines = self.lines
            item.notes += self.notes
            self.take(item)

    def take(self, found: Found) -> None:
        found.level = self.level
        if self.title is not None:
            found.name = json.loads(self.title[1])
            found.level = FeatureLevel(self.title[2].decode())
            self.title = None
        self.items.append(found)

    def note(self, text: str, made: Made) -> None:
        self.notes.append(Note(text, made.line, unchecked=True))

    def _fields(self, place: Place, made: Made) -> dict[str, Any]:
        kind = self.known[made.kind]
        given: dict[str, Any] = {}
        for field in kind.FIELDS:
            name = field.name
            value = self.at(place.part(field.name))
            self.lines[name] = made.lines.get(name, made.line)
            read = self._tensor if isinstance(field, TensorField) else self.plain
            if field.is_list or field.many:
                given[name] = [] if value is not None and is_null(value) else self.listed(value, name, read)
            elif not isinstance(field, TensorField):
                given[name] = self.plain(value, name)
            elif not is_null(value):
                given[name] = read(value, name)
            elif field.role is Role.OUTPUT:
                self.note(f"{name} isn't given, which DirectML rejects; it is inferred here.", made)
            elif value is not None and made.members:
                given[name] = NULL
            else:
                raise DmlvizError(f"{name} isn't given, expected a {TENSOR}.")
        for count in kind.COUNTS:  # one that is right is left out, so that it follows when the array is edited
            if given[count.name] == len(given.get(count.arrays[0], ())):
                del given[count.name]
        return given

    def plain(self, value: Value, path: str) -> Any:
        """A number or an enumerator. Raises DmlvizError for what isn't known."""
        if isinstance(value, Symbol) and value.name.startswith("DML_"):
            return value.name
        if not isinstance(value, (int, float)):
            said = f"{path} is {shown(value)}, expected a literal value."
            raise DmlvizError(why(value) or said)
        return int(value) if isinstance(value, Wide) else value

    def listed(self, value: Value, path: str, read: Callable[[Value, str], Any]) -> list[Any]:
        """The elements that a value leads to. Raises DmlvizError where they aren't known."""
        found = self.elements(value)
        if not isinstance(found, Array):
            said = f"{path} is {shown(value)}, expected an array of literal values."
            raise DmlvizError(why(found) or said)
        self.spend(len(found.items) + 1)
        self.lines |= {path: found.line} if found.line else {}
        self.lines |= {f"{path}[{i}]": line for i, line in found.lines.items()}
        return [read(part, f"{path}[{i}]") for i, part in enumerate(found.items)]

    def _struct(self, kind: str, value: Value, path: str) -> tuple[Place, Made]:
        place = self.led(value)
        made = self.at(place) if place is not None else value
        if place is None or not isinstance(made, Made) or made.kind != kind:
            said = f"{path} leads to {shown(value)}, expected a {kind} of literal values."
            raise DmlvizError(why(made, value) or said)
        return place, made

    def _tensor(self, value: Value, path: str) -> dict[str, Any]:
        place, made = self._struct(TENSOR, value, path)
        type_ = self.at(place.part("Type"))
        if type_ not in (Symbol("DML_TENSOR_TYPE_BUFFER"), 1):
            raise DmlvizError(why(type_) or f"{path}.Type is {shown(type_)}, expected DML_TENSOR_TYPE_BUFFER.")
        place, made = self._struct(BUFFER, self.at(place.part("Desc")), path)
        read: dict[str, Any] = {"Sizes": []}
        for name in self.members[BUFFER]:
            part = self.at(place.part(name))
            where = f"{path}.{name}"
            self.lines[where] = made.lines.get(name, made.line)
            try:
                if name in ("Sizes", "Strides"):
                    read |= {} if is_null(part) else {name: self.listed(part, where, self.plain)}
                elif name == "Flags":
                    read[name] = str(self.plain(part or 0, where)).split(" | ")
                elif name == "DataType":
                    read[name] = str(self.plain(part, where))
                elif isinstance(part, Calculated) and part == _bytes_of(read):
                    continue  # it follows the sizes when they are edited
                elif part is not None or name != "GuaranteedBaseOffsetAlignment":
                    read[name] = self.plain(part, where)
            except DmlvizError as error:
                if name in ("DataType", "Sizes"):
                    raise
                self.note(f"{where} is not read: {str(error).removesuffix('.')}.", made)
        return read

    def function_named(self, text: str) -> str:
        space, _, name = text.removeprefix("::").rpartition("::")
        if space in self.spaces or (not space and (self.is_open or name in self.free)):
            return name
        return ""

    def note_unread(self, name: str, node: Node, said: str = "") -> None:
        if name in self.functions:
            text = f"dml::{name} of DirectMLX isn't read{said}."
            self.items.append(Note(text, self.line(node), unchecked=True))

    def made_by(self, name: str, given: list[Value], node: Node) -> Value:
        try:
            if name in self.functions:
                return self._operator_of_call(name, given, node)
            match name, given:
                case "TensorDesc", [type_, sizes]:
                    return TensorDesc(self.plain(type_, "the type"), self.listed(sizes, "sizes", self.plain))
                case "InputTensor", [_, _, TensorDesc() as tensor]:
                    return Output(tensor)
                case "Reinterpret", [Output() as before, *kinds, sizes, Symbol(name="dml::NullOpt" | "NullOpt")]:
                    old = before.tensor.data_type
                    kind = self.plain(kinds[0], "the type") if kinds else old
                    tensor = TensorDesc(kind, self.listed(sizes, "sizes", self.plain))
                    return Output(tensor, before.made if tensor.data_type is old else None)
            raise DmlvizError(why(*given) or "it isn't read.")
        except DmlvizError as error:
            said = str(error).removesuffix(".")
            self.note_unread(name, node, f": {plain(said, 200)}")
            return Unknown(f"{self.says(node, 'calls', f'dml::{name}')}: {said}")

    def _operator_of_call(self, name: str, given: list[Value], node: Node) -> Value:
        kind = self.functions[name]
        outputs = [field for field in kind.TENSORS if field.role is Role.OUTPUT]
        own = [field for field in kind.FIELDS if field not in (*outputs, *kind.COUNTS)]
        output = outputs[0]
        if len(given) != len(own) + output.many:
            raise DmlvizError(f"it is given {len(given)} arguments, expected {len(own) + output.many}.")
        fields: dict[str, Any] = {}
        reads: list[tuple[Found, str] | None] = []
        for field, value in zip(own, given, strict=False):
            if isinstance(field, TensorField):
                own_array = self.elements(value)
                several = own_array.items if isinstance(own_array, Array) else [own_array]
                read = [one for one in several if isinstance(one, Output)]
                if not read or len(read) < len(several):
                    said = f"{field.name} is {shown(value)}, expected an expression that can be read."
                    raise DmlvizError(why(*several) or said)
                reads += [one.made for one in read]
                fields[field.name] = [one.tensor for one in read] if field.many else read[0].tensor
            elif field.is_list:
                fields[field.name] = self.listed(value, field.name, self.plain)
            else:
                fields[field.name] = field.checked(self.plain(value, field.name))
        if output.many:
            whole = fields[own[0].name]
            axis = fields[own[-1].name]
            if not 0 <= axis < len(whole.sizes):
                raise DmlvizError(f"the axis is {axis} for {len(whole.sizes)} dimensions.")
            parts = self.listed(given[-1], "the last argument", self.plain)
            fields[output.name] = [whole.resized(put(whole.sizes, axis, size)) for size in parts]
        found = Found(kind.build(fields), f"dml::{name}", self.line(node))
        read_ = zip(found.desc.inputs, reads, strict=False)  # a function may look at one of them twice
        found.reads = {part.path: made for part, made in read_ if made is not None}
        self.take(found)
        made: list[Value]
        made = [Output(part.tensor, (found, part.path if output.many else "")) for part in found.desc.outputs]
        if output.many:
            return Array("", made)
        return [*made, Unknown(f"dml::{name} makes nothing that fits")][0]
