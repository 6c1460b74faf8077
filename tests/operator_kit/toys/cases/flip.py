"""FLIP: the same place, counted from the other end."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.reports import f32
from support.strategies import TYPES, Case, generators, random_bits, shapes

import dmlviz as dml
from dmlviz.operators.registry import operator_of

Flip: Any = operator_of("DML_OPERATOR_FLIP").desc


def oracle(desc: Any, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    return [np.flip(arrays[0], desc.axis)]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    sizes, kind = draw(shapes(120)), draw(st.sampled_from(TYPES))
    desc = Flip(dml.TensorDesc(kind, sizes), draw(st.integers(0, len(sizes) - 1)))
    return Case(desc, [random_bits(draw(generators()), kind, sizes)])


VALID = (Flip(f32(3, 4), 1), Flip(f32(2, 3), 0))
BROKEN = {"axis.range": Flip(f32(3, 4), 2), "sizes.equal": Flip(f32(3, 4), 1, f32(3, 5))}
