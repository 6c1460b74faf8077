"""PADDING: more elements around a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.pages import Sizes, cells, coordinates, filled, random_bits
from support.strategies import MOST, TYPES, Case, generators, shapes

import dmlviz as dml
from dmlviz.desc.tensors import DataType
from operator_kit.finding import Drawn

MODES = ("CONSTANT", "EDGE", "REFLECTION", "SYMMETRIC")


def row(places: int, before: int, behind: int, mode: str) -> list[int | None]:
    """What stands along one axis, by folding one row of numbers over its ends again and again; None is the constant."""
    own: list[int | None] = [*range(places)]
    ahead, back = [*own], [*own][::-1]  # as they go on behind the end, and before the start
    while len(ahead) < places + behind or len(back) < places + before:
        for line, edge in ((ahead, places - 1), (back, 0)):
            fold = line[::-1] if mode == "SYMMETRIC" else line[-2::-1]
            line += [None] if mode == "CONSTANT" else [edge] if mode == "EDGE" or places == 1 else fold
    return back[: places + before][places:][::-1] + ahead[: places + behind]


def oracle(desc: Any, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    data, kind = cells(arrays[0]), desc.input_tensor.data_type
    axes = zip(arrays[0].shape, desc.start_padding, desc.end_padding, strict=True)
    rows = [row(*axis, desc.padding_mode) for axis in axes]
    constant = kind.dtype.type(np.float32(desc.padding_value)).tobytes() if desc.padding_mode == "CONSTANT" else b""
    made = {}
    for at in coordinates(tuple(map(len, rows))):
        source: Any = tuple(line[i] for line, i in zip(rows, at, strict=True))
        made[at] = constant if None in source else data[source]
    return filled(desc, [made])


def value_of(kind: DataType) -> st.SearchStrategy[float]:
    """A constant that a type and a FLOAT hold."""
    if kind.is_float:
        return st.sampled_from([0.0, -0.0, 1.5, -2.0, float("inf")])
    low, high = kind.integer_range
    return st.integers(max(low, -(2**24)), min(high, 2**24))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    sizes: Sizes = draw(shapes(24))
    starts, ends, room = [0] * len(sizes), [0] * len(sizes), MOST // int(np.prod(sizes))
    for d in draw(st.permutations(range(len(sizes)))):
        whole = draw(st.integers(sizes[d], min(3 * sizes[d] + 3, room * sizes[d])))
        starts[d] = draw(st.integers(0, whole - sizes[d]))
        ends[d] = whole - sizes[d] - starts[d]
        room = room * sizes[d] // whole
    kind = draw(st.sampled_from(TYPES))
    value = draw(value_of(kind))
    members = {
        "InputTensor": dml.TensorDesc(kind, sizes),
        "PaddingMode": draw(st.sampled_from(MODES)),
        "PaddingValue": value,
        "StartPadding": starts,
        "EndPadding": ends,
    }
    return Case(dml.Padding.build(members), [random_bits(draw(generators()), kind, sizes)])


def tensor(*sizes: int, kind: str = "FLOAT32") -> dml.TensorDesc:
    return dml.TensorDesc(kind, sizes)


VALID = (
    dml.Padding(tensor(2, 3), "REFLECTION", 0, (1, 2), (1, 1)),
    dml.Padding(tensor(2, 2), "CONSTANT", 9, (0, 2), (1, 0)),
    dml.Padding(tensor(2, 2, kind="INT32"), "EDGE", 0, (0, 2), (1, 1)),
    dml.Padding(tensor(1, 2, 2), "SYMMETRIC", 0, (0, 3, 0), (1, 0, 1)),
)
BROKEN = {
    "padding.count": dml.Padding(tensor(2, 3), "EDGE", 0, (1,), (1,)),
    "count.matches": dml.Padding(tensor(2, 3), "EDGE", 0, (1, 1), (1, 1), dimension_count=3),
    "padding.sizes": dml.Padding(tensor(2, 3), "CONSTANT", 1, (1, 1), (0, 1), tensor(3, 6)),
}
DRAWN = Drawn(
    identities=tuple(range(9)),
    identity_of="the part: the tensor, or what stands before or behind it",
    runs=16,
    slices=9,
    block=1,
    formula="OutputTensor[0,0] = InputTensor[0 − 1,0 − 2] = InputTensor[-1,-2] → InputTensor[1,2]",
    workings=("padding.sizes",),
)
LIT = {"padding.sizes": {("InputTensor", 1), ("OutputTensor", 1)}}
