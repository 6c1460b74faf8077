"""Descs as DirectML's pages write them in their examples, and `dmlviz run` prints tensors.

    InputTensor: (Sizes:{2, 2}, DataType:FLOAT32)
    [[1, 2],
     [3, 4]]
    Repeats: {1, 2}

A field that stands there again begins the next example; one without an InputTensor goes on with the last one's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..desc.fields import Field
from ..desc.value_sources import Listed
from ..errors import DmlvizError
from ..operators.registry import operators
from ..session.reading import parse_desc
from .lib.found import Found, Item
from .lib.imported import Note

TITLE = "tensors as DirectML's pages write them"
ORDER = 60
IS_AMID = True

_TENSOR = re.compile(
    rb"^(?![ \t]*(?://|#|\*|/\*)).{0,200}Tensors?(?:\[\d{1,5}\])?[ \t]*:[ \t]*\([ \t]*Sizes[ \t]*:", re.MULTILINE
)
_COMMENT = re.compile(r"//.*")
_MEMBERS = r"\(\s*Sizes\s*:\s*\{([\d,\s]{0,400})\}\s*,\s*DataType\s*:\s*(\w{1,40})\s*\)"
_VALUES = r"(\s*\[[-+\d.,\seEnNaAiIfF\[\]]*\])?"
_OTHER = r"(?:[{\[]([-+\d., \t]{0,400})[}\]]|(-?[\w.+-]{1,100}))[ \t]*[,;]?[ \t]*\r?$"
_NUMBER = re.compile(r"-?(?:\d{1,18}(?:\.\d*)?(?:e[-+]?\d+)?|nan|inf)")
_ALIASES = {"SequenceTensor": "SequenceLengthsTensor"}


class _Field(Struct, frozen=True):
    node: Any
    line: int
    values: Sequence[int | float | str] = ()


_Fields = dict[str, _Field]


def knows(data: bytes, name: str) -> bool:
    return _TENSOR.search(data) is not None


def read(data: bytes, name: str, folder: Path | None) -> list[Item]:
    items: list[Item] = []
    above: _Fields = {}
    for fields in _examples(_COMMENT.sub("", data.decode("utf-8", "replace"))):
        line = min(field.line for field in fields.values())
        try:
            items.append(_found(fields, above, line))
        except DmlvizError as error:
            items.append(Note(str(error), line, unchecked=True))
        if "InputTensor" in fields:
            above = {"InputTensor": fields["InputTensor"]}
    return items


@cache
def _field_pattern() -> re.Pattern[str]:
    names = {field.name for op in operators().values() for field in op.desc.FIELDS} | {*_ALIASES}
    path = rf"(?<![\w.])({'|'.join(sorted(names))})(\[\d{{1,5}}\])?"
    return re.compile(rf"{path}[ \t]*:[ \t]*(?:{_MEMBERS}{_VALUES}|{_OTHER})", re.MULTILINE)


def _examples(text: str) -> Iterator[_Fields]:
    fields: _Fields = {}
    line, end = 1, 0
    for match in _field_pattern().finditer(text):
        line += text.count("\n", end, match.start())
        end = match.start()
        name, index, sizes, kind, values, several, one = match.groups()
        if kind is not None:
            numbers = _numbers(values) if values and values.count("[") == values.count("]") else []
            field = _Field({"DataType": kind, "Sizes": _numbers(sizes)}, line, numbers)
        elif several is not None:
            field = _Field(_numbers(several), line)
        else:
            field = _Field(_numbers(one)[0] if _NUMBER.fullmatch(one.lower()) else one, line)
        path = f"{_ALIASES.get(name, name)}{index or ''}"
        if path in fields:
            yield fields
            fields = {}
        fields[path] = field
    if fields:
        yield fields


def _numbers(text: str) -> list[int | float | str]:
    numbers: list[int | float | str] = []
    for word in _NUMBER.findall(text.lower()):
        try:
            numbers.append(int(word))
        except ValueError:
            numbers.append(word if word.strip("-") in ("nan", "inf") else float(word))
    return numbers


def _is_of(fields: Sequence[Field], names: set[str]) -> bool:
    needed = {field.name for field in fields if not field.can_be_inferred}
    return needed <= names <= {field.name for field in fields}


def _found(own: _Fields, above: _Fields, line: int) -> Found:
    for fields in (own, {**above, **own}):
        names = {path.partition("[")[0] for path in fields}
        kinds = [one.desc.TYPE for one in operators().values() if _is_of(one.desc.FIELDS, names)]
        if kinds:
            break
    else:
        raise DmlvizError(f"found {', '.join(sorted(own))}, expected all fields of an operator that is known here.")
    nodes: dict[str, Any] = {}
    for path, field in fields.items():
        name = path.partition("[")[0]
        several = nodes.setdefault(name, [] if path != name else field.node)
        if path != name:
            if not isinstance(several, list) or path != f"{name}[{len(several)}]":
                raise DmlvizError(f"found {path}, expected {name}[{len(several)}] there.")
            several.append(field.node)
    item = Found(parse_desc(kinds[0], nodes), kinds[0], line)
    for part in item.desc.inputs:
        values = fields[part.path].values
        if len(values) == part.tensor.element_count:
            item.values[part.path] = Listed(tuple(values), part.tensor.sizes)
        elif values:
            count = f"{len(values):,} values, expected {part.tensor.element_count:,}"
            item.notes.append(Note(f"{part.path} has {count}; it is filled by default.", line, unchecked=True))
    return item
