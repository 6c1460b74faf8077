"""The state file of a presentation: what one screen writes the other reads, and what isn't one is left as it is."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from dmlviz.errors import SessionError
from dmlviz.session import presentation_state
from dmlviz.session.presentation_state import Build, Presented, StateFile, name_of
from dmlviz.session.whole_files import write_whole

STATE = replace(
    Presented(
        experiment=3,
        build=Build.PLAY,
        step=7,
        playing=True,
        cursor=(True, 0, (1, 2)),
        spotlight=True,
        hides=True,
        black=True,
        vote=1,
        began=5.0,
        timer=6.5,
        changed=7.0,
    ),
    hands={"one": ((1, None), (None, None)), "other": ((4, 5, 6, 7), (0, 0, 0, 22))},
)


def test_what_one_screen_writes_the_other_reads(tmp_path: Path) -> None:
    one, other = StateFile("/a/lesson.json", tmp_path), StateFile("/a/lesson.json", tmp_path)
    assert one.read() is None
    assert not other.changed()
    one.write(STATE)
    assert other.changed()
    assert not one.changed()
    assert other.read() == STATE
    assert not other.changed()
    other.write(Presented(1))
    assert one.changed()
    assert one.read() == Presented(1)


def test_what_the_other_screen_writes_right_after_is_still_to_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = StateFile("/a/lesson.json", tmp_path), StateFile("/a/lesson.json", tmp_path)

    def overtaken(target: Path, data: bytes) -> None:
        write_whole(target, data)
        with monkeypatch.context() as patched:
            patched.setattr(presentation_state, "write_whole", write_whole)
            other.write(STATE)

    monkeypatch.setattr(presentation_state, "write_whole", overtaken)
    one.write(Presented(1))
    assert one.changed()
    assert one.read() == STATE
    assert not one.changed()


@pytest.mark.skipif(os.name != "posix", reason="folders have no locks there")
def test_one_screen_waits_for_the_other_but_not_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = StateFile("/a/lesson.json", tmp_path), StateFile("/a/lesson.json", tmp_path)
    done: list[str] = []

    def turn() -> None:
        with other.alone():
            done.append("other")

    waiting = threading.Thread(target=turn)
    with one.alone(), one.alone():
        waiting.start()
        waiting.join(0.05)
        done.append("one")
    waiting.join(60)
    assert done == ["one", "other"]
    monkeypatch.setattr(presentation_state, "PATIENCE", 0.01)
    with one.alone():
        turn()
    assert done == ["one", "other", "other"]


def test_the_file_is_named_after_the_whole_path(tmp_path: Path) -> None:
    files = {StateFile(name, tmp_path).file for name in ("/a/lesson.json", "/b/lesson.json", "example:lesson")}
    assert len(files) == 3
    assert all(each.parent == tmp_path and each.name.startswith(("lesson-", "example-lesson-")) for each in files)
    assert name_of(tmp_path / "x" / ".." / "y.json") == name_of(tmp_path / "y.json")
    assert name_of(None, "gather-2") == "example:gather-2"
    assert name_of(None) is None


def test_hostile_names_make_plain_files(tmp_path: Path) -> None:
    for name in ("/a/../../etc/passwd", "/a/\x1b[31m.json", "/" + "x" * 5000, "/\udcff.json", "example:"):
        state = StateFile(name, tmp_path)
        state.write(STATE)
        assert state.file.parent == tmp_path
        assert StateFile(name, tmp_path).read() == STATE


def altered(**changes: Any) -> Any:
    return lambda found: {**found, **changes}


@pytest.mark.parametrize(
    ("alter", "said"),
    [
        (altered(dmlviz_presentation=2), "has version 2 of a presentation's state, expected 1; remove it to begin"),
        (altered(dmlviz_presentation="x"), 'has version "x" of a presentation\'s state, expected 1'),
        (altered(file="/b/other.json"), 'is of "/b/other.json", expected "/a/lesson.json"'),
        (altered(build="end"), "holds no presentation's state, expected what dmlviz wrote"),
        (altered(experiment=-1), "holds no presentation's state"),
        (altered(experiment=True), "holds no presentation's state"),
        (altered(hands={"0": [[1], [2], [3]]}), "holds no presentation's state"),
        (altered(hands={"0": [["many"]]}), "holds no presentation's state"),
        (altered(cursor=[True, 0]), "holds no presentation's state"),
        (altered(vote=2), "holds no presentation's state"),
        (altered(began="now"), "holds no presentation's state"),
        (lambda found: [], "holds no presentation's state"),
        (lambda found: {"dmlviz": 1}, "holds no presentation's state"),
    ],
)
def test_a_file_of_another_version_or_owner_is_told_in_one_sentence(tmp_path: Path, alter: Any, said: str) -> None:
    state = StateFile("/a/lesson.json", tmp_path)
    state.write(STATE)
    text = json.dumps(alter(json.loads(state.file.read_text())))
    state.file.write_text(text)
    with pytest.raises(SessionError) as raised:
        state.read()
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    assert state.file.read_text() == text


def test_bytes_that_are_no_json_are_told(tmp_path: Path) -> None:
    state = StateFile("/a/lesson.json", tmp_path)
    for data in (b"", b"\xff\xfe", b"[" * 100_000, b"{}" * 10, b" " * 1_000_001):
        state.file.write_bytes(data)
        with pytest.raises(SessionError):
            state.read()


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owner there")
def test_another_user_s_file_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = StateFile("/a/lesson.json", tmp_path)
    state.write(STATE)
    here = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: here + 1)
    with pytest.raises(SessionError, match="is another user's, expected a presentation's state of your own"):
        state.read()


def test_a_folder_that_can_t_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SessionError, match=r"can't be written: .*; no other screen follows"):
        StateFile("/a/lesson.json", tmp_path / "file").write(STATE)
