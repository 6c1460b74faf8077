"""Descs in the JSON that DxDispatch's models have, and dml_dump.h prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import DmlvizError, quote
from ...operators.registry import operator_of, operators
from ...retired import told
from ...session.reading import meant_by, parse_desc
from ..lib.found import Found
from ..lib.imported import Note

Json = Mapping[str, Any]


class NotKnownError(DmlvizError):
    """A dispatchable is no operator, but a shader or a model."""


def object_or_empty(node: object) -> Json:
    return node if isinstance(node, dict) else {}


def described_by(item: object) -> tuple[str, Json]:
    """The operator's type, and its desc as JSON. Raises DmlvizError, NotKnownError for what is no operator."""
    members = object_or_empty(item)
    called, described = (members.get(key, members.get(key.lower())) for key in ("Type", "Desc"))
    if not isinstance(called, str) or called != called.upper():
        raise NotKnownError(f"type is {quote(called)}, expected the type of an operator.")
    name = called.removeprefix("DML_OPERATOR_")
    kind = f"DML_OPERATOR_{name}"
    if kind not in operators():
        names = [op.name for op in operators().values()]
        near = meant_by(name, names)
        said = f"operator {quote(called)} is none that dmlviz knows, {near}expected one of {', '.join(names)}."
        raise DmlvizError(told(name) or said)
    if not isinstance(described, dict):
        raise DmlvizError(f"desc is {quote(described)}, expected an object with the fields of {kind}.")
    return kind, described


def found(kind: str, described: Json, where: str, *, dumped: bool = False) -> Found:
    """The desc of such JSON; in what is `dumped` nothing stands for a default. Raises DmlvizError for none."""
    desc_type = operator_of(kind).desc
    fields = dict(described)
    for name in {entry.name for entry in desc_type.TENSORS} & fields.keys():
        node = fields[name]
        several = [_tensor(one, name, dumped=dumped) for one in (node if isinstance(node, list) else [node])]
        fields[name] = several if isinstance(node, list) else several[0]
    item = Found(parse_desc(kind, fields), kind, at=where)
    for entry in desc_type.FIELDS if not dumped else ():
        if entry.name not in fields:
            missing = "it is missing, which DxDispatch rejects; here it is inferred."
            item.notes.append(Note(missing, at=f"{where}.{entry.name}", unchecked=True))
    return item


def _tensor(node: Any, name: str, *, dumped: bool) -> Any:
    inner = node.get("Desc", node) if isinstance(node, dict) else node
    if not isinstance(inner, dict):
        return inner
    kind = node.get("Type", "BUFFER")
    if kind not in ("BUFFER", "DML_TENSOR_TYPE_BUFFER"):
        raise DmlvizError(f"{name}.Type is {quote(kind)}, expected DML_TENSOR_TYPE_BUFFER.")
    none = {} if dumped else {"Strides": [], "TotalTensorSizeInBytes": 0}  # to DxDispatch
    return {key: value for key, value in inner.items() if key != "Type" and not (key in none and none[key] == value)}
