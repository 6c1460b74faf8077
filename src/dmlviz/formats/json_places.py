"""Where the values of a JSON text stand: lines and columns by the fields of an experiment.

The text may have comments and trailing commas, as models of DxDispatch do.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence

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
Places = Mapping[int, Mapping[str, Place]]
"""By an experiment's number from 0, the place of each field that its source names: `InputTensors[1].Sizes[2]`, `Axis`,
`FeatureLevel`, `IndicesTensor[0,1]` for values; under `""` that of the whole experiment. From -1 downwards: the same of
what could not be read, in the order of the errors."""
_LINE_END = re.compile(r"\r\n|\n|\r")
_TOKEN = re.compile(
    r'(?P<key>"(?:[^"\\]|\\.)*+")\s*+:|"(?:[^"\\]|\\.)*+"'
    r"|\[[-+.\deE,\s]{65536,}+\]|[\[\]{},]|[^\s\[\]{},]++"  # a long list of numbers is one
)
_CALLED = {"feature_level": "FeatureLevel", "type": "Type"}
"""What a field is called by checks that an experiment's own key holds."""


def json_places(text: str) -> dict[str, dict[str, Place]]:
    """The fields of all that lies two keys deep in a JSON text, such as an experiment, by its pointer."""
    found: dict[str, dict[str, Place]] = {}
    line_starts = [0, *(end.end() for end in _LINE_END.finditer(text))]
    # What holds others comes before them, and a desc's `InputTensors[1]` before an element of a list of them.
    for keys, start, end in sorted(_spans(text), key=lambda span: (span[0][2:3] == ("values",), span[1])):
        if (field := _field_of(keys[2:])) is not None:
            first, last = (bisect_right(line_starts, at) for at in (start, end))
            place = Place(
                line=first,
                column=start - line_starts[first - 1] + 1,
                end_line=last,
                end_column=end - line_starts[last - 1] + 1,
                pointer="/".join(("", *keys)),
            )
            found.setdefault("/".join(("", *keys[:2])), {}).setdefault(field, place)
    return found


def _spans(text: str) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """Where each value begins and ends that two keys or more lead to, and these."""
    keys: list[str | int] = []
    starts: list[int] = []
    for token in _TOKEN.finditer(strict_text(text)):
        start, end = token.span()
        if token["key"]:
            keys[-1] = in_pointer(json.loads(token["key"]))
        elif token[0] == ",":
            keys[-1] = keys[-1] if isinstance(keys[-1], str) else keys[-1] + 1
        elif token[0] in "[{":
            keys.append(0)
            starts.append(start)
        else:
            if token[0] in "]}":
                start = starts.pop()
                keys.pop()
            if len(keys) > 1 and not any(isinstance(key, int) and key >= MOST_ITEMS for key in keys[2:]):
                yield tuple(map(str, keys)), start, end


def in_pointer(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _field_of(keys: Sequence[str]) -> str | None:
    """The field that keys in an experiment lead to, as checks name it; "" for none, None for what is no field."""
    first, *rest = [key for key in keys if key not in ("desc", "Desc")] or [""]
    if first == "values":
        if rest[1:] and all(map(str.isdecimal, rest[1:])):
            return f"{rest[0]}[{','.join(rest[1:])}]"
        return None
    return _CALLED.get(first, first) + "".join(f"[{key}]" if key.isdecimal() else f".{key}" for key in rest)
