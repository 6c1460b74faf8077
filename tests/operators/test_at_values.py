"""Sentences about what index and length values make of a valid desc."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from operator_kit.cases.gather import gathers
from operator_kit.cases.reverse_subsequences import reversals
from support.effort import tried
from support.reports import f32, u32
from support.strategies import Case

import dmlviz as dml
from dmlviz.desc.values import Stored
from dmlviz.operators.maps import Reader
from dmlviz.operators.registry import operator_of

QUICK = tried(150)


@QUICK
@given(gathers())
def test_how_often_slices_are_read_is_said_as_it_is(case: Case) -> None:
    desc = case.desc
    trace = dml.trace(desc, case.arrays)
    (said,) = operator_of(desc).at_values(desc, trace.read)
    n = desc.input_tensor.sizes[desc.axis]
    index = [0] * desc.input_tensor.dimension_count
    counts = []
    for k in range(n):
        index[desc.axis] = k
        slices = int(np.prod(desc.input_tensor.sizes)) // n
        whole = sum(len(trace.destinations(0, at)) for at in _slice(desc, k))
        counts.append(whole // slices)
    most, unread = max(counts), counts.count(0)
    name = "slice" if desc.input_tensor.dimension_count != 2 else ("row", "column")[desc.axis]
    if counts == [1] * n:
        assert said == f"Every {name} is read once."
        return
    assert ("twice" in said) == (most in (1, 2))
    if most > 2:
        assert f"{most} times" in said
    assert (f"every {name} is read" in said) == (unread == 0)
    if unread == 1:
        assert f"{name} {counts.index(0)} is never read" in said
    elif unread:
        assert f"{unread} {name}s are never read" in said


def _slice(desc: Any, k: int) -> list[tuple[int, ...]]:
    return [i for i in np.ndindex(*desc.input_tensor.sizes) if i[desc.axis] == k]


@QUICK
@given(reversals())
def test_how_sequences_are_reversed_is_counted(case: Case) -> None:
    desc, lengths = case.desc, case.arrays[1].reshape(-1).tolist()
    (said,) = operator_of(desc).at_values(desc, dml.trace(desc, case.arrays).read)
    n = desc.input_tensor.sizes[desc.axis]
    if n < 2:
        assert "stay as they are" in said
        return
    for count, words in (
        (sum(x >= n for x in lengths), "reversed whole"),
        (sum(2 <= x < n for x in lengths), "reversed in part"),
        (sum(x < 2 for x in lengths), "left as they are"),
    ):
        assert (f" {count:,} {words}" in said) == (count > 0)


def test_sentences_about_values_read_no_giant() -> None:
    indices = u32(1, 2**20)
    desc = dml.Gather(f32(4, 1), indices, 0, 1)
    values = [Stored(desc.input_tensor, np.zeros(4, np.float32)), Stored(indices, np.zeros(2**20, np.uint32))]
    assert operator_of(desc).at_values(desc, Reader(values)) == []
