"""What a buffer of a DxDispatch model, or a window of one, says of the values of the tensor that it is bound to.

Values of the tensor's own type are taken: a list, a constant, a sequence, or an .npy file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...desc.npy_files import read_called
from ...desc.tensors import DataType, TensorDesc, braces
from ...desc.value_sources import Listed, Npy, ValueSource, check_alone, convert
from ...desc.values import SPECIAL, Constant, Iota
from ...errors import ValuesError, plain, quote
from ...session.dxdispatch_names import adds_exactly
from ..lib.imported import listed
from .descs import Json

MOST_ADDED = 1 << 18
"""Elements of a sequence that are added up one by one, where each step rounds."""


def value_source(
    resource: object, binding: Json, tensor: TensorDesc, folder: Path | None
) -> tuple[ValueSource, list[str]]:
    """What fills `tensor`, to which `binding` binds the buffer `resource`, and sentences on what differs from there.

    Raises ValuesError, with one sentence, where the values can't be had.
    """
    if not isinstance(resource, dict):
        raise ValuesError(f"found {quote(resource)}, expected an object with initialValues.")
    initial, kind = resource.get("initialValues"), resource.get("initialValuesDataType")
    if not isinstance(initial, (list, dict)) or not initial:
        raise ValuesError(f"initialValues is {quote(initial)}, expected values, a constant, a sequence or a file.")
    if resource.get("initialValuesOffsetInBytes"):
        raise ValuesError("initialValuesOffsetInBytes is not read here.")
    if isinstance(initial, dict) and "sourcePath" in initial:
        return _npy(initial["sourcePath"], binding, tensor, folder), []
    name = kind.removeprefix("DML_TENSOR_DATA_TYPE_") if isinstance(kind, str) else ""
    if name != tensor.data_type.name:
        raise ValuesError(f"initialValuesDataType is {quote(kind)}, expected {tensor.data_type}, the tensor's type.")
    first = _first(binding, tensor.data_type)
    if isinstance(initial, list):
        items = initial if not tensor.can_exist else initial[first : first + tensor.element_count]
        source = Listed(tuple(map(_lowered, items)), tensor.sizes if tensor.can_exist else (len(items),))
        if not tensor.can_exist:
            check_alone(source, "initialValues", None)
        elif len(items) < tensor.element_count:
            raise ValuesError(f"it has {len(items):,} elements from {first:,} on, expected {tensor.element_count:,}.")
        return source, []
    return _by_rule(initial, first, tensor)


def _first(binding: Json, kind: DataType) -> int:
    """The number of the first element that a binding takes. Raises ValuesError for a part of one."""
    size, offset = _whole(binding, "elementSizeInBytes", kind.item_size), _whole(binding, "elementOffset", 0)
    if size * offset % kind.item_size:
        raise ValuesError(f"elementOffset is {offset} times {size} bytes, expected whole elements of {kind}.")
    return size * offset // kind.item_size


def _whole(members: Json, key: str, default: int) -> int:
    """A member that is a whole number, or `default`. Raises ValuesError for anything else, or from 2^64 on."""
    number = members.get(key, default)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 2**64:
        raise ValuesError(f"{key} is {quote(number)}, expected a whole number.")
    return number


def _lowered(element: object) -> Any:
    """A value as session files write it: "NaN" and "INF" in small letters, anything else as it is."""
    return element.lower() if isinstance(element, str) and element.lower() in SPECIAL else element


def _by_rule(initial: Mapping[str, Any], first: int, tensor: TensorDesc) -> tuple[ValueSource, list[str]]:
    """The elements from number `first` on of a constant or a sequence, and remarks."""
    kind, keys = tensor.data_type, ("value",) if "value" in initial else ("valueStart", "valueDelta")
    count = _whole(initial, "valueCount", 0)
    if not all(key in initial for key in keys) or {"value", "valueStart"} <= initial.keys():
        raise ValuesError(f"initialValues is {quote(initial)}, expected either a value or valueStart and valueDelta.")
    if count < first + tensor.element_count:
        raise ValuesError(f"valueCount is {count:,}, expected at least {first + tensor.element_count:,} for {tensor}.")
    written = [_lowered(initial[key]) for key in keys]
    numbers = [convert(each, kind, f"initialValues.{key}") for each, key in zip(written, keys, strict=True)]
    if len(keys) == 1:
        return Constant(written[0] if isinstance(written[0], str) else numbers[0]), []
    if not kind.is_float:
        return Iota(numbers[0] + first * numbers[1], numbers[1]), []
    if any(isinstance(each, str) for each in written):
        raise ValuesError(f"initialValues is {quote(initial)}, expected numbers in a sequence.")
    start, step = (float(kind.dtype.type(number)) for number in numbers)
    exact = adds_exactly(start, step, first + tensor.element_count, kind)
    if not exact and first + tensor.element_count <= MOST_ADDED:
        added = np.full(first + tensor.element_count, step, kind.dtype)
        added[0] = start
        with np.errstate(over="ignore", invalid="ignore"):
            return listed(np.add.accumulate(added, dtype=kind.dtype)[first:].reshape(tensor.sizes)), []
    remark = "DxDispatch rounds at every step of this sequence; here each element is rounded once."
    rule = (int(x) if x.is_integer() and abs(x) < 2**53 else x for x in (start + first * step, step))
    return Iota(*rule), [] if exact else [remark]


def _npy(file: object, binding: Json, tensor: TensorDesc, folder: Path | None) -> Npy:
    """An .npy file, never unpickled, that holds just the tensor. Raises ValuesError for any other file."""
    if not isinstance(file, str) or not file.lower().endswith(".npy"):
        raise ValuesError(f"sourcePath is {quote(file)}, expected an .npy file.")
    array = read_called(file, "sourcePath", folder)
    is_whole = tensor.can_exist and not _first(binding, tensor.data_type) and array.flags.c_contiguous
    if not is_whole or array.dtype != tensor.data_type.dtype or array.shape != tensor.sizes:
        found = f"{plain(str(array.dtype))} {braces(array.shape)}"
        raise ValuesError(f"sourcePath: {plain(file)} holds {found}, expected {tensor} in C order.")
    return Npy(file)
