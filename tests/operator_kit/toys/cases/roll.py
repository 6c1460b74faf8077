"""ROLL: each element goes its shift further, and round the end."""

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


def roll(data: dml.TensorDesc, *fields: Any) -> Any:
    return operator_of("DML_OPERATOR_ROLL").desc(data, *fields)


def oracle(desc: Any, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    out = np.empty_like(arrays[0])
    for at in product(*map(range, out.shape)):
        out[tuple((i + shift) % n for i, shift, n in zip(at, desc.shifts, out.shape, strict=True))] = arrays[0][at]
    return [out]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    sizes, kind = draw(shapes(60)), draw(st.sampled_from(TYPES))
    shifts = [draw(st.integers(1 - n, n - 1)) for n in sizes]
    return Case(roll(dml.TensorDesc(kind, sizes), shifts), [random_bits(draw(generators()), kind, sizes)])


F = dml.TensorDesc("FLOAT32", (2, 3))
VALID = (roll(F, (0, -2)),)
BROKEN = {
    "count.matches": roll(F, (0, 1), None, 3),
    "shifts.count": roll(F, (1,)),
    "shifts.range": roll(F, (0, -4)),
    "sizes.equal": roll(F, (0, 1), dml.TensorDesc("FLOAT32", (2, 4))),
}
