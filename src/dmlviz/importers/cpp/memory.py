"""The objects of a C++ text while it is walked in order, and what may have changed them.

What a branch sets is known within the branch alone. What a loop, a function or a lambda sets of what stands outside
of it is never known: it may run at any time, and often. What is given to a call may be changed by it, and what any
other code can reach may be changed by every call.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

import msgspec

from ...desc.levels import FeatureLevel
from .tokens import Tokens
from .values import (
    Array,
    Braced,
    Object,
    Place,
    Pointer,
    Structs,
    Term,
    Unknown,
    Value,
    is_name,
    is_operator_struct,
    shown,
)


class TangledError(Exception):
    """The text makes the reader look at its tokens too often."""


class Region(msgspec.Struct):
    """A part of the text that may not run, or run often."""

    token: int
    """Where it begins."""
    start: int
    """The length of the journal there."""
    how: str
    """How it sets what stands outside: "under a condition"."""
    for_good: bool
    """It may run at any time: what it sets is known neither behind it nor before."""


class Scope(msgspec.Struct):
    """What is declared between two braces."""

    names: dict[str, Term] = msgspec.field(default_factory=dict)
    structs: list[Object] = msgspec.field(default_factory=list)
    """The structs of operators that were made here."""
    level: FeatureLevel | None = None


class Memory:
    """The objects of a text and what is known of them at the token `at`."""

    def __init__(self, tokens: Tokens, structs: Structs, doomed: Mapping[int, str]) -> None:
        self.tokens, self.structs, self.doomed = tokens, structs, doomed
        self.texts = [*tokens.texts, "", "", ""]
        self.at = 0
        self.fuel = 8 * len(self.texts) + 1000
        self.dooms: dict[int, str] = {}
        """Why objects are never known, by the token at which they are made; `doomed` is that of the walk before."""
        self.journal: list[tuple[Object, str]] = []
        """What was set so far, and sentences."""
        self.regions: list[Region] = []
        self.alternatives: list[Region] = []
        """The parts of `#if`s that are open."""
        self.calls: list[tuple[int, str]] = [(-1, "")]
        """Where other code may have run, which sets what it can reach, and sentences."""
        self.stores: list[tuple[int, str]] = [(-1, "")]
        """Where the text itself sets what can't be followed."""
        self.breaks: list[tuple[int, str]] = [(-1, "")]
        """Where nothing that was set before is known any more: labels, assembly."""
        self.function_start = self.lambda_start = 0
        self.scopes = [Scope()]
        self.macros: dict[str, list[str]] = {}
        """The names in what each macro stands for that is no literal."""
        self.setters: set[str] = set()
        """The macros that set what they are given."""
        self.moment: int | None = None
        """The token as of which things are looked at; the present one where it is None."""
        self.made: list[Object] = []
        """Structs of operators that were made since a scope took them."""
        self.reads: list[Object] = []
        self.writes: list[Object] = []
        """What the present statement reads, and what it sets."""

    @property
    def line(self) -> int:
        """The line of the present token."""
        return self.tokens.lines[min(self.at, len(self.tokens.lines) - 1)] if self.tokens.lines else 1

    def burn(self, tokens: int = 1) -> None:
        """Counts tokens that are looked at. Raises TangledError for too many."""
        self.fuel -= tokens
        if self.fuel < 0:
            raise TangledError

    # ---- what is made -------------------------------------------------------------------------------------------

    def new_variable(self, name: str, kind: str, value: Value, *, is_fixed: bool = False) -> Object:
        return Object(kind=kind, cells={"": value}, name=name, born=self.at, stamp=self.at, is_fixed=is_fixed)

    def new_array(self, kind: str, parts: list[Value], *, is_c_array: bool = False) -> Array:
        self.burn(len(parts) // 8)
        cells: dict[str | int, Value] = dict(enumerate(parts))
        return Array(kind=kind, cells=cells, born=self.at, stamp=self.at, is_c_array=is_c_array)

    def new_struct(self, kind: str, line: int, *, is_cleared: bool) -> Object:
        """A new struct without members; the scope takes that of an operator."""
        struct = Object(kind=kind, cells={}, born=self.at, stamp=self.at, line=line, is_cleared=is_cleared)
        if is_operator_struct(kind):
            self.made.append(struct)
        return struct

    def lookup(self, name: str) -> Term | None:
        """What a name stands for here; None for one that isn't declared."""
        return next((scope.names[name] for scope in reversed(self.scopes) if name in scope.names), None)

    # ---- what is known ------------------------------------------------------------------------------------------

    def doubt(self, thing: Object) -> str:
        """Why nothing of an object is known; empty where something may be."""
        if thing.born in self.doomed:
            return self.doomed[thing.born]
        if thing.is_fixed:
            return ""
        moment = self.at if self.moment is None else self.moment
        changes = [self.breaks[-1]]
        if thing.exposed[0] <= moment:
            changes.append(thing.exposed)
        if thing.is_open or thing.born < self.function_start:
            changes += [self.calls[bisect_right(self.calls, moment, key=lambda call: call[0]) - 1], self.stores[-1]]
        for token, sentence in changes:
            if thing.stamp < token:
                return sentence
        if thing.born < self.lambda_start:
            return f"{thing.called()} is not the lambda's own, and may have changed when that is called"
        return ""

    def cell(self, place: Place) -> Value | None:
        """What a place holds; None for a member that was never set."""
        thing = place.of
        sentence = self.doubt(thing)
        unknown = Unknown(shown(place), sentence or thing.lost)
        is_unset = not thing.lost and not isinstance(thing, Array)
        value = unknown if sentence else thing.cells.get(place.key, None if is_unset else unknown)
        if not isinstance(value, Unknown):
            self.reads.append(thing)
        return value

    def parts(self, array: Object) -> list[Value] | Unknown:
        """The elements of an array; Unknown, with why, where it may have changed."""
        self.reads.append(array)
        sentence = self.doubt(array) or array.lost
        return Unknown(array.called(), sentence) if sentence else inside(array)

    def value(self, term: Term) -> Value:
        """The value that an expression stands for."""
        if not isinstance(term, Place):
            return term
        value = self.cell(term)
        if value is None:
            return 0 if term.of.is_cleared else Unknown(f"{shown(term)}, which was never set")
        return value

    # ---- what changes -------------------------------------------------------------------------------------------

    def wrote(self, term: Place | Object) -> None:
        """Notes that the text sets an object or a part of it; forgets the rest of one that is in doubt."""
        thing = term if isinstance(term, Object) else term.of
        if term is not thing and (sentence := self.doubt(thing)):
            self.forget(thing, sentence)
        sentence = f"line {self.line} sets {thing.called() if isinstance(term, Object) else shown(term)}"
        thing.stamp, thing.exposed = self.at, (-1, "")
        self.writes.append(thing)
        self.journal.append((thing, sentence))
        if thing.is_static or thing.is_fixed:
            what = "static and keeps that for the next call" if thing.is_static else "const"
            self.dooms.setdefault(thing.born, f"{sentence}, which is {what}")

    @contextmanager
    def region(self, how: str, *, for_good: bool = False) -> Iterator[Region]:
        """A context for a part of the text: what is set within isn't known behind."""
        region = Region(self.at, len(self.journal), how, for_good)
        self.regions.append(region)
        try:
            yield region
        finally:
            self.regions.pop()
            self.settle(region)

    def settle(self, region: Region) -> None:
        """Forgets what was set in a region so far."""
        for thing, sentence in self.journal[region.start :]:
            self.burn()
            if thing.born < region.token and not thing.is_fixed:
                self.forget(thing, f"{sentence} {region.how}")
                if region.for_good:
                    self.dooms.setdefault(thing.born, f"{sentence} {region.how}")
        region.start = len(self.journal)

    def forget(self, thing: Object, sentence: str) -> None:
        """Takes away all that is known of an object and of what is in it; `sentence` says why."""
        values = inside(thing)
        thing.lost, thing.cells = sentence, {}
        for value in values:
            self.burn()
            if isinstance(value, Object):
                self.forget(value, sentence)
            else:
                self.mark_open(value)

    def lose(self, thing: Object, sentence: str) -> None:
        """Forgets an object that something unread may have set, and notes it as set."""
        self.forget(thing, sentence)
        self.journal.append((thing, sentence))
        if thing.is_fixed:
            self.dooms.setdefault(thing.born, f"{sentence}, which is const")

    def expose(self, terms: Iterable[Term], who: str, *, is_call: bool = True) -> None:
        """Notes that a call may change what it is given, and what that leads to, now and at any later call.

        What nothing is read of afterwards is taken as it was before, except for a struct whose member is given by name,
        and for what is no call.
        """
        waiting: list[Term] = list(terms)
        known: set[int] = set()
        while waiting:
            self.burn()
            term = waiting.pop()
            if isinstance(term, Pointer):
                term = term.to
            is_member = isinstance(term, Place) and isinstance(term.key, str) and term.key != ""
            if isinstance(term, Place):
                term = term.of
            if isinstance(term, Braced):
                waiting += inside(term)
            if not isinstance(term, Object) or id(term) in known:
                continue
            known.add(id(term))
            waiting += [value for value in inside(term) if isinstance(value, (Pointer, Object, Braced))]
            term.used = self.at - 1
            if not term.is_fixed:
                sentence = f"line {self.line} gives {term.called()} to {who}, which may change it"
                term.is_open = True
                if term.exposed[0] <= term.stamp:
                    term.exposed = (self.at, sentence)
                self.journal.append((term, sentence))
                if is_member or not is_call:
                    self.forget(term, sentence)

    def unread_call(self, terms: Iterable[Term], who: str, *, is_call: bool = True) -> None:
        """Notes that a call may change what it is given, and whatever it can reach."""
        self.expose(terms, who, is_call=is_call)
        self.calls.append((self.at, f"line {self.line} calls {who}, which may change it"))

    def mention(self, start: int, end: int, who: str) -> None:
        """Exposes what the tokens from `start` to `end` name, as these aren't understood."""
        self.burn(end - start)
        texts = self.texts
        names = {texts[i] for i in range(start, end) if is_name(texts[i]) and texts[i - 1] not in (".", "->", "::")}
        waiting = [name for name in names if name in self.macros]
        while waiting:
            body = self.macros[waiting.pop()]
            self.burn(len(body))
            waiting += [name for name in body if name in self.macros and name not in names]
            names.update(body)
        terms = [term for name in sorted(names) if (term := self.lookup(name)) is not None]
        is_call = ("(" in self.texts[start:end] or "{" in self.texts[start:end]) and not names & self.setters
        self.unread_call(terms, who, is_call=is_call)

    def mark_open(self, value: Value | None) -> None:
        """Marks objects whose address goes where it isn't followed: they may be set unseen."""
        if isinstance(value, Pointer):
            thing = value.to.of if isinstance(value.to, Place) else value.to
            thing.is_open = True
        elif isinstance(value, (Braced, Object)):
            parts = inside(value)
            self.burn(len(parts) // 8)
            for part in parts:
                self.mark_open(part)


def inside(value: Braced | Object) -> list[Value]:
    """What stands in braces, or in an object."""
    if isinstance(value, Braced):
        return [part for _, part in value.parts]
    return list(value.cells.values())
