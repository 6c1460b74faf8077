"""The fields of an operator's struct, under DirectML's names: what a field holds, and how that is read and written."""

from __future__ import annotations

import ctypes
import enum
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar

from msgspec import Struct

from ..errors import DmlvizError, quote
from ..formats.number_text import int32, one_number, parse_numbers, uint
from .indexing import put
from .levels import FeatureLevel
from .support import Support
from .tensors import TensorDesc, braces, integer, integers, is_listed


class Role(enum.StrEnum):
    DATA = "data"
    INDICES = "indices"
    LENGTHS = "lengths"
    OUTPUT = "output"


class Bounds(Struct, frozen=True):
    low: float
    high: float
    type: str
    """As a sentence has it: `UINT`, `FLOAT32`."""

    def holds(self, number: float) -> bool:
        if self.type == "FLOAT":  # which rounds to infinity from there on
            return abs(number) < (2 - 2**-24) * 2.0**127 or not math.isfinite(number)
        return self.low <= number <= self.high and number == int(number)


UINT, INT = Bounds(0, 2**32 - 1, "UINT"), Bounds(-(2**31), 2**31 - 1, "INT")
FLOAT = Bounds(-(2 - 2**-23) * 2.0**127, (2 - 2**-23) * 2.0**127, "FLOAT")


class _Traits(Struct, frozen=True, kw_only=True):
    """What kind of field it is; by default a number that is none of the special ones."""

    about: str = ""
    """What it is, in one sentence for a newcomer; empty for what follows from its kind."""
    is_axis: bool = False
    """True for the number of an axis of the operator's anchor."""
    signed: bool = False
    """True where whole numbers below 0 can be held."""
    many: bool = False
    """True for an array of tensors."""
    per_axis: bool = False
    """True for an array with one entry for each axis."""
    neutral: int | None = None
    """The entry of an axis of size 1 that is put in front: 1 of repeats, 0 of offsets; None where there is no such.

    Without it no fix can lengthen the array as dimensions are added.
    """
    axes_of: str = ""
    """The tensor field whose axes are lit with a broken entry; empty for the operator's anchor."""


class Field(_Traits, frozen=True):
    """A member of an operator's struct: by itself a UINT, or where `signed` an INT."""

    name: str

    example: ClassVar[str] = "an integer"
    """What a text that is typed should hold, for sentences."""
    takes_letters: ClassVar[bool] = False
    """True where a text that is typed may have letters: a name, `nan`."""
    is_list: ClassVar[bool] = False
    """True for an array of numbers."""
    arrays: ClassVar[tuple[str, ...]] = ()
    """The names of the fields that it counts the entries of."""
    members: ClassVar[tuple[Choice, ...]] = ()
    """What an enumeration has."""
    can_be_inferred: ClassVar[bool] = False
    """True where it may be left out, since it follows from the others."""

    @property
    def meaning(self) -> str:
        """What it is, for a newcomer: `about`, or what follows from its kind."""
        what = "an axis of the tensors, counted from 0" if self.is_axis else self.example
        return self.about or f"It holds {what}."

    def checked(self, given: object) -> Any:
        """What is held of what is given, from JSON too. Raises DmlvizError, naming the field, for another kind."""
        return integers(given, self.name) if self.is_list else integer(given, self.name)

    @property
    def bounds(self) -> Bounds | None:
        """What each of its numbers has to be; None where it holds no number."""
        return INT if self.signed else UINT

    def numbers(self, content: Any) -> Sequence[Any]:
        """The numbers that `bounds` are about, where there are any."""
        return tuple(content) if self.is_list else (content,)

    def choices(self, level: FeatureLevel | None = None) -> tuple[Choice, ...]:
        """What may be chosen, at a level or at all; () where anything may be written."""
        return tuple(c for c in self.members if level is None or c.since is None or c.since <= level)

    def needs(self, content: Any) -> FeatureLevel | None:
        """The feature level that came with what is held; None where that is as old as the operator."""
        return next((choice.since for choice in self.members if choice.name == content), None)

    def nearby(self, content: Any, most: int) -> Iterable[Any]:
        """What else a single slip may have meant, likeliest first; of numbers those up to `most`, of a list nothing."""
        numbers = (n for n in range(most + 1) if n != content)
        return () if self.is_list else self.exchanged(content, lambda at: sorted(numbers, key=lambda n: abs(n - at)))

    def exchanged(self, content: Any, numbers: Callable[[int], Iterable[int]]) -> Iterable[Any]:
        """What it holds with one whole number changed into each that `numbers` makes of it; of a choice all others."""
        others = [choice.name for choice in self.members if choice.name != content]
        return others or (() if isinstance(content, float) else numbers(content))

    def small(self, rank: int, largest: int) -> Callable[[int], Iterable[int]]:
        """The whole numbers that are worth a try where tensors are small, whichever stands there, for `exchanged`."""
        least = -largest if self.signed else int(self.neutral != 0)
        numbers = range(least, largest + 1) if self.is_list else range(rank + (not self.is_axis))
        return lambda number: numbers

    def text(self, content: Any) -> str:
        """What is held, as it is typed: `1`, `1, 2, 3`, `EDGE`."""
        return ", ".join(map(str, content)) if self.is_list else str(content)

    def shown(self, content: Any) -> str:
        """What is held, as sentences have it: `1`, `{1, 2, 3}`."""
        return braces(content) if self.is_list else self.text(content)

    def read(self, text: str) -> Any:
        """What a typed text says. Raises DmlvizError, naming the field, where it can't be read."""
        return parse_numbers(text, self.name) if self.is_list else one_number(text, self.name)

    def dump(self, content: Any) -> Any:
        """Its JSON, as sessions and DxDispatch have it; `checked` reads it."""
        return list(content) if self.is_list else content

    @property
    def c_type(self) -> str:
        """The type of the struct's member; of an array that of its entries."""
        return self.bounds.type if self.bounds else ""

    def c_values(self, content: Any) -> tuple[str, ...]:
        """The C++ expression of each number that it holds."""
        return tuple(int32(number) if self.signed else uint(number) for number in self.numbers(content))

    def python(self, content: Any) -> str:
        return json.dumps(content)


class TensorField(Field, frozen=True):
    """A `DML_TENSOR_DESC` field; an array of them where `many`."""

    role: Role
    support: Support

    example = "a tensor"
    bounds: ClassVar[None] = None
    c_type: ClassVar[str] = "DML_TENSOR_DESC"

    @property
    def can_be_inferred(self) -> bool:  # type: ignore[override]
        return self.role is Role.OUTPUT and not self.many

    def checked(self, given: object) -> Any:
        if self.many and not is_listed(given):
            raise DmlvizError(f"{self.name} is {quote(given)}, expected a list of tensor descs.")
        tensors = tuple(given) if self.many else (given,)  # type: ignore[arg-type]
        for i, tensor in enumerate(tensors):
            if not isinstance(tensor, TensorDesc):
                raise DmlvizError(f"{self.name}{f'[{i}]' * self.many} is {quote(tensor)}, expected a TensorDesc.")
        return tensors if self.many else given


class NumbersField(Field, frozen=True):
    """A UINT array; an INT array where `signed`."""

    example = "integers such as 1, 1, 6, 2"
    is_list = True

    def exchanged(self, content: Any, numbers: Callable[[int], Iterable[int]]) -> Iterator[Any]:
        for k, number in enumerate(content):
            yield from (put(content, k, other) for other in numbers(number))


class CountField(Field, frozen=True):
    """A UINT field that says how long each of `arrays` is; it follows the first unless given."""

    arrays: tuple[str, ...]  # type: ignore[misc]

    can_be_inferred = True

    @property
    def meaning(self) -> str:
        return f"How many entries there are in {' and in '.join(self.arrays)}. It follows from that unless it is given."


class Choice(Struct, frozen=True):
    name: str
    """Without what all its names begin with: `EDGE` of `DML_PADDING_MODE_EDGE`."""
    value: int
    since: FeatureLevel | None = None
    """The feature level that it came with; None where it is as old as the operator."""


class EnumField(Field, frozen=True):
    """A field of an enumeration of DirectML's. It holds a name, or a number that none of the names has."""

    type: str
    """As in C++: `DML_PADDING_MODE`."""
    members: tuple[Choice, ...]  # type: ignore[misc]

    takes_letters = True
    bounds: ClassVar[None] = None

    @property
    def example(self) -> str:  # type: ignore[override]
        return f"one of {', '.join(choice.name for choice in self.members)}"

    def checked(self, given: object) -> Any:
        name = given.strip().removeprefix(f"{self.type}_") if isinstance(given, str) else None
        number = integer(given, self.name, self.example) if name is None else None
        for choice in self.members:
            if choice.name == name or choice.value == number:
                return choice.name
        if number is None:
            raise DmlvizError(f"{self.name} is {quote(given)}, expected {self.example}.")
        return number

    def read(self, text: str) -> Any:
        """A name in any case, or a number."""
        word = text.strip()
        return self.checked(int(word) if re.fullmatch(r"[+-]?\d{1,18}", word, re.ASCII) else word.upper())

    @property
    def c_type(self) -> str:
        return self.type

    def c_values(self, content: Any) -> tuple[str, ...]:
        known = isinstance(content, str)
        return (f"{self.type}_{content}" if known else f"static_cast<{self.type}>({int32(content)})",)


class FloatField(Field, frozen=True):
    """A FLOAT field. It holds any float, as Python has it; C rounds it to FLOAT32."""

    example = "a number such as 0.5, or inf or nan"
    takes_letters = True
    bounds: ClassVar[Bounds] = FLOAT

    def checked(self, given: object) -> Any:
        number: Any = re.sub(r"(?<=[\d.])[fF]$", "", given) if isinstance(given, str) else given
        try:
            number = float("no number" if isinstance(number, bool) else number)
        except (TypeError, ValueError, OverflowError):
            raise DmlvizError(f"{self.name} is {quote(given)}, expected {self.example}.") from None
        return math.nan if math.isnan(number) else number  # the same object, so that descs that hold it are equal

    def text(self, content: Any) -> str:
        return str(content).removesuffix(".0")

    def read(self, text: str) -> Any:
        return self.checked(text.strip())

    def dump(self, content: Any) -> Any:
        """NaN and infinities are texts."""
        return content if math.isfinite(content) else str(content)

    def c_values(self, content: Any) -> tuple[str, ...]:
        """As C++ writes it: `0.5f`; NAN and INFINITY are macros of <cmath>."""
        rounded = ctypes.c_float(content).value
        if math.isnan(content):
            return ("NAN",)
        if math.isinf(rounded):
            return ("-INFINITY" if content < 0 else "INFINITY",)
        return (f"{content if rounded else rounded!r}f",)  # digits that a type can't hold are no constant of it

    def python(self, content: Any) -> str:
        return repr(content) if math.isfinite(content) else f'float("{content}")'
