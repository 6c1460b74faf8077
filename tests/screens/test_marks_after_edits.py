"""What an edit moved, on the screen: marks that go by themselves or with the next key, and words that stay."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from support.cursors import out
from support.driver import Driver
from support.quiet_pilot import piloted
from support.real_terminal import Terminal
from textual import events

from dmlviz.app import DmlvizApp
from dmlviz.screens.explorer import explorer
from dmlviz.session import examples

SIZES = [(80, 24), (120, 36), (200, 50)]
INDICES = "IndicesTensor.values"


@pytest.fixture(autouse=True)
def no_time_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing comes or goes by itself while a test looks."""
    monkeypatch.setattr(explorer, "MARKED_FOR", 3600)
    monkeypatch.setattr(explorer, "COMPARE_AFTER", 3600)


async def edit(driver: Driver, text: str = "0, 1, 2, 2", key: str = INDICES) -> None:
    """Types that into a row of the form, as far as the document is concerned."""
    driver.screen.act(driver.screen.workspace.type_in_field, key, text)
    await driver.settle()


def compare(driver: Driver) -> None:
    """Says and marks what the last edit moved, as the timer does."""
    driver.screen._marks = True
    driver.screen.compare()


def regions(driver: Driver) -> dict[object, object]:
    return {widget: widget.region for widget in driver.screen.query("*") if widget.display}


def is_marked(driver: Driver) -> bool:
    return driver.screen.state.picture.look.changes is not None


def is_bracketed(driver: Driver, row: int) -> bool:
    """True if the first cell of an output's row is drawn as marked."""
    x, y = driver.cell(out(row, 0))
    return driver.side(True).render_line(y).text[x - 1] in "▐█"


@pytest.mark.parametrize("size", SIZES)
async def test_what_moved_is_marked_and_told_and_nothing_else_moves(driver: Driver) -> None:
    await edit(driver)
    assert not is_bracketed(driver, 2)
    before, inputs = regions(driver), driver.text("#inputs")
    compare(driver)
    await driver.settle()
    assert is_bracketed(driver, 2)
    assert not is_bracketed(driver, 0)  # where the cursor is
    assert driver.drawn(out(2, 0)) == "5"
    assert "2 of 8 moved" in driver.text("#transport")
    assert driver.text("#inputs") == inputs
    driver.screen.act(driver.screen.workspace.unmark)  # as the timer does
    await driver.settle()
    assert not is_bracketed(driver, 2)
    assert "2 of 8 moved" in driver.text("#transport")
    assert regions(driver) == before


@pytest.mark.parametrize("key", ["down", "f6", "full_stop", "ctrl+z"])
async def test_marks_end_with_the_next_key(driver: Driver, key: str) -> None:
    await edit(driver)
    compare(driver)
    await driver.settle()
    assert is_marked(driver)
    await driver.press(key)
    await driver.until(lambda: not is_marked(driver))


async def test_marks_end_with_a_click(driver: Driver) -> None:
    await edit(driver)
    compare(driver)
    await driver.settle()
    assert is_marked(driver)
    at = driver.side(True).region
    assert driver.app._driver is not None
    driver.app._driver.send_message(events.MouseDown(None, at.x, at.y, 0, 0, 1, False, False, False))
    await driver.until(lambda: not driver.screen.workspace.effects.is_marked)


async def test_a_key_before_the_comparison_leaves_the_words_alone(driver: Driver) -> None:
    driver.screen.compares = True
    await edit(driver)
    assert driver.screen.state.counts is None, "it waits for an edit that may follow"
    await driver.press("f6")
    driver.screen.compare()
    await driver.settle()
    assert not is_marked(driver)
    assert "2 of 8 moved" in driver.text("#transport")


def test_a_program_that_is_used_compares_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "COMPARE_AFTER", 0.01)
    monkeypatch.setattr(explorer, "MARKED_FOR", 0.01)
    app = DmlvizApp(examples.example("gather-2").session(), compares=True)

    async def run() -> None:
        async with piloted(app, (120, 36)) as pilot:
            driver = Driver(app, pilot)
            await driver.focus(INDICES)
            await driver.press(*"2,1,1,0")
            await driver.until(lambda: driver.screen.state.counts is not None and not is_marked(driver))

    asyncio.run(run())


@pytest.mark.slow
def test_in_a_terminal_with_motion_marks_come_and_go(tmp_path: Path) -> None:
    terminal = Terminal([sys.executable, "-m", "dmlviz"], 120, 36, tmp_path, {"TEXTUAL_ANIMATIONS": "full"})
    terminal.until("8 of 8")
    terminal.send("e")
    terminal.until("InputTensor[0,0]")
    terminal.send("9\r")
    terminal.until("1 of 8 has another value")
    terminal.process.close(force=True)
