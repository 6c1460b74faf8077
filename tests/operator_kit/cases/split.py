"""SPLIT: parts of a tensor."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from numpy.typing import NDArray
from support.pages import Cells, Sizes, cells, coordinates, filled, random_bits
from support.strategies import TYPES, Case, generators, parts_of, shapes

import dmlviz as dml


def split(data: Cells, parts: list[Sizes], axis: int) -> list[Cells]:
    """The inverse of join."""
    outs: list[Cells] = []
    split_size = 0
    for sizes in parts:
        out: Cells = {}
        for at in coordinates(sizes):
            moved = list(at)
            moved[axis] += split_size
            out[at] = data[tuple(moved)]
        outs.append(out)
        split_size += sizes[axis]
    return outs


def oracle(desc: dml.Split, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    return filled(desc, split(cells(arrays[0]), [t.sizes for t in desc.output_tensors], desc.axis))


@st.composite
def splits(draw: st.DrawFn) -> Case:
    axis, parts = draw(parts_of(draw(shapes(60))))
    kind, generator = draw(st.sampled_from(TYPES)), draw(generators())
    whole = (*parts[0][:axis], sum(sizes[axis] for sizes in parts), *parts[0][axis + 1 :])
    desc = dml.Split(dml.TensorDesc(kind, whole), tuple(dml.TensorDesc(kind, sizes) for sizes in parts), axis)
    return Case(desc, [random_bits(generator, kind, whole)])


cases = splits
VALID = (
    dml.Split(
        dml.TensorDesc("FLOAT32", (3, 2)), (dml.TensorDesc("FLOAT32", (1, 2)), dml.TensorDesc("FLOAT32", (2, 2))), 0
    ),
)
BROKEN = {
    "axis.range": dml.Split(dml.TensorDesc("FLOAT32", (2, 3)), (dml.TensorDesc("FLOAT32", (2, 3)),), 2),
    "count.matches": dml.Split(dml.TensorDesc("FLOAT32", (2, 3)), (dml.TensorDesc("FLOAT32", (2, 3)),), 1, 3),
    "sizes.match": dml.Split(dml.TensorDesc("FLOAT32", (2, 3)), (dml.TensorDesc("FLOAT32", (1, 3)),), 1),
    "sizes.sum": dml.Split(dml.TensorDesc("FLOAT32", (2, 3)), (dml.TensorDesc("FLOAT32", (2, 2)),), 1),
}
