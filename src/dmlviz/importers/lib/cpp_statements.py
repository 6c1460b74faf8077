"""Statements of C++: declarations and assignments are carried out, scope by scope; all else is passed over."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field

from ...desc.levels import FeatureLevel
from ...errors import DmlvizError
from .cpp_expressions import ARRAYS, TYPES, Expressions, NotThisError
from .cpp_tokens import Tokens
from .cpp_values import (
    MOST_BLANK,
    MOST_ITEMS,
    Items,
    Struct,
    Structs,
    Symbol,
    Unknown,
    Value,
    Variable,
    settled,
    words,
)

_QUALIFIERS = words("const static constexpr inline volatile extern register thread_local struct constinit")
_WIDE = words("unsigned signed long short int char")
_CONDITIONS = words("if for while switch")
_OPENERS = words("else do try")
_NO_DECLARATIONS = words("return throw case goto using template typedef class enum union namespace delete")
_ALIASES = words("TensorDimensions Dimensions TensorStrides")
"""Types that are arrays by their own name."""
MOST_DEPTH = 64
"""Depth of scopes; deeper ones count as their parent."""


@dataclass(slots=True)
class Scope:
    """What is declared between two braces."""

    names: dict[str, Variable] = field(default_factory=dict)
    structs: list[Struct] = field(default_factory=list)
    """The structs of operators that were made here."""
    level: FeatureLevel | None = None


@dataclass(slots=True)
class Said:
    """A statement: what it sets, or None where it was passed over."""

    line: int
    sets: Variable | None
    start: int
    end: int
    matters: bool = False
    """True if it says something of a desc besides: a feature level, or that CreateOperator is called."""


class Statements:
    """Reads the statements of a text.

    `finish` is called with the struct of each operator and the feature level that is known there: when the struct is
    passed to CreateOperator, and when its scope ends (then with True).
    """

    def __init__(
        self, tokens: Tokens, structs: Structs, finish: Callable[[Struct, FeatureLevel | None, bool], None]
    ) -> None:
        self.texts = [*tokens.texts, "", ""]
        self.tokens, self.structs, self.finish = tokens, structs, finish
        self.read = Expressions(self.texts, tokens.lines, structs, self.lookup)
        self.scopes = [Scope()]
        self.too_deep = 0
        self.said: list[Said] = []
        self._marks = [i for i, t in enumerate(tokens.texts) if t == "CreateOperator" or t.startswith("DML_FEATURE_")]
        self._marks.reverse()

    def lookup(self, name: str) -> Variable | None:
        for scope in reversed(self.scopes):
            if (found := scope.names.get(name)) is not None:
                return found
        return None

    def run(self) -> None:
        """Carries out every statement. Raises TangledError."""
        read = self.read
        while text := self.texts[read.at]:
            start = read.at
            if text == "#":
                self._directive(start)
                read.at += 1
            elif text == ";":
                read.at += 1
            elif text == "{":
                read.at += 1
                if len(self.scopes) < MOST_DEPTH:
                    self.scopes.append(Scope())
                else:
                    self.too_deep += 1
            elif text == "}":
                read.at += 1
                self._close()
            elif text in _CONDITIONS:
                self._condition()
            elif text in _OPENERS:
                read.at += 1
            else:
                self._statement(start)
            if read.made:
                self.scopes[-1].structs += read.made
                read.made.clear()
            self._pass_marks()
        self.too_deep = 0
        while len(self.scopes) > 1:
            self._close()
        self._finish_scope(self.scopes[0])

    # ---- scopes -------------------------------------------------------------------------------------------------

    def _close(self) -> None:
        if self.too_deep:
            self.too_deep -= 1
        elif len(self.scopes) > 1:
            self._finish_scope(self.scopes[-1])
            self.scopes.pop()

    def _finish_scope(self, scope: Scope) -> None:
        for struct in scope.structs:
            self.finish(struct, self._level(), True)

    def _level(self) -> FeatureLevel | None:
        return next((scope.level for scope in reversed(self.scopes) if scope.level is not None), None)

    def _pass_marks(self) -> None:
        """Takes note of calls of CreateOperator and of feature levels that were passed."""
        read = self.read
        while self._marks and self._marks[-1] < read.at:
            mark = self._marks.pop()
            text = self.texts[mark]
            if text != "CreateOperator":
                with contextlib.suppress(DmlvizError):
                    self.scopes[-1].level = FeatureLevel.of(text)
                    self._matters(mark)
                continue
            behind, read.at = read.at, mark + 1
            try:
                read.expect("(")
                passed = settled(read.expression(), use=True)
                inner = settled(passed.members.get("Desc")) if isinstance(passed, Struct) else None
                if isinstance(inner, Struct) and inner.kind in self.structs.operators:
                    self._matters(mark)
                    if not any(each is inner for each in read.made):  # one that is made here has its own scope
                        self.finish(inner, self._level(), False)
            except NotThisError:
                pass
            read.at = behind
            read.made.clear()

    def _matters(self, mark: int) -> None:
        if self.said and self.said[-1].start <= mark < self.said[-1].end:
            self.said[-1].matters = True

    # ---- statements ---------------------------------------------------------------------------------------------

    def _condition(self) -> None:
        self.read.at += 1
        if self.texts[self.read.at] == "constexpr":
            self.read.at += 1
        if self.texts[self.read.at] == "(":
            try:
                self.read.skip_balanced("(", ")")
            except NotThisError:
                self.read.at += 1

    def _statement(self, start: int) -> None:
        read, said = self.read, len(self.said)
        if self.texts[start] not in _NO_DECLARATIONS and self.texts[start][:1].isidentifier():
            for attempt in (self._assignment, self._declaration):
                read.at = start
                try:
                    attempt(start)
                    return
                except NotThisError:
                    read.made.clear()
                    del self.said[said:]
        read.at = start
        self._skip()
        self._lose(start)
        if self.texts[read.at] == "{" and "=" not in self.texts[start : read.at]:
            return  # the head of a function, of a class, of a namespace
        if self.texts[start] == "static_assert":
            return  # it sets nothing
        if any(text[:1].isidentifier() for text in self.texts[start : min(read.at, start + 8)]):
            self.said.append(Said(self.tokens.lines[start], None, start, read.at, bool(read.made)))

    def _lose(self, start: int) -> None:
        """Forgets what a statement that was not understood may have changed."""
        texts, end = self.texts, self.read.at
        stepped = texts[start : start + 2] in (["+", "+"], ["-", "-"])
        at = start + 2 * stepped
        variable = self.lookup(texts[at])
        if variable is None:
            return
        put, held = self._whole(variable), settled(variable)
        at += 1
        while at + 1 < end and texts[at] in (".", "->") and isinstance(held, Struct):
            name = texts[at + 1]
            if name not in self.structs.members.get(held.kind, ()):
                return
            put, held, at = _member(held, name), settled(held.members.get(name)), at + 2
        changed = stepped or texts[at] == "=" or texts[at + 1] == "=" or texts[at] == texts[at + 1] in ("+", "-")
        if changed and not isinstance(held, (Struct, Items)):
            put(Unknown(self.read.source(start, min(end, start + 24))))

    def _skip(self) -> None:
        """Goes to the end of a statement; structs of operators that stand in it are read."""
        read, texts = self.read, self.texts
        first = read.at
        while (text := texts[read.at]) and text not in ";{}":
            if text in self.structs.operators and texts[read.at + 1] == "{":
                here, made = read.at, len(read.made)
                try:
                    read.expression()
                    continue
                except NotThisError:
                    read.at = here
                    del read.made[made:]
            read.at += 1
        read.burn(read.at - first)

    def _declaration(self, start: int) -> None:
        read, texts = self.read, self.texts
        kind, is_array, is_pointer = self._type()
        size = _integer(texts[read.at - 2]) if is_array and texts[read.at - 1] == ">" else None
        while True:
            while texts[read.at] in ("*", "&", "const"):
                is_pointer |= texts[read.at] != "const"
                read.at += 1
            name, line = texts[read.at], read.line
            if not name[:1].isidentifier() or name in TYPES:
                raise NotThisError
            read.at += 1
            variable = self._declared(name, kind, line, is_array, is_pointer, size)
            if texts[read.at] not in (";", ","):
                raise NotThisError
            self.scopes[-1].names[name] = variable
            self.said.append(Said(line, variable, start, read.at))
            read.at += 1
            if texts[read.at - 1] == ";":
                return

    def _type(self) -> tuple[str, bool, bool]:
        """The type that a declaration begins with; whether it is an array by itself, and whether a reference."""
        read, texts = self.read, self.texts
        while texts[read.at] in _QUALIFIERS:
            read.at += 1
        kind, is_array = read.name(), False
        while kind in _WIDE and texts[read.at] in _WIDE:
            read.at += 1
        if texts[read.at] == "<":
            start = read.at
            read.skip_balanced("<", ">")
            if kind not in ARRAYS:
                raise NotThisError
            inner = [t for t in texts[start + 1 : min(read.at, start + 9)] if t[:1].isidentifier()]
            kind, is_array = next((t for t in inner if t not in ("const", "std", "struct")), ""), True
        elif kind in ARRAYS or kind in _ALIASES:
            kind, is_array = "UINT", True
        is_pointer = False
        while texts[read.at] in ("*", "&", "const"):
            is_pointer |= texts[read.at] != "const"
            read.at += 1
        return kind, is_array, is_pointer

    def _declared(
        self, name: str, kind: str, line: int, is_array: bool, is_pointer: bool, size: int | None
    ) -> Variable:
        """The variable with what it is initialised with, if anything; an array has `size` elements at least."""
        read = self.read
        count: Value | None = size
        counted = self.texts[read.at] == "["
        if counted:
            is_array = True
            read.at += 1
            count = None if self.texts[read.at] == "]" else settled(read.expression())
            read.expect("]")
        known = kind in TYPES or kind in self.structs.members or kind.endswith("_OPERATOR_DESC")
        here = self.texts[read.at]
        if read.accept("="):
            value = read.expression()
        elif here == "{":
            value = read.braced(0)
        elif here == "(" and is_array and not counted:
            value = read.sized_array(kind, 0)
        elif here == "(" and known and not is_array:
            read.at += 1
            value = read.expression()
            read.expect(")")
        elif here in (";", ",") and (known or is_array) and not is_pointer:
            value = Items(kind, []) if is_array else read.blank(kind, cleared=False)
            if not is_array and value == 0:
                value = Unknown(f"{name}, which was never set")
        else:
            raise NotThisError
        if not is_pointer:
            value = read.shaped(value, kind, is_array=is_array)
        if isinstance(value, Items) and isinstance(count, int) and len(value.items) < count <= MOST_BLANK:
            value.items += [read.blank(kind) for _ in range(count - len(value.items))]
        if isinstance(value, Unknown) and not known:
            raise NotThisError
        variable = Variable(name, kind, line, value)
        if isinstance(value, Struct):
            value.line, value.name = line, name
        return variable

    def _assignment(self, start: int) -> None:
        read, texts = self.read, self.texts
        variable = self.lookup(texts[start])
        if variable is None or texts[start + 1] not in ("=", ".", "->", "["):
            raise NotThisError
        read.at = start + 1
        put = self._whole(variable)
        held = settled(variable)
        while not read.accept("="):
            if read.accept("["):
                number = settled(read.expression())
                read.expect("]")
                if not isinstance(held, Items) or not isinstance(number, int):
                    raise NotThisError
                if not 0 <= number < min(MOST_ITEMS, len(held.items) + MOST_BLANK):
                    raise NotThisError
                held.items += [read.blank(held.element) for _ in range(number + 1 - len(held.items))]
                put, held = self._item(held, number), settled(held.items[number])
                continue
            if not read.accept(".") and not read.accept("->"):
                raise NotThisError
            name = read.name()
            if name in ("push_back", "emplace_back") and isinstance(held, Items):
                self._push(held)
                break
            if not isinstance(held, Struct) or name not in self.structs.members.get(held.kind, ()):
                raise NotThisError
            put, held = _member(held, name), settled(held.members.get(name))
        else:
            value = read.expression()
            if texts[read.at] != ";":
                raise NotThisError
            put(value)
        self.said.append(Said(self.tokens.lines[start], variable, start, read.at))
        read.expect(";")

    def _whole(self, variable: Variable) -> Callable[[Value], None]:
        def put(value: Value) -> None:
            held = variable.value
            if isinstance(held, Items):
                made = self.read.shaped(value, held.element, is_array=True)
            else:
                made = self.read.shaped(value, held.kind if isinstance(held, Struct) else variable.kind)
            if isinstance(made, Struct) and isinstance(held, Struct) and made.kind == held.kind:
                # The struct stays the one that was declared, with other members.
                held.members, held.cleared = made.members, made.cleared
                self.read.made = [each for each in self.read.made if each is not made]
            else:
                variable.value = made

        return put

    def _item(self, items: Items, number: int) -> Callable[[Value], None]:
        def put(value: Value) -> None:
            items.items[number] = self.read.shaped(value, items.element)

        return put

    def _push(self, items: Items) -> None:
        self.read.expect("(")
        value = self.read.expression()
        self.read.expect(")")
        if self.texts[self.read.at] != ";" or len(items.items) >= MOST_ITEMS:
            raise NotThisError
        items.items.append(self.read.shaped(value, items.element))

    def _directive(self, at: int) -> None:
        """`#define NAME value` is a constant; other directives say nothing of a desc."""
        tokens = self.tokens.directives.get(at, [])
        if len(tokens) < 3 or tokens[0] != "define":
            return
        line = self.tokens.lines[at]
        inner = Expressions([*tokens, "", ""], [line] * len(tokens), self.structs, self.lookup)
        inner.at = 2
        try:
            value = settled(inner.expression())
        except NotThisError:
            return
        if not inner.texts[inner.at] and isinstance(value, (int, Symbol)):
            variable = Variable(tokens[1], "#define", line, value)
            self.scopes[0].names[tokens[1]] = variable
            self.said.append(Said(line, variable, at, at + 1))


def _member(struct: Struct, name: str) -> Callable[[Value], None]:
    def put(value: Value) -> None:
        struct.members[name] = value

    return put


def _integer(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 10 else None
