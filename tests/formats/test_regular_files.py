"""A FIFO in the place of each file that is read: nobody waits for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.answering import past_answer
from support.commands import call

from dmlviz.desc.npy_files import read_any_npy
from dmlviz.errors import ValuesError
from dmlviz.session.presentation_state import StateFile
from dmlviz.session.recent_files import Recent
from dmlviz.session.recovery import find
from dmlviz.session.settings import Settings, Store
from dmlviz.session.whole_files import digest_of
from dmlviz.teaching.progress.progress import Progress

SAID = "it is a FIFO, expected a file"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a FIFO")
def test_a_fifo_in_the_place_of_each_file_is_told_at_once(tmp_path: Path) -> None:
    pipe, state = tmp_path / "pipe.json", StateFile("/a/lesson.json", tmp_path / "own")
    state.file.parent.mkdir(parents=True)
    added = Progress(tmp_path / "x.npy")
    for path in (pipe, state.file, tmp_path / f"{'ab' * 16}.json", tmp_path / "x.npy"):
        os.mkfifo(path)
    for words in (["check"], ["quiz"], ["learn"], ["present"], ["import"], ["bench"], ["progress", "--csv", "--merge"]):
        found = call(*words, pipe)
        assert (found.code, found.said) == (2, [f"{pipe} can't be read: {SAID}."]), words
    store = Store(pipe)
    assert (store.settings, state.read(), [*Recent(pipe).files], digest_of(pipe)) == (Settings(), None, [], None)
    for said in (*store.sentences, *Progress(pipe).problems, state.problem):
        assert f"can't be read: {SAID}" in said
    added.add(past_answer())
    assert f"can't be written: {SAID}; " in added.problems[0]
    with pytest.raises(ValuesError, match=SAID):
        read_any_npy("x.npy", "it", tmp_path)
    pipe.unlink()
    kept, (aside,) = find(tmp_path)
    assert (kept, "set aside" in aside) == ([], True)
