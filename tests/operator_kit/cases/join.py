"""JOIN: tensors laid end to end."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from numpy.typing import NDArray
from support.pages import Cells, Sizes, cells, coordinates, filled, random_bits
from support.strategies import TYPES, Case, generators, parts_of, shapes

import dmlviz as dml


def join(tensors: list[tuple[Sizes, Cells]], axis: int) -> Cells:
    """joinSize grows by each input's size along Axis; the input begins where joinSize stood."""
    out: Cells = {}
    join_size = 0
    for sizes, data in tensors:
        for at in coordinates(sizes):
            moved = list(at)
            moved[axis] += join_size
            out[tuple(moved)] = data[at]
        join_size += sizes[axis]
    return out


def oracle(desc: dml.Join, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    tensors = [(a.shape, cells(a)) for a in arrays]
    return filled(desc, [join(tensors, desc.axis)])


@st.composite
def joins(draw: st.DrawFn) -> Case:
    axis, parts = draw(parts_of(draw(shapes(60))))
    kind, generator = draw(st.sampled_from(TYPES)), draw(generators())
    desc = dml.Join(tuple(dml.TensorDesc(kind, sizes) for sizes in parts), axis)
    return Case(desc, [random_bits(generator, kind, sizes) for sizes in parts])


cases = joins
VALID = (
    dml.Join((dml.TensorDesc("FLOAT32", (1, 2, 2)), dml.TensorDesc("FLOAT32", (1, 1, 2))), 1),
    dml.Join((dml.TensorDesc("INT8", (3,)),), 0),
)
BROKEN = {
    "axis.range": dml.Join((dml.TensorDesc("FLOAT32", (2, 3)),), -1),
    "count.positive": dml.Join((dml.TensorDesc("FLOAT32", (2, 3)),), 0, input_count=0),
    "count.matches": dml.Join((dml.TensorDesc("FLOAT32", (2, 3)),), 0, input_count=2),
    "sizes.match": dml.Join((dml.TensorDesc("FLOAT32", (2, 3)), dml.TensorDesc("FLOAT32", (2, 4))), 0),
    "sizes.sum": dml.Join((dml.TensorDesc("FLOAT32", (2, 3)),), 0, dml.TensorDesc("FLOAT32", (4, 3))),
}
