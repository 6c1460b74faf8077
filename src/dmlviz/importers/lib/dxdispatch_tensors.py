"""A tensor desc as DxDispatch reads it: plain or wrapped, with every member of `DML_BUFFER_TENSOR_DESC`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...desc.tensors import MAX_DIMENSIONS, MAX_ELEMENTS, DataType
from ...errors import DmlvizError, quote

_MEMBERS = (
    "Type",
    "DataType",
    "Flags",
    "DimensionCount",
    "Sizes",
    "Strides",
    "TotalTensorSizeInBytes",
    "GuaranteedBaseOffsetAlignment",
)
_NONE: tuple[object, ...] = (None, "NONE", "DML_TENSOR_FLAG_NONE", [], ["NONE"], ["DML_TENSOR_FLAG_NONE"])


def tensor_of(found: object, path: str) -> tuple[dict[str, Any], bool, list[str]]:
    """The DataType and Sizes of a tensor desc, whether it is packed, and a sentence for each thing left out.

    Raises DmlvizError where it is no tensor desc of a buffer.
    """
    if not isinstance(found, dict):
        raise DmlvizError(f"{path} is {quote(found)}, expected an object with DataType and Sizes.")
    kind = found.get("Type")
    if kind not in (None, "BUFFER", "DML_TENSOR_TYPE_BUFFER"):
        raise DmlvizError(f"{path}.Type is {quote(kind)}, expected DML_TENSOR_TYPE_BUFFER.")
    inner = found.get("Desc", found)
    if not isinstance(inner, dict):
        raise DmlvizError(f"{path}.Desc is {quote(inner)}, expected an object with DataType and Sizes.")
    data_type, sizes = inner.get("DataType"), inner.get("Sizes")
    if not isinstance(data_type, str) or not isinstance(sizes, list) or not all(_is_whole(size) for size in sizes):
        what = "DataType" if not isinstance(data_type, str) else "Sizes"
        expected = "a type such as FLOAT32" if what == "DataType" else "a list of integers"
        raise DmlvizError(f"{path}.{what} is {quote(inner.get(what))}, expected {expected}.")
    said = []
    count = inner.get("DimensionCount", len(sizes))
    if not _is_whole(count) or not 0 <= count <= len(sizes):
        said.append(f"DimensionCount is {quote(count)}, expected {len(sizes)}; all of Sizes is taken.")
    elif count < len(sizes):
        said.append(f"DimensionCount is {count}, so only the first of Sizes {quote(sizes)} are taken.")
        sizes = sizes[:count]
    strides = inner.get("Strides")
    packed = strides in (None, []) or _is_packed(strides, sizes)
    if not packed:
        said.append(f"Strides {quote(strides)} are left out, as tensors here are packed.")
    if inner.get("Flags") not in _NONE:
        said.append(f"Flags {quote(inner['Flags'])} are left out.")
    total = inner.get("TotalTensorSizeInBytes")
    least = _least_bytes(data_type, sizes)
    if total and packed and least and total != least:
        said.append(f"TotalTensorSizeInBytes {quote(total)} is left out; {least:,} are enough for a packed tensor.")
    strange = (key for key in inner if key not in _MEMBERS)
    said += [f"{quote(key)} is no member of DML_BUFFER_TENSOR_DESC, so it is left out." for key in strange]
    return {"DataType": data_type, "Sizes": sizes}, packed, said


def _is_whole(found: object) -> bool:
    return isinstance(found, int) and not isinstance(found, bool)


def _is_packed(strides: object, sizes: Sequence[int]) -> bool:
    """True if strides are row-major and packed; an axis of size 1 may have any."""
    if not isinstance(strides, list) or len(strides) != len(sizes) or len(sizes) > MAX_DIMENSIONS:
        return False
    step = 1
    for size, stride in zip(reversed(sizes), reversed(strides), strict=True):
        if size != 1 and stride != step:
            return False
        step *= size
    return True


def _least_bytes(data_type: str, sizes: Sequence[int]) -> int | None:
    """Bytes of a packed tensor, rounded up to four; None for one that can't be."""
    name = data_type.removeprefix("DML_TENSOR_DATA_TYPE_")
    if name not in DataType.__members__ or not 1 <= len(sizes) <= MAX_DIMENSIONS or min(sizes) < 1:
        return None
    count = math.prod(sizes)
    return (count * DataType[name].item_size + 3) // 4 * 4 if count <= MAX_ELEMENTS else None
