"""Descs that dml_dump.h printed into a log; for what no desc can hold something stands in, and a check fails."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import structs

from ..desc.base import Desc
from ..desc.levels import NEWEST
from ..desc.tensors import MAX_DIMENSIONS
from ..errors import DmlvizError, plain
from ..formats.json_text import parse_json
from ..operators.base import Operator
from ..operators.checking import check
from ..operators.registry import operator_of
from ..operators.report import OWN, Check, Severity
from .dxdispatch.descs import Json, described_by, found, object_or_empty
from .lib.found import Found, Item
from .lib.imported import Note

TITLE = "a log with what dml_dump.h prints"
ORDER = 95
IS_AMID = True
MOST_MISSING = 8
"""Entries that stand for an array that isn't there."""

NULL = "null pointer"
_NO_DESC = f"the DML_OPERATOR_DESC is a {NULL}"
_DUMP = re.compile(r'\{(\\*)"dml_dump\\*":(?:(?!\{\\*"dml_dump).)*' + f'|(?<!"){_NO_DESC}')
_GAVE = re.compile(r"CreateOperator gave 0x([0-9A-Fa-f]{8})\b")
_DEVICE_IS_GONE = (0x887A0005, 0x887A0006, 0x887A0007, 0x887A0020)
_TOO_MANY = re.compile(r"not read: \w+ is (\d{1,20}), above ")


def knows(data: bytes, name: str) -> bool:
    return _DUMP.search(data.decode(errors="replace")) is not None


def read(data: bytes, name: str, folder: Path | None) -> list[Item]:
    lines = data.decode("utf-8-sig", "replace").split("\n")
    return [_read(text, line, result) for text, (line, result) in _dumps(lines).items()]


def _dumps(lines: list[str]) -> dict[str, tuple[int, int | None]]:
    made: dict[str, tuple[int, int | None]] = {}  # a desc that is made for each frame is printed for each
    for i, line in enumerate(lines):
        for match in _DUMP.finditer(line):
            text = _whole(match)
            first, result = made.get(text, (i + 1, None))
            gave = _GAVE.findall("\n".join(lines[max(0, i - 3) : i]))
            made[text] = first, int(gave[-1], 16) if gave else result
    return made


def _whole(match: re.Match[str]) -> str:
    if match[0] == _NO_DESC:
        return _NO_DESC
    text = match[0]
    for _ in range(len(match[1]).bit_length()):  # of strings in strings: 1, 3, 7 backslashes
        text = re.sub(r"\\(.)", r"\1", text)
    with contextlib.suppress(ValueError, RecursionError):
        return text[: json.JSONDecoder().raw_decode(text)[1]]
    return ""


def _read(text: str, line: int, result: int | None) -> Item:
    if text == _NO_DESC:
        return _told(fault("level.operator", "the DML_OPERATOR_DESC", f"a {NULL}", "a pointer to one"), line)
    try:
        ((called, dispatchable),) = object_or_empty(parse_json(text))["dispatchables"].items()
    except (DmlvizError, KeyError, AttributeError, ValueError):
        how = "is damaged" if text else "ends too early"
        return Note(f"a desc that dml_dump.h printed begins here, and {how}.", line, unchecked=True)
    at = plain(called, 60)
    members = object_or_empty(dispatchable)
    shown = {"type": ("0", "0 (DML_OPERATOR_INVALID)"), "desc": (NULL, f"a {NULL}")}
    for member, (wrong, said) in shown.items():
        if members.get(member) == wrong:
            name = f"{member.capitalize()} of the DML_OPERATOR_DESC"
            return _told(fault("level.operator", name, said, "that of an operator"), line, at)
    try:
        kind, described = described_by(dispatchable)
        item = held(kind, described, line, at)
    except DmlvizError as error:
        refused = f"CreateOperator gave 0x{result:08X}; " if result is not None else ""
        return Note(f"{refused}{error}", line, at, unchecked=True)
    item.name = called
    if result is not None:
        item.notes.append(Note(_asked(item.desc, result, broken=bool(item.notes)), line, at, told="CreateOperator"))
    return item


def _told(failed: Check, line: int, at: str = "") -> Note:
    return Note(failed.message, line, at, unchecked=True, check=failed)


def _asked(desc: Desc, result: int, *, broken: bool) -> str:
    gave = f"gave 0x{result:08X}"
    if result in _DEVICE_IS_GONE:
        return f"{gave}: the device is gone, which is no fault of this desc; GetDeviceRemovedReason() says why."
    report = check(desc)
    if broken or report.errors:
        return f"{gave}."
    wide = sorted({part.tensor.data_type.name for part in desc.parts if part.tensor.data_type.item_size == 8})
    ask = f", and whether it has {' and '.join(wide)} (DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT)" if wide else ""
    return (
        f"{gave}, and no check here fails at feature level {NEWEST}; ask the device for its own level "
        f"(DML_FEATURE_FEATURE_LEVELS), and give it by --level: this desc needs {report.lowest_level}{ask}."
    )


def held(kind: str, described: Json, line: int, at: str = "", *others: Check) -> Found:
    """The desc of a line, with notes on all that fails where no desc can hold some of it, or `others` fail."""
    op = operator_of(kind)
    fields, faults = _stood_in(op, described, 1)
    again, _ = _stood_in(op, described, 2)
    item = found(kind, fields, at, dumped=True)
    faults += others
    if faults:
        faults += _all_the_same(item.desc, found(kind, again, at, dumped=True).desc)
    item.line = line
    item.notes = [_told(one, line, at) for one in faults]
    return item


def fault(rule: str, name: str, shown: object, expected: str, page: str = "") -> Check:
    message = f"{name} is {shown}, expected {expected}."
    return Check(rule, Severity.ERROR, False, name, expected=expected, found=shown, message=message, page=page)


def _all_the_same(one: Desc, other: Desc) -> Iterator[Check]:
    others = {failed.message: failed for failed in check(other).errors}
    for failed in check(one).errors:
        if failed.message in others:
            labels = [fix.label for fix in others[failed.message].fixes]
            fixes = [structs.replace(fix, mends_all=False) for fix in failed.fixes if fix.label in labels]
            yield structs.replace(failed, fixes=tuple(fixes))


def _stood_in(op: Operator[Any], described: Json, scale: int) -> tuple[Json, list[Check]]:
    """The desc with something, by `scale`, in the place of all that none can hold, and a check for each place."""
    faults: list[Check] = []
    fields = dict(described)
    tensors = {entry.name: entry for entry in op.desc.TENSORS}
    for count in op.desc.COUNTS:
        number = fields.get(count.name)
        for name in count.arrays:
            if fields.get(name) == NULL and isinstance(number, int):
                faults.append(fault("count.matches", name, f"a {NULL}", f"an array of {number:,}", OWN))
                fields[name] = [{} if name in tensors else scale] * min(number, MOST_MISSING)
    nodes: dict[str, list[Any]] = {}
    for name in tensors:
        node = fields.get(name)
        nodes[name] = [*node] if isinstance(node, list) else [node]
    held = [object_or_empty(node).get("Sizes") for node in itertools.chain(*nodes.values())]
    whole = [one for one in held if isinstance(one, list) and all(isinstance(size, int) for size in one)]
    sizes = [scale * size + scale - 1 for size in [*whole, [1]][0]]
    for name, entry in tensors.items():
        row = entry.support.at(NEWEST)
        types = [kind.name for kind in row.types] if row else ["FLOAT32"]
        for i, node in enumerate(nodes[name]):
            path = f"{name}[{i}]" if entry.many else name
            wrong = {member: (rule, shown, expected) for member, rule, shown, expected in _wrong(node, types)}
            for member, (rule, shown, expected) in wrong.items():
                faults.append(fault(rule, f"{path}.{member}".rstrip("."), shown, expected, op.page))
            if wrong or node == {}:
                kept = node if wrong.keys() == {"DataType"} else {"DataType", "Flags"} & {*node}
                known = {member: node[member] for member in kept if member not in wrong}
                nodes[name][i] = {"DataType": types[scale % len(types)], "Sizes": sizes} | known
        if name in fields:
            fields[name] = nodes[name] if isinstance(fields[name], list) else nodes[name][0]
    return fields, faults


def _wrong(node: Any, types: list[str]) -> Iterator[tuple[str, str, object, str]]:
    if node == NULL:
        yield "", "tensor.dimension_count", f"a {NULL}", "a DML_TENSOR_DESC"
    for member, value in node.items() if isinstance(node, dict) else ():
        if value == NULL:
            expected = "a DML_BUFFER_TENSOR_DESC" if member == "Desc" else f"an array of {node.get('DimensionCount')}"
            yield member, "tensor.dimension_count", f"a {NULL}", expected
        elif member == "Type":
            yield member, "dtype.supported", value, "1, DML_TENSOR_TYPE_BUFFER"
        elif member == "DataType" and isinstance(value, int):
            yield member, "dtype.supported", value, f"one of {', '.join(types)}"
        elif member == "Sizes" and isinstance(value, str) and (many := _TOO_MANY.match(value)):
            yield "DimensionCount", "dimension_count.supported", many[1], f"at most {MAX_DIMENSIONS}"
