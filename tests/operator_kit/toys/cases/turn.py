"""TURN: a slice of the last axis as it is, reversed or rolled, and the value behind it."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.reports import f32
from support.strategies import TYPES, Case, generators, random_bits, shapes

import dmlviz as dml
from dmlviz.operators.registry import operator_of

Turn: Any = operator_of("DML_OPERATOR_TURN").desc


def oracle(desc: Any, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    (data,) = arrays
    with np.errstate(invalid="ignore"):  # who numbers elements asks about INT64, which has no infinity
        out = np.full_like(data, desc.value)
    head = data[..., : int(desc.ratio * data.shape[-1])]
    turned = {"KEEP": head, "REVERSE": np.flip(head, -1), "ROTATE": np.roll(head, 1, -1)}
    out[..., : head.shape[-1]] = turned[desc.mode]
    return [out]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    sizes, kind = draw(shapes(24)), draw(st.sampled_from(TYPES))
    mode, ratio = draw(st.sampled_from(("KEEP", "REVERSE", "ROTATE"))), draw(st.sampled_from((0, 0.25, 0.5, 1)))
    value = draw(st.sampled_from((0, -1, 0.5, float("inf")) if kind.is_float else (0, 1, 7)))
    desc = Turn(dml.TensorDesc(kind, sizes), mode, ratio, value)
    return Case(desc, [random_bits(draw(generators()), kind, sizes)])


VALID = (
    Turn(f32(2, 4), "REVERSE", 0.5, 0.5),
    Turn(f32(2, 4), "ROTATE", 1, float("-inf")),
    Turn(dml.TensorDesc("UINT8", (3,)), "KEEP", 0.7, 7),
)
BROKEN = {
    "value.known": Turn(f32(2, 4), 3, 0.5, 0),
    "turn.ratio": Turn(f32(2, 4), "KEEP", 1.5, 0),
    "turn.sizes": Turn(f32(2, 4), "KEEP", 1, 0, f32(2, 5)),
}
