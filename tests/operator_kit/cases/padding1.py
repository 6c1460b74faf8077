"""PADDING1: PADDING with a constant of the tensors' own type."""

from __future__ import annotations

from hypothesis import strategies as st
from support.strategies import Case

import dmlviz as dml
from operator_kit.cases.padding import oracle, paddings, tensor

__all__ = ["BROKEN", "VALID", "cases", "oracle"]


def cases() -> st.SearchStrategy[Case]:
    return paddings(dml.Padding1)


VALID = (
    dml.Padding1(tensor(2, 2, kind="INT64"), "CONSTANT", "INT64", 2**53 + 1, (1, 0), (0, 2)),
    dml.Padding1(tensor(3), "REFLECTION", "FLOAT32", 0, (4,), (5,)),
)
BROKEN = {
    "padding.count": dml.Padding1(tensor(2, 3), "EDGE", "FLOAT32", 0, (1,), (1,)),
    "count.matches": dml.Padding1(tensor(2, 3), "EDGE", "FLOAT32", 0, (1, 1), (1, 1), dimension_count=3),
    "padding.sizes": dml.Padding1(tensor(2, 3), "CONSTANT", "FLOAT32", 1, (1, 1), (0, 1), tensor(3, 6)),
    "padding.value_type": dml.Padding1(tensor(2, 3, kind="INT8"), "CONSTANT", "FLOAT32", 1, (1, 1), (0, 1)),
}
