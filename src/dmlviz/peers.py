"""The same in NumPy: what a kernel's time is held against."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from .descs import Desc
from .operators.gather import Gather
from .operators.join import Join
from .operators.reverse_subsequences import ReverseSubsequences
from .operators.split import Split
from .operators.tile import Tile
from .values import Array


class Peer(NamedTuple):
    """Another way to the same outputs."""

    name: str
    """NumPy's function: `take`."""
    call: Callable[[], object]
    """Computes every output; what depends on sizes alone has been prepared."""
    outputs: Callable[[], Sequence[Array]]
    """Calls it and returns the outputs, in the desc's sizes or in any with as many elements."""


def numpy_peer(desc: Desc, arrays: Sequence[Array]) -> Peer | None:
    """How one would write `desc` in NumPy, on input `arrays`; None for an operator that has no such way here.

    `concatenate`, `take` and `split` write into arrays that are there already; `tile` and `take_along_axis` have no
    `out` and allocate.
    """
    made = _PEERS.get(type(desc))
    return made(desc, arrays) if made else None


def _join(desc: Join, arrays: Sequence[Array]) -> Peer:
    assert desc.output_tensor is not None
    out = np.empty(desc.output_tensor.sizes, arrays[0].dtype)
    call = partial(np.concatenate, arrays, desc.axis, out)
    return Peer("concatenate", call, lambda: [call()])


def _split(desc: Split, arrays: Sequence[Array]) -> Peer:
    outs = [np.empty(part.tensor.sizes, arrays[0].dtype) for part in desc.outputs]
    at = np.cumsum([tensor.sizes[desc.axis] for tensor in desc.output_tensors])[:-1]
    pairs = list(zip(outs, np.split(arrays[0], at, desc.axis), strict=True))

    def call() -> list[Array]:
        for out, view in pairs:
            np.copyto(out, view)
        return outs

    return Peer("split", call, call)


def _gather(desc: Gather, arrays: Sequence[Array]) -> Peer:
    data, n = arrays[0], arrays[0].shape[desc.axis]
    indices = arrays[1].reshape(desc.index_sizes)
    out = np.empty(desc.full_sizes(), data.dtype)
    signed = indices.dtype.kind == "i"
    if indices.dtype == np.uint64:
        # NumPy takes no unsigned 64-bit index.
        def call() -> Array:
            return np.take(data, np.minimum(indices, n - 1).astype(np.int64), desc.axis, out, "clip")
    elif signed and indices.min() < 0:

        def call() -> Array:
            wide = indices.astype(np.int64)
            return np.take(data, np.where(wide < 0, wide + n, wide), desc.axis, out, "clip")
    else:
        call = partial(np.take, data, indices, desc.axis, out, "clip")
    return Peer("take", call, lambda: [call()])


def _tile(desc: Tile, arrays: Sequence[Array]) -> Peer:
    call = partial(np.tile, arrays[0], desc.repeats)
    return Peer("tile", call, lambda: [call()])


def _reverse(desc: ReverseSubsequences, arrays: Sequence[Array]) -> Peer:
    data, lengths = arrays
    n = data.shape[desc.axis]
    shape = [1] * data.ndim
    shape[desc.axis] = n
    along = np.arange(n).reshape(shape)

    def call() -> Array:
        held = np.minimum(lengths, n).astype(np.int64)
        return np.take_along_axis(data, np.where(along < held, held - 1 - along, along), desc.axis)

    return Peer("take_along_axis", call, lambda: [call()])


_PEERS: Mapping[type[Desc], Callable[[Any, Sequence[Array]], Peer]] = MappingProxyType(
    {Join: _join, Split: _split, Gather: _gather, Tile: _tile, ReverseSubsequences: _reverse}
)
