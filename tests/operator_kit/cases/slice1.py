"""SLICE1: the page's pseudo-code."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.reports import f32
from support.strategies import TYPES, Case, generators, random_bits, shapes

import dmlviz as dml
from dmlviz.operators.slice1 import Slice1


def oracle(desc: Slice1, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """CopyStart is the window's offset, or its end where the stride is negative; each step adds the stride."""
    assert desc.output_tensor is not None
    rows = zip(desc.output_tensor.sizes, desc.input_window_offsets, desc.input_window_sizes, strict=True)
    places = [
        [offset + stride * i + (size - 1) * (stride < 0) for i in range(n)]
        for (n, offset, size), stride in zip(rows, desc.input_window_strides, strict=True)
    ]
    return [arrays[0][np.ix_(*places)]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    sizes = draw(shapes(120))
    rows = []
    for n in sizes:
        offset = draw(st.integers(0, n - 1))
        size = draw(st.integers(1, n - offset))
        stride = draw(st.integers(1, size + 1)) * draw(st.sampled_from([1, -1]))
        rows.append((offset, size, stride, draw(st.integers(1, 1 + (size - 1) // abs(stride)))))
    offsets, window, strides, out = zip(*rows, strict=True)
    kind = draw(st.sampled_from(TYPES))
    output = dml.TensorDesc(kind, out) if draw(st.booleans()) else None
    desc = Slice1(dml.TensorDesc(kind, sizes), offsets, window, strides, output)
    return Case(desc, [random_bits(draw(generators()), kind, sizes)])


VALID = (
    Slice1(f32(4, 5), (0, 1), (4, 4), (-2, 1)),
    Slice1(f32(1, 3, 4), (0, 0, 0), (1, 3, 4), (1, 2, -3), f32(1, 1, 2)),
    Slice1(f32(7, 5), (0, 0), (5, 3), (-2, 2)),
)
BROKEN = {
    "slice.count": Slice1(f32(4, 5), (1,), (2,), (1,)),
    "count.matches": Slice1(f32(4, 5), (0, 1), (4,), (1, 1, -1)),
    "slice.positive": Slice1(f32(4, 5), (0, 1), (4, 0), (1, 1)),
    "slice.strides": Slice1(f32(4, 5), (0, 1), (4, 2), (0, -1)),
    "slice.inside": Slice1(f32(4, 5), (0, 2), (4, 4), (1, 1)),
    "slice.reach": Slice1(f32(4, 5), (0, 1), (4, 4), (-2, 1), f32(3, 4)),
    "number.range": Slice1(f32(4, 5), (0, -1), (4, 4), (1, 1)),
}
