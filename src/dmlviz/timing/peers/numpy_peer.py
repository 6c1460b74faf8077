"""NumPy's ways."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from ...desc.base import Desc
from ...desc.values import Array
from ...operators.gather import Gather
from ...operators.join import Join
from ...operators.reverse_subsequences import ReverseSubsequences
from ...operators.split import Split
from ...operators.tile import Tile
from .folding import (
    gather_folded,
    indices_in_range,
    interleaved,
    join_folded,
    reverse_folded,
    signed,
    split_folded,
    uniform_length,
)
from .ways import CannotExpressError, Way

Outs = Sequence[Array] | None
MOST_SEQUENCES = 1 << 14
"""Sequences that are worth a slice of their own; more take longer than one index for all."""
LARGEST_TABLE = 1 << 20
"""Bytes of a table with the reversed positions for every length."""


def version() -> str:
    return np.__version__


def ways(desc: Desc, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    """`concatenate`, `copyto`, `take` and `tile`, into `outs` where the function can write into an array."""
    made = _WAYS.get(type(desc))
    if made is None:
        raise CannotExpressError("has no such function")
    return made(desc, arrays, outs)


def _one(name: str, call: Callable[[], Any], out: Array | None = None) -> Way:
    """A way to one output: `out`, or what `call` returns."""

    def outputs() -> list[Array]:
        found = call()
        return [found if out is None else out]

    return Way(name, call, outputs)


def _into(pairs: Sequence[tuple[Array, Array]], outs: Sequence[Array]) -> Way:
    """`copyto` for every pair of an output's view and an input's."""
    copyto = np.copyto

    def call() -> None:
        for out, source in pairs:
            copyto(out, source)

    only = partial(copyto, *pairs[0]) if len(pairs) == 1 else call

    def outputs() -> Sequence[Array]:
        only()
        return outs

    return Way("copyto", only, outputs)


def _parts(whole: Array, sizes: Sequence[int], axis: int) -> list[Array]:
    return np.split(whole, np.cumsum(sizes)[:-1], axis)


def _join(desc: Join, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    folded, sizes = join_folded(desc)
    held = [array.reshape(folded.shape(size)) for array, size in zip(arrays, sizes, strict=True)]
    if outs is None:
        return [_one("concatenate", partial(np.concatenate, held, folded.axis))]
    out = outs[0].reshape(folded.shape())
    pairs = list(zip(_parts(out, sizes, folded.axis), held, strict=True))
    return [_one("concatenate", partial(np.concatenate, held, folded.axis, out)), _into(pairs, outs)]


def _split(desc: Split, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    folded, sizes = split_folded(desc)
    views = _parts(arrays[0].reshape(folded.shape()), sizes, folded.axis)
    if outs is None:

        def call() -> list[Array]:
            return [view.copy() for view in views]

        return [Way("split", call, call)]
    held = [out.reshape(folded.shape(size)) for out, size in zip(outs, sizes, strict=True)]
    return [_into(list(zip(held, views, strict=True)), outs)._replace(name="split")]


def _gather(desc: Gather, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    folded = gather_folded(desc)
    n, axis = folded.n, folded.axis
    data = arrays[0].reshape(folded.shape())
    indices = arrays[1].reshape(-1)
    out = outs[0].reshape(folded.shape(len(indices))) if outs is not None else None
    if indices_in_range(indices, n):
        # NumPy takes no unsigned 64-bit index; where none is out of range, a signed one has the same bits.
        return [_one("take", partial(data.take, signed(indices), axis, out, "clip"), out)]

    def call() -> Array:
        if indices.dtype.kind == "u":
            wide = np.minimum(indices, n - 1).astype(np.int64)
        else:
            wide = indices.astype(np.int64)
            wide = np.where(wide < 0, wide + n, wide)
        return data.take(wide, axis, out, "clip")

    return [_one("take", call, out)]


def _tile(desc: Tile, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    source, whole = interleaved(desc.input_tensor.sizes, desc.repeats)
    spread = np.broadcast_to(arrays[0].reshape(source), whole)
    own = _one("tile", partial(np.tile, arrays[0], tuple(desc.repeats)))
    if outs is not None:
        return [_into([(outs[0].reshape(whole), spread)], outs), own]

    def call() -> Array:
        out = np.empty(whole, spread.dtype)
        np.copyto(out, spread)
        return out

    return [_one("copyto", call), own]


def _reverse(desc: ReverseSubsequences, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    folded = reverse_folded(desc)
    outer, n, inner = folded.outer, folded.n, folded.inner
    data = arrays[0].reshape(outer, n, inner)
    lengths = arrays[1].reshape(outer, inner)
    out = outs[0].reshape(outer, n, inner) if outs is not None else None
    along = np.arange(n)[:, None]

    def positions() -> Array:
        held = np.minimum(lengths, n).astype(np.int64)[:, None, :]
        return np.where(along < held, held - 1 - along, along)

    found = [_one("take_along_axis", lambda: np.take_along_axis(data, positions(), 1))]
    flat = data.reshape(-1)
    lanes = np.arange(inner)
    starts = np.arange(outer)[:, None, None] * (n * inner)

    def flat_take() -> Array:
        at = positions()
        if inner > 1:
            at *= inner
            at += lanes
        if outer > 1:
            at += starts
        return flat.take(at, None, out, "clip")

    found.append(_one("take", flat_take, out))
    if inner == 1 and (n + 1) * n * 8 <= LARGEST_TABLE:
        every = np.arange(n + 1)[:, None]
        table = np.where(along[:, 0] < every, every - 1 - along[:, 0], along[:, 0])

        def table_take() -> Array:
            at = table.take(np.minimum(lengths[:, 0], n).astype(np.int64), 0)
            at += starts[:, 0]
            return flat.take(at, None, None if out is None else out[:, :, 0], "clip")

        found.append(_one("take of a table", table_take, out))
    if outer * inner <= MOST_SEQUENCES:
        sequences = [data[o, :, i] for o in range(outer) for i in range(inner)]

        def sliced(into: Array, places: Sequence[Array]) -> Array:
            for place, source, length in zip(places, sequences, lengths.reshape(-1).tolist(), strict=True):
                place[:length] = source[:length][::-1]
                place[length:] = source[length:]
            return into

        if out is not None:
            found.append(_one("slices", partial(sliced, out, _sequences(out)), out))
        else:

            def fresh() -> Array:
                into = np.empty_like(data)
                return sliced(into, _sequences(into))

            found.append(_one("slices", fresh))
    length = uniform_length(lengths, n)
    if length is not None:
        turned, rest = data[:, :length][:, ::-1], data[:, length:]

        def flipped() -> Array:
            into = np.empty_like(data) if out is None else out
            into[:, :length] = turned
            into[:, length:] = rest
            return into

        found.append(_one("flip", flipped, out))
    return found


def _sequences(array: Array) -> list[Array]:
    outer, _, inner = array.shape
    return [array[o, :, i] for o in range(outer) for i in range(inner)]


_WAYS: Mapping[type[Desc], Callable[[Any, Sequence[Array], Outs], list[Way]]] = MappingProxyType(
    {Join: _join, Split: _split, Gather: _gather, Tile: _tile, ReverseSubsequences: _reverse}
)
