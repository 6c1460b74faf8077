"""The import dialog, and what is pasted or opened from elsewhere, by keys alone and by the mouse alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.commands import document, experiment
from support.driver import SIZES, Driver, header, is_top, names
from support.quiet_pilot import key_event
from textual import events
from textual.widgets import TextArea

from dmlviz.screens.dialogs.import_dialog import ImportDialog
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session.recent_files import first

CALLS = """x = np.zeros((3, 2), np.float32)
np.take(x, [0, 1, 1, 2], 0)
np.sort(x)
np.tile(np.zeros(2), 3)
np.tile(x, (1, 2))
np.tile(x, (1, 2))
np.cumsum(x)
"""
TAKEN = ["np.take(x, [0, 1, 1, 2], 0)", "np.tile(np.zeros(2), 3)", "np.tile(x, (1, 2))", "np.tile(x, (1, 2)) 2"]
ONE = "np.tile(np.zeros(2, np.uint8), 3)"


async def paste(driver: Driver, text: str) -> None:
    """What a terminal sends for a paste."""
    driver.app.post_message(events.Paste(text))
    await driver.settle()


async def told(driver: Driver, *words: str) -> None:
    await driver.until(lambda: all(word in driver.words("#report") for word in words))


@pytest.mark.parametrize("size", SIZES)
async def test_what_is_pasted_is_read_at_once_and_enter_adds_it_as_one_edit(driver: Driver) -> None:
    before = driver.screen.workspace.document.session
    await paste(driver, CALLS.replace("\n", "\r"))  # as terminals do
    assert is_top(driver, ImportDialog)
    await told(driver, "4 experiments; 2 places were ignored")
    assert "\N{REPLACEMENT CHARACTER}" not in driver.text()
    found = driver.words("#report").replace("▎", "")  # lines are broken where the window is narrow
    assert "✔ np.tile(x, (1, 2)) TILE FLOAT32 {3, 2} → FLOAT32 {3, 4} valid at" in found
    assert "✘ np.tile(np.zeros(2), 3) " in found
    assert "tab leaves" not in found, "the focus is at the report: tab would lead back into the text"
    assert "dtype.supported: " in found
    await driver.press("end")  # at 80x24 the last places are below
    await told(driver, "… line 3 np.sort is no function that is read")
    await driver.press("enter")
    assert is_top(driver, Explorer)
    assert names(driver) == ["row gather", *TAKEN]
    assert "2 of 5" in header(driver)
    assert "added 4 experiments; 2 places were ignored" in driver.notice
    await driver.press("u")
    assert driver.screen.workspace.document.session == before
    await driver.press("i")
    assert driver.app.screen.query_one(TextArea).text == "", "what was taken is not offered again"


async def test_what_is_typed_is_opened_as_a_session_of_its_own(driver: Driver) -> None:
    await driver.press("i")
    await driver.type(ONE)
    await told(driver, "tab leaves the text", "1 experiment")
    await driver.press("tab", "o")
    assert names(driver) == [ONE]
    assert driver.screen.state.document.dirty


async def test_what_is_added_replaces_an_example_that_nobody_asked_for_unless_it_was_edited(driver: Driver) -> None:
    for edited in (True, False):
        driver.screen.act(driver.screen.workspace.open, first())
        before = names(driver)
        if edited:
            driver.edit(replace(driver.screen.workspace.experiment, notes="mine"))
        else:
            await driver.press("i")  # what is pasted into the open import is taken by enter, too
        await paste(driver, ONE)
        await told(driver, "1 experiment")
        await driver.press("enter")
        assert names(driver) == before * edited + [ONE]
    assert driver.screen.workspace.document.dirty


async def test_a_paste_of_anything_else_changes_nothing_and_what_a_terminal_would_act_on_is_not_shown(
    driver: Driver,
) -> None:
    before = driver.screen.workspace.document.session
    await paste(driver, "q\nd\n[bold]nothing[/bold]")
    assert is_top(driver, Explorer)
    assert "can't be read as " in driver.notice
    await paste(driver, "   \n")
    assert driver.screen.workspace.document.session is before
    await paste(driver, document(experiment("a\x1b[2J[/b][@click=app.quit]x[/]\u202e")))
    await told(driver, "1 experiment")
    assert "\x1b" not in driver.text()
    assert "\u202e" not in driver.text()
    await driver.press("enter")
    assert names(driver)[1] == "a\x1b[2J[/b][@click=app.quit]x[/]\u202e"


@pytest.mark.parametrize("keys", [(), ("i",), ("ctrl+g",), ("ctrl+p",), ("f2", "tab", "tab", "tab")])
async def test_a_megabyte_is_refused_by_a_sentence(driver: Driver, keys: tuple[str, ...]) -> None:
    await driver.press(*keys)
    top = driver.app.screen
    await paste(driver, "x=1\n" * 250_000)
    assert "The pasted text has 1,000,000 characters" in driver.notice
    assert driver.app.screen is top


@pytest.mark.parametrize("keys", [("i",), ("n",)])
async def test_an_undo_that_takes_a_scroll_bar_away_ends_nothing(driver: Driver, keys: tuple[str, ...]) -> None:
    await driver.press(*keys)
    area = driver.app.screen.query_one(TextArea)
    before = area.text
    for lines in (3, 200):
        await paste(driver, "a line\n" * lines)
        await driver.press("up")  # what is typed next is undone by itself
    assert area.show_vertical_scrollbar
    await driver.press("ctrl+z")
    assert not area.show_vertical_scrollbar
    await driver.press("ctrl+z")
    assert area.text == before


async def test_a_dialog_that_is_closed_before_it_is_there_goes_without_a_word(driver: Driver) -> None:
    loop = driver.app._driver
    assert loop is not None
    for key in ("x", "i", "n", "y"):
        for name in (key, "enter", "pagedown", "escape", "escape", key, "escape"):
            event = key_event(name)
            event.set_sender(driver.app)
            loop.send_message(event)
        await driver.settle()
        for _ in range(3):
            await driver.press("escape")
        await driver.until(lambda: is_top(driver, Explorer))
    assert driver.app._exception is None
