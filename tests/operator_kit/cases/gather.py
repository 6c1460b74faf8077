"""GATHER: slices picked by index."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.reports import f32, u32
from support.strategies import INDEX_TYPES, MOST, TYPES, Case, Sizes, generators, random_bits, shapes

import dmlviz as dml


def inside(indices: NDArray[Any], n: int) -> NDArray[Any]:
    """Places on an axis of size `n`, by Python's own numbers, whatever the indices' type."""
    places = [max(0, min(i + n * (i < 0), n - 1)) for i in map(int, indices.ravel())]
    return np.array(places, np.int64).reshape(indices.shape)


def oracle(desc: dml.Gather, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """output[..., i, ...] = input[..., indices[i], ...], right-aligned: leading 1s are trimmed, or put on."""
    data, indices = arrays
    own = indices.reshape(indices.shape[indices.ndim - desc.index_dimensions :])
    taken = np.take(data, inside(own, data.shape[desc.axis]), desc.axis)
    return [taken.reshape(((1,) * data.ndim + taken.shape)[-data.ndim :])]


@st.composite
def index_values(draw: st.DrawFn, kind: dml.DataType, n: int, sizes: Sizes) -> NDArray[Any]:
    """Indices into an axis of size `n`: ordinary ones, at times negative, at times outside."""
    pool = list(range(n))
    low, high = kind.integer_range
    if kind.is_signed and draw(st.booleans()):
        pool += range(-n, 0)
    if draw(st.booleans()):
        pool += [n, n + 1, high, high - 1, high // 2 + 1] + ([-n - 1, low, low + 1] if kind.is_signed else [])
    return np.array(pool, kind.dtype)[draw(generators()).integers(0, len(pool), sizes)]


@st.composite
def gathers(draw: st.DrawFn) -> Case:
    own = draw(shapes(40, highest=5))
    axis = draw(st.integers(0, len(own) - 1))
    room = MOST // max(1, int(np.prod(own)) // own[axis])
    # One in eight is a scalar index: IndexDimensions 0.
    picks = draw(shapes(room, highest=8 - len(own) + 1)) if draw(st.integers(0, 7)) else ()
    count = draw(st.integers(max(len(own), len(picks), len(own) - 1 + len(picks)), 8))
    pad = count - len(own)
    sizes, index_sizes = (1,) * pad + own, (1,) * (count - len(picks)) + picks
    kind, wide = draw(st.sampled_from(TYPES)), draw(st.sampled_from(INDEX_TYPES))
    indices = draw(index_values(wide, own[axis], index_sizes))
    desc = dml.Gather(dml.TensorDesc(kind, sizes), dml.TensorDesc(wide, index_sizes), axis + pad, len(picks))
    return Case(desc, [random_bits(draw(generators()), kind, sizes), indices])


cases = gathers
VALID = (dml.Gather(f32(3, 2), dml.TensorDesc("INT32", (1, 4)), 0, 1),)
BROKEN = {
    "axis.range": dml.Gather(f32(3, 2), u32(1, 2), -1, 1),
    "index_dimensions.range": dml.Gather(f32(3, 2), u32(1, 2), 0, 3),
    "indices.leading": dml.Gather(f32(3, 2), u32(2, 2), 0, 1),
    "gather.fits": dml.Gather(f32(3, 2), u32(2, 2), 1, 2),
    "gather.sizes": dml.Gather(f32(3, 2), u32(1, 2), 0, 1, f32(3, 2)),
}
