"""Expressions of C++, as far as descs are written with them: a recursive parser over tokens, bounded in depth.

Nothing is evaluated but arithmetic of integers, and that without bounds: what no UINT holds is kept as written. Casts
are passed through. What isn't understood is an `Unknown`, never an error; what doesn't parse raises `NotThisError`.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager

from ...desc.tensors import DataType, TensorDesc
from .memory import Branch, Memory
from .values import (
    MOST_BLANK,
    NULL,
    OPERATOR,
    Array,
    Braced,
    Element,
    Inverted,
    Member,
    Place,
    Pointer,
    Struct,
    Symbol,
    Unknown,
    Value,
    Variable,
    shown,
    words,
)

MOST_DEPTH = 200
MOST_BITS = 2400
"""Bits of an integer. What is larger isn't known."""
MOST_DIGITS = 700

_BYTES = {
    **dict.fromkeys(words("char uint8_t int8_t UINT8 INT8 BYTE bool"), 1),
    **dict.fromkeys(words("short uint16_t int16_t UINT16 INT16 WORD half HALF"), 2),
    **dict.fromkeys(words("int unsigned float uint32_t int32_t UINT INT UINT32 INT32 DWORD FLOAT"), 4),
    **dict.fromkeys(words("double uint64_t int64_t UINT64 INT64 ULONGLONG"), 8),
}
_FLOATS = words("float double half HALF FLOAT")
TYPES = (_BYTES.keys() - _FLOATS) | words(
    "signed long size_t SIZE_T uint ULONG void auto BOOL DML_TENSOR_DATA_TYPE DML_TENSOR_FLAGS DML_TENSOR_TYPE "
    "DML_OPERATOR_TYPE DML_FEATURE_LEVEL"
)
ARRAYS = words("array vector initializer_list span Span SmallVector InlinedVector")
_CASTS = words("static_cast reinterpret_cast const_cast dynamic_cast narrow_cast narrow checked_cast")
UNCHANGED = _CASTS | words(
    "move as_const size ssize _countof ARRAYSIZE data begin cbegin end cend empty front back at reserve "
    "DMLCalcBufferTensorSize CreateOperator CompileOperator DMLCreateDevice DMLCreateDevice1 IID_PPV_ARGS"
)
"""The calls that change nothing of what they are given; any other may."""
_NUMBERS = {"UINT_MAX": 2**32 - 1, "UINT32_MAX": 2**32 - 1, "INT_MAX": 2**31 - 1, "true": 1, "false": 0}
_LEVELS = ["||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<< >>", "+ -", "* / %"]
_PRECEDENCE = {sign: level for level, signs in enumerate(_LEVELS, 1) for sign in signs.split()}
_SHORTCUTS = ("&&", "||")
ASSIGNING = words("= += -= *= /= %= &= |= ^= <<= >>=")


class NotThisError(Exception):
    """Tokens that aren't what was looked for; the reader goes on behind them."""


class Expressions(Memory):
    """Reads expressions at `at`; what they set is set."""

    depth = 0
    limit = -1
    """Where the head of a statement ends that is being read."""
    made_by_directmlx: dict[int, str]

    # ---- tokens -------------------------------------------------------------------------------------------------

    def expect(self, text: str) -> None:
        if not self.accept(text):
            raise NotThisError

    def accept(self, text: str) -> bool:
        if self.texts[self.at] == text:
            self.at += 1
            return True
        return False

    def source(self, start: int, end: int) -> str:
        """The tokens from `start` to `end` in short."""
        return " ".join(self.texts[start : min(end, start + 16)]) + (" ..." if end - start > 16 else "")

    def behind(self, at: int) -> int:
        """The token behind the bracket that closes the one at `at`."""
        if at not in self.closing:
            raise NotThisError
        return self.closing[at] + 1

    @property
    def closing(self) -> dict[int, int]:
        raise NotImplementedError

    def angles(self, at: int) -> int:
        """The token behind a template's `<...>`; -1 where none begins."""
        depth = 0
        for i in range(at, min(at + 64, len(self.texts))):
            text = self.texts[i]
            self.burn()
            depth += {"<": 1, ">": -1, ">>": -2}.get(text, 0)
            if depth <= 0:
                return i + 1
            if not (text[:1].isalnum() or text[:1] == "_" or text in ("<", ">", ",", "::", "*", "&", "(", ")")):
                break
        return -1

    @contextmanager
    def branch(self, how: str, *, is_function: bool = False, is_loop: bool = False) -> Iterator[None]:
        """What is set within isn't known behind."""
        branch = Branch(self.at, how, is_function=is_function, is_loop=is_loop)
        if is_loop:
            self.enter_loop(self.at)
        self.branches.append(branch)
        try:
            yield
        finally:
            self.branches.pop()
            self.settle(branch, self.branches[-1] if self.branches else None)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        self.burn()
        if self.depth > MOST_DEPTH:
            raise NotThisError
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1

    # ---- expressions --------------------------------------------------------------------------------------------

    def expression(self) -> Value | Place:
        """With assignments, and with commas."""
        value = self.assignment()
        while self.accept(","):
            value = self.assignment()
        return value

    def assignment(self) -> Value | Place:
        with self.deeper():
            start = self.at
            left = self._ternary(start)
            sign = self.texts[self.at]
            if sign not in ASSIGNING:
                return left
            far = any(text in ("*", "->", "[") for text in self.texts[start : self.at])
            self.at += 1
            right = self.rvalue(self.assignment())
            if sign != "=":
                right = self._computed(sign[:-1], self.rvalue(left), right, start)
            self._assign(left, right, far)
            return left

    def _assign(self, left: Value | Place, right: Value, far: bool) -> None:
        if isinstance(left, (Variable, Member, Element)):
            self.put(left, right)
            return
        self.keep(right)
        if far:
            self.called = (self.at, f"line {self.line} sets what can't be followed")

    def _ternary(self, start: int) -> Value | Place:
        value = self._binary(1)
        if not self.accept("?"):
            return value
        for mark in (":", ""):
            with self.branch("under a condition"):
                self.keep(self.rvalue(self.assignment()))
            if mark:
                self.expect(mark)
        return Unknown(self.source(start, self.at), f"line {self.line} chooses a value by a condition")

    def _binary(self, least: int) -> Value | Place:
        start = self.at
        left: Value | Place = self._unary()
        while (level := _PRECEDENCE.get(self.texts[self.at], 0)) >= least:
            sign = self.texts[self.at]
            self.at += 1
            with self.deeper():
                if sign in _SHORTCUTS:
                    with self.branch("under a condition"):
                        right = self._binary(level + 1)
                else:
                    right = self._binary(level + 1)
            streams = sign == ">>" and isinstance(self.rvalue(left), (Symbol, Unknown))
            if streams:
                self.expose([right], self.source(start, start + 1))
            left = left if streams else self._computed(sign, self.rvalue(left), self.rvalue(right), start)
        return left

    def _computed(self, sign: str, left: Value, right: Value, start: int) -> Value:
        """The result of integers, as C++ rounds; flags keep their names."""
        if isinstance(left, Pointer) and isinstance(right, int) and sign in ("+", "-"):
            if isinstance(left.to, Element):
                return Pointer(Element(left.to.of, left.to.number + (right if sign == "+" else -right)))
        elif isinstance(left, Array) and isinstance(right, int) and sign == "+":
            return Pointer(Element(left, right))
        if isinstance(left, int) and isinstance(right, int):
            number = computed(sign, left, right)
            if number is not None:
                return number
        if sign == "|" and isinstance(left, (Symbol, Unknown)) and isinstance(right, Symbol):
            return Unknown(f"{shown(left)} | {shown(right)}", getattr(left, "why", ""))
        why = next((each.why for each in (left, right) if isinstance(each, Unknown) and each.why), "")
        return Unknown(self.source(start, self.at), why)

    def _unary(self) -> Value | Place:
        with self.deeper():
            start, text = self.at, self.texts[self.at]
            if text in ("-", "+", "~", "!"):
                self.at += 1
                number = self.rvalue(self._unary())
                if isinstance(number, int) and text != "!":
                    return Inverted(~number) if text == "~" else -number if text == "-" else number
                return Unknown(self.source(start, self.at), getattr(number, "why", ""))
            if text in ("++", "--"):
                self.at += 1
                place = self._unary()
                self._step(place, text, start)
                return place
            if text == "&":
                self.at += 1
                return self._address(self._unary())
            if text == "*":
                self.at += 1
                return self._pointed(self.rvalue(self._unary()), start)
            if text == "new":
                self.at += 1
                return self._address(self._unary())
            if text == "sizeof":
                return self._sizeof()
            return self._postfix(self._primary(), start)

    def _step(self, place: Value | Place, sign: str, start: int) -> None:
        far = any(text in ("*", "->", "[") for text in self.texts[start : self.at])
        self._assign(place, self._computed(sign[0], self.rvalue(place), 1, start), far)

    def _address(self, value: Value | Place) -> Value:
        if isinstance(value, (Variable, Member, Element)):
            if isinstance(value, Variable) and isinstance(value.value, int):
                value.is_open = True
            return Pointer(value)
        if isinstance(value, (Struct, Array)):
            return Pointer(self.variable("", "", value))
        return Unknown(shown(value), getattr(value, "why", ""))

    def _pointed(self, value: Value, start: int) -> Value | Place:
        if isinstance(value, Pointer):
            return value.to
        if isinstance(value, Array):
            return Element(value, 0)
        return Unknown(self.source(start, self.at), getattr(value, "why", ""))

    def _sizeof(self) -> Value:
        """`sizeof(x) / sizeof(x[0])` is the length of x; of types, the size of numbers is known."""
        start = self.at
        count = self._sized()
        if self.at - start == 4 and self.texts[start + 2] in _BYTES:
            return _BYTES[self.texts[start + 2]]
        if self.texts[self.at] == "/" and self.texts[self.at + 1] == "sizeof":
            whole, second = self.texts[start : self.at], self.at + 2
            self.at += 1
            self._sized()
            first = [text for text in self.texts[second : self.at] if text not in "()"]
            name = next((text for text in whole[1:] if text not in "()"), "")
            place = self.lookup(name)
            kind = place.value.kind if isinstance(place, Variable) and isinstance(place.value, Array) else ""
            if count is not None and first in ([name, "[", "0", "]"], ["*", name], [kind]):
                return count
        return Unknown(self.source(start, self.at))

    def _sized(self) -> int | None:
        self.expect("sizeof")
        start = self.at
        if self.texts[self.at] == "(":
            self.at = self.behind(self.at)
            inside = self.texts[start + 1 : self.at - 1]
        else:
            self.accept("*")
            inside = [self.texts[self.at]]
            self.at += 1
            if self.texts[self.at] == "[":
                self.at = self.behind(self.at)
        place = self.lookup(inside[0]) if len(inside) == 1 else None
        taken = self.rvalue(place) if place is not None else None
        return self.length(taken) if isinstance(taken, Array) and taken.decays else None

    def _primary(self) -> Value | Place:
        text = self.texts[self.at]
        first = text[:1]
        if first.isdecimal():
            self.at += 1
            return _number(text)
        if first in ('"', "'"):
            self.at += 1
            return Unknown(text[:40])
        if first == "(":
            return self._parenthesis()
        if first == "{":
            return self.braced()
        if first == "[":
            return self.lambda_()
        if first.isidentifier():
            return self._named()
        raise NotThisError

    def _parenthesis(self) -> Value | Place:
        """`(expression)`, `(type) value`, or C's `(type) {...}`."""
        start = self.at
        self.at += 1
        kind = self._type_in_parenthesis()
        if kind is None:
            self.at = start + 1
            value = self.expression()
            self.expect(")")
            return value
        name, is_array, is_pointer = kind
        if self.texts[self.at] == "{":
            braced = self.braced()
            return self.listed(braced, name, decays=True) if is_array else self.shaped(braced, name)
        value = self.rvalue(self._unary())
        return value if is_pointer else self.shaped(value, name)

    def _type_in_parenthesis(self) -> tuple[str, bool, bool] | None:
        """The type that stands here with `)` behind it; whether it is an array, and whether a pointer."""
        while self.texts[self.at] in ("const", "struct", "enum", "std", "::"):
            self.at += 1
        name = self.texts[self.at]
        if name not in TYPES and name not in _FLOATS and not self.structs.knows(name):
            return None
        self.at += 1
        start = self.at
        while self.texts[self.at] in ("*", "&", "const", "int", "long"):
            self.at += 1
        is_pointer = "*" in self.texts[start : self.at]
        is_array = self.texts[self.at] == "["
        if is_array:
            self.at = self.behind(self.at)
        return (name, is_array, is_pointer) if self.accept(")") else None

    def name(self) -> str:
        """The last part of a qualified name."""
        self.accept("::")
        name = self.texts[self.at]
        if not name[:1].isidentifier():
            raise NotThisError
        self.at += 1
        while self.texts[self.at] == "::" and self.texts[self.at + 1][:1].isidentifier():
            name = self.texts[self.at + 1]
            self.at += 2
        return name

    def template_type(self, start: int, end: int) -> str:
        """The type that `<...>` begins with."""
        names = (t for t in self.texts[start + 1 : min(end, start + 9)] if t[:1].isidentifier())
        return next((t for t in names if t not in ("const", "std", "struct", "dml")), "")

    def _named(self) -> Value | Place:
        start = self.at
        if start in self.made_by_directmlx:
            return self.directmlx(start)
        name = self.name()
        qualified, kind = self.at - start > 1, ""
        is_array, alias = self.array_type(name)
        if self.texts[self.at] == "<" and (end := self.angles(self.at)) >= 0 and self.texts[end] in ("(", "{"):
            kind, self.at = self.template_type(self.at, end), end
        kind = kind or alias
        here = self.texts[self.at]
        place = None if qualified else self.lookup(name)
        if here == "{" and place is None:
            if is_array:
                return self.listed(self.braced(), kind)
            if name in TYPES or self.structs.knows(name):
                return self.shaped(self.braced(), name)
        if here == "(" and place is None:
            if name in TYPES or name in _FLOATS:
                return self.shaped(self.rvalue(self._one()), name)
            if is_array:
                return self.sized_array(kind, self.arguments())
            if self.structs.knows(name) and self.texts[self.at + 1] == ")":
                self.at += 2
                return self.shaped(Braced([], self.line), name)
            return self._call(name, start, kind)
        if name in ("nullptr", "NULL"):
            return NULL
        if name in _NUMBERS:
            return _NUMBERS[name]
        return Symbol(name) if place is None else place

    def array_type(self, name: str) -> tuple[bool, str]:
        """Whether a type is an array, and the type of its elements where its name says that."""
        raise NotImplementedError

    # ---- calls --------------------------------------------------------------------------------------------------

    def _one(self) -> Value | Place:
        self.expect("(")
        value = self.assignment()
        self.expect(")")
        return value

    def arguments(self) -> list[Value | Place]:
        """What stands in the brackets here."""
        self.expect("(")
        given: list[Value | Place] = []
        while not self.accept(")"):
            given.append(self.assignment())
            if not self.accept(","):
                self.expect(")")
                break
        return given

    def _call(self, name: str, start: int, kind: str = "") -> Value | Place:
        opening = self.at
        try:
            given = self.arguments()
        except NotThisError:
            self.at = self.behind(opening)
            self.mention(opening, self.at, f"{name}()")
            given = []
        first = given[0] if given else None
        if name not in UNCHANGED:
            self._unread_call(name, given)
        elif name == "CreateOperator":
            self.creates(first, start)
        elif name == "DMLCalcBufferTensorSize":
            return self._buffer_size(given, start)
        elif first is not None and name in _CASTS | {"move", "as_const"}:
            taken = self.rvalue(first)
            is_number = isinstance(taken, int) and name in _CASTS and kind not in ("", "auto")
            return self.shaped(taken, kind) if is_number else first if name == "as_const" else taken
        elif first is not None:
            known = self._of_container(self.rvalue(first), name, given[1:])
            if known is not None:
                return known
        why = next((each.why for each in given if isinstance(each, Unknown) and each.why), "")
        return Unknown(self.source(start, self.at), why)

    def _unread_call(self, name: str, given: list[Value | Place]) -> None:
        """A call that may change what it is given and what it can see."""
        self.before_call()
        self.expose(given, f"{name}()")
        self.called = (self.at, f"line {self.line} calls {name}(), which may change it")

    def before_call(self) -> None:
        """Descs are looked at as they are in front of a call."""
        raise NotImplementedError

    def creates(self, passed: Value | Place | None, start: int) -> None:
        """CreateOperator is called."""
        raise NotImplementedError

    def directmlx(self, start: int) -> Value:
        """What a function of DirectMLX makes."""
        raise NotImplementedError

    def lambda_(self) -> Value:
        raise NotImplementedError

    def mention(self, start: int, end: int, who: str) -> None:
        """What tokens name that aren't understood may be changed by them."""
        self.burn(end - start)
        texts = self.texts
        if "(" in texts[start:end]:
            self.before_call()
        named = {
            texts[i] for i in range(start, end) if texts[i][:1].isidentifier() and texts[i - 1] not in (".", "->", "::")
        }
        left = [name for name in named if name in self.macros]
        while left:
            body = self.macros[left.pop()]
            self.burn(len(body))
            left += [name for name in body if name in self.macros and name not in named]
            named.update(body)
        self.expose([place for name in sorted(named) if (place := self.lookup(name)) is not None], who)
        self.called = (self.at, f"line {self.line} calls {who}, which may change it")

    @property
    def macros(self) -> dict[str, list[str]]:
        raise NotImplementedError

    def _buffer_size(self, given: list[Value | Place], start: int) -> Value:
        """What DirectML's own helper makes of a type, a count, sizes, and strides or nullptr."""
        values = [self.rvalue(each) for each in given]
        why = next((each.why for each in values if isinstance(each, Unknown) and each.why), "")
        unknown = Unknown(self.source(start, self.at), why)
        if len(values) != 4:
            return unknown
        kind, count, sizes, strides = values
        name = kind.name.removeprefix("DML_TENSOR_DATA_TYPE_") if isinstance(kind, Symbol) else ""
        numbers = self.numbers(sizes)
        steps = None if strides is NULL or strides == 0 else self.numbers(strides)
        if name not in DataType.__members__ or not isinstance(count, int) or numbers is None:
            return unknown
        if not 0 <= count <= len(numbers) or (steps is None and strides is not NULL and strides != 0):
            return unknown
        if steps is not None and len(steps) < count:
            return unknown
        return TensorDesc(name, numbers[:count], strides=steps and steps[:count]).total_bytes

    def numbers(self, value: Value) -> list[int] | None:
        """The numbers of an array; None where one isn't known."""
        parts = self.elements(value)
        if isinstance(parts, Unknown):
            return None
        values = [self.rvalue(each) for each in parts]
        numbers = [each for each in values if isinstance(each, int) and not isinstance(each, Inverted)]
        return numbers if len(numbers) == len(values) else None

    def elements(self, value: Value) -> list[Value] | Unknown:
        """The elements of an array, or of the one that a pointer leads into, from there on."""
        if isinstance(value, Braced):
            return [part for _, part in value.parts]
        if isinstance(value, Array):
            return self.parts(value)
        if isinstance(value, Pointer):
            if isinstance(value.to, Element):
                parts = self.parts(value.to.of)
                if isinstance(parts, Unknown) or not 0 <= value.to.number <= len(parts):
                    return parts if isinstance(parts, Unknown) else Unknown(shown(value))
                return parts[value.to.number :]
            pointed = self.rvalue(value.to)
            return self.elements(pointed) if isinstance(pointed, (Array, Unknown)) else [pointed]
        return value if isinstance(value, Unknown) else Unknown(shown(value))

    def length(self, value: Value) -> int | None:
        if isinstance(value, Braced):
            return len(value.parts)
        parts = self.parts(value) if isinstance(value, Array) else None
        return len(parts) if isinstance(parts, list) else None

    # ---- what stands behind a value -----------------------------------------------------------------------------

    def braced(self) -> Braced:
        """`{a, b}`, `{.Member = a}`."""
        with self.deeper():
            made = Braced([], self.line)
            self.expect("{")
            while not self.accept("}"):
                member = None
                if self.texts[self.at] == "." and self.texts[self.at + 1][:1].isidentifier():
                    member = self.texts[self.at + 1]
                    self.at += 2
                    if self.texts[self.at] != "{":
                        self.expect("=")
                made.parts.append((member, self.rvalue(self.assignment())))
                if not self.accept(","):
                    self.expect("}")
                    break
            return made

    def _postfix(self, value: Value | Place, start: int) -> Value | Place:
        while (text := self.texts[self.at]) in (".", "->", "[", "(", "++", "--"):
            self.burn()
            taken = self.rvalue(value)
            if text == "[":
                self.at += 1
                value = self._at(taken, self.rvalue(self.assignment()), start)
                self.expect("]")
            elif text == "(":
                value = self._call(self.source(start, self.at), start)
            elif text in ("++", "--"):
                self.at += 1
                self._step(value, text, start)
                value = taken
            else:
                self.at += 1
                pointed = self._pointed(taken, start) if text == "->" and not isinstance(taken, Struct) else value
                value = self._member(pointed, start)
        return value

    def _at(self, taken: Value, number: Value, start: int) -> Value | Place:
        array, first = taken, 0
        if isinstance(taken, Pointer) and isinstance(taken.to, Element):
            array, first = taken.to.of, taken.to.number
        if isinstance(array, Array):
            if isinstance(number, int):
                return Element(array, first + number)
            if self._may_be_set(start):  # any element may be the one that is meant
                self.lose(array, f"line {self.line} may set any element of {array.name}")
        self.keep(taken)
        why = next((each.why for each in (taken, number) if isinstance(each, Unknown) and each.why), "")
        return Unknown(self.source(start, self.at + 1), why)

    def _may_be_set(self, start: int) -> bool:
        """True unless the signs around it tell that the element at `start` is only read."""
        before, behind = self.texts[start - 1], self.texts[self.at + 1]
        if before in ("&", "++", "--", ">>"):
            return True
        if behind in (";", "?"):
            self.burn(start - self.statement_start)
            return any(text in ("&", "&&") for text in self.texts[self.statement_start + 1 : start])
        return behind not in _PRECEDENCE and behind != "]"

    def _member(self, value: Value | Place, start: int) -> Value | Place:
        name = self.texts[self.at]
        if not name[:1].isidentifier():
            raise NotThisError
        self.at += 1
        taken = self.rvalue(value)
        if self.texts[self.at] == "(":
            return self._method(value, taken, name, start)
        if isinstance(taken, Struct) and name in self.structs.members.get(taken.kind, ()):
            return Member(taken, name)
        if isinstance(taken, TensorDesc) and isinstance(value, Variable):
            self.lose(value, f"line {self.line} may set {value.name}.{name}")
        return Unknown(self.source(start, self.at), getattr(taken, "why", ""))

    def _method(self, value: Value | Place, taken: Value, name: str, start: int) -> Value | Place:
        if not isinstance(taken, (Array, Braced)):
            if name not in UNCHANGED and isinstance(value, (Variable, Member, Element)):
                self.before_call()
                self.expose([value], f"{name}()")
            return self._call(name, start)
        given = self.arguments()
        known = self._of_container(taken, name, given)
        if known is not None:
            return known
        if isinstance(taken, Array) and name not in UNCHANGED and not self._changed(taken, name, given):
            self._unread_call(name, [taken, *given])
        return Unknown(self.source(start, self.at), getattr(self.elements(taken), "why", ""))

    def _of_container(self, taken: Value, name: str, given: list[Value | Place]) -> Value | Place | None:
        """What a member or a function of the standard library reads of an array."""
        count = self.length(taken)
        if name in ("size", "ssize", "_countof", "ARRAYSIZE") and not given:
            return count
        if not isinstance(taken, Array):
            return None
        if name in ("data", "begin", "cbegin") and not given:
            return Pointer(Element(taken, 0))
        if count is not None and name in ("end", "cend"):
            return Pointer(Element(taken, count))
        if count and name in ("front", "back"):
            return Element(taken, 0 if name == "front" else count - 1)
        if name == "at" and len(given) == 1 and isinstance(number := self.rvalue(given[0]), int):
            return Element(taken, number)
        return None

    def _changed(self, array: Array, name: str, given: list[Value | Place]) -> bool:
        """True if a member of the standard containers was carried out."""
        parts, values = self.parts(array), [self.rvalue(each) for each in given]
        if isinstance(parts, Unknown):
            return False
        first = values[0] if values else None
        if name in ("push_back", "emplace_back") and len(values) == 1:
            self.wrote(array)
            array.parts.append(self.shaped(values[0], array.kind))
            return True
        if name == "clear" and not values:
            self.wrote(array)
            array.parts = []
            return True
        if name == "resize" and values and isinstance(first, int) and 0 <= first <= len(parts) + MOST_BLANK:
            self.wrote(array)
            filling = values[1] if len(values) > 1 else self.blank(array.kind)
            self.burn(first)
            array.parts = parts[:first] + [self.copied(filling) for _ in range(first - len(parts))]
            return True
        if name == "insert" and isinstance(first, Pointer) and isinstance(first.to, Element) and first.to.of is array:
            count = values[1] if len(values) == 3 else 1
            number, at = values[-1], first.to.number
            counted = len(values) in (2, 3) and isinstance(count, int) and 0 <= count <= MOST_BLANK
            if counted and isinstance(count, int) and isinstance(number, int) and 0 <= at <= len(parts):
                self.wrote(array)
                self.burn(len(parts) // 8 + count)
                array.parts = [*parts[:at], *[number] * count, *parts[at:]]
                return True
        return False

    # ---- what a type makes of a value ---------------------------------------------------------------------------

    def put(self, place: Place, value: Value) -> None:
        """Sets a place."""
        current = place.value if isinstance(place, Variable) else None
        if isinstance(place, Element):
            parts = self.parts(place.of)
            if isinstance(parts, Unknown) or not 0 <= place.number < len(parts):
                self.lose(place.of, f"line {self.line} sets {place.of.name}[{place.number}], which it doesn't have")
                return
            current = parts[place.number]
        if isinstance(current, Struct):
            self._put_struct(current, value)
        elif isinstance(current, Array):
            self.wrote(current)
            made = self.listed(value, current.kind) if isinstance(value, Braced) else value
            parts = self.parts(made) if isinstance(made, Array) else self.elements(made)
            if isinstance(parts, Unknown):
                self.lose(current, parts.why or f"line {self.line} sets {current.name}")
            else:
                current.parts, current.lost = [self.copied(part) for part in parts], ""
        else:
            self.wrote(place)
            if isinstance(place, Member):
                place.of.members[place.name] = self.decayed(self.shaped(value, ""))
                if place.of.kind == OPERATOR:
                    self.describe(place.of.members[place.name])
            elif isinstance(place, Element):
                place.of.parts[place.number] = self.shaped(value, place.of.kind)
            else:
                self.keep(place.value)
                place.value = self.shaped(value, place.kind)

    def _put_struct(self, struct: Struct, value: Value) -> None:
        self.wrote(struct)
        made = self.shaped(value, struct.kind)
        if isinstance(made, Struct) and made.kind == struct.kind:
            struct.members, struct.cleared, struct.lost = dict(made.members), made.cleared, made.lost
            self.made = [each for each in self.made if each is not made]
            self.dirty.pop(id(made), None)
        else:
            self.lose(struct, getattr(made, "why", "") or f"line {self.line} sets {struct.name} to {shown(made)}")

    def blank(self, kind: str, *, cleared: bool = True) -> Value:
        """A new element of a type."""
        if self.structs.knows(kind):
            return self.struct(kind, self.line, cleared=cleared)
        return 0 if cleared and kind in TYPES else Unknown("what was never set")

    def decayed(self, value: Value) -> Value:
        """An array of C's as the address that its name is."""
        return Pointer(Element(value, 0)) if isinstance(value, Array) else value

    def copied(self, value: Value) -> Value:
        if isinstance(value, Struct):
            copy = self.struct(value.kind, value.line, cleared=value.cleared)
            copy.lost = self.doubt(value) or value.lost
            copy.members = {} if self.doubt(value) else dict(value.members)
            return copy
        if isinstance(value, Array):
            copy_ = self.array(value.kind, [self.copied(part) for part in value.parts], decays=value.decays)
            copy_.lost = self.doubt(value) or value.lost
            copy_.name = value.name
            return copy_
        return value

    def shaped(self, value: Value, kind: str) -> Value:
        """What becomes of `value` in a variable of type `kind`."""
        if self.structs.knows(kind):
            if isinstance(value, Braced):
                return self._from_braces(value, kind)
            if isinstance(value, Struct) and value.kind == kind:
                # What was made a moment ago, amid the same statement, has no other name.
                return value if not value.name and value.born > self.statement_start else self.copied(value)
            return value
        if isinstance(value, Braced):
            if not value.parts and kind in TYPES:
                return 0
            return self.shaped(value.parts[0][1], kind) if len(value.parts) == 1 else value
        if isinstance(value, int):
            if kind in _FLOATS:
                return Unknown(str(value)[:40] if value.bit_length() < MOST_BITS else "a number")
            if _BYTES.get(kind, 4) < 4 and not -128 <= value < 256 ** _BYTES[kind]:
                return Unknown(f"{value} in a {kind}" if value.bit_length() < 99 else kind)
        return value

    statement_start = 0

    def listed(self, value: Braced, kind: str, *, decays: bool = False) -> Array:
        """An array of what stands in braces."""
        parts = value.parts
        # std::array may be written with the braces of the array inside it.
        inner = parts[0][1] if len(parts) == 1 else None
        if isinstance(inner, Braced) and (not self.structs.knows(kind) or _holds_structs(inner)):
            parts = inner.parts
        return self.array(kind, [self.shaped(part, kind) for _, part in parts], decays=decays)

    def sized_array(self, kind: str, given: list[Value | Place]) -> Value:
        """`(count)`, `(count, value)`, `(array)`, `({...})` or `(begin, end)`, behind an array's type."""
        values = [self.rvalue(each) for each in given]
        first = values[0] if values else 0
        if isinstance(first, Braced):
            return self.listed(first, kind)
        if len(values) == 2 and isinstance(first, Pointer) and isinstance(first.to, Element):
            last = values[1].to if isinstance(values[1], Pointer) else None
            parts = self.parts(first.to.of)
            if isinstance(last, Element) and last.of is first.to.of and isinstance(parts, list):
                return self.array(kind, [self.copied(each) for each in parts[first.to.number : last.number]])
        elif isinstance(first, Array) and len(values) == 1:
            copy = self.copied(first)
            assert isinstance(copy, Array)
            copy.decays = False
            return copy
        elif isinstance(first, int) and 0 <= first <= MOST_BLANK and len(values) < 3:
            self.burn(first)
            filling = values[1] if len(values) == 2 else None
            return self.array(
                kind, [self.blank(kind) if filling is None else self.copied(filling) for _ in range(first)]
            )
        return Unknown("an array of unknown length", next((v.why for v in values if isinstance(v, Unknown)), ""))

    def _from_braces(self, value: Braced, kind: str) -> Struct:
        made = self.struct(kind, value.line, cleared=True)
        names = self.structs.members.get(kind, ())
        for i, (member, part) in enumerate(value.parts):
            name = names[i] if member is None and i < len(names) else member
            if name in names:
                made.members[name] = self.decayed(self.shaped(part, ""))
                if kind == OPERATOR:
                    self.describe(made.members[name])
        return made


def _holds_structs(value: Braced) -> bool:
    return bool(value.parts) and isinstance(value.parts[0][1], (Braced, Struct))


def _number(text: str) -> Value:
    """An integer literal; anything else that begins with a digit isn't known."""
    digits = text.replace("'", "").rstrip("uUlLzZ")
    if len(digits) > MOST_DIGITS or "_" in digits:
        return Unknown(text[:40])
    try:
        if digits[:1] == "0" and digits.isdecimal():
            return int(digits, 8)
        return int(digits, 0)
    except ValueError:
        return Unknown(text[:40])


_COMPUTED = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}


def computed(sign: str, left: int, right: int) -> int | None:
    """The result of integers, as C++ rounds; None where it isn't known."""
    if isinstance(left, Inverted) or isinstance(right, Inverted):
        other = right if isinstance(left, Inverted) else left
        if sign != "&" or isinstance(other, Inverted) or not 0 <= other < 2**32:
            return None
    if sign in ("/", "%"):
        if not right:
            return None
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if sign == "/" else left - quotient * right
    if sign not in _COMPUTED or (sign in ("<<", ">>") and not 0 <= right <= 64):
        return None
    number: int = _COMPUTED[sign](left, right)
    return number if number.bit_length() <= MOST_BITS else None
