"""GATHER: slices picked by index."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.pages import Cells, Sizes, cells, coordinates, filled, numbers, random_bits
from support.strategies import INDEX_TYPES, MOST, TYPES, Case, generators, shapes

import dmlviz as dml


def gather(sizes: Sizes, data: Cells, index_sizes: Sizes, indices: Cells, axis: int, index_dimensions: int) -> Cells:
    """output[..., i, ...] = input[..., indices[i], ...], right-aligned: leading 1s are trimmed, or one is put on."""
    out: Cells = {}
    n = sizes[axis]
    ignored = len(index_sizes) - index_dimensions
    for lead in coordinates(sizes[:axis]):
        for i in coordinates(index_sizes[ignored:]):
            for trail in coordinates(sizes[axis + 1 :]):
                picked = indices[(0,) * ignored + i]
                if picked < 0:
                    picked += n
                picked = max(0, min(picked, n - 1))
                full = (0, *lead, *i, *trail)
                assert not any(full[: -len(sizes)])
                out[full[-len(sizes) :]] = data[(*lead, picked, *trail)]
    return out


def oracle(desc: dml.Gather, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    data, index = arrays
    how = desc.axis, desc.index_dimensions
    return filled(desc, [gather(data.shape, cells(data), index.shape, numbers(index), *how)])


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
    least = max(len(own), len(picks), len(own) - 1 + len(picks))
    count = draw(st.integers(least, 8))
    pad = count - len(own)
    sizes, index_sizes = (1,) * pad + own, (1,) * (count - len(picks)) + picks
    kind, wide = draw(st.sampled_from(TYPES)), draw(st.sampled_from(INDEX_TYPES))
    indices = draw(index_values(wide, own[axis], index_sizes))
    desc = dml.Gather(dml.TensorDesc(kind, sizes), dml.TensorDesc(wide, index_sizes), axis + pad, len(picks))
    return Case(desc, [random_bits(draw(generators()), kind, sizes), indices])


cases = gathers
VALID = (dml.Gather(dml.TensorDesc("FLOAT32", (3, 2)), dml.TensorDesc("INT32", (1, 4)), 0, 1),)
BROKEN = {
    "axis.range": dml.Gather(dml.TensorDesc("FLOAT32", (3, 2)), dml.TensorDesc("UINT32", (1, 2)), -1, 1),
    "index_dimensions.range": dml.Gather(dml.TensorDesc("FLOAT32", (3, 2)), dml.TensorDesc("UINT32", (1, 2)), 0, 3),
    "indices.leading": dml.Gather(dml.TensorDesc("FLOAT32", (3, 2)), dml.TensorDesc("UINT32", (2, 2)), 0, 1),
    "gather.fits": dml.Gather(dml.TensorDesc("FLOAT32", (3, 2)), dml.TensorDesc("UINT32", (2, 2)), 1, 2),
    "gather.sizes": dml.Gather(
        dml.TensorDesc("FLOAT32", (3, 2)), dml.TensorDesc("UINT32", (1, 2)), 0, 1, dml.TensorDesc("FLOAT32", (3, 2))
    ),
}
