"""What a buffer of a DxDispatch model, or a window of one, says of the values of the tensor that it is bound to.

Values of the tensor's own type are taken as they are written: a list, a constant or a sequence. Values of another type
are bound as bytes, as DxDispatch does.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...desc.npy_files import locate, read_called
from ...desc.tensors import DataType, TensorDesc, braces
from ...desc.value_sources import Listed, Npy, ValueSource, check_alone, convert
from ...desc.values import SPECIAL, Array, Constant, Iota
from ...errors import ValuesError, plain, quote
from ...formats.regular_files import open_regular
from ...session.dxdispatch_names import adds_exactly
from ..lib.imported import listed
from .descs import Json

MOST_BYTES = 1 << 20
"""Bytes of a buffer that are worked out where it can't be said by a rule."""
_IMAGES = (".png", ".jpg", ".jpeg")


def value_source(
    resource: object, binding: Json, tensor: TensorDesc, folder: Path | None
) -> tuple[ValueSource | None, list[str]]:
    """What fills `tensor`, to which `binding` binds the buffer `resource`, and sentences on what differs from there.

    None where there is nothing to take. Raises ValuesError, with one sentence, where the values can't be had.
    """
    if not isinstance(resource, dict):
        raise ValuesError(f"found {quote(resource)}, expected an object with initialValues.")
    initial = resource.get("initialValues")
    if initial == "deferred":
        raise ValuesError("its values are deferred, which is for models of ONNX alone.")
    kind = _data_type(resource.get("initialValuesDataType"))
    if not isinstance(initial, (list, dict)) or not initial:
        raise ValuesError(f"initialValues is {quote(initial)}, expected values, a constant, a sequence or a file.")
    if not tensor.can_exist:
        return _list_alone(initial, kind, tensor), []
    file = initial.get("sourcePath") if isinstance(initial, dict) else None
    array = None
    if isinstance(file, str) and file.lower().endswith(".npy"):
        array = _npy_array(file, kind, folder)
        kind = DataType.of(array.dtype)
    item = kind.item_size if kind is not None else 0
    start = _whole_member(binding, "elementOffset", 0) * (_whole_member(binding, "elementSizeInBytes", 0) or item)
    start -= _whole_member(resource, "initialValuesOffsetInBytes", 0)
    if array is not None and start == 0 and kind is tensor.data_type and array.shape == tensor.sizes:
        return Npy(str(file)), []
    if kind is tensor.data_type and start >= 0 and start % item == 0:
        source, remarks = _as_written(initial, start // item, tensor)
        if source is not None:
            return source, remarks
    stop = start + tensor.byte_count
    if stop > MOST_BYTES:
        shape = f" of shape {braces(array.shape)}" if array is not None else ""
        raise ValuesError(
            f"{stop:,} of its bytes{shape} would have to be worked out for {tensor}, expected at most {MOST_BYTES:,}, "
            f"or values of just that type and those sizes."
        )
    least = max(0, stop)
    if array is not None:
        content = array.reshape(-1)[: least // array.itemsize + 1].tobytes()
    elif isinstance(initial, dict) and "sourcePath" in initial:
        content = _raw_bytes(file, kind, least, folder)
    else:
        content = _list_bytes(initial, kind, least) if isinstance(initial, list) else _rule_bytes(initial, kind, least)
    return _window(np.frombuffer(content, np.uint8), resource, start, tensor)


def _data_type(word: object) -> DataType | None:
    """The type of initial values; None where the values themselves say it."""
    if word is None:
        return None
    name = word.removeprefix("DML_TENSOR_DATA_TYPE_") if isinstance(word, str) else ""
    if name == "UNKNOWN":
        return None
    if name not in DataType.__members__:
        types = ", ".join(DataType.__members__)
        raise ValuesError(f"initialValuesDataType is {quote(word)}, expected one of {types}.")
    return DataType[name]


def _whole_member(resource: Json, key: str, default: int) -> int:
    """A member that is a whole number, or `default`. Raises ValuesError for anything else, or from 2^64 on."""
    number = resource.get(key, default)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 2**64:
        raise ValuesError(f"{key} is {quote(number)}, expected a whole number.")
    return number


def _lowered_special(element: object) -> Any:
    """A value as session files write it: "NaN" and "INF" in small letters, anything else as it is."""
    return element.lower() if isinstance(element, str) and element.lower() in SPECIAL else element


def _list_alone(initial: object, kind: DataType | None, tensor: TensorDesc) -> Listed | None:
    """The list for a tensor that can't exist; None for anything but a list of the tensor's type."""
    if kind is not tensor.data_type or not isinstance(initial, list):
        return None
    source = Listed(tuple(map(_lowered_special, initial)), (len(initial),))
    check_alone(source, "initialValues", None)
    return source


def _as_written(initial: Any, first: int, tensor: TensorDesc) -> tuple[ValueSource | None, list[str]]:
    """The elements from number `first` on as a list or a rule, and remarks; None where there aren't enough."""
    count = tensor.element_count
    if isinstance(initial, list):
        items = initial[first : first + count]
        return (Listed(tuple(map(_lowered_special, items)), tensor.sizes) if len(items) == count else None), []
    if first + count > _rule_count(initial):
        return None, []
    if "value" in initial:
        return Constant(_element(initial["value"], tensor.data_type, "initialValues.value")), []
    start = _element(initial.get("valueStart"), tensor.data_type, "initialValues.valueStart")
    step = _element(initial.get("valueDelta"), tensor.data_type, "initialValues.valueDelta")
    if not tensor.data_type.is_float:
        assert isinstance(start, int)
        assert isinstance(step, int)
        return Iota(start + first * step, step), []
    if not isinstance(start, str) and not isinstance(step, str):
        start, step = (_rounded(number, tensor.data_type) for number in (start, step))
        exact = adds_exactly(start, step, first + count, tensor.data_type)
        if exact or (first + count) * tensor.data_type.item_size > MOST_BYTES:
            remark = "DxDispatch rounds at every step of this sequence; here each element is rounded once."
            return Iota(_int_if_whole(start + first * step), _int_if_whole(step)), [] if exact else [remark]
    return None, []


def _rule_count(initial: Json) -> int:
    """How many elements a constant or a sequence has; 0 for a file. Raises ValuesError for no such count."""
    if "value" not in initial and "valueStart" not in initial:
        return 0
    if "value" in initial and "valueStart" in initial:
        raise ValuesError("initialValues has both value and valueStart, expected one of them.")
    count = _whole_member(initial, "valueCount", 0)
    if not 0 < count < 2**32:
        raise ValuesError(f"initialValues.valueCount is {quote(count)}, expected a whole number from 1 to 2^32 - 1.")
    return count


def _element(element: object, data_type: DataType, path: str) -> int | float | str:
    """A value that the type holds, as session files write it."""
    element = _lowered_special(element)
    number = convert(element, data_type, path)
    return element if isinstance(element, str) else number


def _rounded(number: int | float, data_type: DataType) -> float:
    return float(data_type.dtype.type(number))


def _int_if_whole(number: float) -> int | float:
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


# ---- bytes ------------------------------------------------------------------------------------------------------


def _window(array: Array, binding: Json, start: int, tensor: TensorDesc) -> tuple[Listed, list[str]]:
    """The elements of `tensor` from byte `start` of the initial values on, zeros around them, and remarks."""
    stop = start + tensor.byte_count
    offset = _whole_member(binding, "initialValuesOffsetInBytes", 0)
    size = _whole_member(binding, "sizeInBytes", (offset + len(array) + 3) // 4 * 4)
    if stop > max(size - offset, len(array)):
        raise ValuesError(
            f"it has {size:,} bytes, expected at least {stop + offset:,} for {tensor} from byte {start + offset:,} on."
        )
    content = np.zeros(tensor.byte_count, np.uint8)
    at = max(0, -start)
    own = array[max(0, start) : max(0, stop)][: max(0, len(content) - at)]
    content[at : at + len(own)] = own
    elements = content.view(tensor.data_type.dtype)
    odd = elements[elements != elements]
    kept = odd.tobytes() == np.full_like(odd, np.nan).tobytes() if len(odd) else True
    return listed(elements.reshape(tensor.sizes)), [] if kept else ["not every NaN keeps its bits."]


def _rule_bytes(initial: Json, kind: DataType | None, least: int) -> bytes:
    """The first `least` bytes of a constant or a sequence, or all of them."""
    if kind is None:
        raise ValuesError("initialValuesDataType is missing, expected the type of its initial values.")
    count = _rule_count(initial)
    if not count:
        raise ValuesError(f"initialValues is {quote(initial)}, expected values, a constant, a sequence or a file.")
    some = min(count, least // kind.item_size + 1)
    keys = ("value",) if "value" in initial else ("valueStart", "valueDelta")
    first, *rest = (
        kind.dtype.type(convert(_lowered_special(initial.get(key)), kind, f"initialValues.{key}")) for key in keys
    )
    array = np.full(some, rest[0] if rest else first, kind.dtype)
    array[0] = first
    with np.errstate(over="ignore", invalid="ignore"):
        return (np.add.accumulate(array, dtype=kind.dtype) if rest else array).tobytes()


def _list_bytes(initial: list[Any], kind: DataType | None, least: int) -> bytes:
    """The first `least` bytes of a list, of one type or each item of its own, or all of them."""
    if kind is not None:
        items = initial[: least // kind.item_size + 1]
        if (array := plain_array(items, kind)) is not None:
            return array.tobytes()
        converted = [convert(_lowered_special(x), kind, f"initialValues[{i}]") for i, x in enumerate(items)]
        return np.array(converted, kind.dtype).tobytes()
    content = bytearray()
    for i, group in enumerate(initial):
        own = _data_type(group.get("type")) if isinstance(group, dict) else None
        if own is None:
            raise ValuesError(f"initialValues[{i}] is {quote(group)}, expected a type and a value.")
        content += np.array(
            convert(_lowered_special(group.get("value")), own, f"initialValues[{i}].value"), own.dtype
        ).tobytes()
        if len(content) >= least:
            break
    return bytes(content)


def plain_array(items: Sequence[Any], data_type: DataType) -> Array | None:
    """Plain numbers of the type as an array, quickly; None where any of them wants a closer look."""
    kinds = set(map(type, items))
    if not data_type.is_float:
        low, high = data_type.integer_range
        fits = kinds == {int} and low <= min(items) and max(items) <= high
        return np.array(items, data_type.dtype) if fits else None
    if not kinds or not kinds <= {int, float} or not -(2**53) <= min(items) <= max(items) <= 2**53:
        return None
    array = np.array(items, np.float64)
    with np.errstate(over="ignore"):
        array = array.astype(data_type.dtype)
    return array if np.isfinite(array).all() else None


def _raw_bytes(file: object, kind: DataType | None, least: int, folder: Path | None) -> bytes:
    """The first `least` bytes of a file that has no header, or all of them, and a few to tell."""
    if not isinstance(file, str) or not file:
        raise ValuesError(f"sourcePath is {quote(file)}, expected the name of a file.")
    named = f"sourcePath: {plain(file)}"
    if file.lower().endswith(_IMAGES):
        raise ValuesError(f"{named} is an image, which dmlviz doesn't read.")
    if kind is None:
        raise ValuesError("initialValuesDataType is missing, expected the type of a raw file's values.")
    try:
        with open_regular(_regular_file(file, folder)) as opened:
            return opened.read(least + 4)
    except OSError as error:
        raise ValuesError(f"{named} can't be read: {error.strerror or 'it is no file'}.") from None


def _npy_array(file: str, kind: DataType | None, folder: Path | None) -> Array:
    """The array in an .npy file, never unpickled, in C order, of type `kind` where that is given."""
    array = read_called(file, "sourcePath", folder)
    types = [data_type.dtype for data_type in ([kind] if kind is not None else DataType)]
    if not array.flags.c_contiguous or array.dtype not in types:
        expected = f"{kind} in C order" if kind is not None else "a type that DirectML has, in C order"
        raise ValuesError(f"sourcePath: {plain(file)} holds {plain(str(array.dtype))}, expected {expected}.")
    return array


def _regular_file(file: str, folder: Path | None) -> Path:
    """The path of a file in `folder`. Raises ValuesError where no regular file is there."""
    path = locate(file, "sourcePath", folder)
    try:
        if path.is_file():
            return path
    except (OSError, ValueError):
        pass
    raise ValuesError(f"sourcePath: {plain(file)} is missing or no regular file, expected one there.")
