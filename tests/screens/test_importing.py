"""The import dialog, and what is pasted or opened from elsewhere, by keys alone and by the mouse alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from support.driver import SIZES, Driver, header, is_top, names
from support.key_events import key_event
from support.sharing_toys import toys
from textual import events
from textual.widgets import TextArea

from dmlviz.screens.dialogs.import_dialog import ImportDialog
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session.recent_files import first

FIVE = "toy rows 0\ntoy columns 1\n#include <x>\ntoy beyond 7\ntoy rows 1\nint main\ntoy last 0\n"
TAKEN = ["row gather", "rows", "columns", "beyond", "rows 2", "last"]


@pytest.fixture(autouse=True)
def _toys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with toys(tmp_path_factory.mktemp("toys")):
        yield


async def paste(driver: Driver, text: str) -> None:
    """What a terminal sends for a paste."""
    driver.app.post_message(events.Paste(text))
    await driver.settle()


async def told(driver: Driver, *words: str) -> None:
    await driver.until(lambda: all(word in driver.words("#report") for word in words))


@pytest.mark.parametrize("size", SIZES)
async def test_what_is_pasted_is_read_at_once_and_enter_adds_it_as_one_edit(driver: Driver) -> None:
    before = driver.screen.workspace.document.session
    await paste(driver, FIVE.replace("\n", "\r"))  # as terminals do
    assert is_top(driver, ImportDialog)
    await told(driver, "5 experiments; 2 places were ignored")
    assert "\N{REPLACEMENT CHARACTER}" not in driver.text()
    found = driver.words("#report").replace("▎", "")  # lines are broken where the window is narrow
    assert "✔ columns GATHER FLOAT32 {3, 2}, UINT32 {1, 4} → FLOAT32 {3, 4} valid at" in found
    assert "✘ beyond " in found
    assert "tab leaves" not in found, "the focus is at the report: tab would lead back into the text"
    assert "axis.range: Axis is 7" in found
    await driver.press("end")  # at 80x24 the last places are below
    await told(driver, "… line 3 #include is no toy, so it was ignored")
    await driver.press("enter")
    assert is_top(driver, Explorer)
    assert names(driver) == TAKEN
    assert "2 of 6" in header(driver)
    assert "added 5 experiments; 2 places were ignored" in driver.notice
    await driver.press("u")
    assert driver.screen.workspace.document.session == before
    await driver.press("i")
    assert driver.app.screen.query_one(TextArea).text == "", "what was taken is not offered again"


async def test_what_is_typed_is_opened_as_a_session_of_its_own(driver: Driver) -> None:
    await driver.press("i")
    await driver.type("toy a 0")
    await told(driver, "tab leaves the text", "1 experiment")
    await driver.press("tab", "o")
    assert names(driver) == ["a"]
    assert driver.screen.state.document.dirty


async def test_what_is_added_replaces_an_example_that_nobody_asked_for_unless_it_was_edited(driver: Driver) -> None:
    for edited in (True, False):
        driver.screen.act(driver.screen.workspace.open, first())
        before = names(driver)
        if edited:
            driver.edit(replace(driver.screen.workspace.experiment, notes="mine"))
        else:
            await driver.press("i")  # what is pasted into the open import is taken by enter, too
        await paste(driver, "toy a 0")
        await told(driver, "1 experiment")
        await driver.press("enter")
        assert names(driver) == before * edited + ["a"]
    assert driver.screen.workspace.document.dirty


async def test_a_paste_of_anything_else_changes_nothing_and_what_a_terminal_would_act_on_is_not_shown(
    driver: Driver,
) -> None:
    before = driver.screen.workspace.document.session
    await paste(driver, "q\nd\n[bold]nothing[/bold]")
    assert is_top(driver, Explorer)
    assert "can't be read as lines of toys" in driver.notice
    await paste(driver, "   \n")
    assert driver.screen.workspace.document.session is before
    await paste(driver, "toy a\x1b[2J 0\n[/b]\x07 [@click=app.quit]x[/]\u202e\n")
    await told(driver, "1 experiment; 1 place was ignored")
    assert "\x1b" not in driver.text()
    assert "\u202e" not in driver.text()
    await driver.press("enter")
    assert names(driver)[1] == "a\x1b[2J"


@pytest.mark.parametrize("keys", [(), ("i",), ("ctrl+g",), ("ctrl+p",), ("f2", "tab", "tab", "tab")])
async def test_a_megabyte_is_refused_by_a_sentence(driver: Driver, keys: tuple[str, ...]) -> None:
    await driver.press(*keys)
    top = driver.app.screen
    await paste(driver, "toy\n" * 250_000)
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
