"""A FIFO in the place of each file that is read: nobody waits for it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from support.commands import call, document, experiment
from support.teaching import past_answer

from dmlviz.cli.checking import found_files
from dmlviz.desc.npy_files import read_any_npy
from dmlviz.errors import SessionError, ValuesError
from dmlviz.session.presentation_state import Presented, StateFile
from dmlviz.session.recent_files import Recent
from dmlviz.session.recovery import find
from dmlviz.session.settings import Settings, Store
from dmlviz.session.whole_files import digest_of
from dmlviz.teaching.progress.progress import Progress

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a FIFO")


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe.json")
    return tmp_path / "pipe.json"


def test_files_of_the_command_line(pipe: Path) -> None:
    for words in (["check"], ["quiz"], ["learn"], ["present"], ["import"], ["bench"], ["progress", "--csv", "--merge"]):
        found = call(*words, pipe)
        assert (found.code, found.said) == (2, [f"{pipe} can't be read: it is a FIFO, expected a file."]), words


def test_files_of_the_user_s_own(pipe: Path, tmp_path: Path) -> None:
    store, kept = Store(pipe), Progress(pipe)
    assert store.settings == Settings()
    for (said,) in (store.sentences, kept.problems):
        assert "can't be read: it is a FIFO, expected a file; " in said
    assert not Recent(pipe).files
    assert digest_of(pipe) is None
    pipe.rename(tmp_path / f"{'ab' * 16}.json")
    found, (aside,) = find(tmp_path)
    assert not found
    assert "set aside" in aside


def test_what_git_is_told_to_ignore(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(found_files, "GIT_SECONDS", 0.5)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    os.mkfifo(tmp_path / ".gitignore")
    (tmp_path / "x.json").write_text(document(experiment()))
    found = call("check", tmp_path)
    assert (found.code, found.out.splitlines()[-1].endswith("found by a walk, without git")) == (0, True)


def test_what_is_added_to(pipe: Path, tmp_path: Path) -> None:
    kept = Progress(tmp_path / "progress.jsonl")
    pipe.rename(tmp_path / "progress.jsonl")
    kept.add(past_answer())
    (said,) = kept.problems
    assert "can't be written: it is a FIFO, expected a file; " in said


def test_where_a_presentation_stands(tmp_path: Path) -> None:
    state = StateFile("/a/lesson.json", tmp_path)
    os.mkfifo(state.file)
    assert state.read() is None
    assert "is a FIFO, expected a file" in state.problem
    with pytest.raises(SessionError, match="can't be written: it is no regular file"):
        state.write(Presented())


def test_values(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.npy")
    with pytest.raises(ValuesError, match="it is a FIFO, expected a file"):
        read_any_npy("x.npy", "it", tmp_path)
