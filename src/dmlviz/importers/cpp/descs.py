"""Structs that were read from C++ text to descs, each with what is said beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from tree_sitter import Node

from ...desc.base import Desc
from ...desc.fields import Field, Role, TensorField, snake
from ...desc.levels import FeatureLevel
from ...desc.tensors import DataType, TensorDesc
from ...errors import DmlvizError, plain
from ...formats.json_places import Place
from ...operators.registry import operators
from ...retired import told
from ..lib.found import Found, Item
from ..lib.imported import Note
from .names import Names
from .values import (
    BUFFER,
    OPERATOR,
    TENSOR,
    Array,
    LeftError,
    Made,
    Pointer,
    Symbol,
    Unknown,
    Value,
    data_type,
    elements,
    is_null,
    is_struct,
    members,
    pointer_of,
    shown,
    target,
    why,
)

_LEVEL = re.compile(rb"\bDML_FEATURE_LEVEL_(\d_\d)\b")
T = TypeVar("T")


def desc_of(kind: type[Desc], given: dict[str, object]) -> Desc:
    """A desc of its fields. Raises LeftError."""
    for count in kind.COUNTS:  # one that is right is left out, so that it follows when the array is edited
        counted = given.get(count.arrays[0])
        if isinstance(counted, Sequence) and given.get(count.name) == len(counted):
            del given[count.name]
    return built(kind.build, given)


def built(make: Callable[..., T], *given: Any, **named: Any) -> T:
    """What is made of what was given. Raises LeftError where that is refused."""
    try:
        return make(*given, **named)
    except DmlvizError as error:
        raise LeftError(str(error).removesuffix(".")) from None


def scalar(field: Field, value: Value) -> object:
    """What a member holds that is neither a tensor nor an array. Raises LeftError for what isn't known, or no such."""
    given = value.name if isinstance(value, Symbol) and field.choices() else value
    return built(field.checked, given if isinstance(given, (float, str)) else integer(value, field.name))


def integer(value: Value, path: str) -> int:
    """A number that stands in the text. Raises LeftError."""
    if type(value) is not int:
        raise LeftError(why(value) or f"{path} is {shown(value)}, expected a number that stands in the text")
    return value


class Descs(Names):
    """Takes descs of structs, and notes why others are not read."""

    def __init__(self, data: bytes, doomed: dict[int | str, str]) -> None:
        super().__init__(data, doomed)
        self.items: list[Item] = []
        self.notes: list[Note] = []
        self.spots: dict[str, Node] = {}
        """Where the fields of what is read now stand, by path."""
        self.level: FeatureLevel | None = None
        said = set(_LEVEL.findall(data))
        known = [level for level in FeatureLevel if level.value.encode() in said]
        self.only_level = known[0] if len(known) == 1 else None
        self.title: tuple[str, FeatureLevel | None] | None = None
        """The name and the level that the comment above an exported function says."""

    # ---- what is taken --------------------------------------------------------------------------------------------

    def finish(self, value: Value, *, at_end: bool = False) -> None:
        """Takes the desc of an operator's struct as it is; at the end of its block only if it never was before."""
        made = _operator(value)
        if made is None or made.level < self.deferred or (at_end and (made.is_told or made is not value)):
            return
        was_told, made.is_told = made.is_told, True
        if at_end and not (made.name or made.members):
            return  # a tag of its type
        if made.kind not in members():
            gone = told(made.kind.removeprefix("DML_").removesuffix("_OPERATOR_DESC"))
            known = ", ".join(operator.page for operator in operators().values())
            sentence = gone or f"{_called(made)} isn't supported, expected one of {known}."
            self.items += [] if was_told else [Note(sentence, made.line)]
            return
        found = (made.handed if at_end else "") or self.reading(made)
        if isinstance(found, str):
            header = "" if " initialisers for " in found else "; `dmlviz header` prints it as it is"
            self.items.append(Note(f"{_called(made)} is not read: {found}{header}.", made.line, unchecked=True))
        elif made.taken is None or made.taken.desc != found.desc:
            made.taken = found
            self.take(found)

    def comment(self, text: str) -> None:
        """Notes what the comment above an exported function says."""
        if text.startswith('// Experiment "'):
            try:
                self.title = str(json.loads(text[14:])), None
            except ValueError:
                self.title = None
        elif self.title is not None and text.startswith("// at DML_FEATURE_LEVEL_"):
            level = next((level for level in FeatureLevel if level.value == text[24:27]), None)
            self.title = self.title[0], self.title[1] or level

    def take(self, found: Found) -> None:
        """Adds what was found, with the name and the level that are said of it."""
        found.level = self.level or self.only_level
        if self.title is not None:
            found.name, found.level = self.title[0], self.title[1] or found.level
            self.title = None
        self.items.append(found)

    def note_type(self, made: Made) -> None:
        """Notes that the Type of a DML_OPERATOR_DESC isn't its struct's."""
        kind, inner = _member(made, "Type"), _operator(made)
        if inner is None or inner.taken is None or kind == Symbol(inner.taken.desc.TYPE):
            return
        sentence = f"{OPERATOR}.Type is {why(kind) or shown(kind)}, expected {inner.taken.desc.TYPE}."
        inner.taken.notes += [Note(sentence, made.line, unchecked=True)] if isinstance(kind, (Symbol, Unknown)) else []

    def hand_on(self, value: Value) -> None:
        """Notes what the struct of an operator comes to that is given to a call which isn't read."""
        made = _operator(value)
        if made is not None and not made.lost and made.kind in members() and made.level >= self.deferred:
            made.handed = self.reading(made)

    def reading(self, made: Made) -> Found | str:
        """What a struct comes to: a desc with its places and notes, or why there is none."""
        self.notes, self.spots = [], {}
        try:
            found = Found(self._desc(made), _called(made), made.line, name=plain(made.name) or None)
        except LeftError as error:
            return str(error)
        found.notes, spots = self.notes, self.spots
        found.locate = lambda: {path: self.place(node) for path, node in spots.items()}
        return found

    def note(self, text: str, made: Made) -> None:
        self.notes.append(Note(text, made.line, unchecked=True))

    def place(self, node: Node) -> Place:
        """Where a node stands, in characters."""
        (row, column), (end_row, end_column) = node.start_point, node.end_point
        start = len(self.data[node.start_byte - column : node.start_byte].decode(errors="replace"))
        end = len(self.data[node.end_byte - end_column : node.end_byte].decode(errors="replace"))
        return Place(row + 1, start + 1, end_row + 1, end + 1)

    # ---- fields ---------------------------------------------------------------------------------------------------

    def _desc(self, made: Made) -> Desc:
        operator = next(one for one in operators().values() if one.page == made.kind)
        given: dict[str, object] = {}
        for field in operator.desc.FIELDS:
            value, name = _member(made, field.name), field.name
            if name in made.spots:
                self.spots.setdefault(name, made.spots[name])
            if isinstance(field, TensorField) and field.many:
                parts = self.parts(value, name) if value is None or not is_null(value) else []
                given[name] = [self._tensor(part, f"{name}[{i}]") for i, part in enumerate(parts)]
            elif isinstance(field, TensorField):
                if not is_null(value):
                    given[name] = self._tensor(value, name)
                elif field.role is not Role.OUTPUT:
                    raise LeftError(f"{name} isn't given, expected a {TENSOR}")
                else:
                    self.note(f"{name} isn't given, which DirectML refuses; it is inferred here.", made)
            elif field.is_list:
                given[name] = () if is_null(value) else self.integers(value, name)
            else:
                if value is None:
                    self.note(f"{name} is never set; it may be anything, and is taken as 0.", made)
                given[name] = scalar(field, 0 if value is None else value)
        return desc_of(operator.desc, given)

    def parts(self, value: Value, path: str) -> list[Value]:
        """The elements that a value leads to. Raises LeftError where they aren't known."""
        found = elements(value)
        if not isinstance(found, list):
            raise LeftError(why(found) or f"{path} is {shown(value)}, expected an array that stands in the text")
        self.room -= len(found) + 1
        if self.room < 0:
            raise LeftError("all descs together have too many sizes, expected fewer")
        return found

    def integers(self, value: Value, path: str) -> list[int]:
        """The numbers that a value leads to. Raises LeftError."""
        numbers = [integer(part, f"{path}[{i}]") for i, part in enumerate(self.parts(value, path))]
        pointer = pointer_of(value)
        if isinstance(pointer, Pointer) and isinstance(pointer.to, Array):
            for key, node in pointer.to.spots.items():
                if isinstance(key, int) and key >= pointer.at:
                    self.spots[f"{path}[{key - pointer.at}]"] = node
                elif key == "" and not pointer.at:
                    self.spots[path] = node
        return numbers

    def _tensor(self, value: Value, path: str) -> TensorDesc:
        """The tensor desc that a value leads to. Raises LeftError."""
        made = target(value)
        if isinstance(made, Made) and made.kind == TENSOR:
            value = _member(made, "Desc")
            if value is None:
                raise LeftError(f"{path} is a {TENSOR} whose Desc is set nowhere that is read")
            type_ = _member(made, "Type")
            if isinstance(type_, Unknown):
                raise LeftError(why(type_))
            if type_ not in (Symbol("DML_TENSOR_TYPE_BUFFER"), 1):
                told = "never set" if type_ is None else shown(type_)
                raise LeftError(f"{path}.Type is {told}, expected DML_TENSOR_TYPE_BUFFER")
            made = target(value)
        if not isinstance(made, Made) or made.kind != BUFFER:
            sentence = why(made, value)
            raise LeftError(sentence or f"{path} leads to {shown(value)}, expected a {BUFFER} that stands in the text")
        for name, node in made.spots.items():
            self.spots.setdefault(f"{path}.{name}", node)
        kind = data_type(type_ := _member(made, "DataType"))
        if kind is None:
            expected = f"expected DML_TENSOR_DATA_TYPE_ and one of {', '.join(DataType.__members__)}"
            raise LeftError(why(type_) or f"{path}.DataType is {shown(type_)}, {expected}")
        read: dict[str, Any] = {}
        for name in members()[BUFFER][1:]:
            part = _member(made, name)
            if part is None and name in ("DimensionCount", "TotalTensorSizeInBytes"):
                self.note(f"{path}.{name} is never set; it may be anything, and is taken as 0.", made)
            try:
                if name in ("Sizes", "Strides"):
                    numbers = None if is_null(part) else self.integers(part, f"{path}.{name}")
                    read[snake(name)] = [] if numbers is None and name == "Sizes" else numbers
                elif name == "Flags" and (part is None or isinstance(part, Symbol)):
                    read["flags"] = part and [flag.strip() for flag in part.name.split("|")]
                else:
                    number = integer(0 if part is None else part, f"{path}.{name}")
                    read[snake(name)] = [str(number)] if name == "Flags" else number
            except LeftError as error:
                if name == "Sizes":
                    raise
                self.note(f"{path}.{name} is not read: {error}.", made)
        return built(TensorDesc, kind, **read)


def _operator(value: Value) -> Made | None:
    """The struct of an operator that a value is or leads to, perhaps by a DML_OPERATOR_DESC."""
    for _ in range(2):
        made = target(value)
        if not isinstance(made, Made) or made.kind != OPERATOR:
            break
        value = made.members.get("Desc") if not made.lost else None
    is_one = isinstance(made, Made) and is_struct(made.kind) and made.kind not in (BUFFER, TENSOR, OPERATOR)
    return made if isinstance(made, Made) and is_one else None


def _called(made: Made) -> str:
    return f"{plain(made.kind)} {plain(made.name, 60)}".rstrip()


def _member(made: Made, name: str) -> Value:
    """The value of a member; None for one that was never set."""
    return Unknown(made.lost) if made.lost else made.members.get(name, 0 if made.is_cleared else None)
