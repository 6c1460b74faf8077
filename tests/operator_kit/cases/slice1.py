"""SLICE1: the page's pseudo-code, element by element."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.pages import random_bits
from support.strategies import TYPES, Case, generators, shapes

import dmlviz as dml
from dmlviz.operators.slice1 import Slice1
from operator_kit.finding import Drawn


def slice1(
    data: tuple[int, ...],
    offsets: tuple[int, ...],
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    out: tuple[int, ...] | None = None,
) -> Slice1:
    """A desc of FLOAT32."""
    output = None if out is None else dml.TensorDesc("FLOAT32", out)
    return Slice1(dml.TensorDesc("FLOAT32", data), offsets, sizes, strides, output)


def oracle(desc: Slice1, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """CopyStart is the window's offset, or its end where the stride is negative; each step adds the stride."""
    (data,) = arrays
    assert desc.output_tensor is not None
    out = np.empty(desc.output_tensor.sizes, data.dtype)
    copy_start = list(desc.input_window_offsets)
    for i in range(data.ndim):
        if desc.input_window_strides[i] < 0:
            copy_start[i] += desc.input_window_sizes[i] - 1
    for at in product(*map(range, out.shape)):
        out[at] = data[tuple(copy_start[i] + desc.input_window_strides[i] * at[i] for i in range(data.ndim))]
    return [out]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    sizes = draw(shapes(120))
    offsets, window, strides, out = [], [], [], []
    for n in sizes:
        offset = draw(st.integers(0, n - 1))
        size = draw(st.integers(1, n - offset))
        stride = draw(st.integers(1, size + 1)) * draw(st.sampled_from([1, -1]))
        offsets.append(offset)
        window.append(size)
        strides.append(stride)
        out.append(draw(st.integers(1, 1 + (size - 1) // abs(stride))))
    kind = draw(st.sampled_from(TYPES))
    desc = Slice1(
        dml.TensorDesc(kind, sizes),
        offsets,
        window,
        strides,
        dml.TensorDesc(kind, out) if draw(st.booleans()) else None,
    )
    return Case(desc, [random_bits(draw(generators()), kind, sizes)])


VALID = (
    slice1((4, 5), (0, 1), (4, 4), (-2, 1)),
    slice1((1, 3, 4), (0, 0, 0), (1, 3, 4), (1, 2, -3), (1, 1, 2)),
    slice1((7, 5), (0, 0), (5, 3), (-2, 2)),
)
BROKEN = {
    "slice.count": slice1((4, 5), (1,), (2,), (1,)),
    "count.matches": slice1((4, 5), (0, 1), (4,), (1, 1, -1)),
    "slice.positive": slice1((4, 5), (0, 1), (4, 0), (1, 1)),
    "slice.strides": slice1((4, 5), (0, 1), (4, 2), (0, -1)),
    "slice.inside": slice1((4, 5), (0, 2), (4, 4), (1, 1)),
    "slice.reach": slice1((4, 5), (0, 1), (4, 4), (-2, 1), (3, 4)),
    "number.range": slice1((4, 5), (0, -1), (4, 4), (1, 1)),
}
DRAWN = Drawn(
    identities=(1, 3),
    identity_of="the position along the axis that is sliced",
    runs=2,
    slices=2,
    block=4,
    formula="OutputTensor[0,0] = InputTensor[3 − 2×0,1 + 0] = InputTensor[3,1]",
    workings=("slice.inside", "slice.reach"),
)
