"""FRAME: np.pad with one value."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.pages import random_bits
from support.strategies import TYPES, Case, generators, shapes

import dmlviz as dml
from dmlviz.operators.registry import operator_of


def frame(data: dml.TensorDesc, *fields: Any) -> Any:
    return operator_of("DML_OPERATOR_FRAME").desc(data, *fields)


def oracle(desc: Any, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    kind, value = arrays[0].dtype, desc.border_value
    if kind.kind != "f":
        value = min(max(value, np.iinfo(kind).min), np.iinfo(kind).max)
    with np.errstate(over="ignore"):  # beyond the largest FLOAT16
        element = np.array(value).astype(kind)
    return [np.pad(arrays[0], [(n, n) for n in desc.borders], constant_values=element)]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    whole, kind = draw(shapes(24)), draw(st.sampled_from(TYPES))
    borders = [draw(st.integers(0, 2)) if d >= len(whole) - 2 else 0 for d in range(len(whole))]
    value = draw(st.integers(-(2**31), 2**31 - 1) | st.integers(-3, 3))
    return Case(frame(dml.TensorDesc(kind, whole), value, borders), [random_bits(draw(generators()), kind, whole)])


F = dml.TensorDesc("FLOAT32", (2, 3))
VALID = (frame(F, 7, (1, 2)), frame(F, 7, (0, 0)), frame(dml.TensorDesc("UINT8", (3,)), -1, (2,)))
BROKEN = {
    "count.matches": frame(F, 7, (1, 2), None, 3),
    "borders.count": frame(F, 7, (1,)),
    "frame.sizes": frame(F, 7, (1, 2), dml.TensorDesc("FLOAT32", (4, 8))),
}
