"""A chain's time: its stages and their bytes."""

from __future__ import annotations

import pickle

import pytest
from support.chain_sessions import rotate_half
from support.runs import Told

from dmlviz.errors import ResourceError
from dmlviz.running import memory
from dmlviz.timing.chain_timing import time_chain
from dmlviz.worker.client import Runner


def test_stages_move_their_tensors() -> None:
    timed = time_chain(rotate_half(64, 128).chain("twice"), 0.01)
    n = 64 * 128 * 4
    assert [(stage.name, stage.operator) for stage in timed.stages] == [
        ("halves", "SPLIT"),
        ("swapped", "JOIN"),
        ("twice", "TILE"),
    ]
    assert [stage.moved for stage in timed.stages] == [2 * n, 2 * n, 4 * n]
    assert timed.moved == 8 * n
    assert timed.total == sum(stage.warm.median for stage in timed.stages) > 0
    assert timed.whole.median > max(stage.warm.min for stage in timed.stages)
    assert pickle.loads(pickle.dumps(timed)) == timed  # as the worker sends it


def test_what_does_not_fit_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 100)
    with pytest.raises(ResourceError, match="running 3 stages"):
        time_chain(rotate_half().chain("twice"), 0)


def test_the_explorers_run_tells_the_chain_last(running: Runner) -> None:
    told = Told()
    running.start(rotate_half().experiments[-1], told)
    end = told.end()
    assert end.trouble == ""
    assert end.chain is not None
    assert [stage.name for stage in end.chain.stages] == ["halves", "swapped", "twice"]
    assert [state.stage for state in told.states if state.stage][-1] == "chain"
