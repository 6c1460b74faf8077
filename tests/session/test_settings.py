"""What is remembered: settings and keys that people edit by hand, and what was open last."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dmlviz.screens.explorer.user_keys import checked
from dmlviz.session import examples
from dmlviz.session.reading import load
from dmlviz.session.recent_files import FIRST, MOST, Recent
from dmlviz.session.settings import Settings, Store
from dmlviz.session.writing import save


def stored(tmp_path: Path, text: str) -> Store:
    file = tmp_path / "config.json"
    file.write_text(text, encoding="utf-8")
    return Store(file)


def test_what_cant_be_used_there_stays_as_it_is(tmp_path: Path) -> None:
    store = Store(tmp_path / "none" / "config.json")
    assert (store.settings, store.sentences) == (Settings(), [])
    assert not store.file.parent.exists()
    store.remember("theme", "dmlviz-light")
    assert Store(store.file).settings == store.settings == Settings(theme="dmlviz-light")
    store = stored(tmp_path, '{"later": {"a": [1]}, "seconds": "fast", "theme": "dmlviz-light"}')
    assert store.settings == Settings(theme="dmlviz-light")
    assert len(store.sentences) == 1
    store.remember("unit", "slice")
    found = json.loads(store.file.read_text())
    assert found == {"later": {"a": [1]}, "seconds": "fast", "theme": "dmlviz-light", "unit": "slice"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"seconds": true}', "seconds is true, expected a number from 0.1 to 3600."),
        ('{"seconds": 0}', "seconds is 0, expected a number from 0.1 to 3600."),
        ('{"unit": "byte"}', 'unit is "byte", expected one of element, run, slice, whole.'),
        ('{"memory": 1}', "memory is 1, expected true, false or null."),
        ('{"theme": 3}', "theme is 3, expected the name of a theme."),
        ('{"keys": []}', 'keys is [], expected an object such as {"steps.play": "i"}.'),
        ('{"keys": {"steps.play": 5}}', 'keys is {"steps.play": 5}, expected an object such as {"steps.play": "i"}.'),
    ],
)
def test_what_cant_be_used_there_is_told_in_a_sentence(tmp_path: Path, text: str, told: str) -> None:
    store = stored(tmp_path, text)
    assert store.settings == Settings()
    assert store.sentences == [f"{store.file}: {told}"]


@pytest.mark.parametrize("text", ["{", "[1]", "", "\x00", '{"a": NaN}', '{"seconds": 1e400}'])
def test_a_file_that_cannot_be_read_is_told_of_and_never_written(tmp_path: Path, text: str) -> None:
    store = stored(tmp_path, text)
    assert store.settings == Settings()
    assert len(store.sentences) == 1
    assert "nothing is written" in store.sentences[0]
    store.remember("unit", "run")
    assert store.settings.unit == "run"
    assert store.file.read_text() == text


# ---- keys


def test_keys_are_given_to_commands_there_by_their_ids() -> None:
    used, letters, said = checked({"steps.play": "d", "session.open": "f7,ctrl+t", "app.keys": "!"})
    assert used == {"steps.play": "d", "session.open": "f7,ctrl+t", "app.keys": "exclamation_mark"}
    assert letters == {"do('play', ())", "help_keys"}
    assert said == []
    swapped = {"session.notes": "x", "session.export": "n"}
    assert (checked(swapped)[0], checked(swapped)[2]) == (swapped, [])


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"steps.paly": "p"}, ("steps.paly", "no command", "steps.play")),
        ({"nonsense": "p"}, ("nonsense", "no command", "expected")),
        ({"steps.play": "hyperspace"}, ('"hyperspace"', "expected keys such as")),
        ({"steps.play": "ctrl+"}, ("steps.play", "expected keys such as")),
        ({"steps.play": "ctrl+p"}, ("opens the palette", "free")),
    ],
)
def test_a_key_that_cannot_be_given_leaves_the_one_there_is(keys: dict[str, Any], words: tuple[str, ...]) -> None:
    used, letters, said = checked(keys)
    assert used == {}
    assert letters == frozenset()
    assert len(said) == 1
    for word in words:
        assert word in said[0]
    assert said[0].endswith(".")


# ---- what was open last


def test_a_launch_opens_what_was_open_last_or_an_example(tmp_path: Path) -> None:
    file, lesson = tmp_path / "state" / "recent.json", tmp_path / "lesson.json"
    save(examples.example("tile-1").session(), lesson)
    recent = Recent(file)
    first = recent.last()
    assert first.is_offered
    assert (recent.first_launch, first.example, first.path, first.notice) == (True, FIRST, None, "")
    recent.remember(None, "join-1")
    assert Recent(file).last().example == "join-1"
    recent.remember(lesson)
    recent.remember(None, None)  # made on the screen, and in no file
    again = Recent(file)
    assert not again.first_launch
    assert (again.last().path, again.last().session) == (lesson, load(lesson))
    assert "lesson.json" in again.last().notice
    lesson.unlink()
    gone = Recent(file).last()
    assert gone.example == FIRST
    assert "lesson.json: no such file" in gone.notice


def test_the_list_holds_each_file_once_and_not_for_ever(tmp_path: Path) -> None:
    recent = Recent(tmp_path / "recent.json")
    for i in (*range(MOST + 3), 9):
        recent.remember(tmp_path / f"{i}.json")
    files = Recent(tmp_path / "recent.json").files
    assert (len(files), len(set(files)), files[0].name) == (MOST, MOST, "9.json")
