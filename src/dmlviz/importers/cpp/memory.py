"""What is known of the variables of a C++ text while it is walked in order.

What a part of the text sets that may not run, or run often, is known within that part alone. Behind it the place holds
why it isn't known. A call may have changed whatever it is given, and whatever it can reach otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import msgspec
from msgspec import field

from .tokens import Tokens
from .values import (
    Array,
    Braced,
    Element,
    Member,
    Place,
    Pointer,
    Struct,
    Structs,
    Unknown,
    Value,
    Variable,
    is_operator_struct,
    name_of,
    owner_of,
)

Holder = Place | Struct | Array
OwnerT = TypeVar("OwnerT", Variable, Struct, Array)


class TangledError(Exception):
    """The text makes the reader look at its tokens too often."""


class Branch(msgspec.Struct):
    """A part of the text that may not run, or run often, and what it sets that was there before it."""

    start: int
    how: str
    """How it sets that: "under a condition"."""
    is_function: bool = False
    is_loop: bool = False
    sets: dict[tuple[int, str | int], tuple[Holder, str]] = field(default_factory=dict)


class Earlier(msgspec.Struct):
    """What a first walk found that holds for what stands in front of it too, by the token that made a thing."""

    by_functions: dict[int, str] = field(default_factory=dict)
    """What functions set of what isn't theirs."""
    by_loops: dict[int, dict[int, str]] = field(default_factory=dict)
    """What the loop that begins at a token sets."""


class Memory:
    def __init__(self, tokens: Tokens, structs: Structs, earlier: Earlier) -> None:
        self.tokens, self.structs, self.earlier = tokens, structs, earlier
        self.texts = [*tokens.texts, "", "", ""]
        self.at = 0
        self.fuel = 8 * len(self.texts) + 1000
        self.later = Earlier()
        self.branches: list[Branch] = []
        self.alternatives: list[Branch] = []
        """The `#if`s that are open."""
        self.function_start = self.lambda_start = 0
        self.called = (0, "")
        """The last call that isn't read: where it ends, and why what it may have seen isn't known."""
        self.label = (0, "")
        """The last label that a goto may lead to."""
        self.made: list[Struct] = []
        """Structs of operators that were made since a scope took them."""
        self.dirty: dict[int, Struct] = {}
        """Structs of operators that were set since they were looked at."""
        self.reads: list[Variable] = []
        self.writes: list[Variable | Struct | Array] = []
        """What the present statement looks up, and what it sets."""
        self._alive: dict[int, list[Variable | Struct | Array]] = {}

    @property
    def line(self) -> int:
        return self.tokens.lines[min(self.at, len(self.tokens.lines) - 1)] if self.tokens.lines else 1

    def burn(self, tokens: int = 1) -> None:
        self.fuel -= tokens
        if self.fuel < 0:
            raise TangledError

    # ---- what is made -------------------------------------------------------------------------------------------

    def variable(self, name: str, kind: str, value: Value, *, is_fixed: bool = False) -> Variable:
        return self._born(Variable(name=name, kind=kind, value=value, is_fixed=is_fixed))

    def array(self, kind: str, parts: list[Value], *, decays: bool = False) -> Array:
        self.burn(len(parts) // 8)
        return self._born(Array(kind=kind, parts=parts, decays=decays))

    def struct(self, kind: str, line: int, *, cleared: bool) -> Struct:
        made = self._born(Struct(kind=kind, line=line, cleared=cleared))
        if is_operator_struct(kind):
            self.made.append(made)
            self.dirty[id(made)] = made
        return made

    def _born(self, owner: OwnerT) -> OwnerT:
        owner.born = owner.stamp = self.at
        owner.always = self.earlier.by_functions.get(self.at, "")
        self._alive.setdefault(self.at, []).append(owner)
        return owner

    # ---- what is held -------------------------------------------------------------------------------------------

    def doubt(self, owner: Variable | Struct | Array) -> str:
        """Why nothing of it is known now; empty where something may be."""
        if owner.always:
            return owner.always
        if owner.is_fixed:
            return ""
        if owner.stamp < self.label[0]:
            return self.label[1]
        if (owner.is_open or owner.born < self.function_start) and owner.stamp < self.called[0]:
            return self.called[1]
        if owner.born < self.lambda_start:
            return f"{name_of(owner)} is not the lambda's own, and may have changed when that is called"
        return ""

    def get(self, place: Place) -> Value | None:
        """What a place holds; None for a member that was never set."""
        owner = owner_of(place)
        why = self.doubt(owner)
        if isinstance(place, Variable):
            if isinstance(place.value, (Struct, Array)):
                return place.value
            return Unknown(place.name, why) if why else place.value
        if isinstance(place, Member):
            if not why and place.name in place.of.members:
                return place.of.members[place.name]
            why = why or place.of.lost
            return Unknown(place.name, why) if why else None
        if not why and not place.of.lost and 0 <= place.number < len(place.of.parts):
            return place.of.parts[place.number]
        return Unknown(name_of(place), why or place.of.lost)

    def parts(self, array: Array) -> list[Value] | Unknown:
        """The elements of an array."""
        why = self.doubt(array) or array.lost
        return Unknown(array.name or "an array", why) if why else array.parts

    def lookup(self, name: str) -> Place | None:
        raise NotImplementedError

    def rvalue(self, value: Value | Place) -> Value:
        if isinstance(value, (Variable, Member, Element)):
            taken = self.get(value)
            if taken is None:
                assert isinstance(value, Member)
                return 0 if value.of.cleared else Unknown(f"{value.name}, which was never set")
            return taken
        return value

    # ---- what changes -------------------------------------------------------------------------------------------

    def wrote(self, place: Holder) -> None:
        """Takes note that the text sets a place, of which what isn't known any more is forgotten first."""
        owner = owner_of(place)
        why = self.doubt(owner)
        if why and place is not owner:
            self._forget(owner, why)
        owner.stamp = self.at
        self.writes.append(owner)
        if isinstance(owner, Struct) and is_operator_struct(owner.kind):
            self.dirty[id(owner)] = owner
        self._note(place)

    def _note(self, place: Holder) -> None:
        owner = owner_of(place)
        for branches in (self.branches, self.alternatives):
            if branches and owner.born < branches[-1].start:
                why = f"line {self.line} sets {name_of(place)} {branches[-1].how}"
                self._add(branches[-1], place, why)

    def _add(self, branch: Branch, place: Holder, why: str) -> None:
        part = place.name if isinstance(place, Member) else place.number if isinstance(place, Element) else -1
        branch.sets.setdefault((id(owner_of(place)), part), (place, why))

    def settle(self, branch: Branch, outer: Branch | None) -> None:
        """What a branch has set isn't known behind it."""
        for place, why in branch.sets.values():
            self.burn()
            self.poison(place, why)
            owner = owner_of(place)
            if outer is not None and owner.born < outer.start:
                self._add(outer, place, why)
            if branch.is_function:
                self.later.by_functions.setdefault(owner.born, why)
            if branch.is_loop:
                self.later.by_loops.setdefault(branch.start, {}).setdefault(owner.born, why)
        branch.sets.clear()

    def enter_loop(self, start: int) -> None:
        """What a loop sets isn't known at its begin either."""
        for born, why in self.earlier.by_loops.get(start, {}).items():
            for owner in self._alive.get(born, ()):
                self.burn()
                self.poison(owner, why)

    def poison(self, place: Holder, why: str) -> None:
        owner = owner_of(place)
        if isinstance(place, Member):
            self.keep(place.of.members.get(place.name))
            place.of.members[place.name] = Unknown(place.name, why)
        elif isinstance(place, Element):
            if 0 <= place.number < len(place.of.parts):
                inner = place.of.parts[place.number]
                if isinstance(inner, (Struct, Array)):
                    self._forget(inner, why)
                else:
                    place.of.parts[place.number] = Unknown(name_of(place), why)
        else:
            self._forget(place, why)
        owner.stamp = self.at

    def _forget(self, owner: Variable | Struct | Array, why: str) -> None:
        if isinstance(owner, Struct):
            owner.members, owner.lost = {}, why
        elif isinstance(owner, Array):
            owner.parts, owner.lost = [], why
        elif isinstance(owner.value, (Struct, Array)):
            self._forget(owner.value, why)
        else:
            self.keep(owner.value)
            owner.value = Unknown(owner.name, why)

    def lose(self, owner: Variable | Struct | Array, why: str) -> None:
        """Something that isn't read may have set it."""
        if not owner.is_fixed:
            self._forget(owner, why)
            self._note(owner)

    def expose(self, given: Iterable[Value | Place], who: str) -> None:
        """What a call is given, and what that leads to, may be changed by it, now and by any later call."""
        left: list[Value | Place] = list(given)
        known: set[int] = set()
        while left:
            self.burn()
            value = left.pop()
            if isinstance(value, Pointer):
                value = value.to
            if isinstance(value, Member):
                left += [x for x in (self.get(value),) if isinstance(x, (Pointer, Struct, Array))]
                if not value.of.is_fixed:
                    self.wrote(value)
                    value.of.members[value.name] = Unknown(value.name, self._given(value, who))
                value.of.is_open = True
                continue
            if isinstance(value, Element):
                value = value.of
            if isinstance(value, Braced):
                left += [part for _, part in value.parts]
                continue
            if not isinstance(value, (Variable, Struct, Array)) or id(value) in known:
                continue
            known.add(id(value))
            if isinstance(value, Variable):
                left += [value.value]
            else:
                left += value.members.values() if isinstance(value, Struct) else value.parts
            if isinstance(value, Variable) and isinstance(value.value, (Struct, Array)):
                continue
            value.is_open = True
            self.lose(value, self._given(value, who))

    def _given(self, place: Holder, who: str) -> str:
        return f"line {self.line} gives {name_of(place)} to {who}, which may change it"

    def keep(self, value: Value | Place | None) -> None:
        """An address that goes where it isn't followed: what is set by it later is set unseen."""
        if isinstance(value, Pointer):
            owner = owner_of(value.to)
            owner.is_open = True
            if isinstance(owner, Variable) and isinstance(owner.value, (Struct, Array)):
                owner.value.is_open = True
        elif isinstance(value, (Braced, Array)):
            self.burn(len(value.parts) // 8)
            for part in value.parts:
                self.keep(part[1] if isinstance(part, tuple) else part)

    def describe(self, value: Value) -> None:
        """A DML_OPERATOR_DESC leads there: what a call may have done to the struct before counts."""
        struct = self.get(value.to) if isinstance(value, Pointer) else None
        if isinstance(struct, Struct):
            if why := self.doubt(struct):
                self._forget(struct, why)
            struct.stamp = self.at
