"""`dmlviz bench`: the descs of a file, timed beside what else does the same."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.commands import call

from dmlviz.retired import told


def test_the_kernel_stands_beside_numpy_the_loop_and_a_copy(tmp_path: Path) -> None:
    file = tmp_path / "times.json"
    done = call("bench", "gather-2", "-o", file)
    assert done.code == 0
    name, *rows = done.out.splitlines()
    assert name == "row gather · GATHER"
    assert [row.split("  ")[1].split(" ")[0] for row in rows] == ["kernel", "NumPy", "textbook", "plain"]
    assert all(re.search(r"\d [nµm]s  [\d.]+ times the kernel's$", row) for row in rows[1:])
    (timed,) = json.loads(file.read_text("utf-8"))["experiments"]
    assert (timed["name"], timed["peer_name"], timed["elements"]) == ("row gather", "take", 8)
    assert call("bench", "gather-2", "-o", file).said == [
        f"{file} exists already, expected another name, or --force, which replaces it."
    ]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--grid", "full"], told("--grid")),
        (
            ["join-1", "-o", "/nowhere/r"],
            "/nowhere/r can't be written: No such file or directory.",
        ),
    ],
)
def test_what_it_does_not_do_is_one_sentence(words: list[str], sentence: str) -> None:
    done = call("bench", *words)
    assert (done.code, done.said) == (2, [sentence])


def test_an_invalid_experiment_is_named_and_the_others_are_timed() -> None:
    done = call("bench", "rule-sizes-sum")
    assert (done.code, done.out) == (1, "")
    assert all(sentence.startswith("rule-sizes-sum: experiment ") for sentence in done.said)
