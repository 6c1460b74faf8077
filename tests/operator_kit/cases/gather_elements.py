"""GATHER_ELEMENTS: elements picked by an index each, as `np.take_along_axis` does."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.pages import random_bits
from support.strategies import INDEX_TYPES, MOST, TYPES, Case, generators, shapes

import dmlviz as dml
from operator_kit.cases.gather import index_values
from operator_kit.finding import Drawn


def oracle(desc: dml.GatherElements, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """Indices in range by Python's own numbers, whatever their type; NumPy then takes along Axis."""
    data, indices = arrays
    n = data.shape[desc.axis]
    inside = [max(0, min(i + n * (i < 0), n - 1)) for i in map(int, indices.ravel())]
    return [np.take_along_axis(data, np.array(inside, np.int64).reshape(indices.shape), desc.axis)]


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


def _desc(data: tuple[int, ...], indices: tuple[int, ...], axis: int, output: Any = None) -> dml.GatherElements:
    made = None if output is None else dml.TensorDesc("FLOAT32", output)
    return dml.GatherElements(dml.TensorDesc("FLOAT32", data), dml.TensorDesc("INT32", indices), axis, made)


VALID = (_desc((3, 3), (2, 3), 0), _desc((2, 3, 4), (2, 3, 1), 2))
BROKEN = {
    "axis.range": _desc((3, 3), (3, 3), -1),
    "gather_elements.indices": _desc((3, 3), (2, 2), 0),
    "gather_elements.sizes": _desc((3, 3), (2, 3), 0, (3, 3)),
}
DRAWN = Drawn(
    identities=(0, 4, 8),
    identity_of="the source element",
    runs=6,
    slices=6,
    block=1,
    formula="OutputTensor[0,0] = InputTensor[IndicesTensor[0,0],0] = InputTensor[0,0]",
    workings=("gather_elements.indices",),
)
