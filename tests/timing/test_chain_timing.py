"""A chain's time: its stages, their bytes, and one gather by the composed map, which makes the same bytes."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from support.chain_sessions import rotate_half
from support.commands import call
from support.random_chains import random_chain
from support.runs import Told

import dmlviz as dml
from dmlviz.desc.value_sources import Listed, Wired
from dmlviz.errors import DmlvizError, ResourceError
from dmlviz.running import memory
from dmlviz.session.chains import chains_of
from dmlviz.session.experiments import Experiment, Session
from dmlviz.timing import chain_timing
from dmlviz.timing.chain_timing import ChainTiming, time_chain
from dmlviz.worker.client import Runner


def test_stages_move_their_tensors_and_one_gather_the_end_and_its_indices() -> None:
    timed = time_chain(rotate_half(64, 128).chain("twice"), 0.01)
    n = 64 * 128 * 4
    assert [(stage.name, stage.operator) for stage in timed.stages] == [
        ("halves", "SPLIT"),
        ("swapped", "JOIN"),
        ("twice", "TILE"),
    ]
    assert [stage.moved for stage in timed.stages] == [2 * n, 2 * n, 4 * n]
    assert timed.gather is not None
    assert (timed.gather.bytes_moved, timed.gather.index_bytes) == (4 * n, 2 * n)
    assert timed.sentence == "3 stages move 256.0 KiB; one gather moves 128.0 KiB and reads 64.0 KiB of indices."
    assert timed.total == sum(stage.warm.median for stage in timed.stages) > 0
    assert timed.whole.median > max(stage.warm.min for stage in timed.stages)
    assert ChainTiming.from_json(json.loads(json.dumps(timed.to_json()))) == timed


def test_one_gather_makes_the_bytes_of_random_chains() -> None:
    made = random.Random(6)
    tried = 0
    while tried < 40:
        drawn = random_chain(made, 6)
        for chain in chains_of(drawn.session(made).experiments):
            assert time_chain(chain, 0).gather is not None
            tried += 1


def test_elements_are_asked_one_by_one_where_stages_carry_no_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain_timing, "_carried", lambda *_: None)
    made = random.Random(8)
    for _ in range(20):
        for chain in chains_of(random_chain(made, 6).session(made).experiments):
            assert time_chain(chain, 0).gather is not None


def test_a_map_that_is_composed_wrong_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    chain, carried = rotate_half().chain("twice"), chain_timing._carried

    def wrong(*given: Any) -> Any:
        places, row = carried(*given) or (None, None)
        return None if places is None else (places[::-1], row)

    monkeypatch.setattr(chain_timing, "_carried", wrong)
    with pytest.raises(DmlvizError, match=r"OutputTensor differs from one gather by the composed map"):
        time_chain(chain, 0)


def test_every_type_goes_through_one_gather() -> None:
    for kind in ("UINT8", "INT16", "FLOAT16", "INT32", "FLOAT32"):
        assert time_chain(rotate_half(kind=kind).chain("twice"), 0).gather is not None
    wide = Session(rotate_half(kind="INT64").experiments[:2])
    assert time_chain(wide.chain("swapped"), 0).gather is not None


def padded() -> Session:
    row = dml.TensorDesc("FLOAT32", (1, 4))
    whole = dml.Split(dml.TensorDesc("FLOAT32", (1, 6)), (row, dml.TensorDesc("FLOAT32", (1, 2))), axis=1)
    padded = dml.Padding(row, "CONSTANT", 7.0, (0, 1), (0, 2))
    return Session(
        (
            Experiment("cut", whole, values={"InputTensor": Listed((1, 2, 3, "nan", 5, 6), (1, 6))}),
            Experiment("padded", padded, values={"InputTensor": Wired("cut", "OutputTensors[0]")}),
        )
    )


def test_constants_and_parts_that_nobody_reads_are_no_hindrance() -> None:
    timed = time_chain(padded().chain("padded"), 0)
    assert timed.gather is not None
    assert timed.gather.index_bytes == 4 * 7


def test_what_is_too_large_to_be_composed_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain_timing, "MOST_ASKED", 6)
    timed = time_chain(padded().chain("padded"), 0)
    assert timed.gather is None
    why = "a map of 7 elements with constants is not composed, which is done up to 6"
    assert timed.sentence == f"2 stages move {24 + 24 + 16 + 28} bytes; {why}."
    assert time_chain(rotate_half().chain("twice"), 0).gather is not None
    monkeypatch.setattr(memory, "available_memory", lambda: 100)
    with pytest.raises(ResourceError, match="running 3 stages"):
        time_chain(rotate_half().chain("twice"), 0)


@pytest.mark.parametrize("command", ["run", "bench"])
def test_the_commands_print_a_chain_behind_its_stages(command: str) -> None:
    done = call(command, "chain-tile-or-join-first")
    assert done.code == 0
    starts = [line for line in done.out.splitlines() if line.startswith("chain ")]
    assert starts == ["chain first twice ▸ second twice ▸ tiled, then joined", "chain joined ▸ joined, then tiled"]
    last = done.out.splitlines()[-1]
    assert last == "  2 stages move 96 bytes; one gather moves 64 bytes and reads 32 bytes of indices."
    assert "chain" not in call(command, "gather-2").out


def test_run_has_chains_in_its_json_where_there_are_some() -> None:
    found = json.loads(call("run", "--json", "chain-rotate-half").out)
    (chain,) = found["chains"]
    assert [stage["name"] for stage in chain["stages"]] == ["halves", "swapped", "twice"]
    assert chain["sentence"].startswith("3 stages move 256 bytes; one gather moves 128 bytes")
    assert json.loads(call("run", "--json", "gather-2").out).keys() == {"experiments"}


def test_the_explorers_run_tells_the_chain_last(running: Runner) -> None:
    told = Told()
    running.start(rotate_half().experiments[-1], told)
    end = told.end()
    assert end.trouble == ""
    assert end.chain is not None
    assert [stage.name for stage in end.chain.stages] == ["halves", "swapped", "twice"]
    assert [state.stage for state in told.states if state.stage][-1] == "chain"
