"""JSON as session files need it: strict to read, exact to write, and no array too large to print."""

from __future__ import annotations

import json
import json.scanner
import math
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ValuesError, quote

PIECE = 1 << 16
"""Characters that are read or escaped at a time where there are many: other threads run in between."""
MOST_NESTED = 8
"""Lists in lists that are looked for where many are read at a time."""


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
    """JSON, but no bare NaN or Infinity, and no key twice; `Overflow` for more than FLOAT64. Raises ValuesError."""

    def object_of(pairs: list[tuple[str, object]]) -> dict[str, object]:
        """An object by its keys. Raises ValuesError where one is given twice."""
        by_key = dict(pairs)
        if len(by_key) < len(pairs):
            seen: set[str] = set()
            twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
            raise ValuesError(f"the key {quote(twice)} stands twice in one object, expected once.")
        return by_key

    def float_of(text: str) -> float:
        number = float(text)
        return Overflow(text) if math.isinf(number) else number

    def int_of(text: str) -> int | float:
        """An integer; an `Overflow` of the first digits where Python doesn't convert so many."""
        # Python converts only so many digits; the product of eight sizes has to keep within that.
        most = sys.get_int_max_str_digits() // 10
        return int(text) if len(text) <= most or not most else Overflow(f"{text[:20]}… ({len(text):,} digits)")

    def refused(text: str) -> float:
        """Raises ValuesError for a bare NaN or Infinity."""
        raise ValuesError(f'{text} is not JSON, expected a number or "{text.lower().replace("infinity", "inf")}".')

    plain = not _has_long_numbers(text)
    try:
        if plain and len(text) > PIECE:
            tree, read = _read_in_pieces(text, object_of, refused)
            if read:
                return tree
        if plain:
            return json.loads(text, object_pairs_hook=object_of, parse_constant=refused)
        return json.loads(
            text, object_pairs_hook=object_of, parse_float=float_of, parse_int=int_of, parse_constant=refused
        )
    except json.JSONDecodeError as error:
        raise ValuesError(f"line {error.lineno}, column {error.colno}: {_why_no_json(error, text)}.") from None
    except RecursionError:
        raise ValuesError("its lists are nested too deep, expected at most 8 in one tensor.") from None


def is_nested(tree: Any, most: int) -> bool:
    """True if anything lies in more than `most` lists and objects within each other, `tree` itself counted."""
    nodes = [tree]
    for _ in range(most + 1):
        nodes = [child for node in nodes for child in _children(node)]
    return bool(nodes)


def _children(node: Any) -> Iterator[Any]:
    """What lies directly in a list, or in an object as its values; nothing of anything else."""
    if isinstance(node, (dict, list)):
        yield from node.values() if isinstance(node, dict) else node


def _has_long_numbers(text: str) -> bool:
    """True where a number may lie beyond FLOAT64's range, or have more digits than Python converts."""
    # All digits alike, so that finding a long number is finding a string, which takes a hundredth of reading it.
    shape = text.encode("utf-8", "surrogatepass").translate(_SHAPE)
    return any(part in shape for part in (b"0e000", b"0e+000", b"0" * _suspect_digits()))


_SHAPE = bytes.maketrans(b"123456789E", b"000000000e")


def _suspect_digits() -> int:
    """How many digits in a row may be too long a number; 200 and an exponent of two digits stay below 1e308."""
    most = sys.get_int_max_str_digits() // 10
    return min(200, most) if most else 200


_OF_NUMBERS = re.compile(r'[-+.0-9eE,\[\]"naif \t\n\r]*')
_BLANK = r"[ \t\n\r]*"
_SPACE = re.compile(_BLANK)
_OPENING = re.compile(r"[\[ \t\n\r]*")
_CLOSING = ["(" + _BLANK.join([r"\]"] * deep) + ")" + _BLANK + r"\]" for deep in range(MOST_NESTED + 1)]
"""The end of a list whose items are nested so deep."""


def _after_blanks(text: str, at: int) -> int:
    """Where the blanks end that begin at `at`; `at` where there are none."""
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]


def _read_in_pieces(
    text: str, object_of: Callable[[list[tuple[str, object]]], object], refused: Callable[[str], object]
) -> tuple[Any, bool]:
    """(what `json.loads` makes of a long text, True); (None, False) where that is to say what is wrong with it.

    One call for all of it would hold the interpreter's lock for seconds, and the screen would stand still.
    """
    decoder = json.JSONDecoder(object_pairs_hook=object_of, parse_constant=refused)
    one = decoder.scan_once  # type: ignore[attr-defined]  # it is written in C

    def piece_end(at: int) -> int:
        """Where the elements of a list end that begin at `at` and are read by one call; `at` where there are none."""
        stop = _OF_NUMBERS.match(text, at, at + PIECE).end()  # type: ignore[union-attr]
        deep = _OPENING.match(text, at, stop).group().count("[")  # type: ignore[union-attr]
        if not deep:
            end = text.find("]", at, stop)
            return end if end >= 0 else text.rfind(",", at, stop)
        if deep > MOST_NESTED:
            return at
        if closing := re.compile(_CLOSING[deep]).search(text, at, stop):
            return closing.end(1)
        end = text.rfind("]" * deep + ",", at, stop)
        return end + deep if end >= 0 else at

    def list_at(text_and_start: tuple[str, int], scan: Callable[[str, int], tuple[Any, int]]) -> tuple[list[Any], int]:
        """A list in the text, and where it ends. Raises IndexError or JSONDecodeError for what is no list."""
        at = _after_blanks(text, text_and_start[1])
        if text[at] == "]":
            return [], at + 1
        elements: list[Any] = []
        alike = True  # lists in this one are nested alike
        while True:
            if alike and (stop := piece_end(at)) > at:
                try:
                    elements += json.loads(f"[{text[at:stop]}]")
                    at = stop
                except json.JSONDecodeError:
                    alike = False
                    continue
            else:
                item, at = (scan if text[at] in "[{" else one)(text, at)
                elements.append(item)
            at = _after_blanks(text, at)
            if text[at] == "]":
                return elements, at + 1
            if text[at] != ",":
                raise IndexError
            at = _after_blanks(text, at + 1)

    decoder.parse_array = list_at  # type: ignore[attr-defined]
    decoder.scan_once = json.scanner.py_make_scanner(decoder)  # type: ignore[attr-defined]
    try:
        return decoder.decode(text), True
    except (json.JSONDecodeError, IndexError, RecursionError):
        return None, False


def _why_no_json(error: json.JSONDecodeError, text: str) -> str:
    """The middle of a sentence: what the text has in place of JSON, and what was expected."""
    rest = quote(text[error.pos : error.pos + 20]) if error.pos < len(text) else "the end of the file"
    return f"found {rest}, expected JSON ({error.msg[0].lower()}{error.msg[1:]})"


def json_number(element: Any) -> str:
    """One element as JSON: integers exact, floats shortest round-trip, NaN and infinities as quoted strings."""
    if isinstance(element, np.floating):
        if np.isfinite(element):
            return str(element)
        return '"nan"' if np.isnan(element) else ('"inf"' if element > 0 else '"-inf"')
    return str(int(element))


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
    if len(text) > PIECE:
        return "".join(escaped(text[start : start + PIECE]) for start in range(0, len(text), PIECE))
    if text.replace("\n", "").isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else _unicode_escape(c) for c in text)


def _unicode_escape(char: str) -> str:
    """A character as JSON escapes it, `\\u200e`; two escapes for one beyond 16 bits."""
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
