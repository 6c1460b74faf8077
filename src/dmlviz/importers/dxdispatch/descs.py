"""Descs in the JSON that DxDispatch's models have, and dml_dump.h prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import DmlvizError, plain, quote
from ...operators.registry import operator_of, operators
from ...retired import told
from ...session.reading import parse_desc
from ..lib.found import Found
from ..lib.imported import Note

Json = Mapping[str, Any]
_BESIDE = ("type", "Type", "desc", "Desc", "bindings", "executionFlags", "dmlCompileType")
"""Members of a dispatchable that are no field of its desc."""


class NotKnownError(DmlvizError):
    """A dispatchable is no operator that is known here."""


def object_or_empty(node: object) -> Json:
    """JSON's object, or an empty one for anything else."""
    return node if isinstance(node, dict) else {}


def described_by(dispatchable: object) -> tuple[str, Json]:
    """The operator's type, and its desc as JSON. Raises DmlvizError, NotKnownError for another operator."""
    if not isinstance(dispatchable, dict):
        raise NotKnownError(f"found {quote(dispatchable)}, expected an object with type and desc.")
    kind = _operator_type(dispatchable.get("Type", dispatchable.get("type")))
    described = dispatchable.get("Desc", dispatchable.get("desc"))
    if described is None:  # DxDispatch takes the fields from beside the type then
        described = {key: value for key, value in dispatchable.items() if key not in _BESIDE}
    if not isinstance(described, dict):
        raise DmlvizError(f"desc is {quote(described)}, expected an object with the fields of {kind}.")
    return kind, described


def found(kind: str, described: Json, where: str, *, dumped: bool = False) -> Found:
    """The desc of such JSON, and notes on what is left out. Raises DmlvizError where there can be none."""
    desc_type = operator_of(kind).desc
    known = {entry.name: entry for entry in desc_type.FIELDS}
    fields = {key: value for key, value in described.items() if key in known}
    left = {plain(key, 40): f"it is no field of {kind}, so it is left out." for key in described.keys() - known.keys()}
    for entry in desc_type.TENSORS:
        node = fields.get(entry.name)
        listed = node if isinstance(node, list) else [node] if entry.name in fields else []
        paths = [f"{entry.name}[{i}]" if isinstance(node, list) else entry.name for i in range(len(listed))]
        tensors = [_tensor(one, path, left, dumped=dumped) for one, path in zip(listed, paths, strict=True)]
        if listed:
            fields[entry.name] = tensors if isinstance(node, list) else tensors[0]
    if not dumped:
        missing = "it is missing, which DxDispatch refuses; here it is inferred."
        left |= {name: missing for name in known if name not in fields}
    notes = [Note(text, at=f"{where}.{path}", unchecked=True) for path, text in left.items()]
    return Found(parse_desc(kind, fields), kind, at=where, notes=notes)


def _operator_type(kind: object) -> str:
    """The operator's type. Raises NotKnownError where it is none of dmlviz's."""
    if not isinstance(kind, str):
        raise NotKnownError(f"type is {quote(kind)}, expected the type of an operator.")
    known = operators()
    for name in (kind, f"DML_OPERATOR_{kind}"):
        if name in known:
            return name
    names = ", ".join(operator.name for operator in known.values())
    sentence = f"operator {quote(kind)} is none that dmlviz knows, expected one of {names}."
    raise NotKnownError(told(kind.removeprefix("DML_OPERATOR_")) or sentence)


_MEMBERS = (
    "DataType",
    "Sizes",
    "DimensionCount",
    "Strides",
    "TotalTensorSizeInBytes",
    "Flags",
    "GuaranteedBaseOffsetAlignment",
)


def _tensor(node: object, path: str, left: dict[str, str], *, dumped: bool) -> dict[str, Any]:
    """The known members of a tensor desc as a session file has them; others are `left`.

    Raises DmlvizError where it is no tensor desc of a buffer. Of one that is `dumped` 0 bytes in all are no default.
    """
    inner = node.get("Desc", node) if isinstance(node, dict) else None
    if not isinstance(node, dict) or not isinstance(inner, dict):
        raise DmlvizError(f"{path} is {quote(node)}, expected an object with DataType and Sizes.")
    kind = node.get("Type")
    if kind not in (None, "BUFFER", "DML_TENSOR_TYPE_BUFFER"):
        raise DmlvizError(f"{path}.Type is {quote(kind)}, expected DML_TENSOR_TYPE_BUFFER.")
    members = {key: inner[key] for key in _MEMBERS if inner.get(key) is not None}
    if members.get("Strides") == []:
        del members["Strides"]  # as good as none to DxDispatch
    if members.get("TotalTensorSizeInBytes") == 0 and not dumped:
        del members["TotalTensorSizeInBytes"]  # DxDispatch works it out then
    for member in inner.keys() - {*_MEMBERS, "Type"}:
        left[path] = f"{quote(member)} is no member of DML_BUFFER_TENSOR_DESC, so it is left out."
    return members
