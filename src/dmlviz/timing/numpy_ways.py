"""All of NumPy's ways to what an operator computes, against which a kernel is timed; the fastest is found by timing."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct

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


class Folded(Struct, frozen=True):
    """Sizes in as few dimensions as they need: `outer` blocks of `n` slices, each of `inner` elements."""

    outer: int
    n: int
    inner: int

    @classmethod
    def of(cls, sizes: Sequence[int], axis: int) -> Folded:
        return cls(math.prod(sizes[:axis]), sizes[axis], math.prod(sizes[axis + 1 :]))

    def shape(self, n: int | None = None) -> tuple[int, ...]:
        """The sizes with `n` slices, without an outer or inner 1."""
        slices = self.n if n is None else n
        return (*([self.outer] if self.outer > 1 else []), slices, *([self.inner] if self.inner > 1 else []))

    @property
    def axis(self) -> int:
        """The axis in `shape`."""
        return int(self.outer > 1)


def join_folded(desc: Join) -> tuple[Folded, list[int]]:
    """The output's sizes, and the inputs' ones along the axis."""
    assert desc.output_tensor is not None
    return Folded.of(desc.output_tensor.sizes, desc.axis), [t.sizes[desc.axis] for t in desc.input_tensors]


def split_folded(desc: Split) -> tuple[Folded, list[int]]:
    """The input's sizes, and the outputs' ones along the axis."""
    return Folded.of(desc.input_tensor.sizes, desc.axis), [t.sizes[desc.axis] for t in desc.output_tensors]


def interleaved(sizes: Sequence[int], repeats: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """TILE as a broadcast: the input's shape and the output's, with an axis of repeats before each that has some."""
    source: list[int] = []
    whole: list[int] = []
    for size, times in zip(sizes, repeats, strict=True):
        if times > 1:
            source.append(1)
            whole.append(times)
        if size > 1:
            if times == 1 and whole and source[-1] == whole[-1]:
                source[-1] *= size  # neighbours that are not repeated are one run
                whole[-1] *= size
            else:
                source.append(size)
                whole.append(size)
    return tuple(source) or (1,), tuple(whole) or (1,)


def indices_in_range(indices: Array, n: int) -> bool:
    """True if every index picks a slice that is there, counted from 0."""
    return bool((indices < n).all()) and (indices.dtype.kind == "u" or bool((indices >= 0).all()))


def signed(array: Array) -> Array:
    """The same bytes as signed integers."""
    return array.view(np.dtype(f"i{array.dtype.itemsize}"))


def uniform_length(lengths: Array, n: int) -> int | None:
    """The length that all sequences have; None where they differ."""
    low, high = int(lengths.min()), int(lengths.max())
    return min(high, n) if low == high or low >= n else None


Outs = Sequence[Array] | None
MOST_SEQUENCES = 1 << 14
"""Sequences that are worth a slice of their own; more take longer than one index for all."""
LARGEST_TABLE = 1 << 20
"""Bytes of a table with the reversed positions for every length."""


class Way(NamedTuple):
    """One way to the outputs of a desc."""

    name: str
    """The library's function: `take`."""
    call: Callable[[], object]
    """Computes every output; what depends on sizes alone has been prepared."""
    outputs: Callable[[], Sequence[Array]]
    """Calls it and returns the outputs, in the desc's sizes or in any with as many elements."""


def version() -> str:
    return np.__version__


def ways(desc: Desc, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    """`concatenate`, `copyto`, `take` and `tile`, into `outs` where the function can write into an array.

    Without `outs` each call allocates its outputs. An operator that NumPy has no function for has no ways.
    """
    ways_of_operator = _WAYS.get(type(desc))
    return ways_of_operator(desc, arrays, outs) if ways_of_operator else []


def _one(name: str, call: Callable[[], Any], out: Array | None = None) -> Way:
    """A way to one output: `out`, or what `call` returns."""

    def outputs() -> list[Array]:
        output = call()
        return [output if out is None else out]

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
    parts = [array.reshape(folded.shape(size)) for array, size in zip(arrays, sizes, strict=True)]
    if outs is None:
        return [_one("concatenate", partial(np.concatenate, parts, folded.axis))]
    out = outs[0].reshape(folded.shape())
    pairs = list(zip(_parts(out, sizes, folded.axis), parts, strict=True))
    return [_one("concatenate", partial(np.concatenate, parts, folded.axis, out)), _into(pairs, outs)]


def _split(desc: Split, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    folded, sizes = split_folded(desc)
    views = _parts(arrays[0].reshape(folded.shape()), sizes, folded.axis)
    if outs is None:

        def call() -> list[Array]:
            return [view.copy() for view in views]

        return [Way("split", call, call)]
    targets = [out.reshape(folded.shape(size)) for out, size in zip(outs, sizes, strict=True)]
    return [_into(list(zip(targets, views, strict=True)), outs)._replace(name="split")]


def _gather(desc: Gather, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    folded = Folded.of(desc.input_tensor.sizes, desc.axis)
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


def _gather_elements(desc: GatherElements, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    folded = Folded.of(desc.input_tensor.sizes, desc.axis)
    n, inner = folded.n, folded.inner
    data, indices = (each.reshape(folded.outer, -1, inner) for each in arrays)
    out = outs[0].reshape(indices.shape) if outs is not None else None
    inside = indices_in_range(indices, n)
    blocks = np.arange(folded.outer)[:, None, None] * (n * inner) + np.arange(inner)

    def acting() -> Array:
        if inside:
            return signed(indices)
        if indices.dtype.kind == "u":
            return np.minimum(indices, n - 1).astype(np.int64)
        wide = indices.astype(np.int64)
        return np.clip(np.where(wide < 0, wide + n, wide), 0, n - 1)

    def along() -> Array:
        taken = np.take_along_axis(data, acting(), 1)
        if out is None:
            return taken
        out[...] = taken
        return out

    def flat() -> Array:
        return data.reshape(-1).take(acting() * inner + blocks, None, out, "clip")

    return [_one("take_along_axis", along, out), _one("take", flat, out)]


def _padding(desc: Padding, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    """np.pad, which allocates; and what it does, into an array that is there: the middle, and then axis by axis."""
    (array,), axes, mode = arrays, desc.axes, desc.mode
    constant = element_of(desc.value, desc.input_tensor.data_type)
    more = {"constant_values": constant} if mode == CONSTANT else {}
    pairs = [axis[1:] for axis in axes]
    own = partial(np.pad, array, pairs, NUMPY_MODES[mode], **more)
    inside = [slice(axis.start, axis.start + axis.size) for axis in axes]

    def into(out: Array) -> Array:
        if mode == CONSTANT:
            out.fill(constant)
        out[tuple(inside)] = array
        for d, axis in enumerate(axes if mode != CONSTANT else []):
            for first, count in ((0, axis.start), (axis.start + axis.size, axis.end)):
                if count:
                    places = np.arange(first, first + count) - axis.start
                    sources = axis.folded(mode, places) + axis.start
                    before, behind = (slice(None),) * d, tuple(inside[d + 1 :])
                    out[(*before, slice(first, first + count), *behind)] = out[(*before, sources, *behind)]
        return out

    if outs is not None:
        return [_one("copyto", partial(into, outs[0]), outs[0]), _one("pad", own)]
    return [_one("pad", own), _one("copyto", lambda: into(np.empty([axis.full for axis in axes], array.dtype)))]


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


def _slice(desc: Slice1, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    view = arrays[0][tuple(desc.slices)]
    if outs is not None:
        return [_into([(outs, view) for outs in outs], outs)]
    return [_one("copy", view.copy)]


def _reverse(desc: ReverseSubsequences, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    folded = Folded.of(desc.input_tensor.sizes, desc.axis)
    outer, n, inner = folded.outer, folded.n, folded.inner
    data = arrays[0].reshape(outer, n, inner)
    lengths = arrays[1].reshape(outer, inner)
    out = outs[0].reshape(outer, n, inner) if outs is not None else None
    along = np.arange(n)[:, None]

    def positions() -> Array:
        clamped = np.minimum(lengths, n).astype(np.int64)[:, None, :]
        return np.where(along < clamped, clamped - 1 - along, along)

    ways = [_one("take_along_axis", lambda: np.take_along_axis(data, positions(), 1))]
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

    ways.append(_one("take", flat_take, out))
    if inner == 1 and (n + 1) * n * 8 <= LARGEST_TABLE:
        every = np.arange(n + 1)[:, None]
        table = np.where(along[:, 0] < every, every - 1 - along[:, 0], along[:, 0])

        def table_take() -> Array:
            at = table.take(np.minimum(lengths[:, 0], n).astype(np.int64), 0)
            at += starts[:, 0]
            return flat.take(at, None, None if out is None else out[:, :, 0], "clip")

        ways.append(_one("take of a table", table_take, out))
    if outer * inner <= MOST_SEQUENCES:
        sequences = [data[o, :, i] for o in range(outer) for i in range(inner)]

        def sliced(into: Array, places: Sequence[Array]) -> Array:
            for place, source, length in zip(places, sequences, lengths.reshape(-1).tolist(), strict=True):
                place[:length] = source[:length][::-1]
                place[length:] = source[length:]
            return into

        if out is not None:
            ways.append(_one("slices", partial(sliced, out, _sequences(out)), out))
        else:

            def fresh() -> Array:
                into = np.empty_like(data)
                return sliced(into, _sequences(into))

            ways.append(_one("slices", fresh))
    length = uniform_length(lengths, n)
    if length is not None:
        turned, rest = data[:, :length][:, ::-1], data[:, length:]

        def flipped() -> Array:
            into = np.empty_like(data) if out is None else out
            into[:, :length] = turned
            into[:, length:] = rest
            return into

        ways.append(_one("flip", flipped, out))
    return ways


def _sequences(array: Array) -> list[Array]:
    outer, _, inner = array.shape
    return [array[o, :, i] for o in range(outer) for i in range(inner)]


_WAYS: Mapping[type[Desc], Callable[[Any, Sequence[Array], Outs], list[Way]]] = MappingProxyType(
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
