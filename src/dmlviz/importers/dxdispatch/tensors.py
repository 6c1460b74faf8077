"""A tensor desc as DxDispatch reads it: plain or wrapped, with every member of `DML_BUFFER_TENSOR_DESC`."""

from __future__ import annotations

from typing import Any

from ...errors import DmlvizError, quote

_MEMBERS = (
    "DataType",
    "Sizes",
    "DimensionCount",
    "Strides",
    "TotalTensorSizeInBytes",
    "Flags",
    "GuaranteedBaseOffsetAlignment",
)


def tensor_of(node: object, path: str) -> tuple[dict[str, Any], list[str]]:
    """The known members of a tensor desc as a session file has them, and a sentence for each other one.

    Raises DmlvizError where it is no tensor desc of a buffer.
    """
    if not isinstance(node, dict):
        raise DmlvizError(f"{path} is {quote(node)}, expected an object with DataType and Sizes.")
    kind = node.get("Type")
    if kind not in (None, "BUFFER", "DML_TENSOR_TYPE_BUFFER"):
        raise DmlvizError(f"{path}.Type is {quote(kind)}, expected DML_TENSOR_TYPE_BUFFER.")
    inner = node.get("Desc", node)
    if not isinstance(inner, dict):
        raise DmlvizError(f"{path}.Desc is {quote(inner)}, expected an object with DataType and Sizes.")
    data_type, sizes = inner.get("DataType"), inner.get("Sizes")
    if not isinstance(data_type, str) or not isinstance(sizes, list) or not all(_is_whole(size) for size in sizes):
        what = "DataType" if not isinstance(data_type, str) else "Sizes"
        expected = "a type such as FLOAT32" if what == "DataType" else "a list of integers"
        raise DmlvizError(f"{path}.{what} is {quote(inner.get(what))}, expected {expected}.")
    members = {key: inner[key] for key in _MEMBERS if inner.get(key) is not None}
    if members.get("Strides") == []:
        del members["Strides"]  # as good as none to DxDispatch
    if members.get("TotalTensorSizeInBytes") == 0:
        del members["TotalTensorSizeInBytes"]  # DxDispatch works it out then
    strange = (key for key in inner if key not in _MEMBERS and key != "Type")
    return members, [f"{quote(key)} is no member of DML_BUFFER_TENSOR_DESC, so it is left out." for key in strange]


def _is_whole(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)
