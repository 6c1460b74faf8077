"""GATHER_ELEMENTS: elements picked by an index each, as `np.take_along_axis` does."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.reports import f32, u32
from support.strategies import INDEX_TYPES, MOST, TYPES, Case, generators, random_bits, shapes

import dmlviz as dml
from operator_kit.cases.gather import index_values, inside


def oracle(desc: dml.GatherElements, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    data, indices = arrays
    return [np.take_along_axis(data, inside(indices, data.shape[desc.axis]), desc.axis)]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    sizes = draw(shapes(60))
    axis = draw(st.integers(0, len(sizes) - 1))
    count = draw(st.integers(1, min(8, MOST * sizes[axis] // int(np.prod(sizes)))))
    index_sizes = (*sizes[:axis], count, *sizes[axis + 1 :])
    kind, wide = draw(st.sampled_from(TYPES)), draw(st.sampled_from(INDEX_TYPES))
    indices = draw(index_values(wide, sizes[axis], index_sizes))
    desc = dml.GatherElements(dml.TensorDesc(kind, sizes), dml.TensorDesc(wide, index_sizes), axis)
    return Case(desc, [random_bits(draw(generators()), kind, sizes), indices])


VALID = (dml.GatherElements(f32(3, 3), u32(2, 3), 0), dml.GatherElements(f32(2, 3, 4), u32(2, 3, 1), 2))
BROKEN = {
    "axis.range": dml.GatherElements(f32(3, 3), u32(3, 3), -1),
    "gather_elements.indices": dml.GatherElements(f32(3, 3), u32(2, 2), 0),
    "gather_elements.sizes": dml.GatherElements(f32(3, 3), u32(2, 3), 0, f32(3, 3)),
}
