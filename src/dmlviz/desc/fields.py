"""The fields of an operator's struct, under DirectML's names: what a field holds, and how that is read and written.

A kind of field is one class here. Everybody else asks it what they want to know, or goes through `Desc.TENSORS`,
`Desc.ATTRIBUTES` and `Desc.COUNTS`.
"""

from __future__ import annotations

import ctypes
import enum
import math
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import zip_longest
from typing import Any, ClassVar

from msgspec import Struct

from ..errors import DmlvizError, quote
from ..formats.number_text import int32, one_number, parse_numbers, uint
from .indexing import put
from .levels import FeatureLevel
from .support import Support
from .tensors import TensorDesc, braces, integer, integers, is_listed


class Role(enum.StrEnum):
    """What an operator does with a tensor."""

    DATA = "data"
    INDICES = "indices"
    LENGTHS = "lengths"
    OUTPUT = "output"


class Bounds(Struct, frozen=True):
    """The numbers that a C type holds."""

    low: float
    high: float
    type: str
    """As a sentence has it: `UINT`, `FLOAT32`."""
    rounded_from: float | None = None
    """Of a type of floats: the least number that it rounds to infinity; None for one of whole numbers."""

    def holds(self, number: float) -> bool:
        if self.rounded_from is not None:
            return abs(number) < self.rounded_from or number in (math.inf, -math.inf) or number != number
        return self.low <= number <= self.high and number == int(number)


UINT_RANGE, INT_RANGE = (0, 2**32 - 1), (-(2**31), 2**31 - 1)
"""The least and the largest number of C's UINT and INT."""
FLOAT_MAX = (2 - 2**-23) * 2.0**127
"""The largest number of C's FLOAT."""


class _Described(Struct, frozen=True, kw_only=True):
    about: str = ""
    """What a field is, in one sentence for a newcomer; empty for what follows from its kind."""


class Field(_Described, frozen=True):
    """A member of an operator's struct. The defaults are those of a scalar that is none of the special ones."""

    name: str

    example: ClassVar[str] = "an integer"
    """What a text that is typed should hold, for sentences."""
    takes_letters: ClassVar[bool] = False
    """True where a text that is typed may have letters: a name, `nan`."""

    # What kind of field it is.

    @property
    def is_axis(self) -> bool:
        """True for the number of an axis of the operator's anchor."""
        return False

    @property
    def per_axis(self) -> bool:
        """True for an array with one entry for each axis."""
        return False

    @property
    def is_list(self) -> bool:
        """True for an array of numbers."""
        return False

    @property
    def many(self) -> bool:
        """True for an array of tensors."""
        return False

    @property
    def signed(self) -> bool:
        """True where whole numbers below 0 can be held."""
        return False

    @property
    def arrays(self) -> tuple[str, ...]:
        """The names of the fields that it counts the entries of."""
        return ()

    @property
    def neutral(self) -> Any:
        """The entry of an axis of size 1 that is put in front; None where there is no such."""
        return None

    @property
    def axes_of(self) -> str:
        """The tensor field whose axes an entry is for; empty for the operator's anchor."""
        return ""

    @property
    def can_be_inferred(self) -> bool:
        """True where it may be left out, since it follows from the others."""
        return False

    @property
    def meaning(self) -> str:
        """What it is, for a newcomer: `about`, or what follows from its kind."""
        return self.about or ("An axis of the tensors, counted from 0." if self.is_axis else "A number.")

    # What it holds.

    def checked(self, given: object) -> Any:
        """What is held of what is given. Raises DmlvizError, naming the field, for something of the wrong kind."""
        return integer(given, self.name)

    @property
    def limits(self) -> tuple[float, float] | None:
        """The least and the largest number of its C type; None where it holds no number."""
        return INT_RANGE if self.signed else UINT_RANGE

    @property
    def bounds(self) -> Bounds | None:
        """What each of its numbers has to be; None where it holds no number."""
        return None if self.limits is None else Bounds(*self.limits, self.c_type)

    def numbers(self, content: Any) -> Sequence[Any]:
        """The numbers that `bounds` are about."""
        return (content,)

    def choices(self, level: FeatureLevel | None = None) -> tuple[Choice, ...]:
        """What may be chosen, at a level or at all; () where anything may be written."""
        return ()

    def needs(self, content: Any) -> FeatureLevel | None:
        """The feature level that came with what is held; None where that is as old as the operator."""
        return None

    def edits(self, before: Any, after: Any) -> int:
        """How many numbers change."""
        return int((before,) != (after,))  # in a tuple NaN is itself

    def nearby(self, content: Any, most: int) -> Iterable[Any]:
        """What else a single slip may have meant, likeliest first; of numbers those up to `most`."""
        return (n for n in sorted(range(most + 1), key=lambda n: abs(n - content)) if n != content)

    def exchanged(self, content: Any, numbers: Callable[[int], Iterable[int]]) -> Iterable[Any]:
        """What it holds with one whole number changed into each that `numbers` makes of it; of a choice all others."""
        return numbers(content)

    def redrawn(self, content: Any, most: int, dice: random.Random) -> Iterable[Any]:
        """Others at random, of numbers up to `most`, for descs that may be valid; likely ones more than once."""
        return (dice.randrange(most),) if self.is_axis else (0, 0, dice.randint(1, most))

    def spoilt(self, content: Any, dice: random.Random) -> Iterable[Any]:
        """Others at random that are likely to break a rule."""
        return (dice.choice((-1, content + 1, max(0, content - 1))),)

    # How that is written.

    def text(self, content: Any) -> str:
        """What is held, as it is typed: `1`, `1, 2, 3`, `EDGE`."""
        return str(content)

    def shown(self, content: Any) -> str:
        """What is held, as sentences have it: `1`, `{1, 2, 3}`."""
        return str(content)

    def read(self, text: str) -> Any:
        """What a typed text says. Raises DmlvizError, naming the field, where it can't be read."""
        return one_number(text, self.name)

    def dump(self, content: Any) -> Any:
        """Its JSON, as sessions and DxDispatch have it."""
        return content

    def parse(self, tree: object) -> Any:
        """What its JSON says. Raises DmlvizError, naming the field, for JSON of the wrong kind."""
        return integer(tree, self.name)

    @property
    def c_type(self) -> str:
        """The type of the struct's member; of an array that of its entries."""
        return "INT" if self.signed else "UINT"

    def c_values(self, content: Any) -> tuple[str, ...]:
        """The C++ expression of each number that it holds."""
        return tuple(int32(number) if self.signed else uint(number) for number in self.numbers(content))

    def python(self, content: Any) -> str:
        """What is held as an expression of Python."""
        return repr(content)


OF_ROLE = {
    Role.DATA: "A tensor that the operator reads.",
    Role.INDICES: "A tensor of indices: which elements of another one are read.",
    Role.LENGTHS: "A tensor of lengths: how much of each sequence is worked on.",
    Role.OUTPUT: "A tensor that the operator writes.",
}


class TensorField(Field, frozen=True):
    """A `DML_TENSOR_DESC` field; an array of them where `many`."""

    role: Role
    support: Support
    many: bool = False

    @property
    def can_be_inferred(self) -> bool:
        return self.role is Role.OUTPUT and not self.many

    @property
    def limits(self) -> None:
        return None

    @property
    def meaning(self) -> str:
        return self.about or OF_ROLE[self.role]

    @property
    def c_type(self) -> str:
        return "DML_TENSOR_DESC"

    def checked(self, given: object) -> Any:
        if not self.many:
            return _as_tensor(given, self.name)
        if not is_listed(given):
            raise DmlvizError(f"{self.name} is {quote(given)}, expected a list of tensor descs.")
        tensors = tuple(given)
        for i, tensor in enumerate(tensors):
            if not isinstance(tensor, TensorDesc):
                _as_tensor(tensor, f"{self.name}[{i}]")
        return tensors


class NumberField(Field, frozen=True):
    """A UINT field; an INT field where `signed`."""

    is_axis: bool = False
    signed: bool = False


class NumbersField(Field, frozen=True):
    """A UINT array; an INT array where `signed`."""

    per_axis: bool = False
    """True where there is one entry for each axis."""
    signed: bool = False
    neutral: int | None = None
    """The entry of an axis of size 1 that is put in front: 1 of repeats, 0 of offsets; None where there is no such.

    Without it no fix can lengthen the array as dimensions are added.
    """
    axes_of: str = ""
    """The tensor field whose axes are lit with a broken entry; empty for the operator's anchor."""

    @property
    def is_list(self) -> bool:
        return True

    @property
    def meaning(self) -> str:
        return self.about or ("A list of numbers, one for each axis." if self.per_axis else "A list of numbers.")

    def checked(self, given: object) -> Any:
        return integers(given, self.name)

    def numbers(self, content: Any) -> Sequence[Any]:
        numbers: Sequence[Any] = content
        return numbers

    def nearby(self, content: Any, most: int) -> Iterable[Any]:
        return ()

    def exchanged(self, content: Any, numbers: Callable[[int], Iterable[int]]) -> Iterator[Any]:
        for k, number in enumerate(content):
            yield from (put(content, k, other) for other in numbers(number))

    def redrawn(self, content: Any, most: int, dice: random.Random) -> Iterator[Any]:
        if content:
            at, number = dice.randrange(len(content)), dice.randint(0 if self.neutral == 0 else 1, 3)
            yield put(content, at, number * dice.choice((-1, 1)) if self.signed else number)

    def spoilt(self, content: Any, dice: random.Random) -> Iterator[Any]:
        if content:
            yield put(content, dice.randrange(len(content)), dice.choice((0, -1)))
            at = dice.randrange(len(content))
            yield put(content, at, content[at] + 1)
            yield content[1:]

    def text(self, content: Any) -> str:
        return ", ".join(map(str, content))

    def shown(self, content: Any) -> str:
        return braces(content)

    def edits(self, before: Any, after: Any) -> int:
        return sum(one != other for one, other in zip_longest(before, after))

    def read(self, text: str) -> Any:
        return parse_numbers(text, self.name)

    def dump(self, content: Any) -> Any:
        return list(content)

    def parse(self, tree: object) -> Any:
        if not isinstance(tree, list):
            raise DmlvizError(f"{self.name} is {quote(tree)}, expected a list of integers.")
        return [integer(number, f"{self.name}[{i}]") for i, number in enumerate(tree)]

    def python(self, content: Any) -> str:
        return f"[{', '.join(map(str, content))}]"


class CountField(Field, frozen=True):
    """A UINT field that says how long the array `of` is, or each of several; it follows the first unless given."""

    of: str | tuple[str, ...]
    """The field or fields that it counts the entries of."""

    @property
    def arrays(self) -> tuple[str, ...]:
        return (self.of,) if isinstance(self.of, str) else self.of

    @property
    def meaning(self) -> str:
        have = "has" if len(self.arrays) == 1 else "have"
        follows = f"How many entries {' and '.join(self.arrays)} {have}. It follows from that unless it is given."
        return self.about or follows

    @property
    def can_be_inferred(self) -> bool:
        return True


class Choice(Struct, frozen=True):
    """One value of an enumeration."""

    name: str
    """Without what all its names begin with: `EDGE` of `DML_PADDING_MODE_EDGE`."""
    value: int
    since: FeatureLevel | None = None
    """The feature level that it came with; None where it is as old as the operator."""


class EnumField(Field, frozen=True):
    """A field of an enumeration of DirectML's. It holds a name, or a number that none of the names has."""

    type: str
    """As in C++: `DML_PADDING_MODE`."""
    members: tuple[Choice, ...]

    takes_letters = True

    @property
    def meaning(self) -> str:
        return self.about or f"One of the names of {self.type}."

    @property
    def example(self) -> str:  # type: ignore[override]
        return f"one of {', '.join(choice.name for choice in self.members)}"

    @property
    def limits(self) -> None:
        return None

    def checked(self, given: object) -> Any:
        if isinstance(given, str):
            name = given.strip().removeprefix(f"{self.type}_")
            if name in (choice.name for choice in self.members):
                return name
        elif not isinstance(given, bool):
            try:
                number = integer(given, self.name)
            except DmlvizError:
                pass
            else:
                return next((choice.name for choice in self.members if choice.value == number), number)
        raise DmlvizError(f"{self.name} is {quote(given)}, expected {self.example}.")

    def numbers(self, content: Any) -> Sequence[Any]:
        return ()

    def nearby(self, content: Any, most: int) -> Iterable[Any]:
        return (choice.name for choice in self.members if choice.name != content)

    def exchanged(self, content: Any, numbers: Callable[[int], Iterable[int]]) -> Iterable[Any]:
        return self.nearby(content, 0)

    def redrawn(self, content: Any, most: int, dice: random.Random) -> Iterable[Any]:
        others = list(self.nearby(content, most))
        return (dice.choice(others),) if others else ()

    def spoilt(self, content: Any, dice: random.Random) -> Iterable[Any]:
        return self.redrawn(content, 0, dice)

    def choice(self, content: Any) -> Choice | None:
        """The choice that is held; None for a number that is none."""
        return next((choice for choice in self.members if choice.name == content), None)

    def choices(self, level: FeatureLevel | None = None) -> tuple[Choice, ...]:
        return tuple(c for c in self.members if level is None or c.since is None or c.since <= level)

    def needs(self, content: Any) -> FeatureLevel | None:
        choice = self.choice(content)
        return None if choice is None else choice.since

    def read(self, text: str) -> Any:
        """A name in any case, or a number."""
        word = text.strip()
        return self.checked(int(word) if re.fullmatch(r"[+-]?\d{1,18}", word, re.ASCII) else word.upper())

    def parse(self, tree: object) -> Any:
        return self.checked(tree)

    @property
    def c_type(self) -> str:
        return self.type

    def c_values(self, content: Any) -> tuple[str, ...]:
        if self.choice(content) is None:
            return (f"static_cast<{self.type}>({int32(content)})",)
        return (f"{self.type}_{content}",)

    def python(self, content: Any) -> str:
        return f'"{content}"' if isinstance(content, str) else repr(content)


class FloatField(Field, frozen=True):
    """A FLOAT field. It holds any float, as Python has it; C rounds it to FLOAT32."""

    example = "a number such as 0.5, or inf or nan"
    takes_letters = True

    @property
    def meaning(self) -> str:
        return self.about or "A number that may have a fraction."

    @property
    def limits(self) -> tuple[float, float]:
        return -FLOAT_MAX, FLOAT_MAX

    @property
    def bounds(self) -> Bounds:
        return Bounds(*self.limits, self.c_type, rounded_from=(2 - 2**-24) * 2.0**127)

    def checked(self, given: object) -> Any:
        return _as_float(given, self.name, self.example)

    def nearby(self, content: Any, most: int) -> Iterable[Any]:
        return ()

    def exchanged(self, content: Any, numbers: Callable[[int], Iterable[int]]) -> Iterable[Any]:
        return ()

    def redrawn(self, content: Any, most: int, dice: random.Random) -> Iterable[Any]:
        return ()

    def spoilt(self, content: Any, dice: random.Random) -> Iterable[Any]:
        return ()

    def text(self, content: Any) -> str:
        return str(content).removesuffix(".0")

    def shown(self, content: Any) -> str:
        return self.text(content)

    def read(self, text: str) -> Any:
        return self.checked(text.strip())

    def dump(self, content: Any) -> Any:
        return content if math.isfinite(content) else str(content)

    def parse(self, tree: object) -> Any:
        return self.checked(tree)

    @property
    def c_type(self) -> str:
        return "FLOAT"

    def c_values(self, content: Any) -> tuple[str, ...]:
        return (_c_float(content),)

    def python(self, content: Any) -> str:
        return repr(content) if math.isfinite(content) else f'float("{content}")'


# ---- text


def _c_float(number: float) -> str:
    """A FLOAT as C++ writes it: `0.5f`; NAN and INFINITY are macros of <cmath>."""
    if math.isnan(number):
        return "NAN"
    rounded = ctypes.c_float(number).value
    if math.isinf(rounded) or rounded == 0:  # digits that a type can't hold are no constant of it
        number = rounded
    if math.isinf(number):
        return "-INFINITY" if number < 0 else "INFINITY"
    return f"{number!r}f"


def _as_tensor(given: object, name: str) -> TensorDesc:
    if isinstance(given, TensorDesc):
        return given
    raise DmlvizError(f"{name} is {quote(given)}, expected a TensorDesc.")


_NOT_FINITE = {"nan": math.nan, "inf": math.inf, "+inf": math.inf, "-inf": -math.inf}


def _as_float(given: object, name: str, example: str) -> float:
    if isinstance(given, str):
        word = given.lower()
        if word in _NOT_FINITE:
            return _NOT_FINITE[word]
        if "_" in word or not word.isascii():
            word = ""
        given_number: Any = word.removesuffix("f")
    else:
        given_number = None if isinstance(given, (bool, bytes)) else given
    try:
        number = float(given_number)
        return math.nan if math.isnan(number) else number  # the same object, so that descs that hold it are equal
    except (TypeError, ValueError, OverflowError):
        raise DmlvizError(f"{name} is {quote(given)}, expected {example}.") from None


@cache
def snake(name: str) -> str:
    """DirectML's field name as Python spells it: `InputTensors` to `input_tensors`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
