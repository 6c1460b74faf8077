"""Whether two outputs are the same map: the design's laws, what was compared, and the first element that differs."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest
from support.effort import FULL, part
from support.random_chains import cells_of, random_chain
from support.reports import f32

import dmlviz as dml
from dmlviz.session import same as same_map
from dmlviz.session.chains import Chain
from dmlviz.session.same import Answer, same

X = dml.TensorDesc("FLOAT32", (2, 6))
COPY = dml.Tile(X, (1, 1))


def chain(*stages: Any) -> Chain:
    return dml.chain(stages)


def joined(*order: int) -> Chain:
    parts = [f32(2, n) for n in (1, 3, 2)]
    return chain((dml.Split(X, parts, 1), [None]), (dml.Join([parts[k] for k in order], 1), list(order)))


def test_joining_what_was_split_is_nothing_in_its_order_alone() -> None:
    assert same(joined(0, 1, 2), chain((COPY, [None]))).sentence == (
        "Equivalent: all 12 elements were compared; inputs with equal values count as one."
    )
    verdict = joined(0, 2, 1).same_as(chain((COPY, [None])))
    assert (verdict.answer, verdict.first) == (Answer.DIFFERENT, 1)
    assert verdict.left is not None
    assert verdict.right is not None
    assert (verdict.left.index, verdict.right.index) == ((0, 4), (0, 1))
    assert verdict.sentence.startswith(
        "Different: of all 12 elements, the first that differs is [0,1]: here it reads InputTensor[0,4] of SPLIT 1, "
        "and there InputTensor[0,1] of TILE 1; inputs "
    )


def gathers(n: int, i: Any, j: Any) -> tuple[Chain, Chain, Chain]:
    """GATHER(GATHER(x, i), j), GATHER(x, GATHER(i, j)), and GATHER(x, j)."""
    x, kind, once = f32(1, n), dml.TensorDesc("INT32", (1, len(i))), dml.TensorDesc("INT32", (1, len(j)))
    rows = [np.array([cells], np.int32) for cells in (i, j)]
    left = chain((dml.Gather(x, kind, 1, 1), [None, rows[0]]), (dml.Gather(f32(1, len(i)), once, 1, 1), [0, rows[1]]))
    right = chain((dml.Gather(kind, once, 1, 1), rows), (dml.Gather(x, once, 1, 1), [None, 0]))
    return left, right, chain((dml.Gather(x, once, 1, 1), [None, rows[1]]))


def test_all_settings_of_few_index_values_are_tried() -> None:
    left, right, once = gathers(3, [0, 2], [1])
    told = same(left, right)
    assert told
    assert "all 1 elements were compared for all 144 settings of the index values" in told.sentence
    found = same(gathers(3, [1, 1], [1])[0], once)
    settings = itertools.product(range(-3, 3), range(-3, 3), range(-2, 2))  # i's two values, and j's
    first = next((i, j) for *i, j in settings if i[j] % 3 != j % 3)
    assert (found.answer, found.first) == (Answer.FOR_THESE, 0)
    assert not found
    assert f"{{{first[0][0]}, {first[0][1]}}}" in found.sentence
    assert found.left is not None
    assert found.left.index == (0, first[0][first[1]] % 3)


def test_of_many_settings_some_are_drawn_which_is_no_plain_same() -> None:
    left, right, _ = gathers(6, [0, 5, -1, 4], [3, -2, 0])
    verdict = same(left, right)
    assert (verdict.answer, verdict.first) == (Answer.FOR_THESE, None)
    assert "all 3 elements were compared for 64 drawn settings of the index values" in verdict.sentence


def test_edges_are_among_those_that_are_drawn() -> None:
    """What differs at one index of a million alone: the last one."""
    n, index = 1 << 20, dml.TensorDesc("UINT32", (1,))
    x, short = f32(n), f32(n - 1)
    picked = chain((dml.Gather(x, index, 0, 1), [None, np.zeros(1, np.uint32)]))
    padded = chain(
        (dml.Split(x, (short, f32(1)), 0), [None]),
        (dml.Join((short, f32(1)), 0), [(0, 0), np.zeros(1, np.float32)]),
        (dml.Gather(x, index, 0, 1), [0, np.zeros(1, np.uint32)]),
    )
    verdict = same(picked, padded)
    assert (verdict.answer, verdict.first) == (Answer.FOR_THESE, 0)
    assert "{1048575}" in verdict.sentence


def test_constants_and_inputs_are_the_same_where_they_are_equal_bit_for_bit() -> None:
    def padded(value: float, mode: str = "CONSTANT") -> Chain:
        return chain((dml.Padding(X, mode, value, (0, 1), (0, 0)), [None]))

    def filled(value: float) -> Chain:
        fill: Any = {"InputTensor": {"fill": "constant", "value": value}}
        return Chain(dml.Experiment("a", COPY, dml.FeatureLevel.of("5_1"), fill))

    for made in (padded, filled):
        assert same(made(0.0), made(0.0))
        assert (same(made(0.0), made(-0.0)).answer, same(made(0.0), made(-0.0)).first) == (Answer.DIFFERENT, 0)
    assert same(padded(float("nan")), padded(float("nan")))
    assert "the constant 2" in same(padded(2), padded(2, "EDGE")).sentence


def test_values_that_do_not_fit_are_not_taken_for_what_stands_in_for_them() -> None:
    def picked(index: Any) -> Chain:
        desc = dml.Gather(X, dml.TensorDesc("UINT32", (1, 3)), 1, 1)
        return Chain(dml.Experiment("a", desc, dml.FeatureLevel.of("5_1"), index and {"IndicesTensor": index}))

    assert same(picked({}), picked({}))
    verdict = same(picked({}), picked({"npy": "none.npy"}))
    assert verdict.answer is Answer.NOT_DECIDED
    assert "in a IndicesTensor: none.npy" in verdict.sentence


def test_what_is_too_large_or_another_type_is_said() -> None:
    long = chain((dml.Tile(dml.TensorDesc("FLOAT32", (2**32 - 1,)), (1,)), [None]))
    assert same(long, long).answer is Answer.NOT_DECIDED
    other = same(chain((COPY, [None])), chain((dml.Tile(f32(6, 2), (1, 1)), [None])))
    assert other.sentence == "Different: Sizes is {2, 6} here and {6, 2} there."


def test_outputs_of_random_sessions_differ_where_their_elements_come_from_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Held against where one operator after the other says that each element comes from."""
    if not FULL:
        monkeypatch.setattr(same_map, "MOST_SETTINGS", 64)  # one pair that has thousands takes four seconds
    told = 0
    for seed in range(part(60)):
        session = random_chain(random.Random(seed))
        for ((a, i), mine), ((b, j), its) in itertools.combinations(cells_of(session).items(), 2):
            left, right = session.chain(a), session.chain(b)
            verdict = same(left, right, i, j)
            if left.outputs[i].tensor.sizes != right.outputs[j].tensor.sizes:
                assert verdict.answer is Answer.DIFFERENT
            elif "taking" not in verdict.reason:
                differ = [n for n, (one, other) in enumerate(zip(mine, its, strict=True)) if one.root != other.root]
                told += 1
                assert (verdict.answer is Answer.DIFFERENT) == bool(differ), (seed, a, b, verdict.sentence)
                assert verdict.answer is not Answer.DIFFERENT or verdict.first == differ[0]
    assert told >= 5
