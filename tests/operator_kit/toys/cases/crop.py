"""CROP: what stands an offset further."""

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


def crop(data: dml.TensorDesc, *fields: Any) -> Any:
    return operator_of("DML_OPERATOR_CROP").desc(data, *fields)


def oracle(desc: Any, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    out = np.empty(desc.output_tensor.sizes, arrays[0].dtype)
    for at in product(*map(range, out.shape)):
        out[at] = arrays[0][tuple(i + offset for i, offset in zip(at, desc.offsets, strict=True))]
    return [out]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    whole, kind = draw(shapes(120)), draw(st.sampled_from(TYPES))
    offsets = [draw(st.integers(0, n - 1)) for n in whole]
    sizes = [draw(st.integers(1, n - offset)) for n, offset in zip(whole, offsets, strict=True)]
    return Case(crop(dml.TensorDesc(kind, whole), offsets, sizes), [random_bits(draw(generators()), kind, whole)])


F = dml.TensorDesc("FLOAT32", (3, 4))
VALID = (crop(F, (1, 0), (2, 3)),)
BROKEN = {
    "count.matches": crop(F, (0, 1), (2,), None, 2),
    "crop.inside": crop(F, (1, 3), (2, 3)),
    "crop.sizes": crop(F, (1, 0), (2, 3), dml.TensorDesc("FLOAT32", (2, 4))),
}
LIT = {"crop.inside": {("InputTensor", 1), ("OutputTensor", 1)}}
