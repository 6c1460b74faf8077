"""Expressions of C++, as far as descs are written with them: a recursive parser over tokens, bounded in depth.

Nothing is computed but integers, and those without bounds: what no UINT holds is kept as written. What isn't understood
is an `Unknown`, never an error; what doesn't parse raises `NotThisError`.
"""

from __future__ import annotations

import math
import operator
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from ...desc.fields import FLOAT_MAX
from ...desc.tensors import DataType, TensorDesc
from .shaping import ANY, BYTES, HALVES, MOST_BITS, MOST_BLANK, Shaping
from .tokens import Tokens
from .values import (
    NULL,
    Array,
    Braced,
    Inverted,
    Object,
    Place,
    Pointer,
    Spot,
    Structs,
    Symbol,
    Term,
    Unknown,
    Value,
    is_name,
    shown,
    why,
    words,
)

MOST_DEPTH = 200
MOST_DIGITS = 700
_ARRAYS = words("array vector initializer_list span Span SmallVector InlinedVector")
VIEWS = words("span Span")
"""Arrays that are other names of what they are made of."""
_DIMENSIONS = words("TensorDimensions Dimensions TensorStrides")
_CASTS = words("static_cast dynamic_cast narrow_cast narrow checked_cast move as_const")
UNCHANGED = _CASTS | words(
    "size ssize _countof ARRAYSIZE data begin cbegin end cend empty front back at reserve "
    "DMLCalcBufferTensorSize CreateOperator CompileOperator DMLCreateDevice DMLCreateDevice1 IID_PPV_ARGS "
    "DML_CREATE_OPERATOR dml_dump"
)
"""The calls that change nothing of what they are given; any other may."""
_CREATES = {"CreateOperator": 0, "DML_CREATE_OPERATOR": 1, "dml_dump": 0}
"""The calls that take a desc as it is, those of dml_dump.h too, and which of what they are given it is."""
_NUMBERS = {
    "UINT_MAX": 2**32 - 1,
    "UINT32_MAX": 2**32 - 1,
    "INT_MAX": 2**31 - 1,
    "true": 1,
    "false": 0,
    "INFINITY": math.inf,
    "NAN": math.nan,
    "FLT_MAX": FLOAT_MAX,
    "DBL_MAX": sys.float_info.max,
}
_LIMITS = {"infinity": "INFINITY", "quiet_NaN": "NAN", "max": "FLT_MAX"}
"""The macros that members of `std::numeric_limits<float>` stand for."""
_LEVELS = ["||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<< >>", "+ -", "* / %"]
_PRECEDENCE = {sign: level for level, signs in enumerate(_LEVELS, 1) for sign in signs.split()}
_SHORTCUTS = ("&&", "||")
_STREAMS = ("<<", ">>", "&")
"""Signs by which an object takes a variable, or sets it."""
_CLOSES = {")": "(", "]": "[", "}": "{"}
ASSIGNING = words("= += -= *= /= %= &= |= ^= <<= >>=")


class NotThisError(Exception):
    """Tokens that aren't what was looked for; the reader goes on behind them."""


class Expressions(Shaping):
    """Reads expressions at `at`; what they set is set."""

    depth = 0
    limit = -1
    """Where the head of a statement ends that is being read."""

    def __init__(
        self, tokens: Tokens, structs: Structs, doomed: Mapping[int, str], directmlx_at: Mapping[int, str]
    ) -> None:
        """`directmlx_at` has the functions of DirectMLX, by the token at which they are named."""
        super().__init__(tokens, structs, doomed)
        self.directmlx_at = directmlx_at
        self.closing = dict(_closed(tokens.texts))
        """Where each bracket is closed."""
        self.arrays = dict.fromkeys(_ARRAYS, "") | dict.fromkeys(_DIMENSIONS, "UINT")
        """Types of arrays, and those of their elements where the name says that."""

    def create_operator(self, operator_desc: Term | None) -> None:
        """Called for what takes a desc as it is, as CreateOperator does, with the argument that is it."""
        raise NotImplementedError

    def directmlx_call(self, start: int) -> Value:
        """What the call of a DirectMLX function here gives."""
        raise NotImplementedError

    def lambda_value(self) -> Value:
        """What the lambda here stands for."""
        raise NotImplementedError

    # ---- tokens -------------------------------------------------------------------------------------------------

    def expect(self, text: str) -> None:
        """Passes the token `text`. Raises NotThisError for another."""
        if not self.accept(text):
            raise NotThisError

    def accept(self, text: str) -> bool:
        """Passes the token `text` and gives True; False for another."""
        if self.texts[self.at] == text:
            self.at += 1
            return True
        return False

    def source(self, start: int, end: int) -> str:
        """The tokens from `start` to `end` in short."""
        return " ".join(self.texts[start : min(end, start + 16)]) + (" ..." if end - start > 16 else "")

    def behind(self, at: int) -> int:
        """The token behind the bracket that closes the one at `at`. Raises NotThisError where none does."""
        if at not in self.closing:
            raise NotThisError
        return self.closing[at] + 1

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
    def deeper(self) -> Iterator[None]:
        """A context that is one step deeper. Raises NotThisError beyond `MOST_DEPTH`."""
        self.burn()
        if self.depth > MOST_DEPTH:
            raise NotThisError
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1

    # ---- expressions --------------------------------------------------------------------------------------------

    def expression(self) -> Term:
        """What the expression here stands for: with commas the last one."""
        term = self.assignment()
        while self.accept(","):
            term = self.assignment()
        return term

    def assignment(self) -> Term:
        """What the expression up to a comma stands for; an assignment is carried out, and stands for its left side."""
        with self.deeper():
            start = self.at
            left = self._ternary(start)
            sign = self.texts[self.at]
            if sign not in ASSIGNING:
                return left
            self.at += 1
            begun = self.at
            right = self.value(self.assignment())
            self.right = begun, self.at
            if sign != "=":
                right = self._computed(sign[:-1], self.value(left), right, start)
            self._assign(left, right)
            return left

    def _assign(self, left: Term, right: Value) -> None:
        if isinstance(left, (Place, Object)):
            self.put(left, right)
            return
        self.mark_open(right)
        if isinstance(left, Unknown):
            self.stores.append((self.at, f"line {self.line} sets what can't be followed"))

    def _ternary(self, start: int) -> Term:
        """What an expression without an assignment stands for; Unknown for `a ? b : c`."""
        term = self._binary(1)
        if not self.accept("?"):
            return term
        for mark in (":", ""):
            with self.region("under a condition"):
                chosen = self.assignment()
                self.mark_open(Pointer(chosen) if isinstance(chosen, (Place, Object)) else chosen)
            if mark:
                self.expect(mark)
        return Unknown(self.source(start, self.at), f"line {self.line} chooses a value by a condition")

    def _binary(self, least: int) -> Term:
        """What operands and signs here come to; `least` is the weakest precedence of a sign that is taken."""
        start = self.at
        left = self._unary()
        while (level := _PRECEDENCE.get(self.texts[self.at], 0)) >= least:
            sign, called = self.texts[self.at], self.source(start, self.at)
            self.at += 1
            with self.deeper():
                if sign in _SHORTCUTS:
                    with self.region("under a condition"):
                        right = self._binary(level + 1)
                else:
                    right = self._binary(level + 1)
            if sign in _STREAMS and isinstance(self.value(left), (Symbol, Unknown)):
                self.unread_call([right], called, is_call=sign != ">>")
            left = self._computed(sign, self.value(left), self.value(right), start)
        return left

    def _computed(self, sign: str, left: Value, right: Value, start: int) -> Value:
        """What a sign makes of two values: integers and addresses; flags keep their names, the rest is Unknown."""
        if isinstance(left, Array):
            left = Pointer(Place(left, 0))
        if isinstance(left, Pointer):
            place = left.to
            is_known = isinstance(place, Place) and isinstance(place.key, int) and place.key != ANY
            if isinstance(place, Place) and is_known and isinstance(right, int) and sign in ("+", "-"):
                return Pointer(Place(place.of, max(int(place.key) + (right if sign == "+" else -right), ANY)))
            self.mark_open(left)
        if isinstance(left, int) and isinstance(right, int):
            number = integer_result(sign, left, right)
            if number is not None:
                return number
        if sign == "|" and isinstance(left, (Symbol, Unknown)) and isinstance(right, Symbol):
            return Unknown(f"{shown(left)} | {shown(right)}", why(left))
        return Unknown(self.source(start, self.at), why(left, right))

    def _unary(self) -> Term:
        """What a primary expression comes to with what stands before and behind it."""
        with self.deeper():
            start, text = self.at, self.texts[self.at]
            if text == "sizeof":
                return self._sizeof()
            if text not in ("-", "+", "~", "!", "++", "--", "&", "*", "new"):
                return self._postfix(self.primary(), start)
            self.at += 1
            operand = self._unary()
            if text in ("&", "new"):
                return self._address_of(operand)
            value = self.value(operand)
            if text == "*":
                return self._pointed(value, start)
            if text in ("++", "--"):
                self._assign(operand, self._computed(text[0], value, 1, start))
                return operand
            if isinstance(value, float) and text in "+-":
                return -value if text == "-" else value
            if isinstance(value, int) and text != "!":
                return Inverted(~value) if text == "~" else -value if text == "-" else value
            return Unknown(self.source(start, self.at), why(value))

    def _address_of(self, term: Term) -> Value:
        """What `&` makes of a term."""
        if isinstance(term, Place) and term.key == "":
            term.of.is_open = True
        if isinstance(term, (Place, Object)):
            return Pointer(term)
        return Unknown(shown(term), why(term))

    def _pointed(self, value: Value, start: int) -> Term:
        """What `*` makes of a value."""
        if isinstance(value, Pointer):
            return value.to
        if isinstance(value, Array):
            return Place(value, 0)
        return Unknown(self.source(start, self.at), why(value))

    def _sizeof(self) -> Value:
        """The bytes of a type, of an array of C's, or of an element."""
        self.at += 1
        start, kind, count = self.at, "", 1
        if self.accept("(") and (named := self._type_in_parenthesis()) is not None:
            kind = "" if named[1] or named[2] else named[0]
        else:
            self.at = start
            term = self._unary()
            thing = term.of if isinstance(term, Place) else term
            if isinstance(term, Array):
                parts = self.parts(term)
                kind, count = (term.kind, len(parts)) if term.is_c_array and isinstance(parts, list) else ("", 1)
            elif isinstance(thing, Object) and (thing is term or isinstance(thing, Array) or term == Place(thing)):
                kind = thing.kind
        return count * BYTES[kind] if kind in BYTES else Unknown(self.source(start - 1, self.at))

    def primary(self) -> Term:
        """A literal, a name, a bracket or a lambda. Raises NotThisError for anything else."""
        text = self.texts[self.at]
        first = text[:1]
        if first.isdecimal() or (first == "." and len(text) > 1):
            self.at += 1
            return number_of(text)
        if first in ('"', "'"):
            self.at += 1
            return Unknown(text[:40])
        if first == "(":
            return self._parenthesis()
        if first == "{":
            return self.braced()
        if first == "[":
            return self.lambda_value()
        if is_name(text):
            return self._named_term()
        raise NotThisError

    def _parenthesis(self) -> Term:
        """What `(expression)`, `(type) value` or C's `(type) {...}` stands for."""
        start = self.at
        self.at += 1
        named = self._type_in_parenthesis()
        if named is None:
            self.at = start + 1
            term = self.expression()
            self.expect(")")
            return term
        kind, is_array, is_pointer = named
        if self.texts[self.at] == "{":
            braced = self.braced()
            return self.listed(braced, kind, is_c_array=True) if is_array else self.shaped(braced, kind)
        operand = self._unary()
        if is_pointer and "const" not in self.texts[start : self.at]:
            return self._cast_away(operand, start)
        value = self.value(operand)
        return value if is_pointer else self.shaped(value, kind)

    def _type_in_parenthesis(self) -> tuple[str, bool, bool] | None:
        """The type that stands here with `)` behind it; whether it is an array, and a pointer. None for no type."""
        while self.texts[self.at] in ("const", "struct", "enum", "std", "::"):
            self.at += 1
        name = self.texts[self.at]
        if not self.is_type(name) and name not in HALVES and not self.structs.knows(name):
            return None
        self.at += 1
        start = self.at
        while self.texts[self.at] in ("*", "&", "const", "int", "long"):
            self.at += 1
        is_pointer = "*" in self.texts[start : self.at] or "&" in self.texts[start : self.at]
        is_array = self.texts[self.at] == "["
        if is_array:
            self.at = self.behind(self.at)
        return (name, is_array, is_pointer) if self.accept(")") else None

    def _cast_away(self, operand: Term, start: int) -> Value:
        """Unknown, for a cast by which even what is const may be set."""
        thing = operand.to if isinstance(operand, Pointer) else operand
        thing = thing.of if isinstance(thing, Place) else thing
        if isinstance(thing, Object):
            thing.is_fixed = False
            self.unread_call([thing], "a cast", is_call=False)
        return Unknown(self.source(start, self.at))

    def name(self) -> str:
        """Passes a qualified name, and gives its last part. Raises NotThisError."""
        self.accept("::")
        name = self.texts[self.at]
        if not is_name(name):
            raise NotThisError
        self.at += 1
        while self.texts[self.at] == "::" and is_name(self.texts[self.at + 1]):
            name = self.texts[self.at + 1]
            self.at += 2
        return name

    def template_type(self, start: int, end: int) -> str:
        """The type that `<...>` begins with; empty where none does."""
        names = (text for text in self.texts[start + 1 : min(end, start + 9)] if is_name(text))
        return next((name for name in names if name not in ("const", "std", "struct", "dml")), "")

    def _named_term(self) -> Term:
        """What a name here stands for, with a type's braces or a call's arguments behind it."""
        start = self.at
        if start in self.directmlx_at:
            return self.directmlx_call(start)
        name = self.name()
        if name == "numeric_limits" and (limit := self._limit()) is not None:
            return limit
        is_qualified, kind = self.at - start > 1, ""
        is_array, alias = name in self.arrays, self.arrays.get(name, "")
        if self.texts[self.at] == "<" and (end := self.angles(self.at)) >= 0 and self.texts[end] in ("(", "{"):
            kind, self.at = self.template_type(self.at, end), end
        kind = kind or alias
        term = None if is_qualified else self.lookup(name)
        opening = self.texts[self.at]
        if opening == "{" and term is None and (is_array or self.is_type(name) or self.structs.knows(name)):
            return self.listed(self.braced(), kind) if is_array else self.shaped(self.braced(), name)
        if opening == "(" and term is None:
            is_empty = self.texts[self.at + 1] == ")"
            if self.is_type(name) or name in HALVES or (self.structs.knows(name) and is_empty):
                given = self.arguments()
                return self.shaped(self.value(given[0]) if given else Braced([], self.line), name)
            if is_array:
                given = self.arguments()
                return self.view(given) if name in VIEWS else self.sized_array(kind, given)
            return self._call(name, start, kind)
        if name in ("nullptr", "NULL"):
            return NULL
        if name in _NUMBERS:
            return _NUMBERS[name]
        return Symbol(name) if term is None else term

    def _limit(self) -> float | None:
        """The number that `<float>::infinity()` and the like stand for; None where none of that follows."""
        end = self.angles(self.at) if self.texts[self.at] == "<" else -1
        if end < 0 or self.template_type(self.at, end) not in ("float", "FLOAT"):
            return None
        name, behind = self.texts[end + 1], self.texts[end + 2 : end + 4]
        if self.texts[end] != "::" or behind != ["(", ")"] or name not in (*_LIMITS, "lowest"):
            return None
        self.at = end + 4
        return -FLOAT_MAX if name == "lowest" else float(_NUMBERS[_LIMITS[name]])

    # ---- calls --------------------------------------------------------------------------------------------------

    def arguments(self) -> list[Term]:
        """Passes the brackets of a call, and gives what stands in them. Raises NotThisError."""
        self.expect("(")
        given: list[Term] = []
        while not self.accept(")"):
            given.append(self.assignment())
            if not self.accept(","):
                self.expect(")")
                break
        return given

    def _call(self, name: str, start: int, kind: str = "") -> Term:
        """What a call gives, as far as that is known; what it is given may change unless the function is known."""
        opening = self.at
        try:
            given = self.arguments()
        except NotThisError:
            self.at = self.behind(opening)
            self.mention(opening, self.at, f"{name}()")
            given = []
        first = given[0] if given else None
        is_reference = name in _CASTS and "&" in self.texts[start:opening]
        if first is not None and (name in ("const_cast", "reinterpret_cast") or is_reference):
            return self._cast_away(first, start)
        if name not in UNCHANGED:
            self.unread_call(given, f"{name}()")
        elif name in _CREATES:
            self.create_operator(next(iter(given[_CREATES[name] :]), None))
        elif name == "DMLCalcBufferTensorSize":
            return self._buffer_size(given, start)
        elif first is not None and name in _CASTS:
            value = self.value(first)
            if name == "move" and isinstance(first, Array):
                value = self.copied(first)
                self.lose(first, f"line {self.line} moves {first.called()} elsewhere")
            is_number = isinstance(value, (int, float)) and kind not in ("", "auto")
            return self.shaped(value, kind) if is_number else first if name == "as_const" else value
        elif first is not None:
            part = self._of_container(self.value(first), name, given[1:])
            if part is not None:
                return part
        return Unknown(self.source(start, self.at), why(*given))

    def _buffer_size(self, given: list[Term], start: int) -> Value:
        """The bytes that DMLCalcBufferTensorSize gives for what it is given; Unknown where any of that isn't known."""
        values = [self.value(term) for term in given]
        unknown = Unknown(self.source(start, self.at), why(*values))
        if len(values) != 4:
            return unknown
        kind, count, sizes, strides = values
        name = kind.name.removeprefix("DML_TENSOR_DATA_TYPE_") if isinstance(kind, Symbol) else ""
        numbers = self.numbers(sizes)
        is_packed = strides is NULL or strides == 0
        steps = [] if is_packed else self.numbers(strides)
        if name not in DataType.__members__ or not isinstance(count, int) or numbers is None or steps is None:
            return unknown
        if not 0 <= count <= len(numbers) or (len(steps) < count and not is_packed):
            return unknown
        return TensorDesc(name, numbers[:count], strides=None if is_packed else steps[:count]).total_bytes

    # ---- what stands behind a value -----------------------------------------------------------------------------

    def braced(self) -> Braced:
        """`{a, b}`, `{.Member = a}`."""
        with self.deeper():
            parts: list[tuple[str | None, Value]] = []
            spots: list[Spot] = []
            line = self.line
            self.expect("{")
            while not self.accept("}"):
                member = None
                if self.texts[self.at] == "." and is_name(self.texts[self.at + 1]):
                    member = self.texts[self.at + 1]
                    self.at += 2
                    if self.texts[self.at] != "{":
                        self.expect("=")
                begun = self.at
                parts.append((member, self.value(self.assignment())))
                spots.append((begun, self.at))
                if not self.accept(","):
                    self.expect("}")
                    break
            return Braced(parts, line, spots)

    def _postfix(self, term: Term, start: int) -> Term:
        """What members, indices, calls and `++` behind a term make of it."""
        while (text := self.texts[self.at]) in (".", "->", "[", "(", "++", "--"):
            self.burn()
            value = self.value(term)
            if text == "[":
                self.at += 1
                number = self.value(self.assignment())
                term = self._indexed(value, number, start)
                self.expect("]")
            elif text == "(":
                term = self._call(self.source(start, self.at), start)
            elif text in ("++", "--"):
                self.at += 1
                self._assign(term, self._computed(text[0], value, 1, start))
                term = value
            else:
                self.at += 1
                is_struct = isinstance(value, Object) and not isinstance(value, Array)
                term = self._member(term if text == "." or is_struct else self._pointed(value, start), start)
        return term

    def _indexed(self, value: Value, number: Value, start: int) -> Term:
        """The element at a number of an array or pointer; Unknown for anything else."""
        if isinstance(value, Array):
            value = Pointer(Place(value, 0))
        if isinstance(value, Pointer) and isinstance(value.to, Place) and isinstance(value.to.key, int):
            is_known = isinstance(number, int) and value.to.key != ANY
            return Place(value.to.of, max(value.to.key + int(str(number)), ANY) if is_known else ANY)
        self.mark_open(value)
        return Unknown(self.source(start, self.at + 1), why(value, number))

    def _member(self, term: Term, start: int) -> Term:
        """The member that is named here, or what a method of that name gives."""
        name = self.texts[self.at]
        if not is_name(name):
            raise NotThisError
        self.at += 1
        value = self.value(term)
        if self.texts[self.at] == "(":
            return self._method(term, value, name, start)
        if isinstance(value, Object) and name in self.structs.members.get(value.kind, ()):
            return Place(value, name)
        if isinstance(value, TensorDesc) and isinstance(term, Place) and not term.of.is_fixed:
            self.lose(term.of, f"line {self.line} may set {shown(term)}.{name}")
        return Unknown(self.source(start, self.at), why(value))

    def _method(self, term: Term, value: Value, name: str, start: int) -> Term:
        """What a method gives; unless it is known, its object and arguments may change."""
        if not isinstance(value, (Braced, Array)):
            if name not in UNCHANGED:
                self.expose([term], f"{name}()")
            return self._call(name, start)
        given = self.arguments()
        part = self._of_container(value, name, given)
        if part is not None:
            return part
        if isinstance(value, Array) and name not in UNCHANGED and not self._change(value, name, given):
            self.unread_call([value, *given], f"{name}()")
        elements = self.elements(value)
        return Unknown(self.source(start, self.at), why(elements))

    def _of_container(self, value: Value, name: str, given: Sequence[Term]) -> Term | None:
        """What a member or a function of the standard library reads of an array; None for any other."""
        if not isinstance(value, (Braced, Array)):
            return None
        parts = self.elements(value)
        count = len(parts) if isinstance(parts, list) else None
        if name in ("size", "ssize", "_countof", "ARRAYSIZE") and not given:
            return count
        if isinstance(value, Braced):
            return None
        if name in ("data", "begin", "cbegin") and not given:
            return Pointer(Place(value, 0))
        if count is not None and name in ("end", "cend"):
            return Pointer(Place(value, count))
        if count and name in ("front", "back"):
            return Place(value, 0 if name == "front" else count - 1)
        if name == "at" and len(given) == 1 and isinstance(number := self.value(given[0]), int):
            return Place(value, number)
        return None

    def _change(self, array: Array, name: str, given: Sequence[Term]) -> bool:
        """Carries out `push_back`, `resize` and the like; False for what isn't known, which changes nothing."""
        parts, values = self.parts(array), [self.value(term) for term in given]
        if isinstance(parts, Unknown):
            return False
        first = values[0] if values else None
        if name in ("push_back", "emplace_back") and len(values) == 1:
            parts.append(self.shaped(values[0], array.kind))
        elif name == "clear" and not values:
            parts = []
        elif name == "resize" and isinstance(first, int) and 0 <= first <= len(parts) + MOST_BLANK:
            filling = values[1] if len(values) > 1 else self.blank(array.kind)
            parts[first:] = [self.copied(filling) for _ in range(first - len(parts))]
        elif name == "insert" and isinstance(first, Pointer) and isinstance(first.to, Place) and first.to.of is array:
            count, at, number = values[1] if len(values) == 3 else 1, first.to.key, values[-1]
            if len(values) not in (2, 3) or not isinstance(count, int) or not 0 <= count <= MOST_BLANK:
                return False
            if not isinstance(number, int) or not isinstance(at, int) or not 0 <= at <= len(parts):
                return False
            parts[at:at] = [number] * count
        else:
            return False
        self.burn(len(parts) // 8)
        self.wrote(array)
        array.cells = dict(enumerate(parts))
        return True


_FLOAT_LITERAL = re.compile(r"(?=[\d.])(?:\d*\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)[fFlL]?", re.ASCII)


def number_of(text: str) -> Value:
    """A literal's number; Unknown for anything else that begins with a digit."""
    plain = text.replace("'", "")
    if len(plain) < MOST_DIGITS and _FLOAT_LITERAL.fullmatch(plain):
        return float(plain.rstrip("fFlL"))
    digits = plain.rstrip("uUlLzZ")
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


def integer_result(sign: str, left: int, right: int) -> int | None:
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


def _closed(texts: list[str]) -> Iterator[tuple[int, int]]:
    """The place of each bracket with that of the one that closes it; one that nothing closes is left out."""
    opened: list[int] = []
    for i, text in enumerate(texts):
        if text in ("(", "[", "{"):
            opened.append(i)
        elif text in _CLOSES:
            while opened and texts[opened[-1]] != _CLOSES[text] and text == "}":
                opened.pop()
            if opened and texts[opened[-1]] == _CLOSES[text]:
                yield opened.pop(), i
