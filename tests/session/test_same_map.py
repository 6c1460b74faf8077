"""Whether two outputs are the same map: the design's laws, what was compared, and the first element that differs."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest
from support.random_chains import random_chain

import dmlviz as dml
from dmlviz.session import same as same_module
from dmlviz.session.chains import Chain
from dmlviz.session.same import Answer, same

X = dml.TensorDesc("FLOAT32", (2, 6))
COPY = dml.Tile(X, (1, 1))


def floats(*sizes: int) -> dml.TensorDesc:
    return dml.TensorDesc("FLOAT32", sizes)


def chain(*stages: Any) -> Chain:
    return dml.chain(stages)


def joined(*order: int) -> Chain:
    parts = [floats(2, n) for n in (1, 3, 2)]
    return chain((dml.Split(X, parts, 1), [None]), (dml.Join([parts[k] for k in order], 1), list(order)))


def test_joining_what_was_split_is_nothing_in_its_order_alone() -> None:
    assert same(joined(0, 1, 2), chain((COPY, [None]))).sentence == (
        "The same map: all 12 elements were compared, taking InputTensor of SPLIT 1 and InputTensor of TILE 1 for one "
        "input, as they hold the same values."
    )
    verdict = same(joined(0, 2, 1), chain((COPY, [None])))
    assert (verdict.answer, verdict.first, verdict.same) == (Answer.DIFFERENT, 1, False)
    assert verdict.left is not None
    assert verdict.right is not None
    assert (verdict.left.index, verdict.right.index) == ((0, 4), (0, 1))
    assert verdict.sentence.startswith(
        "Different: of all 12 elements the first that differs is JOIN 2[0,1], which reads InputTensor[0,4] of SPLIT 1 "
        "here and InputTensor[0,1] of TILE 1 there, taking "
    )


def gathers(n: int, i: Any, j: Any) -> tuple[Chain, Chain, Chain]:
    """GATHER(GATHER(x, i), j), GATHER(x, GATHER(i, j)), and GATHER(x, j)."""
    x, kind, once = floats(1, n), dml.TensorDesc("INT32", (1, len(i))), dml.TensorDesc("INT32", (1, len(j)))
    rows = [np.array([cells], np.int32) for cells in (i, j)]
    left = chain(
        (dml.Gather(x, kind, 1, 1), [None, rows[0]]), (dml.Gather(floats(1, len(i)), once, 1, 1), [0, rows[1]])
    )
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
    assert (found.answer, found.first, found.same) == (Answer.FOR_THESE, 0, None)
    assert not found
    assert f"{{{first[0][0]}, {first[0][1]}}}" in found.sentence
    assert found.left is not None
    assert found.left.index == (0, first[0][first[1]] % 3)


def test_of_many_settings_some_are_drawn_which_is_no_plain_same() -> None:
    left, right, _ = gathers(6, [0, 5, -1, 4], [3, -2, 0])
    verdict = same(left, right)
    assert (verdict.answer, verdict.same, verdict.first) == (Answer.FOR_THESE, None, None)
    assert "all 3 elements were compared for 64 drawn settings of the index values" in verdict.sentence
    kind, cells = dml.TensorDesc("INT32", (1, 3)), np.array([[4, -1, 0]], np.int32)
    other = chain((dml.Gather(floats(1, 6), kind, 1, 1), [None, cells]))
    assert same(left, other).first is not None


def test_edges_are_among_those_that_are_drawn() -> None:
    """What differs at one index of a million alone: the last one."""
    n, index = 1 << 20, dml.TensorDesc("UINT32", (1,))
    x, short = floats(n), floats(n - 1)
    picked = chain((dml.Gather(x, index, 0, 1), [None, np.zeros(1, np.uint32)]))
    padded = chain(
        (dml.Split(x, (short, floats(1)), 0), [None]),
        (dml.Join((short, floats(1)), 0), [(0, 0), np.zeros(1, np.float32)]),
        (dml.Gather(x, index, 0, 1), [0, np.zeros(1, np.uint32)]),
    )
    verdict = same(picked, padded)
    assert (verdict.answer, verdict.first) == (Answer.FOR_THESE, 0)
    assert "{1048575}" in verdict.sentence


def reversed_twice(first: list[int], second: list[int]) -> Chain:
    lengths = [np.array(cells, np.uint32).reshape(2, 1) for cells in (first, second)]
    desc = dml.ReverseSubsequences(X, dml.TensorDesc("UINT32", (2, 1)), 1)
    return chain((desc, [None, lengths[0]]), (desc, [0, lengths[1]]))


def test_reversing_twice_is_nothing_where_the_lengths_are_the_same() -> None:
    assert same(reversed_twice([4, 9], [4, 6]), chain((COPY, [None]))).answer is Answer.FOR_THESE
    verdict = same(reversed_twice([4, 5], [4, 6]), chain((COPY, [None])))
    assert (verdict.answer, verdict.first) == (Answer.DIFFERENT, 6)
    kind = dml.TensorDesc("UINT32", (2, 1))
    desc = dml.ReverseSubsequences(X, kind, 1)
    twice = chain((dml.Tile(kind, (1, 1)), [None]), (desc, [None, (0, 0)]), (desc, [(1, 0), (0, 0)]))
    told = same(twice, chain((COPY, [None])))
    assert told
    assert "all 49 settings" in told.sentence


def test_constants_are_the_same_where_they_are_equal_bit_for_bit() -> None:
    def padded(value: float, mode: str = "CONSTANT") -> Chain:
        return chain((dml.Padding(X, mode, value, (0, 1), (0, 0)), [None]))

    assert same(padded(2), padded(2))
    assert (same(padded(0.0), padded(-0.0)).answer, same(padded(0.0), padded(-0.0)).first) == (Answer.DIFFERENT, 0)
    assert same(padded(float("nan")), padded(float("nan")))
    assert "the constant 2" in same(padded(2), padded(2, "EDGE")).sentence


def test_other_sizes_and_types_are_said() -> None:
    assert same(chain((COPY, [None])), chain((dml.Tile(floats(6, 2), (1, 1)), [None]))).sentence == (
        "Different: Sizes is {2, 6} here and {6, 2} there."
    )


def test_inputs_are_alike_where_they_hold_the_same_bits() -> None:
    def filled(fill: Any) -> Chain:
        return Chain(dml.Experiment("a", COPY, dml.FeatureLevel.of("5_1"), {"InputTensor": fill}))

    zero, minus = ({"fill": "constant", "value": value} for value in (0.0, -0.0))
    assert same(filled(zero), filled(zero))
    assert same(filled(zero), filled(minus)).answer is Answer.DIFFERENT


def test_inputs_that_are_alike_are_one_where_one_chain_reads_them_more_often() -> None:
    """Only a stage can be read twice; whoever writes an input twice means the same."""
    slices = dml.Slice1(X, (0, 0), (2, 6), (1, -1))
    palindrome = chain((slices, [None]), (dml.Join((X, X), 1), [None, 0]))
    index = np.array([[*range(6), *reversed(range(6))]], np.uint32)
    verdict = same(palindrome, chain((dml.Gather(X, dml.TensorDesc("UINT32", (1, 12)), 1, 1), [None, index])))
    assert verdict.answer is Answer.FOR_THESE
    assert "and the inputs with its type, sizes and values for one input" in verdict.sentence


def test_values_that_do_not_fit_are_not_taken_for_what_stands_in_for_them() -> None:
    def picked(index: Any) -> Chain:
        desc = dml.Gather(X, dml.TensorDesc("UINT32", (1, 3)), 1, 1)
        return Chain(dml.Experiment("a", desc, dml.FeatureLevel.of("5_1"), index and {"IndicesTensor": index}))

    assert same(picked({}), picked({}))
    verdict = same(picked({}), picked({"npy": "none.npy"}))
    assert verdict.answer is Answer.NOT_DECIDED
    assert "in a IndicesTensor: none.npy" in verdict.sentence


def test_giants_are_not_decided() -> None:
    long = dml.TensorDesc("FLOAT32", (2**32 - 1,))
    copy = chain((dml.Tile(long, (1,)), [None]))
    assert (same(copy, copy).answer, same(copy, copy).same) == (Answer.NOT_DECIDED, None)


def test_fewer_settings_are_drawn_of_many_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(same_module, "MOST_WORK", 256)
    left, right, _ = gathers(6, [0, 5, -1, 4], [3, -2, 0, 1, 1, 1])
    assert "all 6 elements were compared for 42 drawn settings" in same(left, right).sentence


def test_outputs_of_random_sessions_differ_where_their_elements_come_from_elsewhere() -> None:
    """Held against where NumPy says that each element comes from."""
    told = 0
    for seed in range(60):
        dice = random.Random(seed)
        made = random_chain(dice)
        session = made.session(dice)
        for ((a, i), mine), ((b, j), its) in itertools.combinations(made.outputs.items(), 2):
            left, right = session.chain(a), session.chain(b)
            verdict = same(left, right, i, j)
            if mine.shape != its.shape or left.outputs[i].tensor.data_type is not right.outputs[j].tensor.data_type:
                assert verdict.answer is Answer.DIFFERENT
            elif "taking" not in verdict.reason:
                differ = [
                    n
                    for n, (one, other) in enumerate(zip(mine.flat, its.flat, strict=True))
                    if one.root != other.root or (one.root is None and one.value != other.value)
                ]
                told += 1
                assert (verdict.answer is Answer.DIFFERENT) == bool(differ), (seed, a, b, verdict.sentence)
                assert verdict.answer is not Answer.DIFFERENT or verdict.first == differ[0]
    assert told > 50
