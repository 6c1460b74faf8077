"""REVERSE_SUBSEQUENCES: the beginning of every sequence, reversed."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.reports import f32, u32
from support.strategies import LENGTH_TYPES, TYPES, Case, generators, random_bits, shapes

import dmlviz as dml


def reverse_subsequences(data: NDArray[Any], lengths: NDArray[Any], axis: int) -> NDArray[Any]:
    """Of every sequence along Axis the elements within its length are reversed, and the rest is copied."""
    out = data.copy()
    for cell in np.ndindex(lengths.shape):
        at = (*cell[:axis], slice(int(lengths[cell])), *cell[axis + 1 :])
        out[at] = data[at][::-1]
    return out


def oracle(desc: dml.ReverseSubsequences, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    data, lengths = arrays
    return [reverse_subsequences(data, lengths, desc.axis)]


@st.composite
def reversals(draw: st.DrawFn) -> Case:
    sizes = draw(shapes())
    axis = draw(st.integers(0, len(sizes) - 1))
    kind, wide, generator = draw(st.sampled_from(TYPES)), draw(st.sampled_from(LENGTH_TYPES)), draw(generators())
    n, cells = sizes[axis], (*sizes[:axis], 1, *sizes[axis + 1 :])
    pool = list(range(n + 1))
    if draw(st.booleans()):
        pool += [n + 1, 2**31, 2**32 - 1] + ([2**32, 2**63, 2**64 - 1] if wide.item_size == 8 else [])
    if draw(st.booleans()):
        pool = [draw(st.sampled_from(pool))]  # all lengths equal
    lengths = np.array(pool, wide.dtype)[generator.integers(0, len(pool), cells)]
    desc = dml.ReverseSubsequences(dml.TensorDesc(kind, sizes), dml.TensorDesc(wide, cells), axis)
    return Case(desc, [random_bits(generator, kind, sizes), lengths])


cases = reversals
VALID = (dml.ReverseSubsequences(f32(2, 3), u32(2, 1), 1),)
BROKEN = {
    "axis.range": dml.ReverseSubsequences(f32(2, 3), u32(2, 1), 2),
    "lengths.sizes": dml.ReverseSubsequences(f32(2, 3), u32(2, 3), 1),
    "sizes.equal": dml.ReverseSubsequences(f32(2, 3), u32(2, 1), 1, f32(2, 4)),
}
