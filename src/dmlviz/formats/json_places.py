"""Where the values of a JSON text stand: lines and columns by the fields of an experiment.

The text may have comments and trailing commas, as models of DxDispatch do.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from json import decoder, scanner
from typing import Any, NamedTuple

from msgspec import Struct

from .tolerant_json import strict_text

MOST_ITEMS = 4096
"""Items of one list in an experiment that have places."""


class Place(Struct, frozen=True):
    """A piece of a text: lines and columns from 1, the ends exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int
    pointer: str = ""
    """The JSON pointer of what stands there, in a file that is JSON; `""` in others."""
    name: str = ""
    """What it is called where a file has no lines: `node 5 (Gather)`."""


NO_LINE = Place(line=1, column=1, end_line=1, end_column=1)
"""Where a file has no lines."""
Places = Mapping[int, Mapping[str, Place]]
"""By an experiment's number from 0, the place of each field that its source names: `InputTensors[1].Sizes[2]`, `Axis`,
`FeatureLevel`, `IndicesTensor[0,1]` for values; under `""` that of the whole experiment. From -1 downwards: the same of
what could not be read, in the order of the errors."""
_LINE_END = re.compile(r"\r\n|\n|\r")
_LONG_LIST = re.compile(r"\[[-+.\deE,\s]{65536,}+\]")


class _Spanned(NamedTuple):
    """What stands from `start` to `end`; the entries of a list or an object are such themselves."""

    content: Any
    start: int
    end: int


class JsonPlaces:
    """The places in a JSON text; none in one that is no JSON."""

    def __init__(self, text: str) -> None:
        self._line_starts = [0, *(end.end() for end in _LINE_END.finditer(text))]
        try:
            root = _Decoder().decode(strict_text(text))
        except (ValueError, RecursionError):
            root = _Spanned({}, 0, 0)
        self._roots = {f"/{one}/{two}": node for one, outer in _entries(root) for two, node in _entries(outer)}

    def fields(self, roots: Mapping[int, str]) -> dict[int, dict[str, Place]]:
        """The fields of the experiments at `roots`, which are pointers of two keys, by the same numbers."""
        found: dict[int, dict[str, Place]] = {number: {} for number in roots}
        for number, root in roots.items():
            within = _within(self._roots[root], ()) if root in self._roots else ()
            # A desc's `InputTensors[1]` comes before an element of a list of them.
            for keys, node in sorted(within, key=lambda each: each[0][:1] == ("values",)):
                if (field := field_of(keys)) is not None and field not in found[number]:
                    found[number][field] = self._place(node, "/".join((root, *keys)))
        return found

    def _place(self, node: _Spanned, pointer: str) -> Place:
        first, last = (bisect_right(self._line_starts, at) for at in (node.start, node.end))
        columns = (at - self._line_starts[line - 1] + 1 for line, at in ((first, node.start), (last, node.end)))
        return Place(line=first, column=next(columns), end_line=last, end_column=next(columns), pointer=pointer)


class _Decoder(decoder.JSONDecoder):
    """Reads JSON with the span of each value, by the hooks of the standard library's reader in Python."""

    def __init__(self) -> None:
        super().__init__()
        self.parse_object = self._object
        self.parse_array = self._array
        plain = scanner.py_make_scanner(self)  # type: ignore[attr-defined]

        def scan(text: str, at: int) -> tuple[_Spanned, int]:
            content, end = plain(text, at)
            return _Spanned(content, at, end), end

        self.scan_once = scan

    def _object(self, text_at: tuple[str, int], strict: bool, scan: object, *rest: Any) -> tuple[Any, int]:
        return decoder.JSONObject(text_at, strict, self.scan_once, *rest)  # type: ignore[attr-defined,no-any-return]

    def _array(self, text_at: tuple[str, int], scan: object) -> tuple[Any, int]:
        text, at = text_at
        if whole := _LONG_LIST.match(text, at - 1):
            return [], whole.end()
        return decoder.JSONArray(text_at, self.scan_once)  # type: ignore[attr-defined,no-any-return]


def in_pointer(key: str) -> str:
    """A key as JSON pointers have it."""
    return key.replace("~", "~0").replace("/", "~1")


def _entries(node: _Spanned) -> Iterator[tuple[str, _Spanned]]:
    """What lies directly in a value, by its key as pointers have it."""
    if isinstance(node.content, (dict, list)):
        items = node.content.items() if isinstance(node.content, dict) else enumerate(node.content)
        yield from ((in_pointer(str(key)), child) for key, child in items)


def _within(node: _Spanned, keys: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], _Spanned]]:
    """A value and all that lies in it, by the keys that lead there."""
    yield keys, node
    for key, child in islice(_entries(node), MOST_ITEMS):
        yield from _within(child, (*keys, key))


_CALLED = {"feature_level": "FeatureLevel", "type": "Type", "Type": "Type"}
"""What a field is called by checks that an experiment's own key holds."""


def field_of(keys: Iterable[str]) -> str | None:
    """The field that keys in an experiment lead to, as checks name it; "" for none, None for what is no field."""
    given = list(keys)
    first, *rest = [key for key in given if key not in ("desc", "Desc")] or [""]
    if given and not first:
        return None
    if first == "values":
        first, *rest = rest or [""]
        return f"{first}[{','.join(rest)}]" if rest and all(map(str.isdecimal, rest)) else None
    if first in _CALLED and not rest:
        return _CALLED[first]
    return first + "".join(f"[{key}]" if key.isdecimal() else f".{key}" for key in rest)
