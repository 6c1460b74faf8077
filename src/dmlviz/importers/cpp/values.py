"""What C++ text gives its variables: integers, constants, structs, arrays, pointers, and what isn't known, with why."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import msgspec
from msgspec import field

from ...desc.tensors import TensorDesc
from ...operators.registry import operators

BUFFER, TENSOR, OPERATOR = "DML_BUFFER_TENSOR_DESC", "DML_TENSOR_DESC", "DML_OPERATOR_DESC"
MEMBERS: Mapping[str, tuple[str, ...]] = {
    BUFFER: (
        "DataType",
        "Flags",
        "DimensionCount",
        "Sizes",
        "Strides",
        "TotalTensorSizeInBytes",
        "GuaranteedBaseOffsetAlignment",
    ),
    TENSOR: ("Type", "Desc"),
    OPERATOR: ("Type", "Desc"),
}
"""The members of the structs that every operator needs, in order."""
MOST_BLANK = 256
"""Elements that an array has without their being written."""


def words(text: str) -> frozenset[str]:
    """The words of `text`, to look names up in."""
    return frozenset(text.split())


def expression_of(kind: str) -> str:
    """The function of DirectMLX's that makes an operator of a type: `dml::ReverseSubsequences`."""
    return f"dml::{kind.removeprefix('DML_OPERATOR_').title().replace('_', '')}"


def is_operator_struct(name: str) -> bool:
    return name.endswith("_OPERATOR_DESC") and name.startswith("DML_") and name != OPERATOR


class Structs:
    """The structs that are known: the members of each, in order."""

    @cached_property
    def operators(self) -> Mapping[str, str]:
        """The operator type of each struct of an operator."""
        return {operator.page: kind for kind, operator in operators().items()}

    @cached_property
    def expressions(self) -> Mapping[str, str]:
        """The struct of each operator's function in DirectMLX."""
        return {expression_of(kind): operator.page for kind, operator in operators().items()}

    @cached_property
    def members(self) -> Mapping[str, tuple[str, ...]]:
        own = {each.page: tuple(f.name for f in each.desc.FIELDS) for each in operators().values()}
        return {**MEMBERS, **own}

    def knows(self, kind: str) -> bool:
        return kind in self.members or is_operator_struct(kind)


class Symbol(msgspec.Struct, frozen=True):
    """A name that stands for itself: an enumerator, or what is declared elsewhere."""

    name: str


NULL = Symbol("nullptr")


class Unknown(msgspec.Struct, frozen=True):
    """A value that isn't known; `text` shows the expression."""

    text: str
    why: str = ""
    """What in the text made it so: "line 12 sets Axis under a condition"."""


class Inverted(int):
    """What `~` makes of a number. It is known within `&` alone: by itself it depends on the number's type."""


class Braced(msgspec.Struct, frozen=True):
    """`{...}`: values, each with the member that it is for, where that is said."""

    parts: list[tuple[str | None, Value]]
    line: int


class Output(msgspec.Struct, frozen=True):
    """An expression of DirectMLX, with its tensor."""

    tensor: TensorDesc


class Owner(msgspec.Struct, eq=False, kw_only=True):
    """What holds values: a variable, a struct, an array."""

    name: str = ""
    born: int = 0
    """The token at which it was made."""
    stamp: int = 0
    """The token at which the text wrote to it last."""
    is_fixed: bool = False
    """It is const."""
    is_open: bool = False
    """Something that isn't read may have kept its address."""
    is_used: bool = False
    """A desc that was taken depends on it."""
    lost: str = ""
    """Why what isn't set of it again isn't known."""
    always: str = ""
    """Why nothing of it is ever known."""


class Variable(Owner, eq=False, kw_only=True):
    kind: str
    value: Value


class Struct(Owner, eq=False, kw_only=True):
    """A struct of DirectML's. Members that aren't set are 0 where it was `cleared`, and anything where it wasn't."""

    kind: str
    line: int
    cleared: bool
    members: dict[str, Value] = field(default_factory=dict)


class Array(Owner, eq=False, kw_only=True):
    kind: str
    """The type of its elements."""
    parts: list[Value]
    decays: bool = False
    """It is one of C's: its name is the address of its first element."""


class Member(msgspec.Struct, frozen=True):
    """The place of a struct's member."""

    of: Struct
    name: str


class Element(msgspec.Struct, frozen=True):
    """The place of an array's element."""

    of: Array
    number: int


class Pointer(msgspec.Struct, frozen=True):
    to: Place


Place = Variable | Member | Element
Value = int | Symbol | Unknown | Braced | Output | TensorDesc | Struct | Array | Pointer


def owner_of(place: Place | Struct | Array) -> Variable | Struct | Array:
    return place.of if isinstance(place, (Member, Element)) else place


def name_of(place: Place | Struct | Array) -> str:
    if isinstance(place, Element):
        return f"{place.of.name}[{place.number}]"
    return place.name or (place.kind if isinstance(place, Struct) else "an array")


def shown(value: Value | Place | None) -> str:
    """A value as a sentence names it."""
    if isinstance(value, (Variable, Member, Element)):
        return name_of(value)
    if isinstance(value, Symbol):
        return value.name
    if isinstance(value, Unknown):
        return value.text
    if isinstance(value, Pointer):
        return f"&{shown(value.to)}"
    if isinstance(value, Struct):
        return f"a {value.kind}"
    if isinstance(value, (Array, Braced)):
        return "a list"
    return "nothing" if value is None else str(value) if isinstance(value, int) else "a tensor"
