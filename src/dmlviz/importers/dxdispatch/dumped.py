"""What dml_dump.h prints of a desc in memory, with all that no desc here can hold: null pointers, unknown numbers.

Something stands in there, and a check that fails says what was found.
"""

from __future__ import annotations

import re
from typing import Any

from ...desc.base import Desc
from ...desc.fields import Role, TensorField
from ...desc.levels import NEWEST
from ...desc.tensors import MAX_DIMENSIONS
from ...errors import DmlvizError, plain
from ...formats.json_text import parse_json
from ...operators.checking import check
from ...operators.registry import operator_of
from ...operators.report import Check, Severity
from ..lib.found import Found
from ..lib.imported import Note
from ..lib.pasted_text import NO_DESC
from .descs import Json, NotKnownError, described_by, found, object_or_empty

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


def read_dump(text: str, line: int, result: int | None) -> Found | Note:
    """The desc of a dump at `line`, to which CreateOperator gave `result`; a note where the operator isn't known."""
    if text == NO_DESC:
        fault = _fault("level.operator", "the DML_OPERATOR_DESC", f"a {_NULL}", "a desc", "a pointer to one", "")
        return Note(fault.message, line, unchecked=True, check=fault)
    try:
        tree: Any = parse_json(text)
        ((called, dispatchable),) = tree["dispatchables"].items()
    except (DmlvizError, KeyError, TypeError, AttributeError, ValueError):
        return Note("a desc that dml_dump.h printed begins here, and is damaged.", line, unchecked=True)
    at = plain(called, 60)
    code = f"0x{result:08X}" if result is not None else ""
    members = object_or_empty(dispatchable)
    for member, wrong, said in (("type", "0", "0 (DML_OPERATOR_INVALID)"), ("desc", _NULL, f"a {_NULL}")):
        if members.get(member) == wrong:
            field = f"{member.capitalize()} of the DML_OPERATOR_DESC"
            fault = _fault("level.operator", field, said, "an operator's", "that of an operator", "")
            return Note(fault.message, line, at, unchecked=True, check=fault)
    try:
        kind, described = described_by(dispatchable)
        patched, faults = _patched(kind, described)
        item = found(kind, patched, at, dumped=True)
    except NotKnownError as error:
        refused = f"CreateOperator gave {code}; " if result is not None else ""
        return Note(f"{refused}{error}", line, at, unchecked=result is not None)
    except DmlvizError as error:
        return Note(str(error), line, at, unchecked=True)
    item.line, item.name = line, called.encode(errors="replace").decode()
    item.notes = [Note(note.text, line, note.at, note.unchecked) for note in item.notes]
    item.notes += [Note(fault.message, line, at, unchecked=True, check=fault) for fault in faults]
    if result is not None:
        item.notes.append(Note(_asked(item.desc, result, code, broken=bool(faults)), line, at, told="CreateOperator"))
    return item


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


def _asked(desc: Desc, result: int, code: str, *, broken: bool) -> str:
    """What CreateOperator gave, and where no rule fails what to ask the device."""
    name = _DEVICE.get(result) or _NAMES.get(result)
    gave = f"gave {code}{f', {name}' if name else ''}"
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
