"""NumPy's own call for a desc, against which its kernel is timed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, singledispatch
from typing import Any, NamedTuple

import numpy as np

from ..desc.base import Desc
from ..desc.values import Array, element_of
from ..operators.gather import Gather
from ..operators.gather_elements import GatherElements
from ..operators.join import Join
from ..operators.padding import CONSTANT, NUMPY_MODES, Padding
from ..operators.reverse_subsequences import ReverseSubsequences
from ..operators.slice1 import Slice1
from ..operators.split import Split
from ..operators.tile import Tile

MOST_SLICES = 1 << 8
"""Sequences that are turned slice by slice; for more, one index for all takes less time."""


class NumpyCall(NamedTuple):
    """NumPy's call, into arrays that are there where the function can write into one."""

    name: str
    call: Callable[[], Sequence[Array]]


@singledispatch
def numpy_call(desc: Desc, arrays: Sequence[Array], outs: Sequence[Array]) -> NumpyCall | None:
    """What computes `desc` of input `arrays`, into `outs` where it can; None where NumPy has no call."""
    return None


def _copied(out: Array, source: Array) -> Array:
    np.copyto(out, source)
    return out


@numpy_call.register
def _join(desc: Join, arrays: Sequence[Array], outs: Sequence[Array]) -> NumpyCall:
    return NumpyCall("concatenate", lambda: [np.concatenate(arrays, desc.axis, outs[0])])


@numpy_call.register
def _split(desc: Split, arrays: Sequence[Array], outs: Sequence[Array]) -> NumpyCall:
    starts = np.cumsum([tensor.sizes[desc.axis] for tensor in desc.output_tensors])[:-1]
    sources = np.split(arrays[0], starts, desc.axis)
    return NumpyCall("split", lambda: list(map(_copied, outs, sources)))


@numpy_call.register
def _gather(desc: Gather, arrays: Sequence[Array], outs: Sequence[Array]) -> NumpyCall:
    sizes = desc.input_tensor.sizes
    folded = outs[0].reshape((*sizes[: desc.axis], -1, *sizes[desc.axis + 1 :]))
    acting = _acting(arrays[1].reshape(-1), sizes[desc.axis])
    return NumpyCall("take", lambda: [np.take(arrays[0], acting(), desc.axis, folded, "clip")])


@numpy_call.register
def _gather_elements(desc: GatherElements, arrays: Sequence[Array], outs: Sequence[Array]) -> NumpyCall:
    acting = _acting(arrays[1], desc.input_tensor.sizes[desc.axis])
    return NumpyCall("take_along_axis", lambda: [np.take_along_axis(arrays[0], acting(), desc.axis)])


def _acting(indices: Array, n: int) -> Callable[[], Array]:
    """The indices as NumPy takes them; only where one is out of range that costs the call anything."""
    if bool((indices < n).all()) and (indices.dtype.kind == "u" or bool((indices >= 0).all())):
        signed = indices.view(f"i{indices.itemsize}")  # it takes none of 64 bits without a sign
        return lambda: signed
    if indices.dtype.kind == "u":
        return lambda: np.minimum(indices, n - 1).astype(np.int64)
    # A negative index counts from the end.
    return lambda: np.clip(indices.astype(np.int64) + n * (indices < 0), 0, n - 1)


@numpy_call.register
def _padding(desc: Padding, arrays: Sequence[Array], outs: Sequence[Array]) -> NumpyCall:
    constant = element_of(desc.value, desc.input_tensor.data_type)
    more = {"constant_values": constant} if desc.mode == CONSTANT else {}
    pairs = [*zip(desc.start_padding, desc.end_padding, strict=True)]
    call: Any = partial(np.pad, arrays[0], pairs, NUMPY_MODES[desc.mode], **more)
    return NumpyCall("pad", lambda: [call()])


@numpy_call.register
def _tile(desc: Tile, arrays: Sequence[Array], outs: Sequence[Array]) -> NumpyCall:
    return NumpyCall("tile", lambda: [np.tile(arrays[0], desc.repeats)])


@numpy_call.register
def _slice(desc: Slice1, arrays: Sequence[Array], outs: Sequence[Array]) -> NumpyCall:
    return NumpyCall("copyto", lambda: [_copied(outs[0], arrays[0][tuple(desc.slices)])])


@numpy_call.register
def _reverse(desc: ReverseSubsequences, arrays: Sequence[Array], outs: Sequence[Array]) -> NumpyCall:
    data = np.moveaxis(arrays[0], desc.axis, -1)
    lengths = np.moveaxis(arrays[1], desc.axis, -1)
    n = data.shape[-1]
    out = np.moveaxis(outs[0], desc.axis, -1)
    rows = []
    if lengths.size <= MOST_SLICES:
        rows = [(out[place], data[place]) for place in np.ndindex(data.shape[:-1])]

    def slices() -> Sequence[Array]:
        for (row, source), length in zip(rows, lengths.reshape(-1).tolist(), strict=True):
            row[:length] = source[:length][::-1]
            row[length:] = source[length:]
        return outs

    def along() -> Sequence[Array]:
        clamped = np.minimum(lengths, n).astype(np.int64)
        at = np.arange(n)
        out[...] = np.take_along_axis(data, np.where(at < clamped, clamped - 1 - at, at), -1)
        return outs

    if rows:
        return NumpyCall("slices", slices)
    return NumpyCall("take_along_axis", along)
