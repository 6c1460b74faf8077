"""The state file of a presentation: what one screen writes the other reads, and what isn't one is left as it is."""

from __future__ import annotations

import json
from pathlib import Path

from dmlviz.session.presentation_state import Build, Presented, StateFile, name_of

HANDS = {"one": ((1, None), (None, None)), "other": ((4, 5, 6, 7), (0, 0, 0, 22))}
STATE = Presented(experiment=3, build=Build.PLAY, step=7, vote=1, hands=HANDS)


def test_the_file_is_named_after_the_whole_path(tmp_path: Path) -> None:
    files = {StateFile(name, tmp_path).file.name for name in ("/a/lesson.json", "/b/lesson.json", "example:lesson")}
    assert sorted(name.rpartition("-")[0] for name in files) == ["example-lesson", "lesson", "lesson"]
    assert name_of(tmp_path / "x" / ".." / "y.json") == name_of(tmp_path / "y.json")
    assert (name_of(None, "gather-2"), name_of(None)) == ("example:gather-2", None)


def test_a_state_of_before_is_read(tmp_path: Path) -> None:
    """It has members more, and lacks one."""
    state = StateFile("/a/lesson.json", tmp_path)
    state.write(STATE)
    tree = json.loads(state.file.read_text())
    del tree["revealed"]
    state.file.write_text(
        json.dumps({"dmlviz_presentation": 1, "file": "/a/lesson.json", "told": True, "timer": 6.5, **tree})
    )
    assert state.read() == STATE
