"""What C++ text gives its names, and what may have set them, by one rule instead of a model of memory.

What is set, addressed or handed on within a branch, a loop, a lambda, another function, a macro, `#if` or a cast around
which it is declared is never known; what a call gets in straight line isn't from there on. As the text may have used it
before that is seen, it is read again with what was found, until nothing is found any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf, nan

from msgspec import Struct, field
from tree_sitter import Node

from ...desc.base import Desc
from ...desc.tensors import TensorDesc
from ...errors import plain
from ..lib.found import Found
from ..lib.imported import ImportFailedError

MOST_ELEMENTS = 1 << 20
NUMBERS = {"true": 1, "false": 0, "UINT_MAX": 2**32 - 1, "NAN": nan, "INFINITY": inf, "-INFINITY": -inf}
_COMMENT = re.compile(r"//.*|/\*.*?\*/|\\\n", re.DOTALL)
_INTEGER = re.compile(r"(0[xX][\da-fA-F]{1,20}|0[bB][01]{1,80}|0[0-7]{,30}|[1-9]\d{,30})(u?(?:ll|z)u?)?[ul]*", re.I)
_REAL = re.compile(r"(?:\d+\.\d*|\.\d+|\d+(?=[eEfF]))(?:[eE][+-]?\d{1,9})?[fFlL]?")
_WORD = re.compile(r"[A-Za-z_]\w*")


class Wide(int):
    """An integer of 64 bits: products with it aren't cut off at 32."""


class Unknown(Struct, frozen=True):
    why: str
    """What in the text made it so: "line 12 sets Axis under a condition"."""


class Symbol(Struct, frozen=True):
    name: str


class Output(Struct, frozen=True, eq=False):
    """An expression of DirectMLX: its tensor, and the desc and path of what makes it, if one does."""

    tensor: TensorDesc
    made: tuple[Found, str] | None = None


class Made(Struct, eq=False):
    kind: str
    line: int
    is_cleared: bool
    """Members that aren't set are 0, and not anything."""
    members: dict[str, Value] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)


class Array(Struct, eq=False):
    of: str
    """The type of its elements; empty for pointers and others."""
    items: list[Value]
    is_c: bool = False
    """Its name is the address of its first element."""
    line: int = 0
    lines: dict[int, int] = field(default_factory=dict)


class Kind(Struct, frozen=True):
    name: str
    of: str = ""
    count: Value = None


class Variable(Struct, eq=False):
    name: str
    level: int
    """How many branches, loops, lambdas and functions are around it."""
    key: int = -1
    value: Value = None
    lost: str = ""
    kind: Kind = Kind("")
    is_fixed: bool = False
    is_seen: bool = False
    """A function or a lambda that may run later reads it."""
    is_given: bool = False
    """What it holds was taken as a call got it that isn't read, which is right if nothing names it any more."""
    taken: dict[Path, Desc | None] = field(default_factory=dict)
    """The structs of operators in it that were told of, with what was taken last."""


class Place(Struct, frozen=True, eq=False):
    """A variable, or a member or an element in it; as a value its address. An array is its first element, too."""

    of: Variable
    path: Path = ()

    def part(self, key: str | int) -> Place:
        return Place(self.of, (*self.path, key))

    @property
    def name(self) -> str:
        last = self.path[-1] if self.path else self.of.name
        return f"{self.of.name}[{last}]" if isinstance(last, int) else last


class Braced(Struct, frozen=True, eq=False):
    parts: list[tuple[str, Value]]
    lines: list[int] = field(default_factory=list)


Path = tuple[str | int, ...]
Value = int | float | Symbol | Unknown | Output | TensorDesc | Made | Array | Place | Braced | None


def is_null(value: Value) -> bool:
    return value is None or value in (Symbol("nullptr"), Symbol("NULL")) or value == 0


def why(*values: Value) -> str:
    return next((value.why for value in values if isinstance(value, Unknown)), "")


def shown(value: Value) -> str:
    if isinstance(value, (Symbol, Place)):
        return plain(value.name or "an address", 60)
    if value is None:
        return "never set"
    if isinstance(value, (int, float)):
        return str(value)
    return "something else"


def walked(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += one.children


def number(text: str) -> int | float | None:
    bare = text.replace("'", "").lstrip("+-")
    sign = -1 if text[:1] == "-" else 1
    if match := _INTEGER.fullmatch(bare):
        found = sign * int(match[1], 8 if match[1][:1] == "0" and match[1].isdigit() else 0)
        return Wide(found) if match[2] else found
    return sign * float(bare.rstrip("fFlL")) if _REAL.fullmatch(bare) else None


class Names:
    def __init__(self, data: bytes, doomed: dict[int | str, str]) -> None:
        self.data = data
        self.doomed = doomed
        self.scopes: list[dict[str, Place]] = [{}]
        self.branches: list[str] = []
        """What is around a statement: `under a condition`, `in a loop`."""
        self.deferred = 0
        """How many of those are around the innermost function or lambda, with itself."""
        self.macros: dict[str, Value] = {}
        self.made: list[Variable] = []
        self.room = MOST_ELEMENTS

    def spend(self, count: int) -> None:
        self.room -= count
        if self.room < 0:
            raise ImportFailedError("The C++ has too many elements in arrays and sizes, expected fewer.")

    def text(self, node: Node | None) -> str:
        if node is None:
            return ""
        return self.data[node.start_byte : node.end_byte].decode(errors="replace")

    def line(self, node: Node) -> int:
        return node.start_point.row + 1

    def field(self, node: Node, name: str) -> Node | None:
        return node.child_by_field_name(name)

    def says(self, node: Node, verb: str, what: str = "") -> str:
        return f"line {self.line(node)} {verb} {plain(what or self.text(node), 40)}"

    def unread(self, node: Node, *values: Value) -> Unknown:
        return Unknown(why(*values) or f"{self.says(node, 'gives')}, expected a literal value")

    @contextmanager
    def within(self, how: str) -> Iterator[None]:
        before = self.branches
        self.branches = [*before, how] if how else before
        yield
        self.branches = before

    def find(self, name: str) -> Place | None:
        found = next((scope[name] for scope in reversed(self.scopes) if name in scope), None)
        if found is not None and found.of.is_given:
            self.doom(found.of.key, found.of.lost)
        return found

    def at(self, place: Place) -> Value:
        return Unknown(place.of.lost) if place.of.lost else self.written(place)

    def written(self, place: Place) -> Value:
        """What was written to a place last; what a function reads of outside has to stay as it is."""
        place.of.is_seen |= place.of.level < self.deferred
        value = place.of.value
        for key in place.path:
            if isinstance(value, Made) and isinstance(key, str):
                value = value.members.get(key, 0 if value.is_cleared else None)
            elif isinstance(value, Array) and isinstance(key, int) and 0 <= key < len(value.items):
                value = value.items[key]
            else:
                if isinstance(value, Unknown):
                    return value
                return Unknown(f"{place.of.name} has no {key}")
        return value

    def named(self, name: str) -> Value:
        if name in self.macros or number(name) is not None:
            return self.macros.get(name, number(name))
        return self.find(name) or NUMBERS.get(name, Symbol(name))

    def led(self, value: Value) -> Place | None:
        for _ in range(4):
            if not isinstance(value, Place):
                return self.temporary(value) if isinstance(value, Made) else None
            found = self.written(value)
            if not isinstance(found, (Array, Place)) or value.of.lost:
                return value
            value = found if isinstance(found, Place) else value.part(0)
        return None

    def elements(self, value: Value) -> Value:
        if isinstance(value, Braced):
            return Array("", [part for _, part in value.parts], lines=dict(enumerate(value.lines)))
        if not isinstance(value, Place):
            return value
        found = self.at(value)
        if isinstance(found, (Array, Place, Unknown)):
            return self.elements(found)
        is_inside = value.path and isinstance(value.path[-1], int)
        if is_inside:
            return Unknown(f"{value.name} leads into an array")
        return Array("", [found])

    def temporary(self, value: Value, key: int = -1) -> Place:
        return Place(Variable("", len(self.branches), key, value, lost=self.doomed.get(key, "")))

    def declare(self, name: str, value: Value, key: int = -1, lost: str = "") -> Variable:
        lost = self.doomed.get(key) or self.doomed.get(name) or lost
        made = Variable(name, len(self.branches), key, value, lost=lost)
        if lost:
            self.lose(value, lost)
        self.scopes[-1][name] = Place(made)
        return made

    def doom(self, key: int | str, why: str) -> None:
        if key != -1:
            self.doomed.setdefault(key, plain(why, 120))

    def touch(self, variable: Variable, why: str) -> None:
        """Notes that a variable may be set here, which dooms one that something else depends on."""
        if variable.level < len(self.branches):
            self.doom(variable.key, f"{why} {self.branches[variable.level]}")
        elif variable.is_seen or variable.is_fixed:
            self.doom(variable.key, why)

    def lose(self, value: Value, why: str) -> None:
        """What a value leads to may be set by what isn't read from here on, but for const."""
        waiting = [value]
        while waiting:
            one = waiting.pop()
            waiting += one.items if isinstance(one, Array) else ()
            waiting += [part for _, part in one.parts] if isinstance(one, Braced) else ()
            if isinstance(one, Place) and not one.of.is_fixed:
                self.touch(one.of, why)
                waiting += [] if one.of.lost else [one.of.value]
                one.of.lost = one.of.lost or plain(why, 120)

    def doubt(self, node: Node, verb: str) -> None:
        for one in walked(node):
            if one.type in ("identifier", "type_identifier"):
                self.lose(self.find(self.text(one)), self.says(one, verb))

    def damage(self, node: Node, how: str = "", why: str = "") -> None:
        for one in walked(node):
            if one.type.endswith("identifier"):
                found = self.find(self.text(one))
                self.doom(found.of.key if found else self.text(one), why or f"{self.says(one, 'sets')} {how}")

    def define(self, node: Node) -> None:
        name, parameters = (self.text(self.field(node, field)) for field in ("name", "parameters"))
        body = _COMMENT.sub(" ", self.text(self.field(node, "value"))).strip().strip("()")
        literal = Symbol(body) if body.startswith("DML_") and _WORD.fullmatch(body) else number(body)
        if parameters or literal is None or "under an #if" in self.branches:
            self.macros[name] = Unknown(f"{self.says(node, 'defines', name)} under an #if or as more than a literal")
            for word in {*_WORD.findall(body)} - {*_WORD.findall(parameters)}:
                self.doom(word, f"{self.says(node, 'sets', word)} in a macro")
        else:
            self.macros[name] = literal
