"""Expressions of C++, as far as descs are written with them: a recursive parser over tokens, bounded in depth.

Nothing is evaluated but arithmetic of integers, and that without bounds: what no UINT holds is kept as written. Casts
are passed through. What isn't understood is an `Unknown`, never an error; what doesn't parse raises `NotThisError`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...desc.tensors import DataType, TensorDesc
from .cpp_values import (
    MOST_BLANK,
    NULL,
    OPERATOR,
    Braced,
    Element,
    Items,
    Struct,
    Structs,
    Symbol,
    Unknown,
    Value,
    Variable,
    copied,
    settled,
    shown,
    words,
)

MOST_DEPTH = 150
MOST_BITS = 2400
"""Bits of an integer. What is larger isn't known."""
MOST_DIGITS = 700

TYPES = words(
    "UINT UINT8 UINT16 UINT32 UINT64 INT INT8 INT16 INT32 INT64 int unsigned signed long short char "
    "size_t SIZE_T uint uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t DWORD ULONG "
    "ULONGLONG void auto bool BOOL DML_TENSOR_DATA_TYPE DML_TENSOR_FLAGS DML_TENSOR_TYPE "
    "DML_OPERATOR_TYPE DML_FEATURE_LEVEL"
)
ARRAYS = words("array vector initializer_list span Span SmallVector InlinedVector")
_TEMPLATES = ARRAYS | words(
    "static_cast reinterpret_cast const_cast dynamic_cast narrow_cast narrow checked_cast numeric_limits"
)
_CASTS = words("static_cast reinterpret_cast const_cast dynamic_cast narrow_cast narrow checked_cast move")
_COUNTS = words("_countof ARRAYSIZE _ARRAYSIZE size ssize")
_SAME = words("data begin cbegin")
"""Members and functions that lead to an array's elements."""
_BYTES = {
    **dict.fromkeys(("char", "uint8_t", "int8_t", "UINT8", "INT8", "BYTE", "byte", "bool"), 1),
    **dict.fromkeys(("short", "uint16_t", "int16_t", "UINT16", "INT16", "half", "WORD", "Half", "float16", "HALF"), 2),
    **dict.fromkeys(("int", "float", "uint32_t", "int32_t", "UINT", "INT", "UINT32", "INT32", "DWORD", "FLOAT"), 4),
    **dict.fromkeys(("double", "uint64_t", "int64_t", "UINT64", "INT64", "ULONGLONG"), 8),
}
_NUMBERS = {"UINT_MAX": 2**32 - 1, "UINT32_MAX": 2**32 - 1, "INT_MAX": 2**31 - 1, "true": 1, "false": 0}
_BUFFER_SIZE = "DMLCalcBufferTensorSize"
_PRECEDENCE = {"|": 1, "^": 2, "&": 3, "<<": 4, ">>": 4, "+": 5, "-": 5, "*": 6, "/": 6, "%": 6}


class NotThisError(Exception):
    """Tokens that aren't what was looked for; the reader goes on behind them."""


class TangledError(Exception):
    """The text makes the reader look at its tokens too often."""


class Expressions:
    """Reads expressions from `texts`, which end with an empty token, at `at`."""

    def __init__(
        self, texts: Sequence[str], lines: Sequence[int], structs: Structs, lookup: Callable[[str], Value | None]
    ) -> None:
        self.texts, self.lines = texts, lines
        self.structs, self.lookup = structs, lookup
        self.at = 0
        self.fuel = 6 * len(texts) + 1000
        self.made: list[Struct] = []
        """Structs of operators, as they were made."""

    # ---- tokens -------------------------------------------------------------------------------------------------

    @property
    def line(self) -> int:
        return self.lines[min(self.at, len(self.lines) - 1)] if self.lines else 1

    def expect(self, text: str) -> None:
        if self.texts[self.at] != text:
            raise NotThisError
        self.at += 1

    def accept(self, text: str) -> bool:
        if self.texts[self.at] == text:
            self.at += 1
            return True
        return False

    def source(self, start: int, end: int) -> str:
        """The tokens from `start` to `end` in short."""
        return " ".join(self.texts[start : min(end, start + 16)]) + (" ..." if end - start > 16 else "")

    def burn(self, tokens: int = 1) -> None:
        self.fuel -= tokens
        if self.fuel < 0:
            raise TangledError

    def skip_balanced(self, opening: str, closing: str) -> None:
        """Goes behind the bracket that closes the one here. Raises NotThisError where there is none."""
        depth, at, texts = 0, self.at, self.texts
        while text := texts[at]:
            at += 1
            if text == opening:
                depth += 1
            elif text == closing:
                depth -= 1
                if not depth:
                    break
            elif text == ">>" and closing == ">":
                depth -= 2
                if depth <= 0:
                    break
            elif text == ";" and closing == ">":
                raise NotThisError
        else:
            self.burn(at - self.at)
            raise NotThisError
        self.burn(at - self.at)
        self.at = at

    # ---- expressions --------------------------------------------------------------------------------------------

    def expression(self, depth: int = 0, least: int = 1) -> Value:
        if depth > MOST_DEPTH:
            raise NotThisError
        start = self.at
        left = self._unary(depth + 1)
        while (level := _PRECEDENCE.get(self.texts[self.at], 0)) >= least:
            operator = self.texts[self.at]
            self.at += 1
            right = self.expression(depth + 1, level + 1)
            made = computed(operator, settled(left), settled(right))
            left = Unknown(self.source(start, self.at)) if made is None else made
        return left

    def _unary(self, depth: int) -> Value:
        self.burn()
        if depth > MOST_DEPTH:
            raise NotThisError
        start, text = self.at, self.texts[self.at]
        if text in ("-", "+", "~", "!"):
            self.at += 1
            number = settled(self._unary(depth + 1))
            if text in "-+" and isinstance(number, int):
                return -number if text == "-" else number
            return Unknown(self.source(start, self.at))
        if text in ("&", "*", "new"):
            self.at += 1
            value = self._unary(depth + 1)
            if text == "&" and isinstance(value, Variable) and isinstance(settled(value), int):
                return Items(value.kind, [value])  # the address of a number is an array of one
            if text == "&" and isinstance(value, Element):
                return Variable(shown(value), "", self.line, value, is_pointer=True)
            return value
        if text == "sizeof":
            return self._sizeof(depth)
        return self._postfix(self._primary(depth), start, depth)

    def _sizeof(self, depth: int) -> Value:
        """`sizeof(x) / sizeof(x[0])` is the length of x; of types, the size of numbers is known."""
        start = self.at
        count = self._sized()
        if self.at - start == 4 and self.texts[start + 2] in _BYTES:
            return _BYTES[self.texts[start + 2]]
        if self.texts[self.at] == "/" and self.texts[self.at + 1] == "sizeof":
            self.at += 1
            self._sized()
            if count is not None:
                return count
        return Unknown(self.source(start, self.at))

    def _sized(self) -> int | None:
        self.expect("sizeof")
        start = self.at
        if self.texts[self.at] == "(":
            self.skip_balanced("(", ")")
            inside = self.texts[start + 1 : self.at - 1]
        else:
            self.accept("*")
            inside = [self.texts[self.at]]
            self.at += 1
            if self.texts[self.at] == "[":
                self.skip_balanced("[", "]")
        return _length(self.lookup(inside[0])) if len(inside) == 1 else None

    def _primary(self, depth: int) -> Value:
        text = self.texts[self.at]
        first = text[:1]
        if first.isdecimal():
            self.at += 1
            return _number(text)
        if first == '"' or first == "'":
            self.at += 1
            return Unknown(text[:40])
        if first == "(":
            return self._parenthesis(depth)
        if first == "{":
            return self.braced(depth + 1)
        if first.isidentifier():
            return self._named(depth)
        raise NotThisError

    def _parenthesis(self, depth: int) -> Value:
        """`(expression)`, `(type) value`, or C's `(type) {...}`."""
        start = self.at
        self.at += 1
        kind = self._type_in_parenthesis()
        if kind is None:
            self.at = start + 1
            value = self.expression(depth + 1)
            self.expect(")")
            return value
        name, is_array = kind
        if self.texts[self.at] == "{":
            return self.shaped(self.braced(depth + 1), name, is_array=is_array)
        return self._unary(depth + 1)

    def _type_in_parenthesis(self) -> tuple[str, bool] | None:
        """The type that stands here with `)` behind it, and whether it is an array."""
        while self.texts[self.at] in ("const", "struct", "enum", "std", "::"):
            self.at += 1
        name = self.texts[self.at]
        if name not in TYPES and name not in self.structs.members and not _is_operator_struct(name):
            return None
        self.at += 1
        while self.texts[self.at] in ("*", "&", "const", "int", "long"):
            self.at += 1
        is_array = self.texts[self.at] == "["
        if is_array:
            self.skip_balanced("[", "]")
        return (name, is_array) if self.accept(")") else None

    def _named(self, depth: int) -> Value:
        start = self.at
        name = self.name()
        kind = ""
        if self.texts[self.at] == "<" and name in _TEMPLATES:
            kind = self._template()
        here = self.texts[self.at]
        if here == "(":
            if name in _CASTS or name in TYPES:
                return self._inside(depth)
            if name in _COUNTS:
                count = _length(self._inside(depth))
                return count if count is not None else Unknown(self.source(start, self.at))
            if name in _SAME:
                return self._inside(depth)
            if name in ARRAYS:
                return self.sized_array(kind, depth)
            if name == _BUFFER_SIZE:
                return self._buffer_size(start, depth)
        if here == "{":
            if name in ARRAYS:
                return self.shaped(self.braced(depth + 1), kind, is_array=True)
            if name in TYPES or name in self.structs.members or _is_operator_struct(name):
                return self.shaped(self.braced(depth + 1), name)
        if name in ("nullptr", "NULL"):
            return NULL
        if name in _NUMBERS:
            return _NUMBERS[name]
        found = self.lookup(name)
        return Symbol(name) if found is None else found

    def _buffer_size(self, start: int, depth: int) -> Value:
        """What DirectML's own helper makes of a type, a count, sizes, and strides or nullptr."""
        self.expect("(")
        given: list[Value] = []
        while not self.accept(")"):
            given.append(self.expression(depth + 1))
            if not self.accept(","):
                self.expect(")")
                break
        made = _bytes_of(given) if len(given) == 4 else None
        return Unknown(self.source(start, self.at)) if made is None else made

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

    def _template(self) -> str:
        """Goes behind `<...>`; the type that it begins with."""
        start = self.at
        self.skip_balanced("<", ">")
        names = [t for t in self.texts[start + 1 : min(self.at, start + 9)] if t[:1].isidentifier()]
        return next((t for t in names if t not in ("const", "std", "struct")), "")

    def _inside(self, depth: int) -> Value:
        self.expect("(")
        value = self.expression(depth + 1)
        self.expect(")")
        return value

    def sized_array(self, kind: str, depth: int) -> Value:
        """`(count)`, `(count, value)`, or `(array)`, `(begin, end)`, behind an array's type."""
        self.expect("(")
        if self.accept(")"):
            return Items(kind, [])
        count, filling = settled(self.expression(depth + 1)), None
        if self.accept(","):
            filling = self.expression(depth + 1)
        self.expect(")")
        if isinstance(count, (Items, Braced)):
            self.burn(len(count.items))
            return (
                Items(kind, list(count.items)) if isinstance(count, Items) else self.shaped(count, kind, is_array=True)
            )
        if isinstance(count, int) and 0 <= count <= MOST_BLANK:
            return Items(kind, [self.blank(kind) if filling is None else filling for _ in range(count)])
        return Unknown("an array of unknown length")

    def braced(self, depth: int) -> Braced:
        """`{a, b}`, `{.Member = a}`."""
        if depth > MOST_DEPTH:
            raise NotThisError
        made = Braced([], self.line)
        self.expect("{")
        while not self.accept("}"):
            member = None
            if self.texts[self.at] == "." and self.texts[self.at + 1][:1].isidentifier():
                member = self.texts[self.at + 1]
                self.at += 2
                if self.texts[self.at] != "{":
                    self.expect("=")
            made.items.append((member, self.expression(depth + 1)))
            if not self.accept(","):
                self.expect("}")
                break
        return made

    def _postfix(self, value: Value, start: int, depth: int) -> Value:
        while (text := self.texts[self.at]) in (".", "->", "[", "("):
            self.burn()
            if text == "[":
                self.at += 1
                number = settled(self.expression(depth + 1))
                self.expect("]")
                known = isinstance(value, Variable) and isinstance(number, int)
                value = Element(value, number) if known else Unknown(self.source(start, self.at))  # type: ignore[arg-type]
            elif text == "(":
                self.skip_balanced("(", ")")
                value = Unknown(self.source(start, self.at))
            else:
                self.at += 1
                value = self._member(value, start)
        return value

    def _member(self, value: Value, start: int) -> Value:
        name = self.texts[self.at]
        if not name[:1].isidentifier():
            raise NotThisError
        self.at += 1
        called = self.texts[self.at] == "(" and self.texts[self.at + 1] == ")"
        if called:
            self.at += 2
            count = _length(value)
            if name == "size" and count is not None:
                return count
            if name in _SAME:
                return value
        held = settled(value)
        if not called and isinstance(held, Struct) and name in held.members:
            return held.members[name]
        return Unknown(self.source(start, self.at))

    # ---- what a type makes of a value ---------------------------------------------------------------------------

    def blank(self, kind: str, *, cleared: bool = True) -> Value:
        """A new element of a type."""
        if kind in self.structs.members or _is_operator_struct(kind):
            return self._struct(kind, self.line, cleared=cleared)
        return 0

    def shaped(self, value: Value, kind: str, *, is_array: bool = False) -> Value:
        """What becomes of `value` in a variable of type `kind`, or in an array of that type."""
        if is_array:
            return self._array(value, kind)
        if kind in self.structs.members or _is_operator_struct(kind):
            if isinstance(value, Braced):
                return self._from_braces(value, kind)
            held = settled(value, use=True)
            if isinstance(held, Struct) and held.kind == kind and held is not value:
                copy = self._struct(kind, held.line, cleared=held.cleared)
                copy.members.update(held.members)
                return copy
            return value
        if isinstance(value, Braced) and kind in TYPES:
            if not value.items:
                return 0
            return copied(value.items[0][1]) if len(value.items) == 1 else value
        return copied(value)

    def _array(self, value: Value, kind: str) -> Value:
        if not isinstance(value, Braced):
            return value
        items = value.items
        # std::array may be written with the braces of the array inside it.
        if len(items) == 1 and isinstance(inner := items[0][1], Braced):
            in_struct = kind in self.structs.members
            if not in_struct or (inner.items and isinstance(inner.items[0][1], (Braced, Struct))):
                items = inner.items
        return Items(kind, [self.shaped(each, kind) for _, each in items])

    def _from_braces(self, value: Braced, kind: str) -> Struct:
        made = self._struct(kind, value.line, cleared=True)
        names = self.structs.members.get(kind, ())
        for i, (member, each) in enumerate(value.items):
            if member is None and i < len(names):
                made.members[names[i]] = copied(each)
            elif member in names:
                made.members[member] = copied(each)
        return made

    def _struct(self, kind: str, line: int, *, cleared: bool) -> Struct:
        made = Struct(kind, line, cleared, at=self.at)
        if _is_operator_struct(kind):
            self.made.append(made)
        return made


def _is_operator_struct(name: str) -> bool:
    return name.endswith("_OPERATOR_DESC") and name.startswith("DML_") and name != OPERATOR


def _length(value: Value | None) -> int | None:
    held = settled(value, use=True)
    return len(held.items) if isinstance(held, (Items, Braced)) else None


def _bytes_of(given: Sequence[Value]) -> int | None:
    """TotalTensorSizeInBytes of a type, a count, sizes and strides; None where one of them isn't known."""
    kind, count = settled(given[0], use=True), settled(given[1], use=True)
    sizes, strides = (array_of(each) for each in given[2:])
    name = kind.name.removeprefix("DML_TENSOR_DATA_TYPE_") if isinstance(kind, Symbol) else ""
    if name not in DataType.__members__ or not isinstance(count, int) or sizes is None or not 0 <= count <= len(sizes):
        return None
    numbers = [settled(each, use=True) for each in sizes[:count]]
    steps: list[Value | None] | None = None
    if strides is not None:
        steps = [settled(each, use=True) for each in strides[:count]]
    elif settled(given[3]) not in (NULL, 0):
        return None
    if not all(isinstance(each, int) for each in (*numbers, *(steps or ()))) or (steps and len(steps) < count):
        return None
    return TensorDesc(name, numbers, strides=steps).total_bytes  # type: ignore[arg-type]


def array_of(value: Value | None) -> Sequence[Value] | None:
    """The elements of the array that `value` leads to; those from the element on whose address it is."""
    for _ in range(16):
        if isinstance(value, Variable):
            value.used = True
            value = value.value
        elif isinstance(value, Element):
            value.of.used = True
            items = settled(value.of.value, use=True)
            if not isinstance(items, Items) or not 0 <= value.number < len(items.items):
                return None
            inner = items.items[value.number]
            if not isinstance(inner, (Items, Braced)):
                return items.items[value.number :]
            value = inner
        elif isinstance(value, Items):
            return value.items
        elif isinstance(value, Braced):
            return [each for _, each in value.items]
        else:
            break
    return None


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


def computed(operator: str, left: Value | None, right: Value | None) -> Value | None:
    """The result of integers, as C++ rounds; flags keep their names; None for anything else."""
    if isinstance(left, Symbol) and isinstance(right, Symbol) and operator == "|":
        return Unknown(f"{shown(left)} | {shown(right)}")
    if not isinstance(left, int) or not isinstance(right, int):
        return None
    if operator in ("/", "%"):
        if not right:
            return None
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if operator == "/" else left - quotient * right
    if operator in ("<<", ">>") and not 0 <= right <= 64:
        return None
    made = {
        "+": int.__add__,
        "-": int.__sub__,
        "*": int.__mul__,
        "<<": int.__lshift__,
        ">>": int.__rshift__,
        "&": int.__and__,
        "|": int.__or__,
        "^": int.__xor__,
    }[operator](left, right)
    return made if made.bit_length() <= MOST_BITS else None
