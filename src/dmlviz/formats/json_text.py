"""JSON as dmlviz reads and writes it: strict to read, exact to write, and no array too large to print."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ValuesError, cut, quote

WIDE = 110
"""Characters of a line that holds a whole list or object."""


def parse_json(text: str) -> Any:
    """JSON, but no bare NaN or Infinity, no key twice, no number beyond 128 bits or FLOAT64. Raises ValuesError."""
    try:
        return json.loads(
            text, object_pairs_hook=_object_of, parse_int=_int_of, parse_float=_float_of, parse_constant=_float_of
        )
    except json.JSONDecodeError as error:
        found = quote(text[error.pos : error.pos + 20]) if error.pos < len(text) else "the end of the file"
        why = f"found {found}, expected JSON ({error.msg[0].lower()}{error.msg[1:]})"
        raise ValuesError(f"line {error.lineno}, column {error.colno}: {why}.") from None
    except RecursionError:
        raise ValuesError("its lists are nested too deep, expected at most 8 in one tensor.") from None


def _object_of(pairs: list[tuple[str, object]]) -> dict[str, object]:
    by_key: dict[str, object] = {}
    for name, content in pairs:
        if name in by_key:
            raise ValuesError(f"the key {quote(name)} appears twice in one object, expected once.")
        by_key[name] = content
    return by_key


def _int_of(text: str) -> int:
    if len(text) > 40 or int(text).bit_length() > 128:  # of a seed
        raise ValuesError(f"found {cut(text, 40)}, expected an integer of 64 bits.")
    return int(text)


def _float_of(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValuesError(f'found {cut(text, 40)}, expected a number that FLOAT64 holds, or "nan", "inf" or "-inf".')
    return number


def is_nested(tree: Any, most: int) -> bool:
    """True if anything lies in more than `most` lists and objects within each other, `tree` itself counted."""
    nodes = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    return most < 0 or any(is_nested(node, most - 1) for node in nodes)


def json_line(tree: Any, between: str = ", ") -> str:
    """JSON on one line, with `between` between entries. Raises ValueError for NaN and infinities."""
    return json.dumps(tree, ensure_ascii=False, allow_nan=False, separators=(between, ": "))


def json_file(tree: Any, *, in_rows: bool = False) -> str:
    """A file of JSON, in which nothing stands that a terminal obeys. Raises ValueError as `json_line`."""
    return escaped(laid_out(tree, in_rows=in_rows)) + "\n"


def laid_out(tree: Any, depth: int = 0, used: int = 0, *, in_rows: bool = False) -> str:
    """JSON for people to read and compare: what fits into `WIDE` characters at a depth is one line.

    `in_rows` puts several numbers of a long list on a line, and counts keys and commas: `used` characters.
    """
    if not isinstance(tree, (dict, list)) or not tree:
        return json_line(tree)
    opening, closing = ("{", "}") if isinstance(tree, dict) else ("[", "]")
    is_flat = isinstance(tree, list) and not any(issubclass(kind, (dict, list)) for kind in set(map(type, tree)))
    if is_flat:  # one call for many: each by itself would take as long as some twenty of these
        parts = json_line(tree, "\n")[1:-1].split("\n")
    else:
        keys = [f"{json_line(key)}: " for key in tree] if isinstance(tree, dict) else [""] * len(tree)
        nodes = zip(keys, tree.values() if isinstance(tree, dict) else tree, strict=True)
        parts = [key + laid_out(node, depth + 1, in_rows * (len(key) + 1), in_rows=in_rows) for key, node in nodes]
    room = WIDE - 2 * depth - used - 2 * len(parts)
    if sum(map(len, parts)) <= room and not any("\n" in part for part in parts):
        return f"{opening}{', '.join(parts)}{closing}"
    blank = "  " * (depth + 1)
    lines = f",\n{blank}".join(_rows(parts, WIDE - len(blank)) if is_flat and in_rows else parts)
    return f"{opening}\n{blank}{lines}\n{blank[2:]}{closing}"


def _rows(parts: list[str], width: int) -> Iterator[str]:
    row = parts[0]
    for part in parts[1:]:
        if len(row) + len(part) + 4 > width:
            yield row
            row = part
        else:
            row = f"{row}, {part}"
    yield row


def json_number(element: Any) -> str:
    """One element as JSON: integers exact, floats shortest round-trip, NaN and infinities as quoted strings."""
    if isinstance(element, np.floating):
        return str(element) if np.isfinite(element) else f'"{element}"'
    return str(int(element))


def json_values(array: NDArray[Any]) -> str:
    return f"[{', '.join(map(json_values if array.ndim > 1 else json_number, array))}]"


def escaped(text: str) -> str:
    """JSON without what a terminal would act on: control characters and direction marks are escaped, as JSON may."""
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)
