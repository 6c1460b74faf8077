"""A FIFO in the place of each file that is read: nobody waits for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.commands import call
from support.teaching import past_answer

from dmlviz.desc.npy_files import read_any_npy
from dmlviz.errors import ValuesError
from dmlviz.session.presentation_state import StateFile
from dmlviz.session.recent_files import Recent
from dmlviz.session.recovery import find
from dmlviz.session.settings import Settings, Store
from dmlviz.session.whole_files import digest_of
from dmlviz.teaching.progress.progress import Progress

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a FIFO")
SAID = "it is a FIFO, expected a file"


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe.json")
    return tmp_path / "pipe.json"


def test_files_of_the_command_line(pipe: Path) -> None:
    for words in (["check"], ["quiz"], ["learn"], ["present"], ["import"], ["bench"], ["progress", "--csv", "--merge"]):
        found = call(*words, pipe)
        assert (found.code, found.said) == (2, [f"{pipe} can't be read: {SAID}."]), words


def test_files_of_the_user_s_own(pipe: Path, tmp_path: Path) -> None:
    store, kept, state = Store(pipe), Progress(pipe), StateFile("/a/lesson.json", tmp_path / "own")
    state.file.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(state.file)
    assert (store.settings, state.read(), [*Recent(pipe).files], digest_of(pipe)) == (Settings(), None, [], None)
    for said in (*store.sentences, *kept.problems, state.problem):
        assert f"can't be read: {SAID}" in said
    pipe.rename(tmp_path / f"{'ab' * 16}.json")
    found, (aside,) = find(tmp_path)
    assert not found
    assert "set aside" in aside


def test_what_is_added_to_and_values(pipe: Path, tmp_path: Path) -> None:
    kept = Progress(tmp_path / "progress.jsonl")
    os.mkfifo(tmp_path / "x.npy")
    pipe.rename(tmp_path / "progress.jsonl")
    kept.add(past_answer())
    assert f"can't be written: {SAID}; " in kept.problems[0]
    with pytest.raises(ValuesError, match=SAID):
        read_any_npy("x.npy", "it", tmp_path)
