"""PICK: each index names a place along Axis; the last one, if there is no such."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.pages import random_bits
from support.strategies import TYPES, Case, generators, shapes

import dmlviz as dml
from dmlviz.operators.registry import operator_of


def pick(data: dml.TensorDesc, *fields: Any) -> Any:
    return operator_of("DML_OPERATOR_PICK").desc(data, *fields)


def oracle(desc: Any, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    data, indices = arrays
    out = np.empty(indices.shape, data.dtype)
    for at in product(*map(range, out.shape)):
        place = list(at)
        place[desc.axis] = min(int(indices[at]), data.shape[desc.axis] - 1)
        out[at] = data[tuple(place)]
    return [out]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    whole, kind, generator = draw(shapes(60)), draw(st.sampled_from(TYPES)), draw(generators())
    axis = draw(st.integers(0, len(whole) - 1))
    picked = (*whole[:axis], draw(st.integers(1, 4)), *whole[axis + 1 :])
    indices = generator.integers(0, whole[axis] + draw(st.integers(0, 1)), picked).astype(np.uint32)
    desc = pick(dml.TensorDesc(kind, whole), dml.TensorDesc("UINT32", picked), axis)
    return Case(desc, [random_bits(generator, kind, whole), indices])


F, U = dml.TensorDesc("FLOAT32", (3, 4)), dml.TensorDesc("UINT32", (3, 2))
VALID = (pick(F, U, 1),)
BROKEN = {
    "axis.range": pick(F, U, -1),
    "pick.sizes": pick(F, U, 0),
    "pick.output": pick(F, U, 1, dml.TensorDesc("FLOAT32", (3, 3))),
}
