"""Random valid descs of every operator, with arrays to fill their inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import dmlviz as dml
from dmlviz.operators.registry import operators
from support.idioms import has_idiom
from support.pages import Sizes

TYPES = list(dml.DataType)
INDEX_TYPES = [dml.DataType[name] for name in ("INT32", "INT64", "UINT32", "UINT64")]
LENGTH_TYPES = [dml.DataType[name] for name in ("UINT32", "UINT64")]
MOST = 300


@dataclass(frozen=True)
class Case:
    """A valid desc and its inputs."""

    desc: Any
    arrays: list[NDArray[Any]]

    def __repr__(self) -> str:
        return f"Case({self.desc}, {[a.tolist() for a in self.arrays[1:]]})"


PADDED = Case(
    dml.Padding(dml.TensorDesc("INT32", (2, 2)), "CONSTANT", 0, (1, 2), (1, 0)),
    [np.arange(1, 5, dtype=np.int32).reshape(2, 2)],
)
"""Two elements in two of four rows of four, behind and before constants that go on over the ends of rows."""
LONG_PADDED = Case(
    dml.Padding(dml.TensorDesc("INT32", (2, 2)), "CONSTANT", -12345, (1, 2), (1, 0)),
    [12345 * np.arange(1, 5, dtype=np.int32).reshape(2, 2)],
)
"""The same with numbers of many digits: no blank stands behind constants, and edges of windows cut numbers."""


@st.composite
def shapes(draw: st.DrawFn, most: int = MOST, highest: int = 8) -> Sizes:
    """1 to `highest` sizes of at most `most` elements."""
    dimensions = draw(st.integers(1, highest))
    sizes = [1] * dimensions
    for d in draw(st.permutations(range(dimensions))):
        sizes[d] = draw(st.integers(1, min(6, most)))
        most //= sizes[d]
    return tuple(sizes)


def generators() -> st.SearchStrategy[np.random.Generator]:
    return st.integers(0, 2**32 - 1).map(np.random.default_rng)


def parts_of(whole: Sizes) -> st.SearchStrategy[tuple[int, list[Sizes]]]:
    """An axis, and the sizes of one to five tensors that differ along it."""

    @st.composite
    def make(draw: st.DrawFn) -> tuple[int, list[Sizes]]:
        axis = draw(st.integers(0, len(whole) - 1))
        along = draw(st.lists(st.integers(1, 5), min_size=1, max_size=5))
        return axis, [(*whole[:axis], n, *whole[axis + 1 :]) for n in along]

    return make()


def cases(target: str = "") -> st.SearchStrategy[Case]:
    """A case of any operator that is there, or of any that an export's target has an idiom for."""
    from operator_kit.finding import cases_of  # its modules are made of what stands here

    found = [cases_of(kind) for kind in operators()]
    return st.one_of([each.cases() for each in found if not target or has_idiom(each.VALID[0], target)])
