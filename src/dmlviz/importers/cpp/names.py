"""Names of C++ text and what may have set them, by one rule instead of a model of memory.

What is set, addressed or handed on within a branch, a loop, a lambda, another function, a macro, `#if` or a cast around
which it is declared is never known; what a call gets in straight line isn't from there on. As the text may have used it
before that is seen, it is read again with what was found, until nothing is found any more.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from tree_sitter import Node

from ...errors import plain
from .values import Array, Made, Pointer, Symbol, Thing, Unknown, Value, Variable

MOST_ELEMENTS = 1 << 20
"""Elements of all arrays and sizes of all descs together."""
_NUMBERS = {"true": 1, "false": 0, "UINT_MAX": 2**32 - 1, "INFINITY": math.inf, "NAN": math.nan}
_SETTING = re.compile(r"=|\(|\+\+|--|<<|>>|&")
_COMMENT = re.compile(r"//.*|/\*.*?\*/|\\\n", re.DOTALL)
_INTEGER = re.compile(r"(0[xX][\da-fA-F]+|0[bB][01]+|0[0-7]*|[1-9]\d*)[uUlLzZ]*")
_REAL = re.compile(r"(\d+\.\d*|\.?\d+)(?:[eE][+-]?\d+)?[fFlL]?")
_MOST_DIGITS = 1000


def walked(node: Node) -> Iterator[Node]:
    """A node and all that is in it, in no order that matters."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += one.children


def number(text: str) -> int | float | None:
    """What a literal says; None for one that isn't read."""
    bare = text.replace("'", "").lstrip("+-")
    sign = -1 if text[:1] == "-" else 1
    if len(bare) > _MOST_DIGITS:
        return None
    if match := _INTEGER.fullmatch(bare):
        return sign * int(match[1], 8 if match[1][:1] == "0" and match[1].isdigit() else 0)
    return sign * float(bare.rstrip("fFlL")) if _REAL.fullmatch(bare) else None


class Names:
    """Names, by their scopes, and what is known to be unknown."""

    def __init__(self, data: bytes, doomed: dict[int | str, str]) -> None:
        self.data = data
        self.doomed = doomed
        """Why what is declared at a place, or anywhere by a name, is never known; `!` in front for const too."""
        self.scopes: list[dict[str, Variable]] = [{}]
        self.branches: list[str] = []
        """What is around a statement: `under a condition`, `in a loop`."""
        self.deferred = 0
        """How many of those are around the innermost function or lambda, with itself."""
        self.macros: dict[str, str | Unknown] = {}
        self.room = MOST_ELEMENTS

    def text(self, node: Node | None) -> str:
        return "" if node is None else self.data[node.start_byte : node.end_byte].decode(errors="replace")

    def says(self, node: Node, verb: str, what: str = "") -> str:
        """The begin of a sentence: `line 12 sets Axis`."""
        return f"line {node.start_point.row + 1} {verb} {plain(what or self.text(node), 40)}"

    def find(self, name: str) -> Variable | None:
        """The variable of a name; what a function reads of outside has to stay as it is."""
        found = next((scope[name] for scope in reversed(self.scopes) if name in scope), None)
        if found is not None and found.level < self.deferred:
            for one in (found, found.value):
                if isinstance(one, Thing):
                    one.is_seen = True
        return found

    def named(self, name: str) -> Value:
        """What a name stands for; a struct or an array is itself."""
        for _ in range(16):
            macro = self.macros.get(name)
            if isinstance(macro, Unknown):
                return macro
            if macro is None:
                break
            if (literal := number(macro)) is not None:
                return literal
            name = macro
        found = self.find(name)
        if found is None:
            return Unknown(self.doomed[name]) if name in self.doomed else _NUMBERS.get(name, Symbol(name))
        return Unknown(found.lost) if found.lost and not isinstance(found.value, Thing) else found.value

    def declare(self, node: Node, value: Value, *, kind: str = "", is_fixed: bool = False, lost: str = "") -> None:
        """Declares a variable in the innermost scope; a struct or an array that has no name yet gets its."""
        name, key = self.text(node), node.start_byte
        doom = self.doomed.get(key) or self.doomed.get(f"!{name}") or ("" if is_fixed else self.doomed.get(name))
        lost = doom or lost
        thing = value.to if isinstance(value, Pointer) else value
        if isinstance(thing, (Made, Array)) and not thing.name:
            for one in (thing, *(thing.items if isinstance(thing, Array) else ())):
                if isinstance(one, Thing):
                    one.key, one.name, one.is_fixed, one.lost = key, one.name or name, is_fixed, one.lost or lost
        elif lost:
            self.escape(value, lost)
        level = len(self.branches)
        self.scopes[-1][name] = Variable(
            key=key, level=level, name=name, is_fixed=is_fixed, lost=lost, value=value, kind=kind
        )

    # ---- what isn't known -----------------------------------------------------------------------------------------

    def doom(self, key: int | str, why: str) -> None:
        self.doomed.setdefault(key, plain(why, 120))

    def may_set(self, thing: Thing, what: str, node: Node) -> bool:
        """True if it can be followed that a thing is set here; else it is never known, or isn't any more."""
        why = self.says(node, "sets", what)
        if isinstance(thing, Made):
            thing.handed = ""
        if thing.level < len(self.branches):
            self.doom(thing.key, f"{why} {self.branches[thing.level]}")
        elif thing.is_seen or thing.is_fixed:
            self.doom(thing.key, f"{why} {'behind a function that reads it' if thing.is_seen else 'though const'}")
        return not (thing.lost or thing.is_fixed)

    def escape(self, value: Value | Thing, why: str, *, fixed: bool = False) -> None:
        """What a value leads to may be set by what isn't read from here on; `fixed` for const too."""
        waiting = [value]
        while waiting:
            one = waiting.pop()
            one = one.to if isinstance(one, Pointer) else one
            if isinstance(one, Variable) and isinstance(one.value, Thing):
                one = one.value
            if not isinstance(one, Thing) or (one.is_fixed and not fixed):
                continue
            if one.level < len(self.branches):
                self.doom(one.key, f"{why} {self.branches[one.level]}")
            elif one.is_seen or fixed:
                self.doom(one.key, why)
            if not one.lost:
                one.lost = plain(why, 120)
                waiting += one.items if isinstance(one, Array) else [one.value] if isinstance(one, Variable) else []

    def escape_names(self, node: Node, verb: str, *, fixed: bool = False) -> None:
        """The same for each variable that is named in a part of the text."""
        for one in walked(node):
            if one.type == "identifier" and (found := self.find(self.text(one))) is not None:
                self.escape(found, self.says(one, verb), fixed=fixed)

    def damage(self, node: Node, how: str, mark: str = "!") -> None:
        """A part of the text that can't be followed at all: nothing of the names in it is known anywhere."""
        for one in walked(node):
            if one.type.endswith("identifier") and (key := f"{mark}{self.text(one)}") not in self.doomed:
                self.doom(key, f"{self.says(one, 'sets')} {how}".strip())

    def define(self, node: Node) -> None:
        """Takes a macro of one word; others may set what they name."""
        name, parameters = (self.text(node.child_by_field_name(field)) for field in ("name", "parameters"))
        body = _COMMENT.sub(" ", self.text(node.child_by_field_name("value"))).strip()
        body = body[1:-1].strip() if body[:1] == "(" and body[-1:] == ")" else body
        if "under an #if" in self.branches:
            self.macros[name] = Unknown(f"{self.says(node, 'defines', name)} under an #if")
        elif not parameters and (re.fullmatch(r"[A-Za-z_]\w*", body) or number(body) is not None):
            self.macros[name] = body
        else:
            self.macros[name] = Unknown(f"{self.says(node, 'defines', name)} as more than a literal")
            if _SETTING.search(body):
                mark = "!" if re.search(r"[^=!<>]=[^=]", body) else ""
                for word in {*re.findall(r"[A-Za-z_]\w*", body)} - {*re.findall(r"\w+", parameters)}:
                    self.doom(f"{mark}{word}", f"{self.says(node, 'sets', word)} in a macro")
