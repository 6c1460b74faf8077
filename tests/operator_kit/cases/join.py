"""JOIN: tensors laid end to end."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.reports import f32
from support.strategies import TYPES, Case, generators, parts_of, random_bits, shapes

import dmlviz as dml


def oracle(desc: dml.Join, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    return [np.concatenate(arrays, desc.axis)]


@st.composite
def joins(draw: st.DrawFn) -> Case:
    axis, parts = draw(parts_of(draw(shapes(60))))
    kind, generator = draw(st.sampled_from(TYPES)), draw(generators())
    desc = dml.Join(tuple(dml.TensorDesc(kind, sizes) for sizes in parts), axis)
    return Case(desc, [random_bits(generator, kind, sizes) for sizes in parts])


cases = joins
VALID = (dml.Join((f32(1, 2, 2), f32(1, 1, 2)), 1), dml.Join((dml.TensorDesc("INT8", (3,)),), 0))
BROKEN = {
    "axis.range": dml.Join((f32(2, 3),), -1),
    "count.positive": dml.Join((f32(2, 3),), 0, input_count=0),
    "count.matches": dml.Join((f32(2, 3),), 0, input_count=2),
    "sizes.match": dml.Join((f32(2, 3), f32(2, 4)), 0),
    "sizes.sum": dml.Join((f32(2, 3),), 0, f32(4, 3)),
}
