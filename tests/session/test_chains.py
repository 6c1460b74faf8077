"""Chains: values, where elements come from and go to through all stages, and on how many ways."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest
from support.effort import part
from support.random_chains import Cell, cells_of, random_chain

import dmlviz as dml
from dmlviz.errors import DmlvizError
from dmlviz.operators.maps import CLAMPED
from dmlviz.session import chains
from dmlviz.session.chains import MOST_WAYS, Arrival, Chain

T = dml.TensorDesc
PART = T("FLOAT32", (1, 4))
SPLIT = dml.Split(T("FLOAT32", (1, 8)), (PART, PART), 1)
JOIN = dml.Join((PART, PART), 1)
TILE = dml.Tile(T("FLOAT32", (1, 8)), (1, 2))
X = np.arange(1, 9, dtype=np.float32).reshape(1, 8)


def rotated() -> Any:
    return dml.chain([(SPLIT, [X]), (JOIN, [1, 0]), (TILE, [0])])


def arrived(chain: Chain, root: int, index: tuple[int, ...]) -> list[Arrival]:
    found = chain.destinations(root, index)
    assert found is not None
    return found


def counts(chain: Chain) -> list[list[int]]:
    assert chain.counts is not None
    return [own.tolist() for own in chain.counts]


@pytest.mark.parametrize("kept", [1, 5, chains.MOST_KEPT])
def test_random_chains_do_what_their_operators_do_one_after_the_other(
    kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chains, "MOST_KEPT", kept)
    for seed in range(part(100)):
        made = random.Random(f"chain {seed} {kept}")
        session = random_chain(made)
        cells = cells_of(session)
        for one in session.experiments:
            for k, part_of in enumerate(one.desc.outputs):
                wanted = np.reshape([cell.value for cell in cells[one.name, k]], part_of.tensor.sizes)
                np.testing.assert_array_equal(one.links.reference(k), wanted)
        deepest = max(session.experiments, key=lambda one: len(one.stages))
        end = made.choice((deepest, made.choice(session.experiments)))
        holds(session.chain(end.name), [cells[end.name, k] for k in range(len(end.desc.outputs))], made)


def holds(chain: Chain, cells: list[list[Cell]], made: random.Random) -> None:
    """All that a chain says of its last stage is what those cells say."""
    keys = [(chain.stages[root.stage].name, root.part.path) for root in chain.inputs]
    roots = [[*np.ndindex(root.part.tensor.sizes)] for root in chain.inputs]
    outputs = [[*np.ndindex(part.tensor.sizes)] for part in chain.outputs]
    for k, (output, own) in enumerate(zip(chain.run(), cells, strict=True)):
        assert output.reshape(-1).tolist() == [cell.value for cell in own]
        wanted = [(keys.index(cell.root[:2]), cell.root[2], cell.clamped) for cell in own]
        found = chain.addresses(len(chain.stages) - 1, k, np.arange(len(own)))
        assert [(root, flat, bool(flag & CLAMPED)) for root, flat, flag in zip(*found, strict=True)] == wanted
        for at, (root, flat, clamped) in made.sample([*zip(outputs[k], wanted, strict=True)], min(4, len(own))):
            path = chain.source(k, at)
            assert (path.root, path.index, path.clamped) == (root, roots[root][flat], clamped)
    every = [(k, at, cell.ways) for k, own in enumerate(cells) for at, cell in zip(outputs[k], own, strict=True)]
    for root, key in enumerate(keys):
        ways = [[(k, at, n) for k, at, held in every if (n := held[(*key, flat)])] for flat in range(len(roots[root]))]
        times = [sum(n for _, _, n in arrivals) for arrivals in ways]
        assert (counts(chain)[root], chain.dead(root)) == (times, times.count(0))
        for at, arrivals in made.sample([*zip(roots[root], ways, strict=True)], min(4, len(ways))):
            assert chain.destinations(root, at) == arrivals


def test_an_element_is_followed_to_the_root_and_back() -> None:
    chain = rotated()
    path = chain.source(0, (0, 9))
    assert chain.path_text(path) == "TILE 3[0,9] ⇠ JOIN 2[0,1] ⇠ SPLIT 1[1][0,1] ⇠ InputTensor[0,5] of SPLIT 1"
    assert (path.root, path.index, path.clamped) == (0, (0, 5), False)
    assert arrived(chain, 0, (0, 5)) == [(0, (0, 1), 1), (0, (0, 9), 1)]
    assert counts(chain) == [[2] * 8]
    assert chain.dead(0) == 0
    with pytest.raises(DmlvizError, match="is outside Sizes"):
        chain.source(0, (0, 16))
    with pytest.raises(DmlvizError, match="is outside Sizes"):
        chain.destinations(0, (1, 0))
    with pytest.raises(DmlvizError, match="input is 1, expected 0 to 0"):
        chain.destinations(1, (0, 0))


def test_run_takes_arrays_for_what_no_wire_fills() -> None:
    chain = rotated()
    want = np.tile(np.concatenate(np.split(X, 2, 1)[::-1], 1), (1, 2))
    np.testing.assert_array_equal(chain.run()[0], want)
    np.testing.assert_array_equal(chain.run([X * 2])[0], want * 2)
    np.testing.assert_array_equal(chain.run([None])[0], want)
    with pytest.raises(DmlvizError, match="inputs has 2 arrays, expected 1, as"):
        chain.run([X, X])
    with pytest.raises(DmlvizError, match="InputTensor"):
        chain.run([X.astype(np.int32)])


def test_indices_have_origins_of_their_own_and_send_what_they_reach() -> None:
    picks, cells = np.array([[2, 0, 2]], np.uint32), T("UINT32", (1, 3))
    reverse = dml.ReverseSubsequences(cells, T("UINT32", (1, 1)), 1)
    chain = dml.chain([(reverse, [picks, None]), (dml.Gather(PART, cells, 1, 1), [X[:, :4], 0])])
    path = chain.source(0, (0, 0))
    via = path.hops[0].source.via
    at = chain.led(1, via.tensor, via.index) if via is not None else None
    assert at is not None
    assert (chain.inputs[path.root].part.path, path.index) == ("InputTensor", (0, 2))
    told = chain.path_text(chain.path(*at))
    assert told == "REVERSE_SUBSEQUENCES 1[0,0] ⇠ InputTensor[0,2] of REVERSE_SUBSEQUENCES 1"
    assert arrived(chain, 0, (0, 0)) == [(0, (0, 2), 1)]  # the index that stands last then
    assert [one.times for one in arrived(chain, 1, (0, 0))] == [1] * 3  # the length moves them all
    assert chain.dead(2) == 2


def test_constants_come_from_nowhere() -> None:
    pad = dml.Padding(T("FLOAT32", (1, 8)), "CONSTANT", 7.5, (0, 1), (0, 0))
    chain = dml.chain([(SPLIT, [X]), (JOIN, [1, 0]), (pad, [0])])
    path = chain.source(0, (0, 0))
    assert (path.root, path.index) == (-1, ())
    assert chain.path_text(path) == "PADDING 3[0,0] ⇠ the constant 7.5"


def test_giants_are_followed_by_element_and_not_counted() -> None:
    n = 65535
    big, half = T("INT8", (n, n)), T("INT8", (n, n // 3))
    split, join = dml.Split(big, (half,) * 3, 1), dml.Join((half,) * 3, 1)
    chain = dml.chain([(split, [None]), (join, [2, 1, 0]), (split, [0]), (join, [2, 1, 0])])
    path = chain.source(0, (n - 1, 5))
    assert (len(path.hops), path.index) == (4, (n - 1, 5))
    assert arrived(chain, 0, (7, 9)) == [(0, (7, 9), 1)]
    assert (chain.dead(0), chain.counts) == (None, None)
    assert dml.chain([(dml.Tile(T("INT8", (1, 1)), (n, n)), [None]), (split, [0])]).destinations(0, (0, 0)) is None
    wide = dml.Tile(T("INT8", (1, 2)), (100, 100))
    assert len(arrived(dml.chain([(wide, [None])]), 0, (0, 1))) == 10_000


def test_what_is_no_chain_is_told() -> None:
    cases: list[tuple[Any, str]] = [
        ([], "stages is empty, expected at least one desc with its inputs."),
        ([(SPLIT, [X]), (TILE, [0])], "TILE 2: InputTensor has 8 elements, Sizes {1, 8}, expected the 4 of"),
        ([(SPLIT, [X]), (JOIN, [2, 0])], "stages[1] input 0 is 2, expected an output of a desc before it."),
        ([(SPLIT, [X]), (JOIN, [(1, 0), 0])], "stages[1] input 0 is [1, 0], expected an output of a desc before it."),
        ([(SPLIT, [X]), (JOIN, [0])], "stages[1] has 1 inputs, expected 2."),
        ([(SPLIT, [X[:, :3]])], "InputTensor"),
    ]
    for stages, said in cases:
        with pytest.raises(DmlvizError, match=re.escape(said)):
            dml.chain(stages)


def test_ways_that_double_at_every_stage_never_turn_round() -> None:
    tensor = T("UINT32", (1, 1, 1, 4))
    gather = dml.Gather(tensor, tensor, axis=3, index_dimensions=1)
    own = np.arange(4, dtype=np.uint32).reshape(1, 1, 1, 4)
    chain = dml.chain([(gather, [own, own]), *((gather, [(k, 0), (k, 0)]) for k in range(63))])
    assert counts(chain) == [[MOST_WAYS] * 4] * 2
    assert arrived(chain, 0, (0, 0, 0, 1)) == [(0, (0, 0, 0, 1), MOST_WAYS)]
    short = dml.chain([(gather, [own, own]), *((gather, [(k, 0), (k, 0)]) for k in range(5))])
    assert counts(short)[0] == [32] * 4
