"""Whether two chains are the same map: the design's laws, what differs first, and what isn't decided."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from support.random_pairs import drawn_pair, wrong

import dmlviz as dml
from dmlviz.equality import tables
from dmlviz.equality.deciding import Answer, same
from dmlviz.equality.tables import NotDecided, map_of
from dmlviz.session.chains import Chain

X = dml.TensorDesc("FLOAT32", (2, 6))
COPY = dml.Tile(X, (1, 1))


def floats(*sizes: int) -> dml.TensorDesc:
    return dml.TensorDesc("FLOAT32", sizes)


def chain(*stages: Any) -> Chain:
    return dml.chain(stages)


def joined(*order: int, cuts: tuple[int, ...] = (1, 3, 2)) -> Chain:
    parts = [floats(2, n) for n in cuts]
    return chain((dml.Split(X, parts, 1), [None]), (dml.Join([parts[k] for k in order], 1), list(order)))


def test_joining_what_was_split_is_nothing_in_its_order_alone() -> None:
    assert same(joined(0, 1, 2), chain((COPY, [None]))).answer is Answer.FOR_ALL
    verdict = same(joined(0, 2, 1), chain((COPY, [None])))
    assert verdict.answer is Answer.DIFFERENT
    assert verdict.first == 1
    assert verdict.left is not None
    assert verdict.left.index == (0, 4)
    assert verdict.right is not None
    assert verdict.right.index == (0, 1)
    assert verdict.sentence == (
        "Different: JOIN 2[0,1] reads InputTensor[0,4] of SPLIT 1 here and InputTensor[0,1] of TILE 1 there: taking "
        "InputTensor of SPLIT 1 and InputTensor of TILE 1 for one input, as they hold the same values."
    )


def gathers(i: Any, j: Any) -> tuple[Chain, Chain]:
    """GATHER(GATHER(x, i), j), and GATHER(x, GATHER(i, j))."""
    kind = dml.TensorDesc("INT32", (1, len(i)))
    once, twice = dml.TensorDesc("INT32", (1, len(j))), floats(2, len(i))
    i, j = (np.array([cells], np.int32) for cells in (i, j))
    left = chain((dml.Gather(X, kind, 1, 1), [None, i]), (dml.Gather(twice, once, 1, 1), [0, j]))
    right = chain((dml.Gather(kind, once, 1, 1), [i, j]), (dml.Gather(X, once, 1, 1), [None, 0]))
    return left, right


def test_gathering_twice_is_gathering_by_gathered_indices_for_all_values() -> None:
    assert same(*gathers([0, 5, -1, 99], [3, -2, 0])).answer is Answer.FOR_ALL
    left, _ = gathers([0, 5, -1, 4], [3, -2, 0])
    once = chain((dml.Gather(X, dml.TensorDesc("INT32", (1, 3)), 1, 1), [None, np.array([[4, -1, 0]], np.int32)]))
    assert same(left, once).answer is Answer.FOR_THESE


def reversed_twice(first: list[int], second: list[int]) -> Chain:
    lengths = [np.array(cells, np.uint32).reshape(2, 1) for cells in (first, second)]
    desc = dml.ReverseSubsequences(X, dml.TensorDesc("UINT32", (2, 1)), 1)
    return chain((desc, [None, lengths[0]]), (desc, [0, lengths[1]]))


def test_reversing_twice_is_nothing_where_the_lengths_are_the_same() -> None:
    assert same(reversed_twice([4, 9], [4, 6]), chain((COPY, [None]))).answer is Answer.FOR_THESE
    verdict = same(reversed_twice([4, 5], [4, 6]), chain((COPY, [None])))
    assert (verdict.answer, verdict.first) == (Answer.DIFFERENT, 6)


def test_reversing_twice_by_one_tensor_is_nothing_for_all_lengths() -> None:
    kind = dml.TensorDesc("UINT32", (2, 1))
    desc = dml.ReverseSubsequences(X, kind, 1)
    lengths = dml.Tile(kind, (1, 1))
    twice = chain((lengths, [None]), (desc, [None, (0, 0)]), (desc, [(1, 0), (0, 0)]))
    assert same(twice, chain((COPY, [None]))).answer is Answer.FOR_ALL


def test_a_part_of_what_was_tiled_is_what_was_tiled() -> None:
    wide = floats(2, 12)
    split = chain((dml.Tile(X, (1, 2)), [None]), (dml.Split(wide, (X, X), 1), [0]))
    assert same(split, chain((COPY, [None])), 1).answer is Answer.FOR_ALL
    index = np.arange(6, 12, dtype=np.uint32)[None]
    picked = chain(
        (dml.Tile(X, (1, 2)), [None]), (dml.Gather(wide, dml.TensorDesc("UINT32", (1, 6)), 1, 1), [0, index])
    )
    assert same(picked, chain((COPY, [None]))).answer is Answer.FOR_THESE


def test_maps_that_differ_may_agree_on_their_data() -> None:
    zeros = np.zeros((2, 6), np.float32)
    swapped = chain(
        (dml.Split(X, (floats(2, 3), floats(2, 3)), 1), [zeros]),
        (dml.Join((floats(2, 3), floats(2, 3)), 1), [1, 0]),
    )
    verdict = same(swapped, chain((COPY, [zeros])))
    assert (verdict.answer, verdict.first) == (Answer.ON_THIS_DATA, 0)
    assert verdict.same is False
    assert not verdict


def test_constants_are_the_same_where_they_are_equal_bit_for_bit() -> None:
    def padded(value: float, mode: str = "CONSTANT") -> Chain:
        return chain((dml.Padding(X, mode, value, (0, 1), (0, 0)), [None]))

    assert same(padded(2), padded(2)).answer is Answer.FOR_ALL
    assert (same(padded(0.0), padded(-0.0)).answer, same(padded(0.0), padded(-0.0)).first) == (Answer.DIFFERENT, 0)
    assert same(padded(float("nan")), padded(float("nan"))).answer is Answer.FOR_ALL
    assert "the constant 2" in same(padded(2), padded(2, "EDGE")).sentence


def test_other_sizes_and_types_are_said() -> None:
    assert same(chain((COPY, [None])), chain((dml.Tile(floats(6, 2), (1, 1)), [None]))).sentence == (
        "Different: Sizes is {2, 6} here and {6, 2} there."
    )


def test_what_the_other_chain_does_not_read_is_said() -> None:
    def copied(fill: float) -> Chain:
        return chain((COPY, [np.full((2, 6), fill, np.float32)]))

    assert same(copied(1), copied(1)).answer is Answer.FOR_ALL
    assert same(copied(1), copied(1)).sentence.endswith("for one input, as they hold the same values.")
    assert "InputTensor of TILE 1 is read there by nothing, as inputs" in same(copied(1), copied(2)).sentence
    one = copied(1)
    assert same(one, one).sentence == "The same map, for all index values."


def test_inputs_are_alike_where_they_hold_the_same_bits() -> None:
    def filled(fill: Any) -> Chain:
        return Chain(dml.Experiment("a", COPY, dml.FeatureLevel.of("5_1"), {"InputTensor": fill}))

    zero, minus = ({"fill": "constant", "value": value} for value in (0.0, -0.0))
    assert same(filled(zero), filled(zero)).answer is Answer.FOR_ALL
    assert same(filled(zero), filled(minus)).answer is Answer.DIFFERENT


def test_values_that_do_not_fit_are_not_taken_for_what_stands_in_for_them() -> None:
    def picked(index: Any) -> Chain:
        desc = dml.Gather(X, dml.TensorDesc("UINT32", (1, 3)), 1, 1)
        return Chain(dml.Experiment("a", desc, dml.FeatureLevel.of("5_1"), index and {"IndicesTensor": index}))

    assert same(picked({}), picked({})).answer is Answer.FOR_ALL
    verdict = same(picked({}), picked({"npy": "none.npy"}))
    assert verdict.answer is Answer.NOT_DECIDED
    assert "in a IndicesTensor: none.npy" in verdict.sentence


def test_what_is_no_input_there_is_only_said_where_it_is_read() -> None:
    own, wide = dml.Tile(X, (1, 1)), floats(2, 12)
    other = np.zeros((2, 6), np.float32)
    part = chain(
        (own, [other]), (COPY, [None]), (dml.Join((X, X), 1), [(0, 0), (1, 0)]), (dml.Split(wide, (X, X), 1), [0])
    )
    turned = chain((dml.Slice1(X, (0, 0), (2, 6), (1, -1)), [None]))
    assert same(part, turned, 1).matched == (
        "taking InputTensor of TILE 2 and InputTensor of SLICE1 1 for one input, as they hold the same values"
    )
    assert same(part, turned, 0).matched.startswith("InputTensor of TILE 1 is read there by nothing, as inputs match")


def test_inputs_that_are_alike_are_one_where_one_chain_reads_them_more_often() -> None:
    """Only a stage can be read twice; whoever writes an input twice means the same."""
    kind = dml.TensorDesc("UINT32", (1, 12))
    turned = dml.ReverseSubsequences(X, dml.TensorDesc("UINT32", (2, 1)), 1)
    palindrome = chain((turned, [None, None]), (dml.Join((X, X), 1), [None, 0]))
    index = np.array([[*range(6), *reversed(range(6))]], np.uint32)
    verdict = same(palindrome, chain((dml.Gather(X, kind, 1, 1), [None, index])))
    assert verdict.answer is Answer.FOR_THESE
    assert "taken for one" in verdict.sentence


def test_what_is_too_large_is_not_decided() -> None:
    long = dml.TensorDesc("FLOAT32", (2**32 - 1,))
    verdict = same(chain((dml.Tile(long, (1,)), [None])), chain((dml.Tile(long, (1,)), [None])))
    assert verdict.answer is Answer.NOT_DECIDED
    assert verdict.same is None
    assert "4,294,967,295 cells" in verdict.sentence


def test_an_operator_whose_map_is_not_known_is_not_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "STEPS", {})
    assert same(chain((COPY, [None])), chain((COPY, [None]))).sentence == (
        "Not decided: the map of TILE is not known as tables; 12 elements of all were looked at, and are the same."
    )


def test_what_differs_is_found_where_tables_are_too_large() -> None:
    long = dml.TensorDesc("FLOAT32", (2**32 - 1,))
    turned = dml.Slice1(long, (0,), long.sizes, (-1,))
    verdict = same(chain((dml.Tile(long, (1,)), [None])), chain((turned, [None])))
    assert (verdict.answer, verdict.first) == (Answer.DIFFERENT, 0)
    assert "not all were looked at, a table of 4,294,967,295 cells" in verdict.sentence
    padded = [chain((dml.Padding(long.resized((2**31,)), "CONSTANT", k, (0,), (5,)), [None])) for k in (1, 2)]
    assert same(padded[0], padded[1]).first == 2**31 + 4


def test_a_map_has_few_cells_for_many_elements() -> None:
    large = floats(65535, 65535)
    parts = [floats(65535, 65000), floats(65535, 535)]
    swapped = chain((dml.Split(large, parts, 1), [None]), (dml.Join(parts[::-1], 1), [1, 0]))
    leaves = [leaf for _, leaf in map_of(swapped, for_all_values=True)]
    assert [leaf.root for leaf in leaves] == [0, 0]
    assert sum(table.size for leaf in leaves for table in leaf.tables) == 2 * 65535 + 65535


def test_too_many_pieces_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MOST_PIECES", 2)
    with pytest.raises(NotDecided, match="more than 2 pieces"):
        map_of(joined(0, 1, 2), for_all_values=True)


@pytest.mark.parametrize("changed", [False, True])
def test_random_pairs_are_what_all_elements_say(changed: bool) -> None:
    for n in range(20):
        made = random.Random(n)
        _, found = wrong(made, drawn_pair(made, changed=changed))
        assert not found, n


def test_a_first_difference_that_halves_have_to_find(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dmlviz.equality.deciding.MOST_CELLS", 8)
    for n in range(20):
        made = random.Random(n)
        _, found = wrong(made, drawn_pair(made, changed=True))
        assert not found, n
