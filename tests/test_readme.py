"""README's own examples: what it shows is what happens."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from dmlviz import library, session, settings
from dmlviz.cli import main
from dmlviz.screens.keymap import checked

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", README, re.DOTALL)
    assert found
    return found[1]


def test_the_python_lines_run() -> None:
    names: dict[str, object] = {}
    exec(compile(block("python"), "README.md", "exec"), names)
    assert np.array_equal(names["out"], [[1, 2], [3, 4], [3, 4], [5, 6]])  # type: ignore[arg-type]
    assert names["report"].ok  # type: ignore[attr-defined]


def test_the_session_file_is_one() -> None:
    found, errors = session.parse(block("json").encode(), "README.md", None)
    assert not errors
    assert found.experiments[0].check().ok
    assert json.loads(block("json"))["title"] == found.title


def test_the_settings_are_taken_as_they_are() -> None:
    text = re.findall(r"```json\n(.*?)```", README, re.DOTALL)[1]
    found, said = settings.parse(text, "config.json")
    assert not said
    assert (found.theme, found.seconds, found.animation) == ("dmlviz-light", 5.0, False)
    keys, _, said = checked(found.keys)
    assert not said
    assert set(keys) == {"steps.play", "session.open"}


def test_check_prints_what_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "desc.json"
    file.write_text(library.example("gather-3-as-printed").path.read_text("utf-8"), "utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["check", str(file)])
    assert ended.value.code == 1
    command, shown = block("console").split("\n", 1)
    assert command == "$ dmlviz check desc.json"
    assert capsys.readouterr().out == shown


def test_every_picture_and_file_it_names_is_there() -> None:
    for name in re.findall(r"\]\(((?!http)[^)]*)\)", README):
        assert (ROOT / name).exists(), name


def test_pictures_need_no_web() -> None:
    for picture in (ROOT / "docs").glob("*.svg"):
        links = set(re.findall(r"https?://[^\"' )]*", picture.read_text("utf-8")))
        assert links <= {"http://www.w3.org/2000/svg"}, picture
