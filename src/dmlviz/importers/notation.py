"""Descs as DirectML's pages write them in their examples, and `dmlviz run` prints tensors.

    InputTensor: (Sizes:{2, 2}, DataType:FLOAT32)
    [[1, 2],
     [3, 4]]
    Repeats: {1, 2}

A field that stands there again begins the next example; one without its own input goes on with the last one's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..desc.value_sources import Listed
from ..errors import DmlvizError
from ..formats.json_places import Place
from ..operators.registry import operators
from ..session.reading import parse_desc
from .lib.found import Found, Item
from .lib.imported import ImportFailedError, Note, Why

TITLE = "tensors as DirectML's pages write them"
ORDER = 60
IS_AMID = True
MOST_ROWS = 4096
"""Lines of a tensor's values."""

_TENSOR = re.compile(
    rb"^(?![ \t]*(?://|#|\*|/\*)).{0,200}Tensors?(?:\[\d{1,5}\])?[ \t]*:[ \t]*\([ \t]*Sizes[ \t]*:", re.MULTILINE
)
_MEMBERS = re.compile(r"\(\s*Sizes\s*:\s*\{([\d,\s]{0,400})\}\s*,\s*DataType\s*:\s*(\w{1,40})\s*\)")
_NUMBER = re.compile(r"-?(?:\d[\d.]*(?:[eE][-+]?\d+)?|nan|inf)", re.IGNORECASE)
_VALUE = re.compile(r"(?:[{\[]([-+\d., \t]*)[}\]]|(-?[\w.+-]+))[ \t]*[,;]?[ \t]*(?://.*)?")
_NAMED = re.compile(r"DML_(\w+?)_OPERATOR_DESC|\bDML_OPERATOR_(\w+)| · (\w+)[ \t]*$")
_ALIASES = {"SequenceTensor": "SequenceLengthsTensor"}
"""What a page calls a field in its examples."""


class _Field(Struct, frozen=True):
    """What a field holds, as JSON, and where it stands."""

    node: Any
    place: Place
    values: str = ""
    """What stands behind a tensor in brackets."""


_Fields = dict[str, _Field]
"""By path."""


def knows(data: bytes, name: str) -> bool:
    """True for text with a tensor in that notation, outside comments."""
    return _TENSOR.search(data) is not None


def read(data: bytes, name: str, folder: Path | None) -> list[Item]:
    """Each example of a text. Raises ImportFailedError where none is whole."""
    items: list[Item] = []
    last: _Fields = {}
    for named, fields in _examples(data.decode("utf-8", "replace").split("\n")):
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
    return re.compile(rf"(?<![\w.])({'|'.join(sorted(names))})(\[\d{{1,5}}\])?[ \t]*:[ \t]*(?!:)")


def _examples(lines: Sequence[str]) -> Iterator[tuple[str, _Fields]]:
    """The fields of each example, and the operator that is named above it, if one is."""
    fields: _Fields = {}
    named = later = ""
    for number, line in enumerate(lines):
        if (said := _NAMED.search(line[:1000])) is not None:
            later = said[1] or said[2] or said[3]
        match = _field_pattern().search(line[:1000])
        field = _field(lines, number, match) if match is not None else None
        if match is None or field is None:
            continue
        path = f"{_ALIASES.get(match[1], match[1])}{match[2] or ''}"
        if path in fields:
            yield named, fields
            fields = {}
        named = named if fields else later
        fields[path] = field
    if fields:
        yield named, fields


def _field(lines: Sequence[str], number: int, match: re.Match[str]) -> _Field | None:
    """What stands behind a field's colon; None where that is no value."""
    line = lines[number]
    place = Place(number + 1, match.start() + 1, number + 1, len(line.rstrip()) + 1)
    if (tensor := _MEMBERS.match(line, match.end())) is not None:
        node = {"DataType": tensor[2], "Sizes": [int(size) for size in re.findall(r"\d{1,20}", tensor[1])]}
        return _Field(node, place, _bracketed([line[tensor.end() :], *lines[number + 1 : number + MOST_ROWS]]))
    value = _VALUE.fullmatch(line, match.end())
    if value is None:
        return None
    if value[2] is None:
        return _Field([_number(text) for text in _NUMBER.findall(value[1])], place)
    return _Field(_number(value[2]) if _NUMBER.fullmatch(value[2]) else value[2], place)


def _number(text: str) -> int | float | str:
    try:
        return int(text)
    except ValueError:
        return text.lower() if text.lower().strip("-") in ("nan", "inf") else float(text)


def _bracketed(rows: Sequence[str]) -> str:
    """The text in brackets that lines begin with, without comments; "" where there is none, or it doesn't end."""
    text = ""
    for row in rows:
        text += row.partition("//")[0].strip()
        if text and (text[0] != "[" or "(" in text):
            return ""
        if text and text.count("[") == text.count("]"):
            return text
    return ""


def _found(named: str, own: _Fields, last: Mapping[str, _Field], line: int) -> Found:
    """The desc of one example. Raises DmlvizError where the fields are none of an operator that is known here."""
    names = {_name(path) for path in own}
    before = {path: field for path, field in last.items() if _name(path) not in names}
    fitting = []
    for operator in operators().values():
        known = {field.name for field in operator.desc.FIELDS}
        needed = {field.name for field in operator.desc.FIELDS if not field.can_be_inferred}
        if names <= known and needed <= names | {*map(_name, before)}:
            fitting.append(operator)
    called = [operator for operator in fitting if operator.name == named] or fitting
    if len(called) != 1:
        doubt = "DML_X_OPERATOR_DESC above, as several operators have these fields"
        why = doubt if called else "all fields of an operator that is known here"
        raise DmlvizError(f"found {', '.join(sorted(names))}, expected {why}.")
    desc_type = called[0].desc
    used = {path: field for path, field in before.items() if _name(path) in {each.name for each in desc_type.FIELDS}}
    nodes: dict[str, Any] = {}
    fields = {**used, **own}
    for path, field in fields.items():
        if path.endswith("]"):
            several = nodes.setdefault(_name(path), [])
            if path != f"{_name(path)}[{len(several)}]":
                raise DmlvizError(f"found {path}, expected {_name(path)}[{len(several)}] there.")
            several.append(field.node)
        else:
            nodes[path] = field.node
    item = Found(parse_desc(desc_type.TYPE, nodes), desc_type.TYPE, line)
    if used:
        first = min(field.place.line for field in used.values())
        item.notes.append(Note(f"{', '.join(used)}: as above, from line {first} on.", line))
    places = {path: field.place for path, field in own.items()}
    item.locate = lambda: places
    for part in item.desc.inputs:
        if text := fields[part.path].values:
            values = [_number(number) for number in _NUMBER.findall(text)]
            if len(values) == part.tensor.element_count:
                item.values[part.path] = Listed(tuple(values), part.tensor.sizes)
            else:
                count = f"{len(values):,} values, expected {part.tensor.element_count:,}"
                item.notes.append(Note(f"{part.path} has {count}; it is filled by default.", line, unchecked=True))
    return item


def _name(path: str) -> str:
    return path.partition("[")[0]
