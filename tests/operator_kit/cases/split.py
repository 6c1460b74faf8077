"""SPLIT: parts of a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.reports import f32
from support.strategies import TYPES, Case, generators, parts_of, random_bits, shapes

import dmlviz as dml


def oracle(desc: dml.Split, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    ends = np.cumsum([part.sizes[desc.axis] for part in desc.output_tensors])
    return np.split(arrays[0], ends[:-1], desc.axis)


@st.composite
def splits(draw: st.DrawFn) -> Case:
    axis, parts = draw(parts_of(draw(shapes(60))))
    kind, generator = draw(st.sampled_from(TYPES)), draw(generators())
    whole = (*parts[0][:axis], sum(sizes[axis] for sizes in parts), *parts[0][axis + 1 :])
    desc = dml.Split(dml.TensorDesc(kind, whole), tuple(dml.TensorDesc(kind, sizes) for sizes in parts), axis)
    return Case(desc, [random_bits(generator, kind, whole)])


cases = splits
VALID = (dml.Split(f32(3, 2), (f32(1, 2), f32(2, 2)), 0),)
BROKEN = {
    "axis.range": dml.Split(f32(2, 3), (f32(2, 3),), 2),
    "count.matches": dml.Split(f32(2, 3), (f32(2, 3),), 1, 3),
    "sizes.match": dml.Split(f32(2, 3), (f32(1, 3),), 1),
    "sizes.sum": dml.Split(f32(2, 3), (f32(2, 2),), 1),
}
