"""Wherever a command takes a file, the name of an example will do, unless a file is called so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.commands import call

from dmlviz.session import examples

OF_A_FILE = {
    "check": ["check", "FILE"],
    "run": ["run", "FILE", "--json"],
    "explain": ["explain", "FILE"],
    "export": ["export", "FILE", "--to", "numpy"],
    "import": ["import", "FILE"],
}
"""Commands that take a FILE and print what comes of it."""


def words(command: str, file: str) -> list[str]:
    return [file if word == "FILE" else word for word in OF_A_FILE[command]]


def without_times(text: str) -> str:
    return re.sub(r'"timing": .*', "", text)


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", OF_A_FILE)
def test_an_example_is_what_its_file_is(command: str) -> None:
    path = examples.example("join-1").path
    by_name, by_path = call(*words(command, "join-1")), call(*words(command, str(path)))
    assert by_name.code == by_path.code == 0
    assert without_times(by_name.out).replace(str(path), "join-1") == without_times(by_path.out).replace(
        str(path), "join-1"
    )


def test_a_file_of_that_name_comes_first() -> None:
    Path("join-1").write_bytes(examples.example("split-1").path.read_bytes())
    assert "SPLIT" in call("check", "join-1").out
    Path("tile-1").mkdir()
    assert call("run", "tile-1").said == ["tile-1 is a directory, expected a file to open."]
    assert (
        call("check", "tile-1").out
        == "0 files: 0 with descs, 0 descs, 0 broken, 0 not checked, found by a walk, without git\n"
    )
    Path("gather-1").symlink_to("gone")
    assert call("check", "gather-1").said == ["gather-1: no such file, expected a file to open."]


@pytest.mark.parametrize(
    ("word", "meant"),
    [("join1", "join-1"), ("Join-1", "join-1"), ("join-1.json", "join-1"), ("gather-3-corected", "gather-3-corrected")],
)
@pytest.mark.parametrize("command", ["check", "explain", "import", "export"])
def test_a_near_miss_says_which_example_may_be_meant(command: str, word: str, meant: str) -> None:
    found = call(*words(command, word))
    assert found.code == 2
    assert found.said[0] == f"{word}: no such file, and no example; did you mean the example {meant}?"


@pytest.mark.parametrize("word", ["lesson.json", "x", "examples/join-1", "j" * 5000, ""])
def test_what_is_like_no_example_is_no_such_file(word: str) -> None:
    (said,) = call("check", word).said
    assert "did you mean" not in said
