"""`dmlviz learn`: what counts as a lesson."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import call

from dmlviz.session import examples


def test_a_lesson_of_a_file_is_known_by_its_id(tmp_path: Path) -> None:
    """It gets as far as the terminal, which the test has none of."""
    found = json.loads(examples.example("join-1").path.read_bytes())
    found["lesson"] = {"id": "mine"}
    found["experiments"][0]["task"] = {"ask": {"kind": "sizes"}}
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(found))
    (said,) = call("learn", str(path), "--lesson", "mine").said
    assert "needs a terminal" in said
    (said,) = call("learn", str(path), "--lesson", "other").said
    assert 'is "other", expected one of mine, join,' in said


@pytest.mark.parametrize("word", ["tile-1", str(examples.example("tile-1").path)], ids=["name", "path"])
def test_an_example_that_asks_something_is_a_lesson(word: str) -> None:
    (said,) = call("learn", word).said
    assert "needs a terminal" in said
