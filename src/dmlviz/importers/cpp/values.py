"""What C++ text gives its names: numbers, enumerators, structs, arrays, addresses, and what isn't known, with why."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from msgspec import Struct, field
from tree_sitter import Node

from ...desc.tensors import DataType, TensorDesc
from ...errors import plain
from ...operators.registry import operators
from ..lib.found import Found

BUFFER, TENSOR, OPERATOR = "DML_BUFFER_TENSOR_DESC", "DML_TENSOR_DESC", "DML_OPERATOR_DESC"
_BUFFER_MEMBERS = "DataType Flags DimensionCount Sizes Strides TotalTensorSizeInBytes GuaranteedBaseOffsetAlignment"
_BYTES = {
    1: ("char", "bool", "int8_t", "uint8_t", "INT8", "UINT8", "BYTE"),
    2: ("short", "int16_t", "uint16_t", "INT16", "UINT16", "WORD"),
    4: ("int", "unsigned", "unsigned int", "int32_t", "uint32_t", "INT", "UINT", "INT32", "UINT32", "float", "FLOAT"),
    8: ("double", "int64_t", "uint64_t", "INT64", "UINT64", "size_t", "long long", "unsigned long long"),
}
BYTES: Mapping[str, int] = {name: size for size, names in _BYTES.items() for name in names}
FLOATS = ("float", "FLOAT", "double")


@cache
def members() -> Mapping[str, tuple[str, ...]]:
    """The members of each struct that is known, in order."""
    own = {one.page: tuple(field.name for field in one.desc.FIELDS) for one in operators().values()}
    return {BUFFER: tuple(_BUFFER_MEMBERS.split()), TENSOR: ("Type", "Desc"), OPERATOR: ("Type", "Desc"), **own}


@cache
def scalars() -> frozenset[str]:
    """The types of numbers and enumerators."""
    enums = {one.c_type for operator in operators().values() for one in operator.desc.ATTRIBUTES}
    return frozenset({*BYTES, *enums, "DML_TENSOR_DATA_TYPE", "DML_TENSOR_FLAGS", "DML_TENSOR_TYPE"})


def is_struct(kind: str) -> bool:
    """True for a struct of DirectML, that of an unknown operator too."""
    return kind in members() or (kind.endswith("_OPERATOR_DESC") and kind.startswith("DML_"))


class LeftError(Exception):
    """Why something is no desc, without a full stop."""


class Unknown(Struct, frozen=True):
    why: str
    """What in the text made it so: "line 12 sets Axis under a condition"."""


class Symbol(Struct, frozen=True):
    """A name that stands for itself: an enumerator, or what is declared elsewhere."""

    name: str


class Inverted(int):
    """What `~` makes of a number. It is known within `&` alone: by itself it depends on the number's type."""


class Output(Struct, frozen=True, eq=False):
    """An expression of DirectMLX: its tensor, and the desc and path of what makes it, if one does."""

    tensor: TensorDesc
    made: tuple[Found, str] | None = None


class Thing(Struct, eq=False, kw_only=True):
    """What can be set: a variable, a struct, an array."""

    key: int
    """Where in the text it is declared or made."""
    level: int
    """How many branches, loops, lambdas and functions are around it."""
    name: str = ""
    is_fixed: bool = False
    """It is const."""
    is_seen: bool = False
    """A function or a lambda that may run later reads it."""
    lost: str = ""
    """Why it isn't known from here on; empty where it is."""


class Variable(Thing, eq=False, kw_only=True):
    """A name: what it holds, or the struct or array that it is or refers to."""

    value: Value
    kind: str = ""


class Made(Thing, eq=False, kw_only=True):
    """A struct of DirectML."""

    kind: str
    line: int
    is_cleared: bool
    """Members that aren't set are 0, and not anything."""
    members: dict[str, Value] = field(default_factory=dict)
    spots: dict[str, Node] = field(default_factory=dict)
    """What its members were set to last."""
    is_told: bool = False
    taken: Found | None = None
    handed: Found | str = ""
    """What it came to when it was given to a call that isn't read, if nothing has set it since."""


class Array(Thing, eq=False, kw_only=True):
    """An array, a vector or the like; `kind` is the type of its elements, empty for pointers and others."""

    kind: str
    items: list[Value] = field(default_factory=list)
    is_c: bool = False
    """Its name is the address of its first element."""
    is_long: bool = False
    """It grows with what is put into it."""
    spots: dict[int | str, Node] = field(default_factory=dict)
    """What its elements were set to last, and under the empty name all of it."""


class Pointer(Struct, frozen=True, eq=False):
    """The address of a struct, or of an element of an array."""

    to: Made | Array
    at: int = 0


class Braced(Struct, frozen=True, eq=False):
    """`{...}`: values, each with the member that it is for where that is said, and its place."""

    parts: list[tuple[str, Value, Node]]
    node: Node


Value = int | float | Symbol | Unknown | Output | TensorDesc | Made | Array | Pointer | Braced | None
"""What an expression stands for; None for what is never set."""


def is_null(value: Value) -> bool:
    """True of a pointer that leads nowhere: never set, nullptr, or 0."""
    return value is None or value in (Symbol("nullptr"), Symbol("NULL")) or value == 0


def why(*values: Value) -> str:
    """Why the first unknown of some values isn't known; empty where none is unknown."""
    return next((value.why for value in values if isinstance(value, Unknown)), "")


def shown(value: Value) -> str:
    """A value as a sentence names it."""
    if isinstance(value, (Pointer, Made)):
        thing = value.to if isinstance(value, Pointer) else value
        return plain(thing.name or f"a {thing.kind}", 60)
    if isinstance(value, (int, float, Symbol)):
        return plain(value.name, 60) if isinstance(value, Symbol) else str(value)
    return "a list" if isinstance(value, (Braced, Array)) else "never set" if value is None else "a tensor"


def pointer_of(value: Value) -> Value:
    """A struct or an array as the address of it."""
    return Pointer(value) if isinstance(value, (Made, Array)) else value


def elements(value: Value) -> Value | list[Value]:
    """The elements that a value leads to; the value itself where it leads to none, or why they aren't known."""
    if isinstance(value, Braced):
        return [part for _, part, _ in value.parts]
    pointer = pointer_of(value)
    if not isinstance(pointer, Pointer):
        return value
    if isinstance(pointer.to, Made):
        return [pointer.to]
    if pointer.at < 0 or 0 < len(pointer.to.items) <= pointer.at:
        return Unknown(f"{pointer.to.name} has {len(pointer.to.items)} elements, fewer than are read of it")
    return Unknown(pointer.to.lost) if pointer.to.lost else pointer.to.items[pointer.at :]


def target(value: Value) -> Value:
    """What a pointer leads to; an array is a pointer to its first element."""
    found = elements(value) if isinstance(value, (Pointer, Array)) else value
    return (found[0] if found else value) if isinstance(found, list) else found


def data_type(value: Value) -> DataType | None:
    """The type that an enumerator or its number names; None for no type."""
    name = value.name if isinstance(value, Symbol) else ""
    return next((kind for kind in DataType if f"DML_TENSOR_DATA_TYPE_{kind.name}" == name or kind.value == value), None)
