"""`dmlviz present`: another version's state is left alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import call

from dmlviz.session import examples
from dmlviz.session.presentation_state import Presented, StateFile, name_of


@pytest.mark.parametrize("more", [[], ["--notes"]])
def test_a_state_file_of_another_version_is_refused_and_left_alone(tmp_path: Path, more: list[str]) -> None:
    path = tmp_path / "lesson.json"
    path.write_bytes(examples.example("gather-2").path.read_bytes())
    name = name_of(path)
    assert name is not None
    kept = StateFile(name)
    kept.write(Presented())
    text = json.dumps({**json.loads(kept.file.read_text()), "dmlviz_presentation": 7})
    kept.file.write_text(text)
    found = call("present", str(path), *more)
    assert found.code == 2
    (sentence,) = found.said
    assert "has version 7 of a presentation's state, expected 1" in sentence
    assert kept.file.read_text() == text
