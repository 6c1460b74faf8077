"""What all pages and dialogs keep: each shown key works, by a click too; escape leads out; all fits at every size."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from string import ascii_letters
from typing import Any

import pytest
from support.driver import Driver, explore, is_top
from support.lesson_play import open_map, reached
from textual.screen import Screen
from textual.widgets import Button, OptionList

from dmlviz.scene.spans import length
from dmlviz.screens.dialogs.dialog import Dialog
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.screens.learn.level import LevelScreen
from dmlviz.screens.learn.question import LessonScreen, QuestionScreen
from dmlviz.screens.page import PicturePage
from dmlviz.widgets.bars.footer_line import LAST, Entry, StateFooter
from dmlviz.widgets.lib.painted import LinePanel
from dmlviz.workspace.form.form_rows import form_rows

Opens = Callable[[Driver], Awaitable[Screen[Any]]]
LATE = ("kernel.run", "ask.explore", "app.palette", "app.quit")
"""Keys whose screens depend on the time or on another process, and those that leave."""
SIZES = [(60, 18), (80, 24), (120, 36), (200, 50)]


async def explorer(driver: Driver) -> Screen[Any]:
    return driver.app.screen


async def question(driver: Driver) -> Screen[Any]:
    await driver.press("g")
    return await reached(driver, QuestionScreen)


async def lesson(driver: Driver) -> Screen[Any]:
    await open_map(driver)
    await driver.press("1")
    return await reached(driver, LessonScreen)


async def level(driver: Driver) -> Screen[Any]:
    await open_map(driver)
    await driver.press("tab", "home", "enter")
    return await reached(driver, LevelScreen)


def fits(driver: Driver) -> None:
    """No line is longer than its panel, no panel lies over another, and the footer cuts no entry."""
    screen = driver.app.screen
    for panel in screen.query(LinePanel):
        if panel.is_on_screen and panel.size.height:
            assert all(length(line) <= panel.size.width for line in panel.lines(*panel.size)), panel
    parts = [each.region for each in screen.children if each.layer == "default" and each.region.area]
    assert not [(one, other) for one in parts for other in parts if one is not other and one.overlaps(other)]
    footer = screen.query_one(StateFooter)
    line = driver.text(f"#{footer.id}").strip()
    assert {part.strip() for part in line.split("  ")} <= {entry.text for entry in footer.entries} or "  " not in line
    ends = [entry.text for entry in footer.entries if entry.id in LAST]
    assert line.endswith(" ".join(ends[-1:]))


def look(driver: Driver) -> list[str]:
    """What stands on the screen, with its styles."""
    return [str(strip) for strip in driver.app.screen._compositor.render_strips()]


async def sent(driver: Driver, entry: Entry, by_click: bool) -> None:
    """Does what an entry of the footer tells of, by each of its keys or by a click on each."""
    page, footer = driver.app.screen, driver.app.screen.query_one(StateFooter)
    keys = {held.binding.action: key for key, held in reversed(page.active_bindings.items())}
    x, y = driver.find(entry.text, f"#{footer.id}")
    before, looks = look(driver), []
    for told, action in zip(entry.keys, entry.actions, strict=True):
        await (driver.click(footer, x, y) if by_click else driver.press(keys[action]))
        looks.append(look(driver))
        x += len(told) + 1
    assert looks != [before] * len(looks) or driver.notices or entry.what == "move", f"{entry.text} does nothing"
    await driver.at_rest()
    if isinstance(page, PicturePage) and page.desk.picture.player.playing:
        await driver.until(lambda: page.desk.picture.player.step != 0)  # which the clock takes


async def walk(driver: Driver, page: Screen[Any], *, by_click: bool) -> list[tuple[str, str]]:
    """Each entry that the page's footer ever shows on the way, and what is on the screen after it."""
    seen: list[tuple[str, str]] = []
    driver.play_with(seconds=1e6)  # a value that moves would be elsewhere on a busy machine
    fits(driver)
    while True:
        entries = [e for e in page.query_one(StateFooter)._shown if e.id not in LATE and "leave" not in e.what]
        done = {text for text, _ in seen}
        entry = next((e for e in entries if e.text not in done), None)
        if entry is None:
            return seen
        await sent(driver, entry, by_click)
        seen.append((entry.text, driver.text()))
        for _ in range(3):
            if driver.app.screen is not page:
                await driver.press("escape")
        assert driver.app.screen is page, f"escape doesn't lead out of {entry.text}"
        fits(driver)


async def comes_back(driver: Driver, size: tuple[int, int]) -> None:
    """The window takes other sizes, and its own again; a tiny one says what is needed."""
    before = driver.text()
    for other in (*SIZES[::3], (59, 20), (80, 17), (3, 3)):  # each size in between is some case's own
        await driver.resize(other)
        assert [len(line) for line in driver.text().split("\n")] == [other[0]] * other[1]
        assert other[1] not in (17, 20) or "needs 60 columns" in driver.text() or is_top(driver, Dialog)
    await driver.resize(size)
    assert driver.text() == before or is_top(driver, Dialog), "a list may have scrolled"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("opens", [explorer, question, lesson, level, open_map])
def test_each_key_that_is_shown_works_by_a_click_too_and_escape_leads_out(
    opens: Opens, size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    walks: list[list[tuple[str, str]]] = []

    async def script(driver: Driver) -> None:
        page = await opens(driver)
        if not walks:
            await comes_back(driver, size)
        walks.append(await walk(driver, page, by_click=bool(walks)))
        for _ in range(4):
            await driver.press("escape")
        assert is_top(driver, Explorer)
        assert driver.screen.pane in driver.screen.focused.ancestors_with_self  # type: ignore[union-attr]

    for _ in range(2):
        explore(script, size=size)
    by_keys, by_clicks = walks
    assert len(by_keys) >= 4
    assert by_keys == by_clicks


DIALOGS = ("ctrl+e", "ctrl+n", "ctrl+o", "ctrl+g", "f12", *"inpvxW", "question_mark", "f1", "welcome", "make_task")
"""The keys, or the explorer's actions without a key, that open a dialog."""


async def opened(driver: Driver, way: str) -> Dialog[object]:
    """The dialog that a key or an action opens."""
    await (driver.screen.run_action(way) if way in ("welcome", "make_task") else driver.press(way))
    await driver.until(lambda: isinstance(driver.app.screen, Dialog) and driver.app.screen.is_mounted)
    dialog = driver.app.screen
    assert isinstance(dialog, Dialog)
    await driver.at_rest()
    return dialog


@pytest.mark.parametrize("session", ["chain-tile-or-join-first"])
@pytest.mark.parametrize("size", [(60, 18), (120, 36)])
@pytest.mark.parametrize("way", DIALOGS)
async def test_a_dialog_stands_every_window_and_no_letter_acts_in_its_list_and_it_closes_by_key_and_click(
    driver: Driver, way: str, size: tuple[int, int]
) -> None:
    before = driver.screen.workspace.document.session
    dialog = await opened(driver, way)
    await comes_back(driver, size)
    buttons = [*dialog.query(Button)]
    if (listed := next(iter(dialog.query(OptionList)), None)) is not None:
        listed.focus()
        await driver.settle()
        rows = [option.id for option in listed.options], listed.highlighted
        assert not {*ascii_letters} & {*dialog.active_bindings}
        await driver.press(*"acnoWz")
        assert driver.app.screen is dialog
        assert ([option.id for option in listed.options], listed.highlighted) == rows
    await driver.press("escape")
    assert is_top(driver, Explorer)
    for button in (each for each in buttons if "(esc)" in str(each.label)):
        again = await opened(driver, way)
        found = again.query_one(f"#{button.id}")
        found.scroll_visible(animate=False)
        await driver.settle()
        await driver.click(found, 1)
        assert is_top(driver, Explorer)
    assert driver.screen.workspace.document.session is before
    assert not driver.app.clipboard
    assert not driver.notices


@pytest.mark.parametrize("session", ["gather-2", "join-1", "gather-3-as-printed"])
@pytest.mark.parametrize("size", [(120, 50)])
async def test_tab_reaches_every_field_and_every_pane_and_escape_leads_to_the_picture(driver: Driver) -> None:
    screen, seen = driver.screen, list[str]()
    for _ in screen.focus_chain:
        await driver.pilot.press("tab")
        assert screen.focused is not None
        seen.append(driver.form.focused_key or str(screen.focused.id))
    fields = [row.key for row in form_rows(screen.workspace.experiment)]
    assert [key for key in seen if key in fields] == fields
    assert {"rules", "inputs", "outputs"} <= {*seen}
    for key in fields:
        driver.form.focus_row(key)
        await driver.settle()
        assert "esc picture" in driver.text("#footer")
        assert not {"space play", "? keys", "v levels"} & {
            entry.text for entry in screen.query_one(StateFooter).entries
        }
        await driver.press("escape")
        assert screen.pane in screen.focused.ancestors_with_self  # type: ignore[union-attr]
    assert "esc picture" not in driver.text("#footer")
