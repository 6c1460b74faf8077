"""Where each value of a JSON text stands: its span by JSON pointer, and what that is in lines and columns.

The text may have comments and trailing commas, as models of DxDispatch do. It is one pass over the text, which has to
be JSON apart from those; of other text nothing useful comes out, and nothing is raised.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping

from msgspec import Struct

MOST_DEEP = 16
"""Lists and objects in each other whose spans are kept."""
MOST_ITEMS = 4096
"""Items of one list whose spans are kept; of one in the whole, as a session's experiments are, all."""


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


class Lines:
    """Offsets in a text as lines and columns; a line ends at `\\n`, `\\r\\n` or `\\r`."""

    def __init__(self, text: str) -> None:
        self.starts = [0, *(end.end() for end in _LINE_END.finditer(text))]

    def place(self, start: int, end: int, pointer: str = "") -> Place:
        """The place from `start` to `end`."""
        first, last = bisect_right(self.starts, start), bisect_right(self.starts, end)
        return Place(
            line=first,
            column=start - self.starts[first - 1] + 1,
            end_line=last,
            end_column=end - self.starts[last - 1] + 1,
            pointer=pointer,
        )


_LINE_END = re.compile(r"\r\n|\n|\r")
_SIGN = re.compile(
    r'[{}\[\],:]|"(?:[^"\\]++|\\.)*+"?|//[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?|[^\s{}\[\],:"/]++|/', re.DOTALL
)
_LONG_LIST = re.compile(r"\[[-+.\deE,\s]{65536,}+\]")


class JsonPlaces:
    """The places in a JSON text."""

    def __init__(self, text: str) -> None:
        self._spans, self._lines = spans(text), Lines(text)

    def at(self, pointer: str) -> Place | None:
        """The place of the value at a pointer; None where there is none."""
        span = self._spans.get(pointer)
        return None if span is None else self._lines.place(span[0], span[1], pointer)

    def fields(self, roots: Mapping[int, str]) -> dict[int, dict[str, Place]]:
        """The fields of the experiments at `roots`, which are pointers of two keys, by the same numbers."""
        numbers: dict[str, list[int]] = {}
        for number, root in roots.items():
            numbers.setdefault(root, []).append(number)
        found: dict[int, dict[str, Place]] = {number: {} for number in roots}
        of_values: list[tuple[int, str, Place]] = []
        for pointer in self._spans:
            _, *keys = pointer.split("/")
            own = numbers.get("/" + "/".join(keys[:2])) if len(keys) >= 2 else None
            field = field_of(keys[2:]) if own else None
            if own and field is not None and (place := self.at(pointer)) is not None:
                if keys[2:3] == ["values"]:
                    of_values += [(number, field, place) for number in own]
                else:
                    for number in own:
                        found[number].setdefault(field, place)
        for number, field, place in of_values:  # a desc's `InputTensors[1]` comes before an element of a list of them
            found[number].setdefault(field, place)
        return found


def spans(text: str) -> dict[str, tuple[int, int]]:
    """Start and end of the values in a JSON text, by pointer; the first of equal keys."""
    found: dict[str, tuple[int, int]] = {}
    opened: list[tuple[str | None, int, int]] = []
    pointer: str | None = ""
    """That of the value which comes next; None for one that isn't kept."""
    number, expects_key, at = -1, False, 0
    while (sign := _SIGN.search(text, at)) is not None:
        start, at = sign.span()
        first = text[start]
        if first in "/:":
            continue
        if first in "{[":
            if first == "[" and (whole := _LONG_LIST.match(text, start)) is not None:
                at = whole.end()
            else:
                opened.append((pointer, start, number))
                number, expects_key = (-1, True) if first == "{" else (0, False)
                pointer = _child(opened, "0") if first == "[" else None
                continue
        elif first in "}]":
            if not opened:
                break
            pointer, start, number = opened.pop()
        elif first == ",":
            expects_key = number < 0
            number += number >= 0
            is_kept = number >= 0 and (number < MOST_ITEMS or len(opened) <= 2)
            pointer = _child(opened, str(number)) if is_kept else None
            continue
        elif expects_key:
            expects_key = False
            pointer = _child(opened, in_pointer(_key(sign[0])))
            continue
        if pointer is not None:
            found.setdefault(pointer, (start, at))
            pointer = None
        expects_key = False
    return found


def in_pointer(key: str) -> str:
    """A key as JSON pointers have it."""
    return key.replace("~", "~0").replace("/", "~1")


def _child(opened: list[tuple[str | None, int, int]], step: str) -> str | None:
    """The pointer of what is called `step` in the innermost of what is open; None for what isn't kept."""
    parent = opened[-1][0] if opened and len(opened) <= MOST_DEEP else None
    return None if parent is None else f"{parent}/{step}"


def _key(text: str) -> str:
    try:
        return str(json.loads(text)) if "\\" in text else text[1:-1]
    except ValueError:
        return text


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
