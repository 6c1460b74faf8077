"""Sessions in files: opened, saved, asked about before work is lost; and what is there at the next launch."""

from __future__ import annotations

import json
import os
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.driver import SIZES, Driver, explore, header, is_top, names, top
from support.quiet_pilot import piloted
from textual.widgets import Input, TextArea

from dmlviz.app import DmlvizApp
from dmlviz.desc.levels import FeatureLevel
from dmlviz.errors import SessionError
from dmlviz.screens.dialogs.asking import AskLost, AskName, AskReplace, AskUnsaved
from dmlviz.screens.dialogs.dialog import Dialog
from dmlviz.screens.dialogs.file_opening import path_of
from dmlviz.screens.dialogs.gallery import Gallery
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session import course, examples
from dmlviz.session.document import Document
from dmlviz.session.experiments import Session
from dmlviz.session.kept import Kept
from dmlviz.session.reading import load
from dmlviz.session.recovery import LostSession
from dmlviz.session.writing import save
from dmlviz.themes import DARK, LIGHT


async def edit_axis(driver: Driver, text: str) -> None:
    await driver.focus("Axis")
    await driver.type(text)
    driver.side(True).focus()
    await driver.settle()


def test_saving_asks_for_a_name_once_and_quitting_about_unsaved_changes(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"

    async def script(driver: Driver) -> None:
        await edit_axis(driver, "1")
        await driver.press("ctrl+s")
        assert is_top(driver, AskName)
        await driver.enter(str(tmp_path / "no" / "folder.json"))
        assert is_top(driver, AskName)  # it couldn't be written, so it asks again
        await driver.enter(str(path))
        assert is_top(driver, Explorer)
        assert not driver.screen.state.document.dirty
        assert "unsaved" not in header(driver)
        await edit_axis(driver, "0")
        assert driver.screen.state.document.dirty
        await driver.press("ctrl+s")
        assert not driver.screen.state.document.dirty
        await driver.press("f12")
        assert is_top(driver, AskName)
        await driver.press("escape")
        assert is_top(driver, Explorer)
        assert json.loads(path.read_text())["experiments"][0]["desc"]["Axis"] == 0
        assert load(path).experiments[0].desc == examples.example("gather-2").session().experiments[0].desc
        await edit_axis(driver, "1")
        for key, by_mouse in (("q", False), ("ctrl+q", True)):
            await driver.press(key)
            assert is_top(driver, AskUnsaved)
            await (driver.click("#stay", 2) if by_mouse else driver.press("escape"))
            assert is_top(driver, Explorer)
            assert driver.screen.state.document.dirty
        await driver.press("q", "ctrl+s")

    explore(script)
    assert load(path).experiments[0].desc.get("Axis") == 1


@pytest.mark.parametrize("answer", ["ctrl+r", "escape"])
def test_a_file_that_somebody_else_has_changed_is_never_overwritten_unasked(tmp_path: Path, answer: str) -> None:
    path = tmp_path / "lesson.json"
    save(examples.example("gather-2").session(), path)

    async def script(driver: Driver) -> None:
        await edit_axis(driver, "1")
        theirs = json.loads(path.read_text())
        theirs["title"] = "theirs"
        path.write_text(json.dumps(theirs))
        await driver.press("ctrl+s")
        assert is_top(driver, AskReplace)
        await driver.press(answer)
        await driver.settle()
        assert is_top(driver, Explorer)
        saved = answer == "ctrl+r"
        assert driver.screen.state.document.dirty is not saved
        if saved:
            await edit_axis(driver, "0")
            await driver.press("ctrl+s")  # what was just written is known
            assert is_top(driver, Explorer)
            assert not driver.screen.state.document.dirty

    explore(script, load(path), path=path)
    assert (json.loads(path.read_text())["title"] == "theirs") is (answer == "escape")


TYPED = {
    "a cell": ("e", "4"),
    "the form": ("f2", "tab", "tab", "tab", "x"),
    "the import": ("i", "4"),
    "a file to export to": ("x", "ctrl+s", "4"),
    "the palette": ("ctrl+p", "4"),
}
"""Where text is typed: the keys that lead there and type some."""


@pytest.mark.parametrize("where", TYPED)
async def test_ctrl_q_and_cancel_lose_no_text(driver: Driver, where: str) -> None:
    def typed() -> list[str]:
        fields = driver.app.screen.query(Input)
        return [each.value for each in fields] or [each.text for each in driver.app.screen.query(TextArea)]

    driver.screen.act(driver.screen.workspace.choose_level, FeatureLevel.L6_4)
    for key in TYPED[where]:
        await driver.press(key)
        if (key, where) == ("x", "a file to export to"):
            await driver.at_rest()
    stack, focused, before = driver.app.screen_stack[:], driver.app.focused, typed()
    assert any(text in each for each in before for text in ("4", "x"))
    await driver.press("ctrl+q")
    assert is_top(driver, AskUnsaved)
    await driver.press("escape")
    assert driver.app.screen_stack == stack
    assert driver.app.focused is focused
    assert typed() == before


NOBODY, LONG = "~nobody-is-called-so", 300 * "n"


def test_a_folder_of_nobody_and_no_folder_of_ones_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert path_of("~/a.json") == tmp_path / "a.json"
    for name in (NOBODY, f"{NOBODY}/x", LONG, "a\0b"):
        with pytest.raises(SessionError) as raised:
            path_of(name)
        assert str(raised.value).endswith(".")


GIVES_UP = ("discard", "overwrite", "replace")
"""Answers after which something is gone."""


def lost() -> Dialog[Any]:
    return AskLost(LostSession(Kept(Path("lost"), None), Document(examples.example("gather-2").session()), 0.0), 0)


QUESTIONS: list[Callable[[], Dialog[Any]]] = [
    AskUnsaved,
    lost,
    lambda: AskReplace("lesson.json"),
]


async def test_opening_asks_once_something_is_chosen(driver: Driver) -> None:
    await edit_axis(driver, "1")
    document = driver.screen.workspace.document
    held = document.session
    await driver.press("ctrl+o")
    assert is_top(driver, Gallery)
    assert "FLOAT32 {1,1,2,3}" in driver.text("#preview"), "the picture is there"
    await driver.press("escape")
    assert is_top(driver, Explorer)
    for key, leads_to in (("escape", Explorer), ("ctrl+s", AskName), ("ctrl+d", Explorer)):
        await driver.press("ctrl+o")
        await driver.enter("split-1")
        await driver.until(lambda: is_top(driver, AskUnsaved))
        assert driver.screen.workspace.document.session is held
        await driver.press(key)
        assert is_top(driver, leads_to)
        if leads_to is AskName:  # the session has no file yet
            await driver.press("escape")
    assert "SPLIT" in header(driver)
    assert driver.screen.workspace.document is not document


@pytest.mark.parametrize("question", QUESTIONS)
async def test_neither_a_letter_nor_enter_gives_anything_up(
    driver: Driver, question: Callable[[], Dialog[Any]]
) -> None:
    answers: list[Any] = []
    for char in f"{string.ascii_letters}{string.digits} .,-":
        if is_top(driver, Explorer):
            driver.app.push_screen(question(), answers.append)
            await driver.settle()
        await driver.press(char)
        assert not [each for each in answers if each in GIVES_UP], char
    if is_top(driver, Explorer):
        driver.app.push_screen(question(), answers.append)
        await driver.settle()
    await driver.press("right", "left", "right", "enter")
    assert not [each for each in answers if each in GIVES_UP]


async def shown(driver: Driver, *words: str) -> None:
    await driver.until(lambda: all(word in driver.words("#preview") for word in words))


@pytest.mark.parametrize("size", SIZES)
async def test_what_is_chosen_is_previewed_with_its_picture_and_opened(driver: Driver) -> None:
    await driver.press("ctrl+o")
    asked = " JOIN · Would Axis 2 accept the sizes 3 and 4?"
    is_wide = driver.app.size.width >= 110
    assert f"1 Two tensors, side by side{asked * is_wide}" in driver.words("#entries")
    await shown(driver, "dmlviz join-1", "✔ valid", "Output", "B B B B", *[" …"] * (not is_wide))
    driver.app.screen.query_one("#name", Input).value = "rule-gather-fits"
    await shown(driver, "✘ invalid", "gather.fits: IndexDimensions is 2")
    driver.app.screen.query_one("#name", Input).value = ""
    await driver.settle()
    await driver.press("down", "down", "enter")
    await driver.until(lambda: is_top(driver, Explorer))
    assert driver.screen.workspace.document.session == course.listed()[2].example.session()


@pytest.mark.parametrize("by", ["key", "mouse"])
@pytest.mark.parametrize("size", [(60, 18)])
async def test_an_example_is_added_to_the_session_and_undo_takes_it_back(driver: Driver, by: str) -> None:
    document = driver.screen.workspace.document
    before = document.session
    await driver.press("ctrl+o")
    await driver.type("the four ways")
    await shown(driver, "SPLIT")
    if by == "key":
        await driver.press("ctrl+a")
    else:
        await driver.click("#add", 1)
    assert driver.screen.workspace.document is document, "nothing was opened in its place"
    assert names(driver) == ["row gather", "1 + 1 + 1", "1 + 2", "2 + 1", "3, a copy"]
    await driver.press("ctrl+z")
    assert document.session == before


async def test_a_file_is_suggested_and_taken_and_where_it_is_bad_the_gallery_stays(
    driver: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lessons").mkdir()
    for name in ("finish.json", "finish.txt", ".hidden.json"):
        save(examples.example("tile-1").session(), tmp_path / "lessons" / name)
    await driver.press("ctrl+o", ".", "/", "l")
    await driver.until(lambda: driver.app.screen.query_one("#name", Input)._suggestion == "./lessons/finish.json")
    await driver.press("right")
    await shown(driver, "TILE", "✔ valid")
    await driver.press("enter")
    await driver.until(lambda: is_top(driver, Explorer))
    assert driver.screen.workspace.document.path == Path("./lessons/finish.json")
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    first = driver.screen.workspace.document.session
    await driver.press("ctrl+o")
    for path in (bad, tmp_path / "none.json", tmp_path):
        await driver.fill(f"{path}/" if path is tmp_path else str(path))
        await driver.press("enter")
        await driver.until(lambda path=path: is_top(driver, Gallery) and path.name in top(driver, ".trouble"))  # type: ignore[misc]
    await driver.enter("no such example")
    assert "No example" in top(driver, ".trouble")
    assert is_top(driver, Gallery)
    await driver.press("escape")
    assert driver.screen.workspace.document.session is first


def remembering(script: object, session: Session | None = None) -> None:
    import asyncio

    async def run() -> None:
        app = DmlvizApp(session or examples.example("gather-2").session(), remembers=True)
        async with piloted(app, (120, 36)) as pilot:
            driver = Driver(app, pilot)
            await driver.settle()
            await script(driver)  # type: ignore[operator]
        app.close_keeper()

    asyncio.run(run())


def config() -> Path:
    return Path(os.environ["XDG_CONFIG_HOME"]) / "dmlviz" / "config.json"


def test_keys_of_the_file_are_used_and_shown() -> None:
    config().parent.mkdir(parents=True)
    config().write_text('{"keys": {"steps.first": "d", "session.open": "f7", "steps.lats": "t"}}')

    async def script(driver: Driver) -> None:
        said = driver.notices
        assert any("steps.lats" in each for each in said)
        await driver.press("d")
        assert driver.screen.state.picture.step == 0
        await driver.press("question_mark")
        line = next(line for line in driver.text().split("\n") if "First step" in line)
        assert line.split()[1:4] == ["d", "First", "step"]
        assert not any("home" in line and "First step" in line for line in driver.text().split("\n"))
        await driver.press("escape")
        field = await driver.focus("Axis")
        await driver.press("d")
        assert field.value == "d", "a letter is text in a field, whatever it is for elsewhere"
        await driver.press("f7")
        assert is_top(driver, Gallery)

    remembering(script)


def test_the_theme_the_speed_and_the_step_unit_are_remembered_in_config_json() -> None:

    async def chooses(driver: Driver) -> None:
        assert driver.app.theme == DARK.name
        driver.app.action_toggle_light()
        await driver.press("less_than_sign", "s")
        offered = {each.title: each.callback for each in driver.app.get_system_commands(driver.app.screen)}
        offered["Settings file"]()
        await driver.settle()
        (said,) = [notice for notice in driver.notices if "settings and keys" in notice]
        assert said == f"settings and keys are in {config()}"

    async def finds(driver: Driver) -> None:
        player = driver.screen.state.picture.player
        assert (driver.app.theme, player.seconds, player.unit.value) == (LIGHT.name, 5.0, "run")

    remembering(chooses)
    assert config().name == "config.json"
    assert json.loads(config().read_text()) == {"theme": LIGHT.name, "seconds": 5.0, "unit": "run"}
    remembering(finds)
