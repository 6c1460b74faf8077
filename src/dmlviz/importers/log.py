"""Descs that dml_dump.h printed into a log, with what the debug layer and CreateOperator said of them.

A desc in memory may be what no desc here can hold: null pointers, numbers that name nothing. Something stands in there,
and a check that fails says what was found.
"""

from __future__ import annotations

import bisect
import contextlib
import json
import re
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from ..desc.base import Desc
from ..desc.fields import Role, TensorField
from ..desc.levels import NEWEST
from ..desc.tensors import MAX_DIMENSIONS
from ..errors import DmlvizError, plain
from ..formats.json_text import parse_json
from ..operators.checking import check
from ..operators.registry import operator_of
from ..operators.report import Check, Severity
from .dxdispatch.descs import Json, NotKnownError, described_by, found, object_or_empty
from .lib.found import Found, Item
from .lib.imported import ImportFailedError, Note, Why

TITLE = "a log with what dml_dump.h prints"
ORDER = 95
IS_AMID = True
MOST_DUMPS, MOST_ROWS = 500, 4096
"""Descs of one log that are read; lines of one."""
MOST_PREFIX, MOST_APART, MOST_SAID = 200, 30, 5
"""Letters in front of a log's lines; lines between a desc and what the debug layer says of it; such messages."""

_NO_DESC = "the DML_OPERATOR_DESC is a null pointer"
_DUMP = re.compile(r'\{(\\*)"dml_dump\\*":' + f'|(?<!"){_NO_DESC}')
_SAID = re.compile(r"\b(?:D3D12|DXGI|DirectML|DML) (?:CORRUPTION|ERROR|WARNING|INFO)\b[^\n]{0,999}")
_GAVE = re.compile(r"CreateOperator gave 0x([0-9A-Fa-f]{8})\b")
_NUMBER = re.compile(r"[0-9a-fA-F]*\d[0-9a-fA-F]*")
_DEVICE = {
    0x887A0005: "DXGI_ERROR_DEVICE_REMOVED",
    0x887A0006: "DXGI_ERROR_DEVICE_HUNG",
    0x887A0007: "DXGI_ERROR_DEVICE_RESET",
    0x887A0020: "DXGI_ERROR_DRIVER_INTERNAL_ERROR",
}
_NAMES = {0x80070057: "E_INVALIDARG", 0x8007000E: "E_OUTOFMEMORY", 0x80004005: "E_FAIL", 0x80004001: "E_NOTIMPL"}
_NOT_READ = re.compile(r"not read: (\w+) is (\d{1,20}), above ")
_NULL = "null pointer"
_TYPES = {0: "UNKNOWN", 12: "UINT4", 13: "INT4"}
"""Numbers of DML_TENSOR_DATA_TYPE that no operator here takes."""
MOST_MISSING = 8
"""Entries of what stands in for an array that isn't there."""


def knows(data: bytes, name: str) -> bool:
    """True for text with a desc that dml_dump.h printed."""
    return _DUMP.search(data.decode(errors="replace")) is not None


def read(data: bytes, name: str, folder: Path | None) -> list[Item]:
    """Each desc of a log once. Raises ImportFailedError where none can be held."""
    dumps = _dumps(data.decode("utf-8-sig", "replace"))
    items = [_read(dump) for dump in dumps[:MOST_DUMPS]]
    items += [Note("descs too many begin here.", dump.line, unchecked=True) for dump in dumps[MOST_DUMPS:][:1]]
    if not any(isinstance(item, Found) for item in items):
        notes = [item for item in items if isinstance(item, Note)]
        told = min(notes, key=lambda note: (note.check is None, not note.unchecked))
        why = Why.INVALID if told.check else Why.NOT_READ if told.unchecked else Why.NOTHING
        raise ImportFailedError(f"{name}: line {told.line}{told.at and f', {told.at}'}: {told.text}", why)
    return items


class _Dump(Struct):
    """A desc that dml_dump.h printed amid other text."""

    line: int
    """Where it stands first."""
    text: str
    """Its JSON; empty where that breaks off."""
    result: int | None = None
    """What CreateOperator gave, if a line right before says so."""
    said: list[str] = field(default_factory=list)
    """What the debug layer said beside it."""


def _dumps(text: str) -> list[_Dump]:
    """The descs of a log: each may be split over lines that all begin alike but for numbers, or stand in quotes."""
    lines = text.split("\n")
    found: dict[str, _Dump] = {}  # a desc that is made for each frame is printed for each
    printed: list[tuple[int, _Dump]] = []
    begins = [(i, match) for i, line in enumerate(lines) for match in _DUMP.finditer(line)]
    for (i, match), (later, limit) in zip(begins, [*begins[1:], (len(lines), None)], strict=True):
        end = limit.start() if limit is not None and later == i else None
        text = _whole(match, [lines[i][match.start() : end], *(() if later == i else lines[i + 1 : later])])
        dump = found.setdefault(text, _Dump(i + 1, text))
        if gave := _GAVE.findall("\n".join(lines[max(0, i - 3) : i])):
            dump.result = int(gave[-1], 16)
        printed.append((i, dump))
    for i, line in enumerate(lines):
        if printed and (words := _SAID.search(line)) is not None:
            place = bisect.bisect(printed, i, key=lambda one: one[0])
            near = (printed[k] for k in (place, place - 1) if 0 <= k < len(printed))
            said = next((dump.said for at, dump in near if abs(at - i) <= MOST_APART), [])
            if len(said) < MOST_SAID:
                said.append(plain(words[0].rstrip(), 400))
    return list(found.values())


def _whole(match: re.Match[str], rows: list[str]) -> str:
    """The JSON that begins with the first of some lines; empty where it breaks off."""
    if match[0] == _NO_DESC:
        return _NO_DESC
    for _ in range(len(match[1]).bit_length()):  # of strings in strings: 1, 3, 7 backslashes
        rows = [re.sub(r"\\(.)", r"\1", rows[0])]
    prefix = match.string[: match.start()]
    alike = re.compile(r"[0-9a-fA-F]+".join(map(re.escape, _NUMBER.split(prefix))) if len(prefix) < MOST_PREFIX else "")
    for text in (rows[0], "".join([rows[0], *(alike.sub("", row, count=1) for row in rows[1:MOST_ROWS])])):
        with contextlib.suppress(ValueError, RecursionError):
            return text[: json.JSONDecoder().raw_decode(text)[1]]
    return ""


def _read(dump: _Dump) -> Item:
    """The desc of a dump; a note where that can't be held."""
    line = dump.line
    if dump.text == _NO_DESC:
        return _broken("the DML_OPERATOR_DESC", f"a {_NULL}", "a pointer to one", line)
    try:
        ((called, dispatchable),) = object_or_empty(parse_json(dump.text))["dispatchables"].items()
    except (DmlvizError, KeyError, AttributeError, ValueError):
        how = "is damaged" if dump.text else "breaks off"
        return Note(f"a desc that dml_dump.h printed begins here, and {how}.", line, unchecked=True)
    at, members = plain(called, 60), object_or_empty(dispatchable)
    for member, wrong, said in (("type", "0", "0 (DML_OPERATOR_INVALID)"), ("desc", _NULL, f"a {_NULL}")):
        if members.get(member) == wrong:
            return _broken(f"{member.capitalize()} of the DML_OPERATOR_DESC", said, "that of an operator", line, at)
    try:
        kind, described = described_by(dispatchable)
        patched, faults = _patched(kind, described)
        item = found(kind, patched, at, dumped=True)
    except NotKnownError as error:
        refused = f"CreateOperator gave 0x{dump.result:08X}; " if dump.result is not None else ""
        return Note(f"{refused}{error}", line, at, unchecked=dump.result is not None)
    except DmlvizError as error:
        return Note(str(error), line, at, unchecked=True)
    item.line, item.name = line, called
    item.written = "\n\n".join(f"The debug layer: {sentence}" for sentence in dump.said)
    item.notes = [replace(note, line=line) for note in item.notes]
    item.notes += [Note(fault.message, line, at, unchecked=True, check=fault) for fault in faults]
    if dump.result is not None:
        item.notes.append(Note(_asked(item.desc, dump.result, broken=bool(faults)), line, at, told="CreateOperator"))
    item.notes += [Note(sentence, line, at, told="debug layer") for sentence in dump.said]
    return item


def _broken(field: str, shown: str, expected: str, line: int, at: str = "") -> Note:
    """What is said of an operator that isn't one."""
    fault = _fault("level.operator", field, shown, expected, expected, "")
    return Note(fault.message, line, at, unchecked=True, check=fault)


def _fault(rule: str, field: str, shown: object, expected: object, said: str, page: str) -> Check:
    message = f"{field} is {shown}, expected {said}."
    return Check(
        rule,
        Severity.ERROR,
        False,
        field,
        expected=expected,
        found=shown,
        message=message,
        page=page,
    )


def _asked(desc: Desc, result: int, *, broken: bool) -> str:
    """What CreateOperator gave, and where no rule fails what to ask the device."""
    name = _DEVICE.get(result) or _NAMES.get(result)
    gave = f"gave 0x{result:08X}{f', {name}' if name else ''}"
    if result in _DEVICE:
        return f"{gave}: the device is gone, which is no fault of this desc; GetDeviceRemovedReason() says why."
    report = check(desc)
    if broken or report.errors:
        return f"{gave}."
    wide = sorted({part.tensor.data_type.name for part in desc.parts if part.tensor.data_type.item_size == 8})
    ask = f", and whether it has {' and '.join(wide)} (DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT)" if wide else ""
    return (
        f"{gave}, and no rule here is broken at feature level {NEWEST}; ask the device for its own level "
        f"(DML_FEATURE_FEATURE_LEVELS), and give it by --level: this desc needs {report.lowest_level}{ask}."
    )


def _patched(kind: str, described: Json) -> tuple[dict[str, Any], list[Check]]:
    """The desc with something in the place of all that none can hold, and a check that fails for each such place."""
    operator = operator_of(kind)
    faults: list[Check] = []
    patched = dict(described)
    for count in operator.desc.COUNTS:
        number = described.get(count.name)
        for name in count.arrays:
            if described.get(name) == _NULL and isinstance(number, int):
                said = f"an array of {number:,}"
                faults.append(_fault("count.matches", name, f"a {_NULL}", number, said, operator.page))
                patched[name] = [1] * min(number, MOST_MISSING)
    several: list[tuple[TensorField, list[Any]]] = []
    for entry in operator.desc.TENSORS:
        node = patched.get(entry.name)
        listed = node if isinstance(node, list) else [node]
        paths = [f"{entry.name}[{i}]" if entry.many else entry.name for i in range(len(listed))]
        several.append(
            (entry, [_members(*one, entry, operator.page, faults) for one in zip(listed, paths, strict=True)])
        )
    data = (Role.DATA, Role.OUTPUT)
    whole = [(entry.role in data, one) for entry, own in several for one in own if _is_tensor(one)]
    for entry, own in several:
        alike: list[Any] = [one for is_data, one in whole if is_data == (entry.role in data)]
        model = {"DataType": _types(entry)[0], "Sizes": whole[0][1]["Sizes"] if whole else [1], **dict(*alike[:1])}
        stand_in = {key: model[key] for key in ("DataType", "Sizes")}
        filled = [stand_in | one if isinstance(one, dict) else one for one in own]
        if entry.name in patched:
            patched[entry.name] = filled if isinstance(patched[entry.name], list) else filled[0]
    return patched, faults


def _is_tensor(node: object) -> bool:
    return isinstance(node, dict) and {"DataType", "Sizes"} <= node.keys()


def _types(entry: TensorField) -> list[str]:
    row = entry.support.at(NEWEST)
    return [data_type.name for data_type in row.types] if row else ["FLOAT32"]


def _members(node: Any, path: str, entry: TensorField, page: str, faults: list[Check]) -> Any:
    """The members of a tensor without those that no desc can hold, which become `faults`."""

    def fault(rule: str, field: str, shown: object, expected: object, said: str) -> None:
        faults.append(_fault(rule, field, shown, expected, said, page))

    if node == 1:  # of an array that isn't there
        return {}
    if node == _NULL:
        fault("tensor.dimension_count", path, f"a {_NULL}", "a tensor", "a DML_TENSOR_DESC")
        return {}
    if not isinstance(node, dict):
        return node
    if node.get("Desc") == _NULL:
        fault("tensor.dimension_count", f"{path}.Desc", f"a {_NULL}", "a buffer", "a DML_BUFFER_TENSOR_DESC")
    if "Type" in node:
        fault("dtype.supported", f"{path}.Type", node["Type"], 1, "1, DML_TENSOR_TYPE_BUFFER")
    left = {key: value for key, value in node.items() if key not in ("Type", "Desc")}
    if isinstance(number := left.get("DataType"), int):
        del left["DataType"]
        named = f"{number} (DML_TENSOR_DATA_TYPE_{_TYPES[number]})" if number in _TYPES else number
        fault("dtype.supported", f"{path}.DataType", named, _types(entry), f"one of {', '.join(_types(entry))}")
    for key in ("Sizes", "Strides"):
        many = _NOT_READ.match(str(left.get(key)))
        if many is not None and key == "Sizes":
            most = MAX_DIMENSIONS
            fault("dimension_count.supported", f"{path}.DimensionCount", int(many[2]), f"<= {most}", f"at most {most}")
        elif left.get(key) == _NULL:
            count = left.get("DimensionCount")
            fault("tensor.dimension_count", f"{path}.{key}", f"a {_NULL}", count, f"an array of {count}")
        if many is not None or left.get(key) == _NULL:
            left = {kept: value for kept, value in left.items() if kept in ("DataType", "Flags")}
    return left
