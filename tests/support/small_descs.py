"""Small random descs as practice varies them, valid or broken, and small tensors whose axes are often alike."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import dmlviz as dml
from dmlviz.desc.base import Desc
from dmlviz.session.new_experiments import fresh
from dmlviz.teaching.varying import broken, varied
from support.pages import Sizes
from support.strategies import Case

FIVE = ("JOIN", "SPLIT", "REVERSE_SUBSEQUENCES", "GATHER", "TILE")
SEEDS = st.integers(0, 2**32)


@st.composite
def small_sizes(draw: st.DrawFn) -> Sizes:
    sizes = draw(st.lists(st.sampled_from([1, 2, 2, 3, 3, 4]), min_size=1, max_size=4))
    if draw(st.booleans()):
        sizes[draw(st.integers(0, len(sizes) - 1))] = draw(st.sampled_from(sizes))
    return tuple(sizes)


def distinct(*sizes: Sizes) -> list[NDArray[Any]]:
    """INT32 arrays whose elements are 1, 2, 3, ... on through all of them."""
    made, first = [], 1
    for each in sizes:
        count = int(np.prod(each))
        made.append(np.arange(first, first + count, dtype=np.int32).reshape(each))
        first += count
    return made


def int32(sizes: Sizes) -> dml.TensorDesc:
    return dml.TensorDesc("INT32", sizes)


def along(sizes: Sizes, axis: int, n: int) -> Sizes:
    return (*sizes[:axis], n, *sizes[axis + 1 :])


def small_cases(*names: str) -> st.SearchStrategy[Case]:
    """Valid descs of these operators, of the five without."""
    return st.builds(_made, st.sampled_from(names or FIVE), SEEDS).map(_case)


def _case(one: dml.Experiment) -> Case:
    pairs = zip(one.desc.inputs, one.sources(), strict=True)
    return Case(one.desc, [source.array().reshape(part.tensor.sizes) for part, source in pairs])


def perhaps_broken() -> st.SearchStrategy[Desc]:
    """Descs of the five, half of which break a rule."""
    return st.builds(_made, st.sampled_from(FIVE), SEEDS, st.sampled_from([varied, broken])).map(lambda one: one.desc)


def _made(name: str, seed: int, make: Any = varied) -> dml.Experiment:
    one: dml.Experiment | None = make(fresh(f"DML_OPERATOR_{name}"), Random(seed))
    assert one is not None
    return one
