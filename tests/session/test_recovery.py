"""What outlives a crash, and who is offered it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.crashes import crashed, only, unsaved
from support.processes import wait_until
from support.real_terminal import Terminal

import dmlviz as dml
from dmlviz.desc.value_sources import Npy
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import load
from dmlviz.session.recovery import DELAY, Keeper, find
from dmlviz.session.whole_files import digest_of
from dmlviz.session.writing import save

pytestmark = pytest.mark.integration


def quiet(sentence: str) -> None:
    raise AssertionError(sentence)


def edited(name: str = "edited") -> Session:
    session = examples.example("gather-2").session()
    return replace(session, experiments=(replace(session.experiments[0], name=name), *session.experiments[1:]))


def test_a_state_is_in_its_file_soon_and_is_offered_once_its_process_is_gone(tmp_path: Path) -> None:
    keeper = Keeper(quiet, tmp_path)
    for i in range(50):
        keeper.keep(unsaved(edited(f"name {i}")))
    wait_until(lambda: any("name 49" in file.read_text() for file in tmp_path.glob("*.json")), "the last edit's file")
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    (file,) = tmp_path.glob("*.json")
    file.write_text(re.sub(r'"pid": \d+', f'"pid": {other.pid}', file.read_text()))
    assert find(tmp_path) == ([], []), "it is running"
    other.communicate(b"\n")
    found = only(tmp_path)
    assert found.document.experiment.name == "name 49"
    crashed(tmp_path, edited("newer"))
    mine = Keeper(quiet, tmp_path)
    mine.adopt(found)
    mine.keep(unsaved(edited("mine")))
    assert mine.close(clean=False)
    assert [each.document.experiment.name for each in find(tmp_path)[0]] == ["mine", "newer"], "each has its own"
    keeper.close(clean=True)


def large(count: int = 2_500) -> Session:
    items = examples.example("tile-1").session().experiments
    return Session(tuple(replace(items[i % len(items)], name=f"tile {i}") for i in range(count)), "large")


def test_what_is_left_behind_is_found_with_where_it_came_from(tmp_path: Path) -> None:
    where, lesson = tmp_path / "kept", tmp_path / "lesson.json"
    items = (*edited().experiments, *examples.example("join-1").session().experiments)
    two = Session(tuple(replace(each, folder=tmp_path) for each in items), "two", tmp_path)
    save(examples.example("gather-2").session(), lesson)
    crashed(where, replace(two, extra={"mine": [1, "x"]}), lesson, 1, digest_of(lesson))
    (file,) = where.glob("*.json")
    tree = json.loads(file.read_text())
    del tree["seen"]
    (where / "before.json").write_text(json.dumps({**tree, "written": 1e9}))  # as an earlier version wrote it
    for lost in find(where)[0]:
        document = lost.document
        assert document.session == replace(two, extra={"mine": [1, "x"]})
        assert (document.path, document.number, document.dirty) == (lesson, 1, True)
        assert document.saved == load(lesson)
        assert abs(lost.written - time.time()) < 10
        assert not document.changed_on_disk()
        save(edited("theirs"), lesson)
        assert document.changed_on_disk() is (document.seen is not None)
        save(examples.example("gather-2").session(), lesson)
        lost.kept.remove()
    crashed(where, load(lesson), lesson)
    assert find(where) == ([], []), "it had been saved"
    assert list(where.iterdir()) == []


@pytest.mark.parametrize("vanishes", [True, False])
def test_the_next_launch_offers_the_session_again_without_the_npy_files_that_are_gone(
    tmp_path: Path, vanishes: bool
) -> None:
    file = tmp_path / "x.npy"
    np.save(file, np.array([1, 2], np.uint8))
    desc, values = dml.Tile(dml.TensorDesc("UINT8", (2,)), (2,)), {"InputTensor": Npy("x.npy")}
    mine = Experiment("mine", desc, notes="an hour's work", values=values, folder=tmp_path)
    crashed(tmp_path / "kept", Session((mine,)))
    assert only(tmp_path / "kept").document.experiment.sources()[0].array().tolist() == [1, 2]
    if vanishes:
        file.unlink()
    else:
        np.save(file, np.zeros(9, np.int32))
    (found,), (said,) = find(tmp_path / "kept")
    assert found.document.experiment.notes == "an hour's work"
    assert found.document.experiment.values, "its file may come back"
    assert found.document.dirty
    assert '"mine": InputTensor: x.npy ' in said
    assert list((tmp_path / "kept").glob("*.unreadable")), "what can't be read now is not thrown away"


DAMAGED = [b"", b"{", b"\xff\xfe", b"[]", b'{"session": 3}', b"null", b'{"session": "{}", "folders": [], "path": null}']


@pytest.mark.parametrize("data", DAMAGED)
def test_a_damaged_file_is_set_aside_and_told_of_once(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "one.json").write_bytes(data)
    crashed(tmp_path, edited())
    found, (said,) = find(tmp_path)
    assert len(found) == 1
    assert "one.unreadable" in said
    assert (tmp_path / "one.unreadable").read_bytes() == data
    assert find(tmp_path)[1] == []


def test_what_has_no_room_is_told_once(tmp_path: Path) -> None:
    where = tmp_path / "full" / "kept"
    (tmp_path / "full").write_text("")
    said: list[str] = []
    keeper = Keeper(said.append, where)
    for name in ("one", "other"):
        keeper.keep(unsaved(edited(name)))
        time.sleep(DELAY * 3)
    (tmp_path / "full").unlink()
    keeper.keep(unsaved(edited("mine")))
    assert keeper.close(clean=False)
    assert only(where).document.experiment.name == "mine"
    (sentence,) = said
    assert "would not outlive a crash" in sentence


# ---- in a real terminal


@pytest.mark.parametrize("count", [1, pytest.param(2_500, marks=pytest.mark.slow)])
def test_an_edit_is_on_disk_a_second_later_after_a_crash_the_next_launch_offers_the_session_again(
    tmp_path: Path, count: int
) -> None:

    def start(*arguments: str) -> Terminal:
        return Terminal([sys.executable, "-m", "dmlviz", *arguments], 100, 30, tmp_path)

    save(large(count), tmp_path / "lesson.json")
    kept = tmp_path / ".home" / "xdg_state_home" / "dmlviz" / "recovery"
    terminal = start("lesson.json")
    terminal.until("54 of 54")
    terminal.send("n")
    terminal.until("Session title")
    terminal.send("Written ")
    terminal.until("Written")
    wait_until(lambda: any("Written" in file.read_text() for file in kept.glob("*.json")), "the edit")
    terminal.send("and lost")  # it may be there or not
    terminal.crash()
    again = start()
    again.until("wasn't saved", "lesson.json")
    again.send("o")
    again.until("unsaved")
    again.send("n")
    again.until("Session title", "Written")
    again.send("\x13")  # ctrl+s: to the file that it came from
    again.until("saved to")
    saved = load(tmp_path / "lesson.json").experiments
    assert "Written" in saved[0].notes
    assert [each.name for each in saved] == [each.name for each in large(count).experiments]
    again.send("q")
    assert again.ends() == 0
    assert not list(kept.glob("*.json"))
