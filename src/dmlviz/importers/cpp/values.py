"""What C++ text gives its names: numbers, enumerators, objects in memory, addresses, and what isn't known, with why."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import msgspec

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
"""The members of the structs that any operator may need, in order."""


def words(text: str) -> frozenset[str]:
    """The words of `text`, to look names up in."""
    return frozenset(text.split())


def is_name(text: str) -> bool:
    """True if a token is a word, and no number or sign."""
    return text[:1].isidentifier()


def is_operator_struct(kind: str) -> bool:
    """True for the struct of an operator, whether that is known here or not."""
    return kind.endswith("_OPERATOR_DESC") and kind.startswith("DML_") and kind != OPERATOR


class Structs:
    """The structs that are known: the members of each, in order."""

    @cached_property
    def operators(self) -> Mapping[str, str]:
        """The operator type of each struct of an operator."""
        return {operator.page: kind for kind, operator in operators().items()}

    @cached_property
    def members(self) -> Mapping[str, tuple[str, ...]]:
        """The members of each struct that is known, in order."""
        own = {operator.page: tuple(field.name for field in operator.desc.FIELDS) for operator in operators().values()}
        return {**MEMBERS, **own}

    @cached_property
    def enums(self) -> frozenset[str]:
        """The types of enumerations that structs of operators have."""
        return frozenset(f.c_type for operator in operators().values() for f in operator.desc.ATTRIBUTES if f.choices())

    def knows(self, kind: str) -> bool:
        """True for a struct of DirectML, that of an unknown operator too."""
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


Spot = tuple[int, int]
"""The first token of what something is set to, and the one behind it."""


class Braced(msgspec.Struct, frozen=True):
    """`{...}`: values, each with the member that it is for, where that is said."""

    parts: list[tuple[str | None, Value]]
    line: int
    spots: list[Spot] = msgspec.field(default_factory=list)
    """Where each part stands."""


class Output(msgspec.Struct, frozen=True):
    """An expression of DirectMLX, with its tensor."""

    tensor: TensorDesc
    made: tuple[int, str] | None = None
    """The place of the experiment whose output it is, and the path of that; "" for the only one."""


class Object(msgspec.Struct, eq=False, kw_only=True):
    """What holds values: a variable, a struct of DirectML's, or an array."""

    kind: str
    """Its type, or that of its elements."""
    cells: dict[str | int, Value]
    """What it holds, by member or by number; of a variable by the empty name."""
    name: str = ""
    line: int = 0
    born: int
    """The token at which it was made."""
    stamp: int
    """The token at which the text set it last."""
    used: int = 0
    """The token at which the text last handed it on."""
    is_cleared: bool = False
    """Members that aren't set are 0, and not anything."""
    is_fixed: bool = False
    """It is const."""
    is_static: bool = False
    is_open: bool = False
    """Something that isn't read may have kept its address."""
    is_needed: bool = False
    """A desc that was taken depends on it."""
    lost: str = ""
    """Why what isn't set of it again isn't known."""
    exposed: tuple[int, str] = (-1, "")
    """The first token since `stamp` at which something that isn't read may have set it, and why."""
    spots: dict[str | int, Spot] = msgspec.field(default_factory=dict)
    """What its members or elements were set to last, and under the empty name all of it."""

    def called(self, key: str | int = "") -> str:
        """What a sentence calls it, or the part of it at a key."""
        if isinstance(key, int):
            return f"{self.name}[{key}]"
        return key or self.name or ("an array" if isinstance(self, Array) else self.kind)


class Array(Object, eq=False, kw_only=True):
    """An array, a vector or the like."""

    is_c_array: bool = False
    """Its name is the address of its first element."""


class Place(msgspec.Struct, frozen=True):
    """A variable, a struct's member or an array's element: what can be set."""

    of: Object
    key: str | int = ""


class Pointer(msgspec.Struct, frozen=True):
    to: Place | Object


Value = int | float | Symbol | Unknown | Braced | Output | TensorDesc | Object | Pointer
Term = Value | Place
"""What an expression stands for: a value, or the place that holds it."""


def why(*terms: object) -> str:
    """Why the first unknown of some values isn't known; empty where that isn't said, or none is unknown."""
    return next((term.why for term in terms if isinstance(term, Unknown) and term.why), "")


def shown(term: Term | None) -> str:
    """A value as a sentence names it."""
    if isinstance(term, Place):
        return term.of.called(term.key)
    if isinstance(term, Symbol):
        return term.name
    if isinstance(term, Unknown):
        return term.text
    if isinstance(term, Pointer):
        return f"&{term.to.called() if isinstance(term.to, Object) else shown(term.to)}"
    if isinstance(term, (Braced, Array)):
        return "a list"
    if isinstance(term, Object):
        return f"a {term.kind}"
    return "nothing" if term is None else str(term) if isinstance(term, (int, float)) else "a tensor"
