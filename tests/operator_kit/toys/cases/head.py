"""HEAD: the same place."""

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


def head(data: dml.TensorDesc, *fields: Any) -> Any:
    return operator_of("DML_OPERATOR_HEAD").desc(data, *fields)


def oracle(desc: Any, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    out = np.empty(desc.output_tensor.sizes, arrays[0].dtype)
    for at in product(*map(range, out.shape)):
        out[at] = arrays[0][at]
    return [out]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    whole, kind = draw(shapes(120)), draw(st.sampled_from(TYPES))
    first = [draw(st.integers(1, n)) for n in whole]
    desc = head(dml.TensorDesc(kind, whole), dml.TensorDesc(kind, first))
    return Case(desc, [random_bits(draw(generators()), kind, whole)])


F = dml.TensorDesc("FLOAT32", (3, 4))
VALID = (head(F), head(F, dml.TensorDesc("FLOAT32", (2, 3))))
BROKEN = {"head.sizes": head(F, dml.TensorDesc("FLOAT32", (4, 4)))}
