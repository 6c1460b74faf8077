"""Statements of C++, walked in order: what stands in straight line is carried out.

What a branch, a loop, a function or a lambda sets is known within it, and not behind it. Of a statement that isn't
understood, whatever it names isn't known any more.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import msgspec
from msgspec import field

from ...desc.levels import FeatureLevel
from ...errors import DmlvizError
from ...stopping import checkpoint
from .expressions import ARRAYS, TYPES, Expressions, NotThisError
from .memory import Branch, Earlier
from .tokens import Tokens
from .values import (
    MOST_BLANK,
    Array,
    Braced,
    Element,
    Member,
    Place,
    Pointer,
    Struct,
    Structs,
    Symbol,
    Unknown,
    Value,
    Variable,
    shown,
    words,
)

_QUALIFIERS = words(
    "const static constexpr inline volatile extern register thread_local struct enum constinit explicit virtual friend "
    "typename"
)
_WIDE = words("unsigned signed long short int char")
_JUMPS = words("return throw co_return co_yield delete")
_SIMPLE = words("goto break continue")
_DIRECTMLX_ARRAYS = words("TensorDimensions Dimensions TensorStrides")
_ACCESS = words("public private protected default case")
_CLOSES = {")": "(", "]": "[", "}": "{"}
MOST_BLOCKS = 40
"""Depth of blocks; what stands deeper isn't read."""


class Scope(msgspec.Struct):
    """What is declared between two braces."""

    names: dict[str, Place] = field(default_factory=dict)
    structs: list[Struct] = field(default_factory=list)
    """The structs of operators that were made here."""
    level: FeatureLevel | None = None


class Said(msgspec.Struct):
    """A statement: what it reads, and what it sets."""

    line: int
    start: int
    end: int
    reads: list[Variable]
    writes: list[Variable | Struct | Array]
    matters: bool = False
    """True if it says something of a desc besides: a feature level, or that CreateOperator is called."""


class Listener:
    """Who is told of descs while statements are read."""

    def finish(self, struct: Struct, level: FeatureLevel | None, *, at_end: bool) -> None:
        """An operator's struct is passed to CreateOperator, or its scope ends."""

    def look(self, struct: Struct) -> None:
        """A call comes that may change the struct."""

    def expression(self, at: int, name: str, given: list[Value], level: FeatureLevel | None) -> Value:
        """A function of DirectMLX is called."""
        return Unknown(name)


class Statements(Expressions):
    def __init__(
        self,
        tokens: Tokens,
        structs: Structs,
        earlier: Earlier,
        *,
        listener: Listener,
        directmlx: dict[int, str],
    ) -> None:
        super().__init__(tokens, structs, earlier)
        self.listener, self.made_by_directmlx = listener, directmlx
        self._closing = dict(_closed(tokens.texts))
        self._macros: dict[str, list[str]] = {}
        self.aliases: dict[str, tuple[bool, str]] = dict.fromkeys(_DIRECTMLX_ARRAYS, (True, "UINT"))
        """Other names of types: whether one is an array, and of what."""
        self.scopes = [Scope()]
        self.said: list[Said] = []
        self._marks = [i for i, t in enumerate(tokens.texts) if t.startswith("DML_FEATURE_LEVEL_")]
        self._marks.reverse()
        self._matters = False

    @property
    def closing(self) -> dict[int, int]:
        return self._closing

    @property
    def macros(self) -> dict[str, list[str]]:
        return self._macros

    def lookup(self, name: str) -> Place | None:
        for scope in reversed(self.scopes):
            if (place := scope.names.get(name)) is not None:
                if isinstance(place, Variable) and not isinstance(place.value, Unknown):
                    self.reads.append(place)
                return place
        return None

    def array_type(self, name: str) -> tuple[bool, str]:
        if name in ARRAYS:
            return True, ""
        return self.aliases.get(name, (False, ""))

    def run(self) -> None:
        """Carries out every statement. Raises TangledError."""
        while self.texts[self.at]:
            if self.texts[self.at] == "}":
                self.at += 1
            else:
                self.statement()
        self._finish_scope()

    # ---- scopes -------------------------------------------------------------------------------------------------

    def block(self, names: dict[str, Place] | None = None) -> None:
        """What stands in the braces here."""
        if len(self.scopes) > MOST_BLOCKS:
            start = self.at
            self.at = self.closing.get(start, len(self.texts) - 4) + 1
            self.mention(start, self.at, "blocks too deep to be read")
            return
        self.scopes.append(Scope(names or {}))
        self.at += 1
        while self.texts[self.at] not in ("}", ""):
            self.statement()
        if self.texts[self.at]:
            self.at += 1
        self._finish_scope()
        self.scopes.pop()

    def _finish_scope(self) -> None:
        self._take_made()
        for struct in self.scopes[-1].structs:
            self.listener.finish(struct, self.level(), at_end=True)
            self.dirty.pop(id(struct), None)

    def _take_made(self) -> None:
        self.scopes[-1].structs += self.made
        self.made.clear()

    def level(self) -> FeatureLevel | None:
        return next((scope.level for scope in reversed(self.scopes) if scope.level is not None), None)

    def before_call(self) -> None:
        for struct in self.dirty.values():
            self.listener.look(struct)
        self.dirty.clear()

    def creates(self, passed: Value | Place | None, start: int) -> None:
        operator = self.rvalue(passed) if passed is not None else None
        if isinstance(operator, Pointer):
            operator = self.rvalue(operator.to)
        inner = self.rvalue(Member(operator, "Desc")) if isinstance(operator, Struct) else None
        struct = self.rvalue(inner.to) if isinstance(inner, Pointer) else None
        if isinstance(struct, Struct) and struct.kind in self.structs.operators:
            self._matters = True
            self.listener.finish(struct, self.level(), at_end=False)

    def directmlx(self, start: int) -> Value:
        name = self.made_by_directmlx[start]
        self.name()
        if self.texts[self.at] == "<" and (end := self.angles(self.at)) >= 0:
            self.at = end
        if self.texts[self.at] == "{":
            given: list[Value] = [part for _, part in self.braced().parts]
        elif self.texts[self.at] == "(":
            opening = self.at
            try:
                given = [self.rvalue(each) for each in self.arguments()]
            except NotThisError:
                self.at = self.behind(opening)
                self.mention(opening, self.at, f"dml::{name}()")
                given = []
        else:
            return Unknown(f"dml::{name}")
        value = self.listener.expression(start, name, given, self.level())
        self._matters = not isinstance(value, Unknown)
        return value

    # ---- statements ---------------------------------------------------------------------------------------------

    def statement(self) -> None:
        checkpoint()
        self.burn()
        text, start = self.texts[self.at], self.at
        if text == "#":
            self._directive()
        elif text == ";":
            self.at += 1
        elif text == "{":
            self.block()
        elif text in ("if", "while", "switch", "for"):
            self._condition(text)
        elif text in ("else", "try", "catch", "do"):
            self.at += 1
            if text == "catch" and self.texts[self.at] == "(":
                self.at = self.closing.get(self.at, self.at) + 1
            how = {"try": "in a try", "catch": "in a catch", "do": "in a loop"}.get(text, "under a condition")
            with self.branch(how, is_loop=text == "do"):
                self._body()
        elif text in ("class", "struct", "union", "enum", "namespace") and self._is_head():
            self._named_block(text)
        elif text == "template" and self.texts[self.at + 1] == "<":
            self.at = max(self.angles(self.at + 1), self.at + 1)
        elif text in ("using", "typedef", "static_assert"):
            self._alias() if text == "using" else self._skip()
        elif text in _ACCESS or (self.texts[self.at + 1] == ":" and text[:1].isidentifier()):
            self._label()
        else:
            self._simple(start)
        self._take_made()

    def _body(self) -> None:
        """The statement behind a condition."""
        if len(self.scopes) > MOST_BLOCKS or self.depth > MOST_BLOCKS:
            start = self.at
            self._skip()
            self.mention(start, self.at, "blocks too deep to be read")
        elif self.texts[self.at] not in ("}", ""):
            self.depth += 1
            self.scopes.append(Scope())
            self.statement()
            self._finish_scope()
            self.scopes.pop()
            self.depth -= 1

    def _condition(self, text: str) -> None:
        self.at += 1 + (self.texts[self.at + 1] in ("constexpr", "each"))
        if self.texts[self.at] != "(" or self.at not in self.closing:
            return
        opening, close = self.at, self.closing[self.at]
        outer = self.scopes[-1]
        self.scopes.append(Scope())
        is_loop = text in ("for", "while")
        how = "in a loop" if is_loop else "in a switch" if text == "switch" else "under a condition"
        if not is_loop:
            self._head(opening + 1, close)
            self._pass_marks(outer)
        with self.branch(how, is_loop=is_loop):
            if is_loop:
                self._head(opening + 1, close)
            self.at = close + 1
            self._body()
        self._finish_scope()
        self.scopes.pop()

    def _head(self, start: int, close: int) -> None:
        """What stands in the brackets behind `if` or `for`."""
        before, self.limit = self.limit, close
        self.at = start
        depth, over = 0, -1
        for i in range(start, close):
            depth += (self.texts[i] in "([{") - (self.texts[i] in ")]}")
            if self.texts[i] == ":" and not depth and "?" not in self.texts[start:i]:
                over = i
                break
        self.burn(close - start)
        if over >= 0:
            self._range(start, over, close)
        while self.at < close:
            if self.texts[self.at] == ";":
                self.at += 1
            else:
                self._simple(self.at, is_said=False)
        self.at, self.limit = close + 1, before

    def _range(self, start: int, over: int, close: int) -> None:
        """`for (auto& size : sizes)`: a reference may set any element."""
        declared = self.texts[start:over]
        self.at = over + 1
        with contextlib.suppress(NotThisError):
            taken = self.rvalue(self.expression())
            self.keep(taken)
            if "const" not in declared and ("&" in declared or "&&" in declared) and isinstance(taken, Array):
                self.lose(taken, f"line {self.line} may set {taken.name} in a loop")
        self.at = close
        for name in declared:
            if name[:1].isidentifier() and name not in TYPES and name not in _QUALIFIERS:
                self.scopes[-1].names[name] = self.variable(name, "", Unknown(f"{name}, of a loop"))

    def _is_head(self) -> bool:
        """True if what begins here is a class or the like, and no declaration of C's."""
        for i in range(self.at + 1, min(self.at + 64, len(self.texts))):
            if self.texts[i] in ("{", ";"):
                return not self.structs.knows(self.texts[self.at + 1])
            if self.texts[i] in ("=", "("):
                return False
        return False

    def _named_block(self, text: str) -> None:
        while self.texts[self.at] not in ("{", ";", ""):
            self.at += 1
        if self.texts[self.at] != "{":
            return
        if text == "enum":
            self.at = self.closing.get(self.at, self.at) + 1
        elif text == "namespace":
            self.at += 1  # its names are found behind it too
        else:
            self.block()
            self._skip()

    def _label(self) -> None:
        text = self.texts[self.at]
        while self.texts[self.at] not in (":", ";", "{", "}", ""):
            self.at += 1
        self.at += self.texts[self.at] == ":"
        if text in ("case", "default"):
            if self.branches:
                outer = self.branches[-2] if len(self.branches) > 1 else None
                self.settle(self.branches[-1], outer)
        elif text not in _ACCESS:
            self.label = (self.at, f"line {self.line} is a label, which may be reached from elsewhere")

    def _skip(self) -> None:
        """Goes to the end of a statement."""
        while self.texts[self.at] not in (";", "}", ""):
            self.burn()
            self.at = self.closing.get(self.at, self.at) + 1 if self.texts[self.at] in "({[" else self.at + 1

    def _alias(self) -> None:
        """`using Sizes = std::array<UINT, 4>;`."""
        start = self.at
        self._skip()
        declared = self.texts[start : self.at]
        if declared[2:3] == ["="] and len(declared) < 24:
            kinds = [t for t in declared[3:] if t[:1].isidentifier() and t not in ("std", "const")]
            if kinds and kinds[0] in ARRAYS and "<" in declared:
                self.aliases[declared[1]] = (True, kinds[1] if len(kinds) > 1 else "")

    def _simple(self, start: int, *, is_said: bool = True) -> None:
        """A declaration, an expression, the head of a function, or what isn't understood."""
        self.reads, self.writes, self._matters, depth = [], [], False, self.depth
        self.statement_start, line = start - 1, self.line
        text = self.texts[start]
        if text in _JUMPS:
            self.at += 1
        begun = self.at
        understood = False
        if text not in _SIMPLE and not self._is_function():
            for attempt in (self._declaration, self._expression):
                self.at, self.depth = begun, depth
                try:
                    understood = attempt()
                except NotThisError:
                    understood = False
                if understood:
                    break
        self.depth = depth
        if self._macros and any(text in self._macros for text in self.texts[start : self.at]):
            understood = False
        if not understood:
            self.at = begun
            if self._is_function():
                self._function()
                return
            self._pass_over(start)
        end = self.at
        if is_said:
            self._pass_marks(self.scopes[-1])
        if is_said and (understood or any(t[:1].isidentifier() for t in self.texts[start : min(end, start + 8)])):
            said = Said(line, start, end, reads=self.reads, writes=self.writes, matters=self._matters)
            self.said.append(said)
        self.reads, self.writes = [], []

    def _ends(self) -> bool:
        return self.texts[self.at] in (";", "") or self.at == self.limit

    def _expression(self) -> bool:
        if self._ends():
            return True
        self.expression()
        return self._ends()

    def _pass_over(self, start: int) -> None:
        """Passes over what isn't understood."""
        while self.texts[self.at] not in (";", "{", "}", "") and self.at != self.limit:
            self.at += 1
            if self._begins_line():
                break
        if self.at == start:
            self.at += 1
        self.mention(start, self.at, f"`{self.source(start, min(self.at, start + 6))}`")

    def _begins_line(self) -> bool:
        """True if a declaration begins a line here: what stood in front of it may have been prose."""
        lines, text = self.tokens.lines, self.texts[self.at]
        is_type = text in TYPES or self.structs.knows(text)
        return is_type and lines[self.at] > lines[self.at - 1] and self.texts[self.at + 1][:1].isidentifier()

    def _pass_marks(self, scope: Scope) -> None:
        """Takes note of feature levels that were passed, which hold in `scope`."""
        while self._marks and self._marks[-1] < self.at:
            with contextlib.suppress(DmlvizError):
                scope.level = FeatureLevel.of(self.texts[self._marks.pop()])
                self._matters = True

    # ---- functions ----------------------------------------------------------------------------------------------

    def _is_function(self) -> bool:
        """True if a function's head stands here, with its body behind it."""
        return self._body_at() >= 0

    def _body_at(self) -> int:
        """Where the body of the function begins whose head stands here; -1 where none does."""
        at, last = self.at, ""
        while (text := self.texts[at])[:1].isidentifier() or text in ("::", "*", "&", "~", "<", "["):
            self.burn()
            if text == "[" and self.texts[at + 1] != "[":
                return -1
            at, last = self.angles(at) if text == "<" else self.closing.get(at, -2) + 1 if text == "[" else at + 1, text
            if at < 0:
                return -1
        if text != "(" or at not in self.closing or not last[:1].isidentifier():
            return -1
        at = self.closing[at] + 1
        while self.texts[at][:1].isidentifier() or self.texts[at] in ("->", "::", "<", "*", "&"):
            at += 1
        if self.texts[at] == ":":
            while self.texts[at] in (":", ","):
                at += 1
                while self.texts[at][:1].isidentifier() or self.texts[at] in ("::", "<", ">"):
                    at += 1
                at = self.closing.get(at, -2) + 1
        return at if self.texts[at] == "{" and at >= 0 else -1

    def _function(self) -> None:
        start, body = self.at, self._body_at()
        opening = self.texts.index("(", start)
        close = self.closing[opening]
        before = self.function_start
        self.function_start = start
        with self.branch("in a function", is_function=True):
            initialised = [place for t in self.texts[close:body] if (place := self.lookup(t)) is not None]
            for place in initialised:
                if isinstance(place, Variable):
                    self.wrote(place)
                    self._forget(place, f"line {self.line} initialises {place.name}")
            self.at = body
            self.block(dict(self._parameters(opening, close)))
        self.function_start = before
        self.reads, self.writes = [], []

    def _parameters(self, opening: int, close: int) -> Iterator[tuple[str, Place]]:
        """The parameters in the head of a function."""
        depth = 0
        for i in range(opening, close):
            text, behind = self.texts[i], self.texts[i + 1]
            depth += (text == "(") - (text == ")")
            if depth == 1 and text[:1].isidentifier() and behind in (",", ")", "=", "["):
                yield text, self.variable(text, "", Unknown(f"{text}, a parameter"))

    def lambda_(self) -> Value:
        start = self.at
        self.at = self.behind(self.at)
        names: dict[str, Place] = {}
        if self.texts[self.at] == "(":
            names = dict(self._parameters(self.at, self.behind(self.at) - 1))
            self.at = self.behind(self.at)
        while self.texts[self.at][:1].isidentifier() or self.texts[self.at] in ("->", "::", "*", "&"):
            self.at += 1
        if self.texts[self.at] != "{":
            raise NotThisError
        saved = self.reads, self.writes, self.lambda_start, self.statement_start, self.limit
        self.lambda_start, self.limit = start, -1
        self._take_made()
        with self.deeper(), self.branch("in a lambda", is_function=True):
            self.block(names)
        self.reads, self.writes, self.lambda_start, self.statement_start, self.limit = saved
        return Unknown("a lambda")

    # ---- declarations -------------------------------------------------------------------------------------------

    def _declaration(self) -> bool:
        is_fixed = False
        while self.texts[self.at] in _QUALIFIERS or self.texts[self.at] == "[":
            is_fixed |= self.texts[self.at] in ("const", "constexpr")
            self.at = self.behind(self.at) if self.texts[self.at] == "[" else self.at + 1
        begun = self.at
        kind = self.name()
        is_directmlx = begun in self.made_by_directmlx or self.texts[begun] == "dml"
        if self.at - begun == 1 and kind not in TYPES and self.lookup(kind) is not None:
            return False
        while kind in _WIDE and self.texts[self.at] in _WIDE:
            self.at += 1
        is_array, inner = self.array_type(kind)
        count: Value | Place | None = None
        if self.texts[self.at] == "<":
            end = self.angles(self.at)
            if end < 0:
                return False
            if is_array:
                inner = self.template_type(self.at, end)
                if kind == "array" and "," in self.texts[self.at : end]:
                    self.at = end - 2
                    count = self.rvalue(self._primary()) if self.texts[self.at - 1] == "," else Unknown("its length")
            self.at = end
        kind = inner or ("auto" if is_array else kind)
        while True:
            is_fixed = self._declared(
                kind, count, is_fixed=is_fixed, is_array=is_array, is_directmlx=is_directmlx, begun=begun
            )
            if self._ends():
                return True
            if self.texts[self.at] != "," or self.limit >= 0:
                raise NotThisError
            self.at += 1

    def _declared(
        self,
        kind: str,
        count: Value | Place | None,
        *,
        is_fixed: bool,
        is_array: bool,
        is_directmlx: bool,
        begun: int,
    ) -> bool:
        """One variable of a declaration; whether the next one is const."""
        is_pointer = is_reference = False
        constant = is_fixed
        while self.texts[self.at] in ("*", "&", "&&", "const"):
            is_pointer |= self.texts[self.at] == "*"
            is_reference |= self.texts[self.at] in ("&", "&&")
            constant = self.texts[self.at] == "const" or (constant and self.texts[self.at] != "*")
            self.at += 1
        name, named = self.texts[self.at], self.at
        if not name[:1].isidentifier() or name in TYPES or named == begun:
            raise NotThisError
        self.at += 1
        here = self.texts[self.at]
        if here not in ("=", "{", "(", "[", ",", ";") and not self._ends():
            raise NotThisError
        counts: list[Value | Place] = []
        while self.accept("["):
            counts.append(Unknown("") if self.texts[self.at] == "]" else self.rvalue(self.expression()))
            self.expect("]")
        if len(counts) > 1:
            raise NotThisError
        is_listed = bool(counts) or is_array
        length = counts[0] if counts else count
        given: list[Value | Place] | None = None
        first: Value | Place | None = None
        is_known = is_listed or is_directmlx or kind in TYPES or self.structs.knows(kind)
        braces = self.at + (self.texts[self.at] == "=")
        if self.texts[braces] == "{" and not is_known:
            self.at = self.behind(braces)
            self.mention(braces, self.at, f"{kind}{{}}")
            first = Unknown(kind)
        elif self.accept("="):
            first = self.assignment()
        elif self.texts[self.at] == "{":
            first = self.braced()
        elif self.texts[self.at] == "(":
            if self.texts[self.behind(self.at)] not in (";", ","):
                raise NotThisError
            given = self.arguments()
        if is_reference and isinstance(first, (Variable, Member, Element)):
            self._bind(name, first)
            return is_fixed
        self.at, behind = named, self.at
        if is_listed and not is_pointer:
            value = self._array(kind, first, given, decays=bool(counts))
            if isinstance(value, Array):
                self._lengthen(value, length, has_values=first is not None or given is not None)
        else:
            value = self._single(kind, first, given, is_pointer=is_pointer, is_directmlx=is_directmlx)
        variable = self.variable(name, "" if is_pointer else kind, value, is_fixed=constant)
        self._name(variable, value, constant)
        self.at = behind
        self.writes.append(variable)
        if isinstance(value, (Struct, Array)):
            self.writes.append(value)
        self._bind(name, variable)
        return is_fixed

    def _bind(self, name: str, place: Place) -> None:
        before = self.scopes[-1].names.get(name)
        self.scopes[-1].names[name] = place
        if before is not None and self.alternatives:
            for each in (before, place):  # one for each part of an `#if`
                self.poison(each, f"line {self.line} declares {name} again for another #if")

    def _name(self, variable: Variable, value: Value, is_fixed: bool) -> None:
        if isinstance(value, (Struct, Array)):
            value.name, value.is_fixed = variable.name, is_fixed
            if isinstance(value, Struct):
                value.line = self.line
            else:
                for i, part in enumerate(value.parts):
                    if isinstance(part, Struct):
                        part.name, part.is_fixed = f"{variable.name}[{i}]", is_fixed
        elif isinstance(value, Pointer) and isinstance(value.to, Variable) and not value.to.name:
            self._name(variable, value.to.value, False)

    def _array(
        self, kind: str, first: Value | Place | None, given: list[Value | Place] | None, *, decays: bool
    ) -> Value:
        if given is not None:
            return self.sized_array(kind, given)
        value = self.rvalue(first) if first is not None else None
        if value is None:
            return self.array(kind, [], decays=decays)
        if isinstance(value, Braced):
            return self.listed(value, kind, decays=decays)
        if isinstance(value, Array):
            copy = self.copied(value) if value.name else value
            assert isinstance(copy, Array)
            copy.decays = decays
            return copy
        return value

    def _lengthen(self, array: Array, length: Value | Place | None, *, has_values: bool) -> None:
        """An array has as many elements as its declaration says."""
        if isinstance(length, (Unknown, Symbol)) and shown(length):
            array.lost, array.parts = getattr(length, "why", "") or f"line {self.line} has no length that is known", []
        elif isinstance(length, int) and len(array.parts) < length <= len(array.parts) + MOST_BLANK:
            array.parts += [self.blank(array.kind, cleared=has_values) for _ in range(length - len(array.parts))]

    def _single(
        self,
        kind: str,
        first: Value | Place | None,
        given: list[Value | Place] | None,
        *,
        is_pointer: bool,
        is_directmlx: bool,
    ) -> Value:
        if given is not None and is_directmlx:
            return self.listener.expression(self.at, kind, [self.rvalue(each) for each in given], self.level())
        if given is not None and (len(given) != 1 or not (kind in TYPES or self.structs.knows(kind))):
            self.before_call()
            self.expose(given, f"{kind}()")
            self.called = (self.at, f"line {self.line} calls {kind}(), which may change it")
            return Unknown(kind)
        taken = given[0] if given else first
        if taken is None:
            name = self.texts[self.at]
            made = self.blank(kind, cleared=False) if not is_pointer else None
            return made if isinstance(made, Struct) else Unknown(f"{name}, which was never set")
        value = self.rvalue(taken)
        if is_directmlx and isinstance(value, Braced):
            return self.listener.expression(self.at, kind, [part for _, part in value.parts], self.level())
        if is_pointer or (kind == "auto" and isinstance(value, Array) and value.decays):
            return self.decayed(value)
        if kind == "auto":
            if isinstance(value, Braced):
                return self.listed(value, "auto")
            return self.copied(value) if isinstance(value, (Struct, Array)) and value.name else value
        if kind not in TYPES and not self.structs.knows(kind) and not is_directmlx:
            self.keep(value)
            return Unknown(self.texts[self.at], getattr(value, "why", ""))
        return self.shaped(value, kind)

    # ---- directives ---------------------------------------------------------------------------------------------

    def _directive(self) -> None:
        """`#define NAME value` is a constant; of `#if` with other parts, what they set isn't known."""
        tokens = self.tokens.directives.get(self.at, [])
        start = self.at
        self._alternative(tokens[0] if tokens else "")
        self.at += 1
        if len(tokens) < 2 or tokens[0] != "define":
            return
        name, line = tokens[1], self.tokens.lines[start]
        inner = Statements(
            Tokens(tokens[2:], [line] * len(tokens)), self.structs, Earlier(), listener=Listener(), directmlx={}
        )
        inner.scopes = self.scopes
        try:
            value = inner.rvalue(inner.expression()) if len(tokens) > 2 and len(tokens) < 64 else None
        except NotThisError:
            value = None
        if isinstance(value, (int, Symbol)) and inner.at == len(tokens) - 2 and not any(map(_calls, tokens)):
            constant = self.variable(name, "#define", value, is_fixed=True)
            self._bind(name, constant)
            self.said.append(Said(line, start, self.at, reads=inner.reads, writes=[constant]))
            self._macros.pop(name, None)
        elif len(tokens) > 2:
            self._macros[name] = [t for t in tokens[2:] if t[:1].isidentifier()]

    def _alternative(self, kind: str) -> None:
        """What the parts of an `#if` set isn't known behind them."""
        if kind in ("if", "ifdef", "ifndef"):
            self.alternatives.append(Branch(self.at, "under an #if"))
        elif self.alternatives and kind in ("else", "elif", "elifdef", "elifndef", "endif"):
            branch = self.alternatives.pop()
            self.settle(branch, self.alternatives[-1] if self.alternatives else None)
            if kind != "endif":
                self.alternatives.append(branch)


def _calls(text: str) -> bool:
    return text in ("++", "--", "=")


def _closed(texts: list[str]) -> Iterator[tuple[int, int]]:
    """Where each bracket is closed; one that is closed by a bracket of another kind is closed nowhere."""
    opened: list[int] = []
    for i, text in enumerate(texts):
        if text in ("(", "[", "{"):
            opened.append(i)
        elif text in _CLOSES:
            while opened and texts[opened[-1]] != _CLOSES[text] and text == "}":
                opened.pop()
            if opened and texts[opened[-1]] == _CLOSES[text]:
                yield opened.pop(), i
