"""A chain's time: its stages and their bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.cells import cell_len
from support.chain_sessions import rotate_half
from support.commands import call
from support.runs import Told

from dmlviz.errors import ResourceError
from dmlviz.running import memory
from dmlviz.session.writing import dump
from dmlviz.timing.chain_timing import ChainTiming, time_chain
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
    assert ChainTiming.from_json(json.loads(json.dumps(timed.to_json()))) == timed


def test_what_does_not_fit_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 100)
    with pytest.raises(ResourceError, match="running 3 stages"):
        time_chain(rotate_half().chain("twice"), 0)


@pytest.mark.parametrize("command", ["run", "bench"])
def test_the_commands_print_a_chain_behind_its_stages(command: str) -> None:
    done = call(command, "chain-tile-or-join-first")
    assert done.code == 0
    starts = [line for line in done.out.splitlines() if line.startswith("chain ")]
    assert starts == ["chain first twice ▸ second twice ▸ tiled, then joined", "chain joined ▸ joined, then tiled"]
    assert done.out.splitlines()[-2].endswith("moves 96 bytes")
    assert "chain" not in call(command, "gather-2").out


def test_wide_names_shift_no_column_of_a_chain(tmp_path: Path) -> None:
    file = tmp_path / "wide.json"
    file.write_text(dump(rotate_half()).replace("halves", "二つに分ける").replace("swapped", "入れ替え"), "utf-8")
    rows = [line for line in call("run", str(file)).out.splitlines() if " moves " in line]
    assert len(rows) == 4
    assert len({cell_len(row.partition(" moves ")[0]) for row in rows}) == 1


def test_run_has_chains_in_its_json_where_there_are_some() -> None:
    found = json.loads(call("run", "--json", "chain-rotate-half").out)
    (chain,) = found["chains"]
    assert [stage["name"] for stage in chain["stages"]] == ["halves", "swapped", "twice"]
    assert json.loads(call("run", "--json", "gather-2").out).keys() == {"experiments"}


def test_the_explorers_run_tells_the_chain_last(running: Runner) -> None:
    told = Told()
    running.start(rotate_half().experiments[-1], told)
    end = told.end()
    assert end.trouble == ""
    assert end.chain is not None
    assert [stage.name for stage in end.chain.stages] == ["halves", "swapped", "twice"]
    assert [state.stage for state in told.states if state.stage][-1] == "chain"
