"""Files that a version wrote which could do more: each opens, what went is told once, and saving keeps it.

`before/` has a session with pins, bookmarks, texts in two languages, tasks of kinds that are gone, an experiment of
PADDING1 and strided tensors; tokens of some of its experiments; settings; answers and a hand-in.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from support.commands import call
from support.crashes import crashed, only

import dmlviz as dml
from dmlviz.errors import DmlvizError
from dmlviz.session.document import Document
from dmlviz.session.settings import Store
from dmlviz.session.tokens import experiments_of
from dmlviz.session.writing import dump
from dmlviz.teaching.lessons.lessons import shipped_lessons, shipped_levels
from dmlviz.teaching.progress.hand_ins import read_hand_ins
from dmlviz.teaching.progress.progress import Progress
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.lessons.lesson import course_of

BEFORE = Path(__file__).parent / "before"
SESSION = BEFORE / "session.json"
WENT = "`PADDING1` was taken out; PADDING does the same with a float for its value."
TOLD = f'experiment "padded": {WENT}'


def test_a_session_opens_but_for_what_went_and_is_saved_with_that(tmp_path: Path) -> None:
    session, written = dml.load(SESSION), json.loads(SESSION.read_text("utf-8"))
    kept = [one for one in written["experiments"] if one["name"] != "padded"]
    assert [one.name for one in session.experiments] == [one["name"] for one in kept]
    assert [*session.told.values()] == [TOLD]
    again = tmp_path / "again.json"
    dml.save(session, again)
    saved = json.loads(again.read_text("utf-8"))
    assert saved.pop("taken_out") == [one for one in written["experiments"] if one["name"] == "padded"]
    assert saved == {**written, "experiments": kept}
    assert dump(dml.load(again)) == dump(session)
    assert not dml.load(again).told


def test_it_is_told_once_in_the_explorer_by_a_command_and_after_a_crash(tmp_path: Path) -> None:
    session = dml.load(SESSION)
    document = Document(session, SESSION)
    workspace = Workspace(document)
    assert workspace.notices() == [TOLD]
    assert not document.dirty
    for _ in session.experiments:
        workspace.go_to_experiment(1)
        assert TOLD not in workspace.notices()
    found = call("check", SESSION)
    assert found.said == [f"{SESSION}: {TOLD}"]
    assert "rows · GATHER at 5_0: valid" in found.out
    assert "strided · TILE at 5_0: " in found.out
    crashed(tmp_path, replace(session, title="edited"), SESSION)
    assert dump(only(tmp_path).document.session) == dump(replace(session, title="edited"))


def test_tokens_open_and_one_of_an_operator_that_went_says_so() -> None:
    joined, after, padded, strided = (BEFORE / "tokens.txt").read_text("utf-8").split()
    assert [one.name for one in experiments_of(joined)[-1].stages] == ["rows", "halves", "joined"]
    assert experiments_of(strided)[-1].name == "strided"
    for token in (padded, after):
        with pytest.raises(DmlvizError) as raised:
            experiments_of(token)[-1]
        assert str(raised.value) == f"the token: {WENT}"


def test_settings_are_read_and_kept(tmp_path: Path) -> None:
    file = Path(shutil.copy(BEFORE / "config.json", tmp_path))
    before = json.loads(file.read_text("utf-8"))
    store = Store(file)
    assert (store.settings.theme, store.settings.seconds, store.settings.animation) == ("dmlviz-light", 5.0, False)
    assert store.settings.keys["steps.play"] == "i"
    store.remember("seconds", 3.0)
    assert json.loads(file.read_text("utf-8")) == {**before, "seconds": 3.0}


def test_answers_are_read_counted_and_kept(tmp_path: Path) -> None:
    file = Path(shutil.copy(BEFORE / "progress.jsonl", tmp_path))
    before = file.read_bytes()
    progress = Progress(file)
    assert not progress.problems
    assert len(progress.answers) == len(before.splitlines())
    course_of(shipped_lessons(), shipped_levels(), progress.answers)
    progress.add(progress.answers[0])
    assert file.read_bytes() == before + before.splitlines(keepends=True)[0]
    assert read_hand_ins(BEFORE / "hand-in.json")[0].name == "Ada"
    found = call("progress", "--merge", BEFORE / "hand-in.json")
    assert (found.code, found.said) == (0, [])
    assert "Ada" in found.out
