"""JSON as session files need it: strict to read, exact to write, and no array too large to print."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ValuesError, quote


class Overflow(float):
    """A JSON number beyond FLOAT64's range, such as 1e400, that remembers how it was written."""

    text: str

    def __new__(cls, text: str) -> Overflow:
        self = super().__new__(cls, "-inf" if text.startswith("-") else "inf")
        self.text = text
        return self

    def __repr__(self) -> str:
        return self.text

    __str__ = __repr__


def parse_json(text: str) -> Any:
    """JSON with what Python's reader lets pass refused: bare NaN and Infinity, and one key given twice.

    Numbers beyond FLOAT64's range become `Overflow`. Raises ValuesError with a sentence.
    """

    def pairs(items: list[tuple[str, object]]) -> dict[str, object]:
        made = dict(items)
        if len(made) < len(items):
            seen: set[str] = set()
            twice = next(name for name, _ in items if name in seen or seen.add(name))  # type: ignore[func-returns-value]
            raise ValuesError(f"the key {quote(twice)} stands twice in one object, expected once.")
        return made

    def real(text: str) -> float:
        number = float(text)
        return Overflow(text) if math.isinf(number) else number

    def whole(text: str) -> int | float:
        # Python converts only so many digits; the product of eight sizes has to keep within that.
        most = sys.get_int_max_str_digits() // 10
        return int(text) if len(text) <= most or not most else Overflow(f"{text[:20]}… ({len(text):,} digits)")

    def constant(text: str) -> float:
        raise ValuesError(f'{text} is not JSON, expected a number or "{text.lower().replace("infinity", "inf")}".')

    try:
        return json.loads(text, object_pairs_hook=pairs, parse_float=real, parse_int=whole, parse_constant=constant)
    except json.JSONDecodeError as error:
        raise ValuesError(f"line {error.lineno}, column {error.colno}: {_why_no_json(error, text)}.") from None
    except RecursionError:
        raise ValuesError("its lists are nested too deep, expected at most 8 in one tensor.") from None


def _why_no_json(error: json.JSONDecodeError, text: str) -> str:
    found = quote(text[error.pos : error.pos + 20]) if error.pos < len(text) else "the end of the file"
    return f"found {found}, expected JSON ({error.msg[0].lower()}{error.msg[1:]})"


def json_number(item: Any) -> str:
    """One element as JSON: integers exact, floats shortest round-trip, NaN and infinities as quoted strings."""
    if isinstance(item, np.floating):
        if np.isfinite(item):
            return str(item)
        return '"nan"' if np.isnan(item) else ('"inf"' if item > 0 else '"-inf"')
    return str(int(item))


def json_values(array: NDArray[Any]) -> Iterator[str]:
    """The text of `array` as nested JSON lists, a row at a time, so that no array is too large to print."""
    if array.ndim == 0:
        yield json_number(array[()])
        return
    if array.ndim == 1:
        yield "["
        for start in range(0, len(array), 4096):
            yield (", " if start else "") + ", ".join(json_number(x) for x in array[start : start + 4096])
        yield "]"
        return
    yield "["
    for i in range(len(array)):
        if i:
            yield ", "
        yield from json_values(array[i])
    yield "]"


def escaped(text: str) -> str:
    """JSON without what a terminal would act on: control characters and direction marks are escaped, as JSON may."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else _escape(c) for c in text)


def _escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
