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


def value_source(
    resource: object, binding: Json, tensor: TensorDesc, folder: Path | None
) -> tuple[ValueSource, list[str]]:
    """What fills `tensor`, to which `binding` binds the buffer `resource`, and sentences on what differs from there.

    Raises ValuesError, with one sentence, where the values can't be had.
    """
    if not isinstance(resource, dict):
        raise ValuesError(f"found {quote(resource)}, expected an object with initialValues.")
    initial = resource.get("initialValues")
    if resource.get("initialValuesOffsetInBytes"):
        raise ValuesError("initialValuesOffsetInBytes isn't read here.")
    kind = _data_type(resource.get("initialValuesDataType"))
    if not isinstance(initial, (list, dict)) or not initial:
        raise ValuesError(f"initialValues is {quote(initial)}, expected values, a constant, a sequence or a file.")
    file = initial.get("sourcePath") if isinstance(initial, dict) else None
    array = None
    if isinstance(file, str) and file.lower().endswith(".npy"):
        array = _npy_array(file, kind, folder)
        kind = DataType.of(array.dtype)
    if kind is None:
        raise ValuesError("initialValuesDataType is missing, expected the type of its initial values.")
    if not tensor.can_exist:
        if kind is not tensor.data_type or not isinstance(initial, list):
            raise ValuesError("its tensor can't exist.")
        source = Listed(tuple(map(_lowered_special, initial)), (len(initial),))
        check_alone(source, "initialValues", None)
        return source, []
    size = _whole(binding, "elementSizeInBytes", kind.item_size)
    start = _whole(binding, "elementOffset", 0) * size
    if array is not None and start == 0 and kind is tensor.data_type and array.shape == tensor.sizes:
        return Npy(str(file)), []
    if kind is tensor.data_type and start % kind.item_size == 0:
        written = _as_written(initial, start // kind.item_size, tensor)
        if written is not None:
            return written
    stop = start + tensor.byte_count
    if stop > MOST_BYTES:
        shape = f" of shape {braces(array.shape)}" if array is not None else ""
        raise ValuesError(
            f"{stop:,} of its bytes{shape} would have to be worked out for {tensor}, expected at most {MOST_BYTES:,}, "
            f"or values of just that type and those sizes."
        )
    if array is not None:
        content = array.reshape(-1)[: stop // kind.item_size + 1].tobytes()
    elif isinstance(initial, list):
        content = _elements(initial[: stop // kind.item_size + 1], kind).tobytes()
    elif file is not None:
        content = _raw_bytes(file, stop, folder)
    else:
        content = _rule_bytes(initial, kind, stop)
    content += bytes(-len(content) % 4)
    if stop > len(content):
        raise ValuesError(f"it has {len(content):,} bytes, expected at least {stop:,} for {tensor} from {start:,} on.")
    return listed(np.frombuffer(content[start:stop], tensor.data_type.dtype).reshape(tensor.sizes)), []


def _data_type(word: object) -> DataType | None:
    """The type of initial values; None where none is said."""
    name = word.removeprefix("DML_TENSOR_DATA_TYPE_") if isinstance(word, str) else ""
    if word is None or name in DataType.__members__:
        return DataType[name] if name else None
    raise ValuesError(f"initialValuesDataType is {quote(word)}, expected one of {', '.join(DataType.__members__)}.")


def _whole(members: Json, key: str, default: int) -> int:
    """A member that is a whole number, or `default`. Raises ValuesError for anything else, or from 2^64 on."""
    number = members.get(key, default)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 2**64:
        raise ValuesError(f"{key} is {quote(number)}, expected a whole number.")
    return number


def _lowered_special(element: object) -> Any:
    """A value as session files write it: "NaN" and "INF" in small letters, anything else as it is."""
    return element.lower() if isinstance(element, str) and element.lower() in SPECIAL else element


def _element(initial: Json, key: str, kind: DataType) -> Any:
    """A number that the type holds, or a word for a special one."""
    element = _lowered_special(initial.get(key))
    number = convert(element, kind, f"initialValues.{key}")
    return element if isinstance(element, str) else number


def _rule_count(initial: Json) -> int:
    """How many elements a constant or a sequence has; 0 for a file. Raises ValuesError for no such count."""
    if "value" not in initial and "valueStart" not in initial:
        return 0
    if "value" in initial and "valueStart" in initial:
        raise ValuesError("initialValues has both value and valueStart, expected one of them.")
    count = _whole(initial, "valueCount", 0)
    if not 0 < count < 2**32:
        raise ValuesError(f"initialValues.valueCount is {quote(count)}, expected a whole number from 1 to 2^32 - 1.")
    return count


def _as_written(initial: Any, first: int, tensor: TensorDesc) -> tuple[ValueSource, list[str]] | None:
    """The elements from number `first` on as a list or a rule, and remarks; None where there aren't enough."""
    count, kind = tensor.element_count, tensor.data_type
    if isinstance(initial, list):
        items = initial[first : first + count]
        return (Listed(tuple(map(_lowered_special, items)), tensor.sizes), []) if len(items) == count else None
    if first + count > _rule_count(initial):
        return None
    if "value" in initial:
        return Constant(_element(initial, "value", kind)), []
    start, step = (_element(initial, key, kind) for key in ("valueStart", "valueDelta"))
    if not kind.is_float:
        return Iota(start + first * step, step), []
    if isinstance(start, str) or isinstance(step, str):
        return None
    start, step = (float(kind.dtype.type(number)) for number in (start, step))
    exact = adds_exactly(start, step, first + count, kind)
    if not exact and (first + count) * kind.item_size <= MOST_BYTES:
        return None
    remark = "DxDispatch rounds at every step of this sequence; here each element is rounded once."
    return Iota(*(_int_if_whole(x) for x in (start + first * step, step))), [] if exact else [remark]


def _int_if_whole(number: float) -> int | float:
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


# ---- bytes ------------------------------------------------------------------------------------------------------


def _rule_bytes(initial: Json, kind: DataType, least: int) -> bytes:
    """The first `least` bytes of a constant or a sequence, or all of them."""
    count = _rule_count(initial)
    if not count:
        raise ValuesError(f"initialValues is {quote(initial)}, expected values, a constant, a sequence or a file.")
    keys = ("value",) if "value" in initial else ("valueStart", "valueDelta")
    first, *rest = (kind.dtype.type(_element(initial, key, kind)) for key in keys)
    array = np.full(min(count, least // kind.item_size + 1), rest[0] if rest else first, kind.dtype)
    array[0] = first
    with np.errstate(over="ignore", invalid="ignore"):
        return (np.add.accumulate(array, dtype=kind.dtype) if rest else array).tobytes()


def _elements(items: list[Any], kind: DataType) -> Array:
    array = plain_array(items, kind)
    converted = (convert(_lowered_special(x), kind, f"initialValues[{i}]") for i, x in enumerate(items))
    return array if array is not None else np.array([*converted], kind.dtype)


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


def _raw_bytes(file: object, least: int, folder: Path | None) -> bytes:
    """The first `least` bytes of a file that has no header, or all of them."""
    if not isinstance(file, str) or not file:
        raise ValuesError(f"sourcePath is {quote(file)}, expected the name of a file.")
    if file.lower().endswith((".png", ".jpg", ".jpeg")):
        raise ValuesError(f"sourcePath: {plain(file)} is an image, which dmlviz doesn't read.")
    path = locate(file, "sourcePath", folder)
    try:
        with open_regular(path) as opened:
            return opened.read(least)
    except (OSError, ValueError):
        raise ValuesError(f"sourcePath: {plain(file)} is missing or no regular file, expected one there.") from None


def _npy_array(file: str, kind: DataType | None, folder: Path | None) -> Array:
    """The array in an .npy file, never unpickled, in C order, of type `kind` where that is given."""
    array = read_called(file, "sourcePath", folder)
    types = [data_type.dtype for data_type in ([kind] if kind is not None else DataType)]
    if not array.flags.c_contiguous or array.dtype not in types:
        expected = f"{kind} in C order" if kind is not None else "a type that DirectML has, in C order"
        raise ValuesError(f"sourcePath: {plain(file)} holds {plain(str(array.dtype))}, expected {expected}.")
    return array
