"""The call of NumPy that each operator names (`Operator.in_numpy`), against which its kernel is timed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
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
    """The function: `take`."""
    call: Callable[[], Sequence[Array]]
    """Computes and returns every output."""


def numpy_call(desc: Desc, arrays: Sequence[Array], outs: Sequence[Array]) -> NumpyCall | None:
    """What computes `desc` of input `arrays`, into `outs` where it can; None for an operator that names no call."""
    make = _CALLS.get(type(desc))
    return make(desc, arrays, outs) if make is not None else None


def _new(function: Callable[..., Array], *arguments: Any, **more: Any) -> NumpyCall:
    """A function that allocates its output."""
    call = partial(function, *arguments, **more)
    return NumpyCall(function.__name__, lambda: [call()])


def _copies(name: str, outs: Sequence[Array], sources: Sequence[Array]) -> NumpyCall:
    """`copyto` of each view of the input."""

    def call() -> Sequence[Array]:
        for out, source in zip(outs, sources, strict=True):
            np.copyto(out, source)
        return outs

    return NumpyCall(name, call)


def _join(desc: Join, arrays: Sequence[Array], outs: Sequence[Array]) -> NumpyCall:
    return _new(np.concatenate, arrays, desc.axis, outs[0])


def _split(desc: Split, arrays: Sequence[Array], outs: Sequence[Array]) -> NumpyCall:
    starts = np.cumsum([tensor.sizes[desc.axis] for tensor in desc.output_tensors])[:-1]
    return _copies("split", outs, np.split(arrays[0], starts, desc.axis))


def _gather(desc: Gather, arrays: Sequence[Array], outs: Sequence[Array]) -> NumpyCall:
    folded = outs[0].reshape((*desc.input_tensor.sizes[: desc.axis], -1, *desc.input_tensor.sizes[desc.axis + 1 :]))
    acting = _acting(arrays[1].reshape(-1), desc.input_tensor.sizes[desc.axis])

    def call() -> Sequence[Array]:
        np.take(arrays[0], acting(), desc.axis, folded, "clip")
        return outs

    return NumpyCall("take", call)


def _gather_elements(desc: GatherElements, arrays: Sequence[Array], outs: Sequence[Array]) -> NumpyCall:
    acting = _acting(arrays[1], desc.input_tensor.sizes[desc.axis])

    def call() -> Sequence[Array]:
        return [np.take_along_axis(arrays[0], acting(), desc.axis)]

    return NumpyCall("take_along_axis", call)


def _acting(indices: Array, n: int) -> Callable[[], Array]:
    """The indices as NumPy takes them; only where one is out of range that costs the call anything."""
    if bool((indices < n).all()) and (indices.dtype.kind == "u" or bool((indices >= 0).all())):
        signed = indices.view(f"i{indices.itemsize}")  # it takes none of 64 bits without a sign
        return lambda: signed
    return lambda: _clipped(indices, n)


def _clipped(indices: Array, n: int) -> Array:
    """Indices as DirectML has them: from the end where they are negative, clamped beyond it."""
    if indices.dtype.kind == "u":
        return np.minimum(indices, n - 1).astype(np.int64)
    wide = indices.astype(np.int64)
    return np.clip(np.where(wide < 0, wide + n, wide), 0, n - 1)


def _padding(desc: Padding, arrays: Sequence[Array], outs: Sequence[Array]) -> NumpyCall:
    constant = element_of(desc.value, desc.input_tensor.data_type)
    more = {"constant_values": constant} if desc.mode == CONSTANT else {}
    pairs = [*zip(desc.start_padding, desc.end_padding, strict=True)]
    return _new(np.pad, arrays[0], pairs, NUMPY_MODES[desc.mode], **more)


def _tile(desc: Tile, arrays: Sequence[Array], outs: Sequence[Array]) -> NumpyCall:
    return _new(np.tile, arrays[0], tuple(desc.repeats))


def _slice(desc: Slice1, arrays: Sequence[Array], outs: Sequence[Array]) -> NumpyCall:
    return _copies("copyto", outs, [arrays[0][tuple(desc.slices)]])


def _reverse(desc: ReverseSubsequences, arrays: Sequence[Array], outs: Sequence[Array]) -> NumpyCall:
    data, lengths = np.moveaxis(arrays[0], desc.axis, -1), np.moveaxis(arrays[1], desc.axis, -1)
    n, out = data.shape[-1], np.moveaxis(outs[0], desc.axis, -1)
    rows = [(out[place], data[place]) for place in np.ndindex(data.shape[:-1])] if lengths.size <= MOST_SLICES else []

    def slices() -> Sequence[Array]:
        for (row, source), length in zip(rows, lengths.reshape(-1).tolist(), strict=True):
            row[:length] = source[:length][::-1]
            row[length:] = source[length:]
        return outs

    def along() -> Sequence[Array]:
        clamped, at = np.minimum(lengths, n).astype(np.int64), np.arange(n)
        out[...] = np.take_along_axis(data, np.where(at < clamped, clamped - 1 - at, at), -1)
        return outs

    return NumpyCall("slices", slices) if rows else NumpyCall("take_along_axis", along)


_CALLS: Mapping[type[Desc], Callable[[Any, Sequence[Array], Sequence[Array]], NumpyCall]] = MappingProxyType(
    {
        Join: _join,
        Split: _split,
        Gather: _gather,
        Tile: _tile,
        ReverseSubsequences: _reverse,
        GatherElements: _gather_elements,
        Padding: _padding,
        Slice1: _slice,
    }
)
