"""Saving, and what is asked before work is lost: an unsaved edit, or what somebody else wrote; names of no file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.driver import Driver, explore, header, is_top
from textual.widgets import Input, TextArea

from dmlviz.desc.levels import FeatureLevel
from dmlviz.errors import SessionError
from dmlviz.screens.dialogs.asking import AskName, AskReplace, AskUnsaved
from dmlviz.screens.dialogs.file_opening import path_of
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session import examples
from dmlviz.session.reading import load
from dmlviz.session.writing import save


async def edit_axis(driver: Driver, text: str) -> None:
    await driver.focus("Axis")
    await driver.type(text)
    driver.side(True).focus()
    await driver.settle()


def test_saving_asks_for_a_name_once(tmp_path: Path) -> None:
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

    explore(script)
    assert json.loads(path.read_text())["experiments"][0]["desc"]["Axis"] == 0
    assert load(path).experiments[0].desc == examples.example("gather-2").session().experiments[0].desc


@pytest.mark.parametrize("answer", ["ctrl+r", "escape"])
def test_a_file_that_somebody_else_has_changed_is_never_overwritten_unasked(tmp_path: Path, answer: str) -> None:
    """A file that somebody else has changed since it was read is never overwritten unasked: `ctrl+s` asks."""
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


@pytest.mark.parametrize("by", ["keys", "mouse"])
def test_quitting_asks_about_unsaved_changes(tmp_path: Path, by: str) -> None:
    path = tmp_path / "lesson.json"
    save(examples.example("gather-2").session(), path)

    async def answer(driver: Driver, key: str, button: str) -> None:
        if by == "keys":
            await driver.press(key)
        else:
            await driver.click(button, 2)

    async def stay_then_discard(driver: Driver) -> None:
        await edit_axis(driver, "1")
        await driver.press("q")
        assert is_top(driver, AskUnsaved)
        await answer(driver, "escape", "#stay")
        assert is_top(driver, Explorer)
        assert driver.screen.state.document.dirty
        await driver.press("ctrl+q")
        assert is_top(driver, AskUnsaved)
        await answer(driver, "ctrl+d", "#discard")

    async def keep(driver: Driver) -> None:
        await edit_axis(driver, "1")
        await driver.press("q")
        await answer(driver, "ctrl+s", "#save")

    explore(stay_then_discard, load(path), path=path)
    assert load(path).experiments[0].desc.get("Axis") == 0
    explore(keep, load(path), path=path)
    assert load(path).experiments[0].desc.get("Axis") == 1


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
            await driver.until(lambda: "making" not in driver.text("#source"))
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
