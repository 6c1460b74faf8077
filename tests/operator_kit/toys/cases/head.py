"""HEAD: the same place."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from numpy.typing import NDArray
from support.pages import random_bits
from support.reports import f32
from support.strategies import TYPES, Case, generators, shapes

import dmlviz as dml
from dmlviz.operators.registry import operator_of

Head: Any = operator_of("DML_OPERATOR_HEAD").desc


def oracle(desc: Any, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    return [arrays[0][tuple(map(slice, desc.output_tensor.sizes))]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    whole, kind = draw(shapes(120)), draw(st.sampled_from(TYPES))
    desc = Head(dml.TensorDesc(kind, whole), dml.TensorDesc(kind, [draw(st.integers(1, n)) for n in whole]))
    return Case(desc, [random_bits(draw(generators()), kind, whole)])


VALID = (Head(f32(3, 4)), Head(f32(3, 4), f32(2, 3)))
BROKEN = {"head.sizes": Head(f32(3, 4), f32(4, 4))}
