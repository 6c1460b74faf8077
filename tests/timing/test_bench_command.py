"""`dmlviz bench`: a file's experiments timed beside NumPy and the textbook loop, and what has moved out of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import call

from dmlviz.timing import comparison
from dmlviz.timing.comparison import Comparison


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "TEXTBOOK_BUDGET", 0.001)


@pytest.mark.slow
@pytest.mark.parametrize("peers", ["numpy", "textbook", "numpy,textbook"])
def test_experiments_are_timed_and_figures_kept(peers: str, tmp_path: Path) -> None:
    kept = tmp_path / "times.json"
    command = call("bench", "gather-2", "--peers", peers, "--json", kept)
    assert command.code == 0
    head, line = command.out.splitlines()
    assert head.split() == ["experiment", "kernel", "GB/s", "plain", "copy", *peers.split(",")]
    assert line.startswith("row gather ")
    (experiment,) = json.loads(kept.read_text("utf-8"))["experiments"]
    assert experiment["name"] == "row gather"
    timed = Comparison.from_json(experiment)
    assert timed.copy is not None
    assert (timed.textbook is not None) == ("textbook" in peers)
    assert (timed.ours.bytes_read, timed.ours.bytes_written) == (48, 32)


@pytest.mark.parametrize(
    "words", [(), ("--grid",), ("--grid", "full"), ("gather-2", "--grid", "small"), ("--peers", "torch"),
              ("gather-2", "--peers", "numpy,onnxruntime"), ("--json", "times.json")],
)  # fmt: skip
def test_what_has_moved_is_told_in_one_sentence(words: tuple[str, ...]) -> None:
    command = call("bench", *words)
    assert (command.code, command.out) == (2, "")
    (sentence,) = command.said
    assert "`python benchmarks/grid.py`" in sentence


def test_wrong_usage_is_one_sentence(tmp_path: Path) -> None:
    command = call("bench", "gather-2", "--peers", "numpy,jax")
    assert (command.code, command.said) == (2, ["--peers has jax, expected some of numpy,textbook."])
    command = call("bench", "gather-2", "--peers", "numpy", "--json", tmp_path / "none" / "times.json")
    assert command.code == 2
    assert command.said[-1].startswith(f"--json is {tmp_path / 'none' / 'times.json'}, which can't be written")


def test_an_invalid_experiment_is_refused_by_its_name() -> None:
    command = call("bench", "gather-3-as-printed")
    assert (command.code, command.out) == (2, "")
    assert "column swap, as printed" in command.said[-1]
