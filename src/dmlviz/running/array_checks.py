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


def check_arrays(parts: Sequence[Part], arrays: Sequence[Given]) -> list[Array]:
    """`arrays` as a list, each held against the tensor it is meant for. Raises ValuesError that names the wrong one."""
    if isinstance(arrays, (np.ndarray, str, bytes)) or not isinstance(arrays, Sequence):
        kind = type(arrays).__name__
        raise ValuesError(f"arrays is of type {kind}, expected a list of arrays for {_paths_text(parts)}.")
    if len(arrays) != len(parts):
        some = "1 array is" if len(arrays) == 1 else f"{len(arrays)} arrays are"
        raise ValuesError(f"{some} given, expected {len(parts)}: {_paths_text(parts)}.")
    checked = []
    for part, array in zip(parts, arrays, strict=True):
        if isinstance(array, np.ndarray) and type(array) is not np.ndarray:
            require_unmasked(array, part.path)
            array = np.asarray(array)  # a subclass may say what its memory is not
        checked.append(_listed(part, array))
        _require_type_and_shape(part.path, part.tensor, checked[-1])
    return checked


def require_unmasked(arrays: object, name: str) -> None:
    """Raises ValuesError for an array, or a list of arrays, with masked elements: no tensor can say so."""
    masked = sys.modules.get("numpy.ma")  # without it nobody has such an array
    if masked is None:
        return
    each = arrays if isinstance(arrays, (list, tuple)) else [arrays]
    masks = [masked.getmaskarray(array) for array in each if isinstance(array, masked.MaskedArray)]
    # An array with fields has a mask with fields.
    count = sum(int(np.count_nonzero(mask)) for mask in masks if mask.dtype == np.bool_)
    if count:
        elements = f"{count:,} masked element{'s' * (count != 1)}"
        raise ValuesError(f"{name} has {elements}, expected an array without any, such as its filled(0).")


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
        wanted = f"{part.tensor.data_type} values, {low} to {high}"
        raise ValuesError(f"{part.path} holds {outside}, expected {wanted}.")
    return wide.astype(part.tensor.data_type.dtype)


def _paths_text(parts: Sequence[Part]) -> str:
    return ", ".join([part.path for part in parts[:8]] + ["…"] * (len(parts) > 8))


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
            if np.may_share_memory(array, other_array):  # by their bounds
                raise ValuesError(f"{part.path} overlaps {other} in memory, expected an array of its own.")
        occupied.append((part.path, array))
    return outputs
