"""What a buffer of a DxDispatch model says of the values of the tensor that it is bound to.

Values of the tensor's own type are taken: a list, a constant, a sequence, or an .npy file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...desc.npy_files import read_called
from ...desc.tensors import TensorDesc, braces
from ...desc.value_sources import Listed, Npy, ValueSource, convert
from ...desc.values import SPECIAL, Constant, Iota
from ...errors import ValuesError, plain, quote
from ...session.dxdispatch_names import adds_exactly
from .descs import Json


def value_source(resource: Json, tensor: TensorDesc, folder: Path | None) -> tuple[ValueSource, str]:
    """What fills `tensor`, to which the buffer `resource` is bound, and a sentence on what differs from there.

    Raises ValuesError, with one sentence, where the values can't be had.
    """
    initial, kind = resource.get("initialValues"), resource.get("initialValuesDataType")
    if isinstance(initial, dict) and "sourcePath" in initial:
        return _npy(initial["sourcePath"], tensor, folder), ""
    if not isinstance(kind, str) or kind.removeprefix("DML_TENSOR_DATA_TYPE_") != tensor.data_type.name:
        raise ValuesError(f"initialValuesDataType is {quote(kind)}, expected {tensor.data_type}, the tensor's type.")
    if resource.get("initialValuesOffsetInBytes"):
        raise ValuesError("initialValuesOffsetInBytes is not read here.")
    count = tensor.element_count
    if isinstance(initial, list):
        if len(initial) < count:
            raise ValuesError(f"it has {len(initial):,} elements, expected {count:,}.")
        return Listed(tuple(map(_lowered, initial[:count])), tensor.sizes), ""
    if not isinstance(initial, dict) or not initial.keys() >= {"valueCount"}:
        raise ValuesError(f"initialValues is {quote(initial)}, expected values, a constant, a sequence or a file.")
    held = initial["valueCount"]
    if not isinstance(held, int) or held < count:
        raise ValuesError(f"valueCount is {quote(held)}, expected at least {count:,} for {tensor}.")
    if initial.keys() == {"valueCount", "value"}:
        value = _lowered(initial["value"])
        number = convert(value, tensor.data_type, "initialValues.value")
        return Constant(value if isinstance(value, str) else number), ""
    if initial.keys() != {"valueCount", "valueStart", "valueDelta"}:
        raise ValuesError(f"initialValues is {quote(initial)}, expected either a value or valueStart and valueDelta.")
    return _sequence(initial, tensor)


def _lowered(element: object) -> Any:
    """A value as session files write it: "NaN" and "INF" in small letters, anything else as it is."""
    return element.lower() if isinstance(element, str) and element.lower() in SPECIAL else element


def _sequence(initial: Json, tensor: TensorDesc) -> tuple[ValueSource, str]:
    kind = tensor.data_type
    start, step = (convert(initial[key], kind, f"initialValues.{key}") for key in ("valueStart", "valueDelta"))
    if not kind.is_float:
        return Iota(start, step), ""
    if isinstance(initial["valueStart"], str) or isinstance(initial["valueDelta"], str):
        raise ValuesError(f"initialValues is {quote(initial)}, expected numbers in a sequence.")
    start, step = (float(kind.dtype.type(number)) for number in (start, step))
    exact = adds_exactly(start, step, tensor.element_count, kind)
    remark = "DxDispatch rounds at every step of this sequence; here each element is rounded once."
    return Iota(*(int(x) if x.is_integer() and abs(x) < 2**53 else x for x in (start, step))), "" if exact else remark


def _npy(file: object, tensor: TensorDesc, folder: Path | None) -> Npy:
    """An .npy file, never unpickled, that holds just the tensor. Raises ValuesError for any other file."""
    if not isinstance(file, str) or not file.lower().endswith(".npy"):
        raise ValuesError(f"sourcePath is {quote(file)}, expected an .npy file.")
    array = read_called(file, "sourcePath", folder)
    if array.dtype != tensor.data_type.dtype or array.shape != tensor.sizes or not array.flags.c_contiguous:
        found = f"{plain(str(array.dtype))} {braces(array.shape)}"
        raise ValuesError(f"sourcePath: {plain(file)} holds {found}, expected {tensor} in C order.")
    return Npy(file)
