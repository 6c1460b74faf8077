"""In a dialog with a list a letter does nothing: a word that somebody begins to type there is no row of commands."""

from __future__ import annotations

from string import ascii_letters

import pytest
from support.driver import Driver, is_top
from textual.widgets import OptionList

from dmlviz.screens.dialogs.dialog import Dialog

LISTS = ("ctrl+e", "ctrl+n", "ctrl+o", "a", "x", "W", "welcome", "make_task")
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
