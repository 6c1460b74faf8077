"""What C++ text gives its variables: integers, constants, structs, arrays, and references to other variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import msgspec
from msgspec import field

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
MOST_ITEMS = 1 << 16
"""Elements of an array."""
MOST_BLANK = 256
"""Elements that an array has without their being written."""
_FAR = 32
"""References that are followed from one to the next."""


def words(text: str) -> frozenset[str]:
    """The words of `text`, to look names up in."""
    return frozenset(text.split())


def expression_of(kind: str) -> str:
    """The function of DirectMLX's that makes an operator of a type: `dml::ReverseSubsequences`."""
    return f"dml::{kind.removeprefix('DML_OPERATOR_').title().replace('_', '')}"


class Structs:
    """The structs that are known: the members of each, in order."""

    @cached_property
    def operators(self) -> Mapping[str, str]:
        """The operator type of each struct of an operator."""
        return {operator.page: kind for kind, operator in operators().items()}

    @cached_property
    def expressions(self) -> Mapping[str, str]:
        """The struct of each operator's function in DirectMLX, which isn't read."""
        return {expression_of(kind): operator.page for kind, operator in operators().items()}

    @cached_property
    def members(self) -> Mapping[str, tuple[str, ...]]:
        own = {each.page: tuple(f.name for f in each.desc.FIELDS) for each in operators().values()}
        return {**MEMBERS, **own}


class Symbol(msgspec.Struct, frozen=True):
    """A name that stands for itself: an enumerator, or what is declared elsewhere."""

    name: str


NULL = Symbol("nullptr")


class Unknown(msgspec.Struct, frozen=True):
    """An expression whose value isn't known; `text` shows it."""

    text: str


class Braced(msgspec.Struct):
    """`{...}`: values, each with the member that it is for, where that is said."""

    items: list[tuple[str | None, Value]]
    line: int


class Doubt(msgspec.Struct, frozen=True):
    """A statement that may have changed a variable in a way that isn't followed."""

    end: int
    """The token behind the statement."""
    line: int
    text: str


class Struct(msgspec.Struct, eq=False):
    """A struct of DirectML's. Members that aren't set are 0 where it was `cleared`, and anything where it wasn't."""

    kind: str
    line: int
    cleared: bool
    name: str = ""
    """The variable that holds it."""
    at: int = 0
    """The token behind which it was made."""
    members: dict[str, Value] = field(default_factory=dict)
    doubts: list[Doubt] = field(default_factory=list)


class Items(msgspec.Struct, eq=False):
    """An array."""

    element: str
    """The type of its elements."""
    items: list[Value]


class Variable(msgspec.Struct, eq=False):
    """A variable, or a reference to it."""

    name: str
    kind: str
    line: int
    value: Value
    used: bool = False
    doubts: list[Doubt] = field(default_factory=list)
    is_pointer: bool = False


class Number(int):
    """The number that a variable held when it was copied; using it uses the variable."""

    of: Variable


class Element(msgspec.Struct, frozen=True):
    """A reference to an element of an array."""

    of: Variable
    number: int


Value = int | Symbol | Unknown | Braced | Struct | Items | Variable | Element


def chain(value: Value | None) -> Iterator[Variable]:
    """The variables on the way from a reference to what it refers to in the end."""
    for _ in range(_FAR):
        if isinstance(value, Variable):
            yield value
            value = value.value
        elif isinstance(value, Element):
            yield value.of
            held = settled(value.of.value)
            items = held.items if isinstance(held, Items) else []
            value = items[value.number] if 0 <= value.number < len(items) else None
        else:
            return


def copied(value: Value) -> Value:
    """`value` as it is now: a number that a variable holds may change afterwards."""
    held = settled(value)
    if not isinstance(held, int) or held is value or any(each.is_pointer for each in chain(value)):
        return value
    made = Number(held)
    made.of = next(chain(value))
    return made


def settled(value: Value | None, *, use: bool = False) -> Value | None:
    """What `value` refers to, in the end; what is passed on the way counts as used where `use`.

    None where it refers to nothing, or to itself.
    """
    return _followed(value, use, [_FAR])


def _followed(value: Value | None, use: bool, left: list[int]) -> Value | None:
    """`left` holds how many references may still be followed, those of arrays of elements included."""
    while isinstance(value, (Variable, Element)):
        left[0] -= 1
        if left[0] < 0:
            return None
        if isinstance(value, Variable):
            value.used |= use
            value = value.value
        else:
            value.of.used |= use
            held = _followed(value.of.value, use, left)
            items = held.items if isinstance(held, Items) else []
            value = items[value.number] if 0 <= value.number < len(items) else None
    if use and isinstance(value, Number):
        value.of.used = True
    return value


def shown(value: Value | None) -> str:
    """A value as a sentence names it."""
    if isinstance(value, (Symbol, Variable)):
        return value.name
    if isinstance(value, Unknown):
        return value.text
    if isinstance(value, Element):
        return f"{value.of.name}[{value.number}]"
    if isinstance(value, Struct):
        return f"a {value.kind}"
    if isinstance(value, (Items, Braced)):
        return "a list"
    return "nothing" if value is None else str(value)
