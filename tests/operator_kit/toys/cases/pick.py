"""PICK: each index names a place along Axis; the last one, if there is no such."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.pages import random_bits
from support.reports import f32, u32
from support.strategies import TYPES, Case, generators, shapes

import dmlviz as dml
from dmlviz.operators.registry import operator_of

Pick: Any = operator_of("DML_OPERATOR_PICK").desc


def oracle(desc: Any, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    data, indices = arrays
    inside = np.minimum(indices, data.shape[desc.axis] - 1).astype(np.int64)
    return [np.take_along_axis(data, inside, desc.axis)]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    whole, kind, generator = draw(shapes(60)), draw(st.sampled_from(TYPES)), draw(generators())
    axis = draw(st.integers(0, len(whole) - 1))
    picked = (*whole[:axis], draw(st.integers(1, 4)), *whole[axis + 1 :])
    indices = generator.integers(0, whole[axis] + draw(st.integers(0, 1)), picked).astype(np.uint32)
    desc = Pick(dml.TensorDesc(kind, whole), u32(*picked), axis)
    return Case(desc, [random_bits(generator, kind, whole), indices])


VALID = (Pick(f32(3, 4), u32(3, 2), 1),)
BROKEN = {
    "axis.range": Pick(f32(3, 4), u32(3, 2), -1),
    "pick.sizes": Pick(f32(3, 4), u32(3, 2), 0),
    "pick.output": Pick(f32(3, 4), u32(3, 2), 1, f32(3, 3)),
}
