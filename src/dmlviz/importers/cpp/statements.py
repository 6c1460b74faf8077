"""Statements of C++ in straight line, carried out in order; what others name may have changed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from itertools import pairwise

import msgspec

from ...desc.levels import FeatureLevel
from ...errors import DmlvizError
from ...stopping import checkpoint
from .expressions import ASSIGNING, VIEWS, Expressions, NotThisError, number_of
from .memory import Region, Scope
from .shaping import MOST_BLANK
from .tokens import Tokens
from .values import (
    Array,
    Braced,
    Object,
    Place,
    Pointer,
    Structs,
    Symbol,
    Term,
    Unknown,
    Value,
    is_name,
    is_operator_struct,
    shown,
    why,
    words,
)

_QUALIFIERS = words(
    "const static constexpr inline volatile extern register thread_local struct enum constinit explicit virtual friend "
    "typename"
)
_WIDE = words("unsigned signed long short int char")
_JUMPS = words("return throw co_return co_yield delete")
_SIMPLE = words("goto break continue")
_ASSEMBLY = words("asm __asm __asm__")
_ACCESS = words("public private protected default case")
_CONDITIONS = {
    "if": "under a condition",
    "else": "under a condition",
    "switch": "in a switch",
    "try": "in a try",
    "catch": "in a catch",
    "for": "in a loop",
    "while": "in a loop",
    "do": "in a loop",
}
"""How what stands behind a word sets something."""
MOST_BLOCKS = 40
"""Depth of blocks; what stands deeper isn't read."""


_SETS = ASSIGNING | {".", "->", "[", "++", "--"}
"""Signs behind what a macro may set."""


class Statement(msgspec.Struct):
    """A statement: where it stands, what it reads, and what it sets."""

    line: int
    start: int
    end: int
    reads: list[Object]
    writes: list[Object]
    matters: bool = False
    """True if it says something of a desc besides: a feature level, or that CreateOperator is called."""


class _Type(msgspec.Struct, frozen=True):
    """The type that a declaration begins with."""

    kind: str
    """Its name, or that of an array's elements."""
    is_array: bool
    is_view: bool
    is_directmlx: bool
    count: Value | None
    """How many elements it says."""


class Statements(Expressions):
    """Walks all statements of a text; `doomed` is what a walk before gave as `dooms`."""

    def __init__(
        self, tokens: Tokens, structs: Structs, doomed: Mapping[int, str], directmlx_at: Mapping[int, str]
    ) -> None:
        super().__init__(tokens, structs, doomed, directmlx_at)
        self.statements: list[Statement] = []
        self._levels = [i for i, text in enumerate(tokens.texts) if text.startswith("DML_FEATURE_LEVEL_")]
        self._levels.reverse()
        self._matters = False

    def finish(self, struct: Object, level: FeatureLevel | None, *, at_end: bool) -> None:
        """Called when an operator's struct is passed to CreateOperator, or at the end of its scope."""
        raise NotImplementedError

    def made_by(self, at: int, function: str, given: list[Value], level: FeatureLevel | None) -> Value:
        """What a call of a DirectMLX function gives; Unknown where that isn't read."""
        raise NotImplementedError

    def run(self) -> None:
        """Carries out every statement. Raises TangledError."""
        while self.texts[self.at]:
            if self.texts[self.at] == "}":
                self.at += 1
            else:
                self.statement()
        self._finish_scope()

    # ---- scopes -------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _scope(self, names: dict[str, Term] | None = None) -> Iterator[None]:
        self.scopes.append(Scope(names or {}))
        yield
        self._finish_scope()
        self.scopes.pop()

    def block(self, names: dict[str, Term] | None = None) -> None:
        """Carries out the statements in the braces here, in a scope of their own that begins with `names`."""
        if len(self.scopes) > MOST_BLOCKS:
            self._skip_too_deep()
            return
        with self._scope(names):
            self.at += 1
            while self.texts[self.at] not in ("}", ""):
                self.statement()
            self.at += self.texts[self.at] == "}"

    def _skip_too_deep(self) -> None:
        """Passes over a statement or block that stands too deep; what it names may have changed."""
        start = self.at
        if self.texts[start] == "{":
            self.at = self.closing.get(start, len(self.texts) - 4) + 1
        else:
            self._skip()
        self.mention(start, self.at, "blocks too deep to be read")

    def _finish_scope(self) -> None:
        """Reads the structs of the innermost scope, which ends here."""
        self._keep_new_structs()
        for struct in self.scopes[-1].structs:
            self.finish(struct, self.passed_level(), at_end=True)

    def _keep_new_structs(self) -> None:
        """Puts the operator structs that were just made into the innermost scope."""
        self.scopes[-1].structs += self.made
        self.made = []

    def passed_level(self) -> FeatureLevel | None:
        """The feature level that was passed in this scope or around it; None for none."""
        return next((scope.level for scope in reversed(self.scopes) if scope.level is not None), None)

    def create_operator(self, operator_desc: Term | None) -> None:
        struct: Term | None = operator_desc
        for _ in range(2):
            value = self.value(struct) if struct is not None else None
            pointed = self.value(value.to) if isinstance(value, Pointer) else value
            if not isinstance(pointed, Object) or is_operator_struct(pointed.kind):
                struct = pointed
                break
            struct = Place(pointed, "Desc")
        if isinstance(struct, Object) and struct.kind in self.structs.operators:
            self._matters = True
            self.finish(struct, self.passed_level(), at_end=False)

    def directmlx_call(self, start: int) -> Value:
        name = self.directmlx_at[start]
        if self.name() in self.arrays and self.texts[self.at] == "{":  # dml::TensorDesc::Dimensions{2, 3}
            return self.listed(self.braced(), "UINT")
        if self.texts[self.at] == "<" and (end := self.angles(self.at)) >= 0:
            self.at = end
        if self.texts[self.at] == "{":
            given: list[Value] = [part for _, part in self.braced().parts]
        elif self.texts[self.at] == "(":
            opening = self.at
            try:
                given = [self.value(term) for term in self.arguments()]
            except NotThisError:
                self.at = self.behind(opening)
                self.mention(opening, self.at, f"dml::{name}()")
                given = []
        else:
            return Unknown(f"dml::{name}")
        value = self.made_by(start, name, given, self.passed_level())
        self._matters |= not isinstance(value, Unknown)
        return value

    # ---- statements ---------------------------------------------------------------------------------------------

    def statement(self) -> None:
        """Carries out the statement here, whatever it is."""
        checkpoint()
        self.burn()
        text, start = self.texts[self.at], self.at
        if text == "#":
            self._directive()
        elif text == ";":
            self.at += 1
        elif text == "{":
            self.block()
        elif text in _CONDITIONS:
            self._condition(text)
        elif text in ("class", "struct", "union", "enum", "namespace") and self._is_named_block():
            self._named_block(text)
        elif text == "template" and self.texts[self.at + 1] == "<":
            self.at = max(self.angles(self.at + 1), self.at + 1)
        elif text in ("using", "typedef", "static_assert"):
            self._note_alias()
        elif text in _ASSEMBLY:
            while self.texts[self.at] in _ASSEMBLY | {"volatile"}:
                self.at += 1
            self.at = self.closing.get(self.at, self.at) + 1
            self.breaks.append((self.at, f"line {self.tokens.lines[start]} is assembly, which may set anything"))
        elif text in _ACCESS or (self.texts[self.at + 1] == ":" and is_name(text)):
            self._label()
        else:
            self._simple_statement(start)
        self._keep_new_structs()

    def _condition(self, text: str) -> None:
        """Carries out a branch or a loop; its head is a part of it only where it may run again."""
        is_loop = text in ("for", "while", "do")
        self.at += 1 + (self.texts[self.at + 1] in ("constexpr", "each"))
        close = self.closing.get(self.at, -1) if self.texts[self.at] == "(" else -1
        outer = self.scopes[-1]
        with self._scope():
            if close >= 0 and not is_loop and text != "catch":
                self._head(self.at + 1, close)
                self._pass_levels(outer)
            with self.region(_CONDITIONS[text], for_good=is_loop) as region:
                if close >= 0 and is_loop:
                    self._head(self.at + 1, close)
                    region.token = self.at
                    self.settle(region)  # what its head declares and sets isn't known in the body
                self.at = max(self.at, close + 1)
                self._body()

    def _body(self) -> None:
        """Carries out the statement behind a condition, which stands at `self.at`, in a scope of its own."""
        if len(self.scopes) > MOST_BLOCKS:
            self._skip_too_deep()
        elif self.texts[self.at] not in ("}", ""):
            with self._scope():
                self.statement()

    def _head(self, start: int, close: int) -> None:
        """Carries out what stands in the brackets behind `if` or `for`."""
        over = next((i for i in range(start, close) if self.texts[i] == ":"), -1)
        self.burn(close - start)
        if self.texts[start - 2] == "for" and over >= 0 and ";" not in self.texts[start:close]:
            self.mention(over, close, "a loop")
            names = [text for text in self.texts[start:over] if is_name(text) and not self.is_type(text)]
            self.scopes[-1].names |= {name: Unknown(f"{name}, of a loop") for name in names}
            self.at = close + 1
            return
        before, self.limit = self.limit, close
        self.at = start
        while self.at < close:
            if self.texts[self.at] == ";":
                self.at += 1
            else:
                self._simple_statement(self.at, is_noted=False)
        self.at, self.limit = close + 1, before

    def _is_named_block(self) -> bool:
        """True if what begins here is a class or the like, and no declaration of C's."""
        for i in range(self.at + 1, min(self.at + 64, len(self.texts))):
            if self.texts[i] in ("{", ";"):
                return not self.structs.knows(self.texts[self.at + 1])
            if self.texts[i] in ("=", "("):
                return False
        return False

    def _named_block(self, text: str) -> None:
        """Carries out a class or struct, enters a namespace, and passes over an enum."""
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
        """Passes a label, an access or a `case`: what was set before may not hold behind a label or a `case`."""
        text = self.texts[self.at]
        while self.texts[self.at] not in (":", ";", "{", "}", ""):
            self.at += 1
        self.at += self.texts[self.at] == ":"
        if text in ("case", "default"):
            if self.regions:
                self.settle(self.regions[-1])
        elif text not in _ACCESS:
            self.breaks.append((self.at, f"line {self.line} is a label, which may be reached from elsewhere"))

    def _skip(self) -> None:
        """Goes to the end of a statement."""
        while self.texts[self.at] not in (";", "}", ""):
            self.burn()
            self.at = self.closing.get(self.at, self.at) + 1 if self.texts[self.at] in "({[" else self.at + 1

    def _note_alias(self) -> None:
        """Passes `using Sizes = std::array<UINT, 4>;`, and notes the array's new name."""
        start = self.at
        self._skip()
        declared = self.texts[start : self.at]
        if declared[0] == "using" and declared[2:3] == ["="] and len(declared) < 24 and "<" in declared:
            kinds = [text for text in declared[3:] if is_name(text) and text not in ("std", "const")]
            if kinds and kinds[0] in self.arrays:
                self.arrays[declared[1]] = kinds[1] if len(kinds) > 1 else ""

    def _simple_statement(self, start: int, *, is_noted: bool = True) -> None:
        """Carries out a declaration or an expression, enters a function, or passes over what isn't understood."""
        self.reads, self.writes, self._matters, depth = [], [], False, self.depth
        self.statement_start, line, text = start - 1, self.line, self.texts[start]
        self.at += text in _JUMPS
        begun = self.at
        is_understood = False
        if text not in _SIMPLE and self._body_at() < 0:
            for attempt in (self._read_declaration, self._read_expression):
                self.at, self.depth = begun, depth
                with contextlib.suppress(NotThisError):
                    is_understood = attempt()
                if is_understood:
                    break
        self.depth = depth
        if self.macros and any(text in self.macros for text in self.texts[start : self.at]):
            is_understood = False
        if not is_understood:
            self.at = begun
            if self._body_at() >= 0:
                self._function_definition()
                return
            self._pass_over(start)
        end = self.at
        if is_noted:
            self._pass_levels(self.scopes[-1])
            if is_understood or any(map(is_name, self.texts[start : min(end, start + 8)])):
                self.statements.append(
                    Statement(line, start, end, reads=self.reads, writes=self.writes, matters=self._matters)
                )
        self.reads, self.writes = [], []

    def _at_end(self) -> bool:
        """True at the end of a statement, or of the head that is read."""
        return self.texts[self.at] in (";", "") or self.at == self.limit

    def _read_expression(self) -> bool:
        """Reads an expression; True if the statement ends behind it. Raises NotThisError."""
        if not self._at_end():
            self.expression()
        return self._at_end()

    def _pass_over(self, start: int) -> None:
        """Passes over what isn't understood; what that names may have changed."""
        while self.texts[self.at] not in (";", "{", "}", "") and self.at != self.limit:
            self.at += 1
            if self._begins_line():
                break
        self.at = max(self.at, start + 1)
        self.mention(start, self.at, f"`{self.source(start, min(self.at, start + 6))}`")

    def _begins_line(self) -> bool:
        """True if a declaration begins a line here: what stood in front of it may have been prose."""
        lines, text = self.tokens.lines, self.texts[self.at]
        is_type = self.is_type(text) or self.structs.knows(text)
        return is_type and lines[self.at] > lines[self.at - 1] and is_name(self.texts[self.at + 1])

    def _pass_levels(self, scope: Scope) -> None:
        """Takes note of feature levels that were passed, which hold in `scope`."""
        while self._levels and self._levels[-1] < self.at:
            with contextlib.suppress(DmlvizError):
                scope.level = FeatureLevel.of(self.texts[self._levels.pop()])
                self._matters = True

    # ---- functions ----------------------------------------------------------------------------------------------

    def _body_at(self) -> int:
        """Where the body of the function begins whose head stands here; -1 where none does."""
        at, last = self.at, ""
        while is_name(text := self.texts[at]) or text in ("::", "*", "&", "~", "<", "["):
            self.burn()
            if text == "[" and self.texts[at + 1] != "[":
                return -1
            at, last = self.angles(at) if text == "<" else self.closing.get(at, -2) + 1 if text == "[" else at + 1, text
            if at < 0:
                return -1
        if text != "(" or at not in self.closing or not is_name(last):
            return -1
        at = self._behind_head(self.closing[at] + 1)
        if self.texts[at] == ":":
            while self.texts[at] in (":", ","):
                at += 1
                while is_name(self.texts[at]) or self.texts[at] in ("::", "<", ">"):
                    at += 1
                at = self.closing.get(at, -2) + 1
        return at if self.texts[at] == "{" and at >= 0 else -1

    def _behind_head(self, at: int) -> int:
        """The token behind `const noexcept -> int` and the like."""
        while is_name(self.texts[at]) or self.texts[at] in ("->", "::", "<", ">", "*", "&"):
            at += 1
        return at

    def _function_definition(self) -> None:
        """Reads a function's body; what it sets outside of itself is never known."""
        start, body = self.at, self._body_at()
        opening = self.texts.index("(", start)
        close = self.closing[opening]
        outer = self.function_start
        self.function_start = start
        with self.region("in a function", for_good=True):
            for name in filter(is_name, self.texts[close:body]):  # of a constructor's initialisers
                if (term := self.lookup(name)) is not None:
                    self.expose([term], "an initialiser")
            self.at = body
            self.block(dict(self._parameters(opening, close)))
        self.function_start = outer
        self.reads, self.writes = [], []

    def _parameters(self, opening: int, close: int) -> Iterator[tuple[str, Term]]:
        """The parameters in the head of a function, each Unknown."""
        depth = 0
        for i in range(opening, close):
            text, behind = self.texts[i], self.texts[i + 1]
            depth += (text == "(") - (text == ")")
            if depth == 1 and is_name(text) and behind in (",", ")", "=", "["):
                yield text, Unknown(f"{text}, a parameter")

    def lambda_value(self) -> Value:
        """Unknown, for the lambda here; its body is read, and what it sets outside of itself is never known."""
        start = self.at
        self.at = self.behind(self.at)
        names: dict[str, Term] = {}
        if self.texts[self.at] == "(":
            names = dict(self._parameters(self.at, self.behind(self.at) - 1))
            self.at = self.behind(self.at)
        self.at = self._behind_head(self.at)
        if self.texts[self.at] != "{":
            raise NotThisError
        outer = self.reads, self.writes, self.lambda_start, self.statement_start, self.limit
        self.lambda_start, self.limit = start, -1
        self._keep_new_structs()
        with self.deeper(), self.region("in a lambda", for_good=True):
            self.block(names)
        self.reads, self.writes, self.lambda_start, self.statement_start, self.limit = outer
        return Unknown("a lambda")

    # ---- declarations -------------------------------------------------------------------------------------------

    def _read_declaration(self) -> bool:
        """Declares one or several variables; False if no type stands here. Raises NotThisError for no declaration."""
        qualifiers: list[str] = []
        while self.texts[self.at] in _QUALIFIERS or self.texts[self.at] == "[":
            qualifiers.append(self.texts[self.at])
            self.at = self.behind(self.at) if self.texts[self.at] == "[" else self.at + 1
        begun = self.at
        declared = self._type()
        if declared is None:
            return False
        is_fixed = "const" in qualifiers or "constexpr" in qualifiers
        is_static = "static" in qualifiers and not is_fixed
        while True:
            thing = self._declared(declared, begun, is_fixed=is_fixed)
            if thing is not None:
                thing.is_static = is_static
            if self._at_end():
                return True
            if self.texts[self.at] != "," or self.limit >= 0:
                raise NotThisError
            self.at += 1

    def _type(self) -> _Type | None:
        """The type that stands here; None where what stands here is none."""
        begun = self.at
        kind = self.name()
        if self.at - begun == 1 and not self.is_type(kind) and self.lookup(kind) is not None:
            return None
        is_directmlx = begun in self.directmlx_at or self.texts[begun] == "dml"
        while kind in _WIDE and self.texts[self.at] in _WIDE:
            self.at += 1
        is_array, inner = kind in self.arrays, self.arrays.get(kind, "")
        count: Value | None = None
        if self.texts[self.at] == "<":
            end = self.angles(self.at)
            if end < 0:
                return None
            if is_array:
                inner = self.template_type(self.at, end)
                if kind == "array" and "," in self.texts[self.at : end]:
                    self.at = end - 2
                    is_word = self.texts[self.at - 1] == ","
                    count = self.value(self.primary()) if is_word else Unknown("its length")
            self.at = end
        return _Type(
            kind=inner or ("auto" if is_array else kind),
            is_array=is_array,
            is_view=kind in VIEWS,
            is_directmlx=is_directmlx,
            count=count,
        )

    def _declared(self, declared: _Type, begun: int, *, is_fixed: bool) -> Object | None:
        """Reads one variable of a declaration; None where it is another name of something."""
        start = self.at
        while self.texts[self.at] in ("*", "&", "&&", "const"):
            is_fixed = self.texts[self.at] == "const" or (is_fixed and self.texts[self.at] != "*")
            self.at += 1
        signs = self.texts[start : self.at]
        is_pointer, is_reference = "*" in signs, "&" in signs or "&&" in signs
        name, line = self.texts[self.at], self.line
        if not is_name(name) or self.is_type(name) or self.at == begun:
            raise NotThisError
        self.at += 1
        if self.texts[self.at] not in ("=", "{", "(", "[", ",", ";") and not self._at_end():
            raise NotThisError
        length = declared.count
        is_c_array = self.texts[self.at] == "["
        if self.accept("["):
            length = Unknown("") if self.texts[self.at] == "]" else self.value(self.expression())
            self.expect("]")
        opening = self.at
        term, given = self._initialiser(declared, is_array=is_c_array or declared.is_array)
        if declared.is_view and given is not None and len(given) == 1:
            term = given[0]
        if is_reference or declared.is_view:
            if not isinstance(term, (Place, Object)) and "const" not in self.texts[begun - 1 : opening]:
                self.mention(opening, self.at, f"{name}, a reference")
                term = Unknown(name, f"line {line} refers to what can't be followed")
            if isinstance(term, (Place, Object)) or "const" not in self.texts[begun - 1 : opening]:
                self._bind(name, term)
                return None
        if (is_c_array or declared.is_array) and not is_pointer:
            value = self._array_value(declared.kind, term, given, is_c_array=is_c_array)
            if isinstance(value, Array):
                self._lengthen(value, length, has_values=self.at > opening)
        else:
            value = self._single_value(name, declared, term, given, is_pointer=is_pointer)
        thing = (
            value if isinstance(value, Object) else self.new_variable(name, "" if is_pointer else declared.kind, value)
        )
        self._give_name(thing, name, line, is_fixed=is_fixed)
        if self.at > opening and thing.line == line:
            thing.spots.setdefault("", (opening + (self.texts[opening] == "="), self.at))
        if isinstance(value, Pointer) and isinstance(value.to, Object) and not value.to.name:
            self._give_name(value.to, name, line, is_fixed=False)
        self.writes.append(thing)
        self._bind(name, thing if value is thing else Place(thing))
        return thing

    def _initialiser(self, declared: _Type, *, is_array: bool) -> tuple[Term | None, list[Term] | None]:
        """What stands behind a variable's name: a term behind `=` or in braces, or arguments in brackets, or None."""
        kind = declared.kind
        is_known = is_array or declared.is_directmlx or self.is_type(kind) or self.structs.knows(kind)
        braces = self.at + (self.texts[self.at] == "=")
        if self.texts[braces] == "{" and not is_known:
            self.at = self.behind(braces)
            self.mention(braces, self.at, f"{kind}{{}}")
            return Unknown(kind), None
        if self.accept("="):
            return self.assignment(), None
        if self.texts[self.at] == "{":
            return self.braced(), None
        if self.texts[self.at] == "(":
            if self.texts[self.behind(self.at)] not in (";", ","):
                raise NotThisError
            return None, self.arguments()
        return None, None

    def _bind(self, name: str, term: Term | None) -> None:
        """Declares `name` here; one that another part of an `#if` declares too isn't known any more."""
        names = self.scopes[-1].names
        before = names.get(name)
        names[name] = term if term is not None else Unknown(name)
        if before is not None and self.alternatives:
            sentence = f"line {self.line} declares {name} again for another #if"
            names[name] = Unknown(name, sentence)
            for twin in (before, term):  # one for each part of an `#if`
                thing = twin.of if isinstance(twin, Place) else twin
                if isinstance(thing, Object):
                    self.forget(thing, sentence)

    def _give_name(self, thing: Object, name: str, line: int, *, is_fixed: bool) -> None:
        thing.name, thing.is_fixed = name, is_fixed
        thing.line = line
        if isinstance(thing, Array):
            for i, cell in thing.cells.items():
                if isinstance(cell, Object):
                    cell.name, cell.is_fixed = f"{name}[{i}]", is_fixed

    def _array_value(self, kind: str, term: Term | None, given: list[Term] | None, *, is_c_array: bool) -> Value:
        """The array that a declaration makes of what stands behind `=`, or of what is `given` in brackets."""
        if given is not None:
            return self.sized_array(kind, given)
        value = self.value(term) if term is not None else None
        if value is None:
            return self.new_array(kind, [], is_c_array=is_c_array)
        if isinstance(value, Braced):
            return self.listed(value, kind, is_c_array=is_c_array)
        if isinstance(value, Array):
            copy = self.copied(value) if value.name else value
            copy.is_c_array = is_c_array
            return copy
        return value if isinstance(value, Unknown) else Unknown(shown(value))

    def _lengthen(self, array: Array, length: Value | None, *, has_values: bool) -> None:
        """Gives an array as many elements as its declaration says; where that isn't known, none is."""
        if isinstance(length, (Unknown, Symbol)) and shown(length):
            array.lost, array.cells = why(length) or f"line {self.line} has no length that is known", {}
        elif isinstance(length, int) and len(array.cells) < length <= len(array.cells) + MOST_BLANK:
            missing = range(len(array.cells), length)
            array.cells |= {i: self.blank(array.kind, is_cleared=has_values) for i in missing}

    def _single_value(
        self, name: str, declared: _Type, term: Term | None, given: list[Term] | None, *, is_pointer: bool
    ) -> Value:
        """The value that a declaration of no array makes of `term`, or of what is `given` in brackets."""
        kind = declared.kind
        is_struct = self.structs.knows(kind)
        if given is not None and declared.is_directmlx:
            return self.made_by(self.at, kind, [self.value(part) for part in given], self.passed_level())
        if given is not None and (len(given) != 1 or not (self.is_type(kind) or is_struct)):
            self.unread_call(given, f"{kind}()")
            return Unknown(kind)
        term = given[0] if given else term
        if term is None:
            return self.blank(kind, is_cleared=False) if is_struct and not is_pointer else Unknown(f"{name}, never set")
        value = self.value(term)
        if declared.is_directmlx and isinstance(value, Braced):
            return self.made_by(self.at, kind, [part for _, part in value.parts], self.passed_level())
        is_c_array = isinstance(value, Array) and value.is_c_array
        if is_pointer or (kind == "auto" and is_c_array):
            return self.decayed(value)
        if kind == "auto":
            if isinstance(value, Braced):
                return self.listed(value, "auto")
            return self.copied(value) if isinstance(value, Object) and value.name else value
        if not self.is_type(kind) and not is_struct and not declared.is_directmlx:
            self.mark_open(value)
            return Unknown(name, why(value))
        return self.shaped(value, kind)

    # ---- directives ---------------------------------------------------------------------------------------------

    def _directive(self) -> None:
        """Takes `#define NAME literal` as a constant, keeps other macros, and begins or ends parts of an `#if`."""
        tokens = self.tokens.directives.get(self.at, [])
        start = self.at
        self._part_of_if(tokens[0] if tokens else "")
        self.at += 1
        if len(tokens) < 2 or tokens[0] != "define":
            return
        name, body = tokens[1], tokens[2:]
        while body[:1] == ["("] and body[-1] == ")":
            body = body[1:-1]
        term = self._literal(body[0]) if len(body) == 1 else None
        if isinstance(term, (int, float, Symbol)):
            constant = self.new_variable(name, "#define", term, is_fixed=True)
            self._bind(name, Place(constant))
            self.statements.append(Statement(self.tokens.lines[start], start, self.at, reads=[], writes=[constant]))
            self.macros.pop(name, None)
        elif body:
            self.macros[name] = [text for text in body if is_name(text)]
            parameters = body[: body.index(")")] if body[0] == "(" and ")" in body else []
            if any(word in parameters and sign in _SETS for word, sign in pairwise(body[len(parameters) :])):
                self.setters.add(name)

    def _literal(self, text: str) -> Value | None:
        """The value of a macro that is one number or name; None for another word."""
        if not is_name(text):
            return number_of(text) if text.lstrip(".")[:1].isdecimal() else None
        term = self.lookup(text)
        return Symbol(text) if term is None else self.value(term)

    def _part_of_if(self, directive: str) -> None:
        """Begins or ends a part of an `#if`: what a part sets isn't known behind it."""
        is_end = directive in ("else", "elif", "elifdef", "elifndef", "endif")
        if is_end and self.alternatives:
            self.settle(self.alternatives.pop())
        elif is_end or directive not in ("if", "ifdef", "ifndef"):
            return
        if directive != "endif":
            self.alternatives.append(Region(self.at, len(self.journal), "under an #if", False))
