"""PADDING: more elements around a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.reports import f32
from support.strategies import MOST, TYPES, Case, generators, random_bits, shapes

import dmlviz as dml

MODES = ("CONSTANT", "EDGE", "REFLECTION", "SYMMETRIC")


def row(places: int, before: int, behind: int, mode: str) -> list[int]:
    """What stands along one axis, by folding one row of numbers over its ends again and again; -1 is the constant."""
    own = [*range(places)]
    ahead, back = [*own], own[::-1]  # as they go on behind the end, and before the start
    while len(ahead) < places + behind or len(back) < places + before:
        for line, edge in ((ahead, places - 1), (back, 0)):
            fold = line[::-1] if mode == "SYMMETRIC" else line[-2::-1]
            line += [-1] if mode == "CONSTANT" else [edge] if mode == "EDGE" or places == 1 else fold
    return back[: places + before][places:][::-1] + ahead[: places + behind]


def oracle(desc: dml.Padding, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    (data,) = arrays
    axes = zip(data.shape, desc.start_padding, desc.end_padding, strict=True)
    places = np.ix_(*[row(*axis, str(desc.padding_mode)) for axis in axes])
    lost = np.logical_or.reduce(np.broadcast_arrays(*[axis < 0 for axis in places]))
    made = data[places]
    if lost.any():
        made[lost] = data.dtype.type(np.float32(desc.padding_value))
    return [made]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    sizes = draw(shapes(24))
    starts, ends, room = [0] * len(sizes), [0] * len(sizes), MOST // int(np.prod(sizes))
    for d in draw(st.permutations(range(len(sizes)))):
        whole = draw(st.integers(sizes[d], min(3 * sizes[d] + 3, room * sizes[d])))
        starts[d] = draw(st.integers(0, whole - sizes[d]))
        ends[d] = whole - sizes[d] - starts[d]
        room = room * sizes[d] // whole
    kind = draw(st.sampled_from(TYPES))
    low, high = (0, 0) if kind.is_float else kind.integer_range
    whole_ones = st.integers(max(low, -(2**24)), min(high, 2**24))  # which a FLOAT holds
    value = draw(st.sampled_from([0.0, -0.0, 1.5, -2.0, float("inf")]) if kind.is_float else whole_ones)
    desc = dml.Padding(dml.TensorDesc(kind, sizes), draw(st.sampled_from(MODES)), value, starts, ends)
    return Case(desc, [random_bits(draw(generators()), kind, sizes)])


VALID = (
    dml.Padding(f32(2, 3), "REFLECTION", 0, (1, 2), (1, 1)),
    dml.Padding(f32(2, 2), "CONSTANT", 9, (0, 2), (1, 0)),
    dml.Padding(dml.TensorDesc("INT32", (2, 2)), "EDGE", 0, (0, 2), (1, 1)),
    dml.Padding(f32(1, 2, 2), "SYMMETRIC", 0, (0, 3, 0), (1, 0, 1)),
)
BROKEN = {
    "padding.count": dml.Padding(f32(2, 3), "EDGE", 0, (1,), (1,)),
    "count.matches": dml.Padding(f32(2, 3), "EDGE", 0, (1, 1), (1, 1), dimension_count=3),
    "padding.sizes": dml.Padding(f32(2, 3), "CONSTANT", 1, (1, 1), (0, 1), f32(3, 6)),
}
