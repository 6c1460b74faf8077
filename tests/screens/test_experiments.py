"""The dialog that edits the experiments of a session; in no dialog with a list does a letter act."""

from __future__ import annotations

from string import ascii_letters

import pytest
from support.driver import Driver, header, is_top, names, top
from support.one_session import many
from textual.widgets import OptionList

from dmlviz.screens.dialogs.choose import ChooseOperator
from dmlviz.screens.dialogs.dialog import Dialog
from dmlviz.screens.dialogs.experiments import Experiments
from dmlviz.screens.explorer.explorer import Explorer


@pytest.mark.parametrize("session", [many("a", "b")])
async def test_experiments_are_edited_by_key(driver: Driver) -> None:
    await driver.press("ctrl+e", "down", "ctrl+d")
    assert names(driver) == ["a", "b", "b 2"]
    await driver.press("f2")
    await driver.type("new")
    await driver.press("enter")
    assert names(driver) == ["a", "b", "new"]
    await driver.press("shift+up", "shift+up")
    assert names(driver) == ["new", "a", "b"]
    await driver.press("ctrl+n")
    assert is_top(driver, ChooseOperator)
    await driver.press("home", "enter")
    assert names(driver) == ["new", "JOIN", "a", "b"]
    await driver.press("down", "delete")
    assert names(driver) == ["new", "JOIN", "b"]
    await driver.press("escape", "ctrl+z")
    assert names(driver) == ["new", "JOIN", "a", "b"]
    await driver.press("ctrl+e", "home", "down", "enter")
    assert is_top(driver, Explorer)
    assert "JOIN" in header(driver)
    assert "2 of 4" in header(driver)
    for _ in range(5):  # each was one edit
        await driver.press("u")
    assert names(driver) == ["a", "b"]
    assert not driver.screen.state.document.dirty


@pytest.mark.parametrize("size", [(60, 18), (120, 36)])
@pytest.mark.parametrize("session", [many("first", "second")])
async def test_experiments_are_edited_by_mouse(driver: Driver) -> None:
    await driver.press("ctrl+e")
    await driver.click_text("second", "#experiments")
    assert is_top(driver, Experiments)
    for button, after in (
        ("duplicate", ["first", "second", "second 2"]),
        ("up", ["first", "second 2", "second"]),
        ("down", ["first", "second", "second 2"]),
        ("delete", ["first", "second"]),
    ):
        pressed = driver.app.screen.query_one(f"#{button}")
        await driver.until(lambda pressed=pressed: not pressed.has_class("-active"))  # type: ignore[misc]
        await driver.click(pressed, 1)
        assert names(driver) == after
    await driver.click("#close", 1)
    assert "second" in header(driver)


@pytest.mark.parametrize("session", [many("a")])
async def test_the_only_experiment_cannot_be_deleted(driver: Driver) -> None:
    await driver.press("ctrl+e", "delete")
    assert "only experiment" in top(driver, ".trouble")
    await driver.press("f2", "escape")
    assert is_top(driver, Experiments)
    await driver.press("escape")
    assert names(driver) == ["a"]


LISTS = ("ctrl+e", "ctrl+n", "ctrl+o", "x", "W", "welcome", "make_task")
"""The keys, or the explorer's actions without a key, that open a dialog with a list."""


@pytest.mark.parametrize("session", ["chain-tile-or-join-first"])
async def test_letters_act_in_no_list(driver: Driver) -> None:
    before = driver.screen.workspace.document.session
    for opens in LISTS:
        if len(opens) > 6:
            await driver.screen.run_action(opens)
            await driver.settle()
        else:
            await driver.press(opens)
        dialog = driver.app.screen
        assert isinstance(dialog, Dialog)
        found = dialog.query_one(OptionList)
        found.focus()
        await driver.settle()
        rows = [option.id for option in found.options], found.highlighted
        assert not {*ascii_letters} & {*dialog.active_bindings}
        await driver.pilot.press(*"acnoWz")
        await driver.settle()
        assert driver.app.screen is dialog, opens
        assert dialog.focused is found
        assert ([option.id for option in found.options], found.highlighted) == rows
        assert driver.screen.workspace.document.session is before
        assert not driver.app.clipboard
        assert not driver.notices
        while not is_top(driver, type(driver.screen)):
            await driver.press("escape")
