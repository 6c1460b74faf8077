"""Arrays held against the tensors that they are meant for."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..desc.base import Desc, Part
from ..desc.fields import Role
from ..desc.tensors import TensorDesc, braces
from ..desc.values import Array
from ..errors import ValuesError, quote

Given = Array | Sequence[Any]
"""An input: an array, or for indices and lengths a list that may be nested."""

_MOST_NESTED = 64
"""Lists in lists that NumPy makes an array of."""


def check_arrays(parts: Sequence[Part], arrays: Sequence[Given]) -> list[Array]:
    """`arrays` as a list, each held against the tensor it is meant for. Raises ValuesError that names the wrong one."""
    if isinstance(arrays, (np.ndarray, str, bytes)) or not isinstance(arrays, Sequence):
        kind = type(arrays).__name__
        raise ValuesError(f"arrays is of type {kind}, expected a list of arrays for {_paths_text(parts)}.")
    if len(arrays) != len(parts):
        some = "1 array is" if len(arrays) == 1 else f"{len(arrays)} arrays are"
        raise ValuesError(f"{some} given, expected {len(parts)}: {_paths_text(parts)}.")
    checked = [_listed(part, _as_plain_ndarray(array, part.path)) for part, array in zip(parts, arrays, strict=True)]
    for part, array in zip(parts, checked, strict=True):
        _require_type_and_shape(part.path, part.tensor, array)
    return checked


def _as_plain_ndarray(array: Given, path: str) -> Given:
    """An array of a subclass as NumPy's own, on its memory. Raises ValuesError for masked elements."""
    if not isinstance(array, np.ndarray) or type(array) is np.ndarray:
        return array
    require_unmasked(array, path)
    return np.asarray(array)


def require_unmasked(arrays: object, name: str) -> None:
    """Raises ValuesError for an array, or arrays in nested lists, with masked elements: no tensor can say so."""
    masked = sys.modules.get("numpy.ma")  # without it nobody has such an array
    count = 0 if masked is None else _masked(arrays, masked, {})
    if count:
        elements = f"{count:,} masked element{'s' * (count != 1)}"
        raise ValuesError(f"{name} has {elements}, expected an array without any, such as its filled(0).")


def _masked(arrays: object, masked: Any, counts: dict[int, int], depth: int = 0) -> int:
    """The number of masked elements; `counts` keeps it of each list by its id, as a list may stand in itself."""
    if isinstance(arrays, masked.MaskedArray):
        mask = masked.getmaskarray(arrays)
        return int(np.count_nonzero(mask)) if mask.dtype == np.bool_ else 0  # of fields: the dtype is told instead
    if not isinstance(arrays, (list, tuple)) or depth > _MOST_NESTED:
        return 0
    if id(arrays) not in counts:
        counts[id(arrays)] = 0
        counts[id(arrays)] = sum(_masked(item, masked, counts, depth + 1) for item in arrays)
    return counts[id(arrays)]


def require_writable(array: Array, path: str) -> None:
    """Raises ValuesError for a read-only array."""
    if not array.flags.writeable:
        raise ValuesError(f"{path} is read-only, expected an array that can be written.")


def _listed(part: Part, array: Given) -> Any:
    """A list of indices or lengths as an array of the tensor's type, where all of its values fit; else as it is."""
    if part.field.role not in (Role.INDICES, Role.LENGTHS) or not isinstance(array, (list, tuple)):
        return array
    require_unmasked(array, part.path)
    try:
        wide = np.asarray(array)
    except (ValueError, OverflowError):
        return array
    if wide.dtype.kind not in "iu":
        return array
    low, high = part.tensor.data_type.integer_range
    if wide.size and not low <= int(wide.min()) <= int(wide.max()) <= high:
        outside = wide[(wide < low) | (wide > high)].flat[0]
        raise ValuesError(f"{part.path} holds {outside}, expected {part.tensor.data_type} values, {low} to {high}.")
    return wide.astype(part.tensor.data_type.dtype)


def _paths_text(parts: Sequence[Part]) -> str:
    shown = [part.path for part in parts[:8]] + ["…"] * (len(parts) > 8)
    return ", ".join(shown)


def _require_type_and_shape(path: str, tensor: TensorDesc, array: object) -> None:
    if not isinstance(array, np.ndarray):
        raise ValuesError(f"{path} is {quote(array)}, expected a NumPy array of {tensor}.")
    want = tensor.data_type.dtype
    if array.dtype != want:
        if array.dtype.newbyteorder("=") == want:
            order = "big" if sys.byteorder == "little" else "little"
            raise ValuesError(f"{path} is {order}-endian ({array.dtype.str}), expected {want.str} for {tensor}.")
        raise ValuesError(f"{path} has dtype {array.dtype}, expected {want} for {tensor}.")
    if array.shape != tensor.sizes:
        raise ValuesError(f"{path} has shape {braces(array.shape)}, expected {braces(tensor.sizes)}.")


def check_outputs(desc: Desc, inputs: Sequence[Array], out: Sequence[Array]) -> list[Array]:
    """`out` held against the outputs of `desc`: right in every way, and overlapping neither an input nor each other."""
    outputs = check_arrays(desc.outputs, out)
    occupied = [(part.path, array) for part, array in zip(desc.inputs, inputs, strict=True)]
    for part, array in zip(desc.outputs, outputs, strict=True):
        if not array.flags.c_contiguous:
            raise ValuesError(f"{part.path} is not C-contiguous, expected an array that is.")
        require_writable(array, part.path)
        for other, other_array in occupied:
            if _overlap(array, other_array):
                raise ValuesError(f"{part.path} overlaps {other} in memory, expected an array of its own.")
        occupied.append((part.path, array))
    return outputs


def _overlap(a: Array, b: Array) -> bool:
    if not np.may_share_memory(a, b):
        return False
    if b.flags.c_contiguous:
        return True  # both fill their bounds
    most: Any = 10_000  # NumPy takes any number, its stubs don't always say so
    try:
        return np.shares_memory(a, b, max_work=most)
    except np.exceptions.TooHardError:
        return True
