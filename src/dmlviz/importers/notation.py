"""Descs as DirectML's pages write them in their examples, and `dmlviz run` prints tensors.

    InputTensor: (Sizes:{2, 2}, DataType:FLOAT32)
    [[1, 2],
     [3, 4]]
    Repeats: {1, 2}

A field that stands there again begins the next example; one without its own input goes on with the last one's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..desc.fields import TensorField
from ..desc.value_sources import Listed
from ..errors import DmlvizError
from ..formats.json_places import Place
from ..operators.base import Operator
from ..operators.registry import operators
from ..session.reading import parse_desc
from .lib.found import Found, Item
from .lib.imported import ImportFailedError, Note, Why
from .lib.pasted_text import without_prefix

TITLE = "tensors as DirectML's pages write them"
ORDER = 60
AMID_PROSE = True
IS_AMID = True
"""Stands amid what other sources of code read, too."""
MOST_ROWS = 4096
"""Lines of a tensor's values."""

_TENSOR = re.compile(rb"Tensors?(?:\[\d{1,5}\])?[ \t]*:[ \t]*\([ \t]*Sizes[ \t]*:[ \t]*\{")
_MEMBERS = re.compile(r"[ \t]*\(\s*Sizes\s*:\s*\{([\d,\s]{0,400})\}\s*,\s*DataType\s*:\s*(\w{1,40})\s*\)")
_VALUES = re.compile(r"[-+\w., \t\[\]]*")
_NUMBER = re.compile(r"-?(?:\d[\d.]*(?:[eE][-+]?\d+)?|nan|inf)", re.IGNORECASE)
_VALUE = re.compile(r"[ \t]*(?:\{([-+\d., \t]*)\}|\[([-+\d., \t]*)\]|(-?[\w.+-]+))[ \t]*[,;]?[ \t]*(?://.*)?")
_NAMED = re.compile(r"DML_(\w+?)_OPERATOR_DESC|\bDML_OPERATOR_(\w+)| · (\w+)[ \t]*$")
_ALIASES = {"SequenceTensor": "SequenceLengthsTensor"}
"""What a page calls a field in its examples."""


class _Field(Struct, frozen=True):
    """What a field holds, as JSON, and where it stands."""

    node: Any
    place: Place
    values: str = ""
    """What stands behind a tensor in brackets."""


def knows(data: bytes, name: str) -> bool:
    """True for text with a tensor in that notation, outside comments."""
    starts = (data.rfind(b"\n", 0, match.start()) + 1 for match in _TENSOR.finditer(data))
    return any(not data[start : start + 200].lstrip().startswith((b"//", b"#", b"*", b"/*")) for start in starts)


def read(data: bytes, name: str, folder: Path | None) -> list[Item]:
    """Each example of a text. Raises ImportFailedError where none is whole."""
    items: list[Item] = []
    last: dict[str, _Field] = {}
    for named, fields in _examples(data.decode("utf-8", "replace")):
        line = min(field.place.line for field in fields.values())
        try:
            items.append(_found(named, fields, last, line))
        except DmlvizError as error:
            items.append(Note(str(error), line, unchecked=True))
        last |= {path: field for path, field in fields.items() if path.startswith("Input")}
    if not any(isinstance(item, Found) for item in items):
        note = next((item for item in items if isinstance(item, Note)), Note("no field is read."))
        raise ImportFailedError(f"{name}: line {note.line}: {note.text}", Why.NOT_READ)
    return items


@cache
def _field_pattern() -> re.Pattern[str]:
    names = {field.name for operator in operators().values() for field in operator.desc.FIELDS} | {*_ALIASES}
    return re.compile(rf"(?<![\w.])({'|'.join(sorted(names))})(?:\[(\d{{1,5}})\])?[ \t]*:(?![:])")


def _examples(text: str) -> Iterator[tuple[str, dict[str, _Field]]]:
    """The fields of each example by path, and the operator that is named above it, if one is."""
    lines = text.split("\n")
    fields: dict[str, _Field] = {}
    named, later = "", ""
    for number, line in enumerate(lines):
        if (said := _NAMED.search(line[:1000])) is not None:
            later = said[1] or said[2] or said[3]
        match = _field_pattern().search(line[:1000])
        if match is None:
            continue
        field = _field(lines, number, match)
        if field is None:
            continue
        called = _ALIASES.get(match[1], match[1])
        path = f"{called}[{match[2]}]" if match[2] else called
        if path in fields:
            yield named, fields
            fields = {}
        if not fields:
            named = later
        fields[path] = field
    if fields:
        yield named, fields


def _field(lines: list[str], number: int, match: re.Match[str]) -> _Field | None:
    """What stands behind a field's colon; None where that is no value."""
    line, start = lines[number], match.end()
    place = Place(number + 1, match.start() + 1, number + 1, len(line.rstrip()) + 1)
    if (tensor := _MEMBERS.match(line, start)) is not None:
        node = {"DataType": tensor[2], "Sizes": [int(size) for size in re.findall(r"\d{1,20}", tensor[1])]}
        return _Field(node, place, _bracketed(lines, number, line[: match.start()], tensor.end()))
    value = _VALUE.fullmatch(line, start)
    if value is None:
        return None
    if value[3] is None:
        return _Field([_number(text) for text in _NUMBER.findall(value[1] or value[2] or "")], place)
    return _Field(_number(value[3]) if _NUMBER.fullmatch(value[3]) else value[3], place)


def _number(text: str) -> int | float | str:
    try:
        return int(text)
    except ValueError:
        return text.lower() if text.lower().strip("-") in ("nan", "inf") else float(text)


def _bracketed(lines: list[str], number: int, prefix: str, start: int) -> str:
    """The text in brackets behind a tensor, without comments; "" where none begins there, or it doesn't end."""
    bare = without_prefix(prefix)
    depth, kept = 0, list[str]()
    for i in range(number, min(number + MOST_ROWS, len(lines))):
        row = lines[i][start:] if i == number else bare(lines[i])
        row = row.partition("//")[0].strip()
        if "(Sizes" in row or (row and not kept and row[0] != "["):
            return ""
        kept += [row] if row else []
        depth += row.count("[") - row.count("]")
        if kept and depth <= 0:
            return " ".join(kept)
    return ""


def _found(named: str, fields: dict[str, _Field], last: Mapping[str, _Field], line: int) -> Found:
    """The desc of one example. Raises DmlvizError where the fields are none of an operator that is known here."""
    names = {path.partition("[")[0] for path in fields}
    borrowed = {path: field for path, field in last.items() if path.partition("[")[0] not in names}
    fitting = [operator for operator in operators().values() if _fits(operator, names, {*map(_name, borrowed)})]
    called = [operator for operator in fitting if operator.name == named]
    if len(fitting) != 1 and not called:
        doubt = "DML_X_OPERATOR_DESC above, as several operators have these fields"
        why = doubt if fitting else "all fields of an operator that is known here"
        raise DmlvizError(f"found {', '.join(sorted(names))}, expected {why}.")
    operator = (called or fitting)[0]
    known = {field.name: field for field in operator.desc.FIELDS}
    used = {path: field for path, field in borrowed.items() if _name(path) in known}
    nodes: dict[str, Any] = {}
    for path, field in {**used, **fields}.items():
        entry = known[_name(path)]
        if isinstance(entry, TensorField) and entry.many:
            several = nodes.setdefault(_name(path), [])
            if path != f"{_name(path)}[{len(several)}]":
                raise DmlvizError(
                    f"{path} is at line {field.place.line}, expected {_name(path)}[{len(several)}] there."
                )
            several.append(field.node)
        else:
            nodes[path] = field.node
    item = Found(parse_desc(operator.desc.TYPE, nodes), operator.desc.TYPE, line)
    if used:
        first = min(field.place.line for field in used.values())
        item.notes.append(Note(f"{', '.join(used)}: as above, from line {first} on.", line))
    places = {path: field.place for path, field in fields.items()}
    item.locate = lambda: places
    for part in item.desc.inputs:
        if text := {**used, **fields}[part.path].values:
            values = [_number(number) for number in _NUMBER.findall(text)] if _VALUES.fullmatch(text) else []
            if len(values) == part.tensor.element_count:
                item.values[part.path] = Listed(tuple(values), part.tensor.sizes)
            else:
                count = f"{len(values):,} values, expected {part.tensor.element_count:,}"
                item.notes.append(Note(f"{part.path} has {count}; it is filled by default.", line, unchecked=True))
    return item


def _name(path: str) -> str:
    return path.partition("[")[0]


def _fits(operator: Operator[Any], names: set[str], borrowed: set[str]) -> bool:
    """True if all `names` are fields of an operator, which has no others but outputs, counts and those `borrowed`."""
    own = {field.name: field for field in operator.desc.FIELDS}
    needed = {name for name, field in own.items() if not field.can_be_inferred}
    return names <= own.keys() and needed <= names | borrowed and not names <= {*map(_name, borrowed)}
