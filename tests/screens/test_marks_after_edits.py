"""What an edit moved, on the screen: marks that go by themselves or with the next key, words that stay, and B."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from support.cursors import out
from support.driver import Driver, explore
from support.quiet_pilot import piloted
from support.real_terminal import Terminal
from textual import events

from dmlviz.app import DmlvizApp
from dmlviz.screens.explorer import marks
from dmlviz.screens.explorer.copying import picture_text
from dmlviz.session import examples
from dmlviz.widgets.commands import BY_ID
from dmlviz.workspace.previous_output import NOTHING

SIZES = [(80, 24), (120, 36), (200, 50)]
INDICES = "IndicesTensor.values"


@pytest.fixture(autouse=True)
def no_time_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing comes or goes by itself while a test looks."""
    monkeypatch.setattr(marks, "MARKED_FOR", 3600)
    monkeypatch.setattr(marks, "COMPARE_AFTER", 3600)


async def edit(driver: Driver, text: str = "0, 1, 2, 2", key: str = INDICES) -> None:
    """Types that into a row of the form, as far as the document is concerned."""
    driver.screen.present(driver.screen.workspace.type_in_field(key, text))
    await driver.settle()


def regions(driver: Driver) -> dict[object, object]:
    return {widget: widget.region for widget in driver.screen.query("*") if widget.display}


def is_marked(driver: Driver) -> bool:
    return driver.screen.state.changes.marked


def marked_cell(driver: Driver) -> str:
    """What stands in the first of the cells that moved."""
    return driver.drawn(out(2, 0))


@pytest.mark.parametrize("size", SIZES)
def test_what_moved_is_marked_and_told_and_nothing_else_moves(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        await edit(driver)
        assert marked_cell(driver) == "5"
        before, inputs = regions(driver), driver.text("#inputs")
        driver.screen.compare()
        await driver.settle()
        assert marked_cell(driver) == "3→5"
        assert driver.drawn(out(1, 0)) == "3"
        assert "2 of 8 moved" in driver.text("#transport")
        assert "was→is" in driver.text("#transport")
        assert driver.text("#inputs") == inputs
        driver.screen.unmark()  # as the timer does
        await driver.settle()
        assert marked_cell(driver) == "5"
        assert "2 of 8 moved" in driver.text("#transport")
        assert "B shows" in driver.text("#transport")
        assert regions(driver) == before

    explore(script, size=size)


@pytest.mark.parametrize("key", ["down", "tab", "w", "f6", "B", "ctrl+p", "z", "full_stop", "ctrl+z", "question_mark"])
def test_marks_end_with_the_next_key(key: str) -> None:
    async def script(driver: Driver) -> None:
        await edit(driver)
        driver.screen.compare()
        await driver.settle()
        assert is_marked(driver)
        await driver.press(key)
        await driver.until(lambda: is_marked(driver) is (key == "B"))

    explore(script)


def test_marks_end_with_a_click() -> None:
    async def script(driver: Driver) -> None:
        await edit(driver)
        driver.screen.compare()
        await driver.settle()
        assert is_marked(driver)
        at = driver.side(True).region
        assert driver.app._driver is not None
        driver.app._driver.send_message(events.MouseDown(None, at.x, at.y, 0, 0, 1, False, False, False))
        await driver.until(lambda: not is_marked(driver))

    explore(script)


def test_a_key_before_the_comparison_leaves_the_words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    async def script(driver: Driver) -> None:
        driver.screen.marks.compares = True
        await edit(driver)
        assert driver.screen.marks.comparing is not None
        monkeypatch.setattr(marks, "COMPARE_AFTER", 0.01)
        await driver.press("f6")
        await driver.until(lambda: driver.screen.state.changes.counts is not None)
        assert not is_marked(driver)
        assert "2 of 8 moved" in driver.text("#transport")

    explore(script)


def test_an_edit_waits_for_the_one_that_follows() -> None:
    async def script(driver: Driver) -> None:
        driver.screen.marks.compares = True
        await edit(driver)
        first = driver.screen.marks.comparing
        await edit(driver, "0, 2, 2, 2")
        assert driver.screen.marks.comparing is not None
        assert driver.screen.marks.comparing is not first
        assert driver.screen.state.changes.counts is None
        await edit(driver, "7", "Axis")  # broken: there is nothing to say, and nothing fails
        driver.screen.compare()
        assert driver.screen.state.changes.counts is None
        assert not is_marked(driver)

    explore(script)


def test_with_reduced_motion_the_words_and_b_stay() -> None:
    async def script(driver: Driver) -> None:
        driver.app.animation_level = "none"
        await edit(driver)
        driver.screen.compare()
        await driver.settle()
        assert marked_cell(driver) == "5"
        assert "2 of 8 moved" in driver.text("#transport")
        await driver.press("B")
        assert marked_cell(driver) == "3→5"
        await driver.press("B")
        assert marked_cell(driver) == "5"

    explore(script)


FOCUSES = ["#outputs", "#inputs", "#rules", "#notes", "none"]


@pytest.mark.parametrize("size", SIZES)
def test_b_works_from_every_focus(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        await edit(driver)
        for focus in FOCUSES:
            target = driver.screen.query_one("#outputs" if focus == "none" else focus)
            if not target.display or not target.region.area:
                continue
            driver.screen.set_focus(None if focus == "none" else target)
            await driver.settle()
            await driver.press("B")
            assert driver.screen.state.changes.stays, focus
            assert marked_cell(driver) == "3→5"
            assert driver.screen.focused is (None if focus == "none" else target)
            await driver.press("left", "right")
            assert driver.screen.state.changes.stays, focus
            await driver.press("escape")
            assert not driver.screen.state.changes.stays, focus
            assert marked_cell(driver) == "5"

    explore(script, size=size)


def test_in_a_field_b_is_text() -> None:
    async def script(driver: Driver) -> None:
        await edit(driver)
        field = await driver.focus("Axis")
        await driver.press("B")
        assert not driver.screen.state.changes.stays
        assert field.is_attached
        await driver.press("escape")
        await driver.press("e")
        assert driver.screen.pane.is_typing
        await driver.press("B")
        assert not driver.screen.state.changes.stays

    explore(script)


def test_b_with_nothing_before_says_so() -> None:
    said: list[str] = []

    async def script(driver: Driver) -> None:
        await driver.press("B")
        said.extend(each.message for each in driver.app._notifications)
        assert not driver.screen.state.changes.stays

    explore(script)
    assert said == [NOTHING]


def test_the_palette_offers_it() -> None:
    async def script(driver: Driver) -> None:
        title = BY_ID["view.previous"].title
        assert title == "What the output was"
        await edit(driver)
        offer = next(each for each in driver.screen.offers() if each.title == title)
        assert "(B)" in offer.help
        await offer.run()
        await driver.settle()
        assert marked_cell(driver) == "3→5"

    explore(script)


@pytest.mark.parametrize("size", SIZES)
def test_a_click_on_the_words_calls_it_back(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        await edit(driver)
        driver.screen.compare(marked=False)
        await driver.settle()
        for is_held in (True, False):
            await driver.click("#transport", *driver.find("2 of 8 moved", "#transport"))
            assert driver.screen.state.changes.stays is is_held
            assert driver.screen.state.picture.step is None
        await driver.click("#transport", *driver.find("by element", "#transport"))
        assert "by run" in driver.text("#transport")

    explore(script, size=size)


def test_at_a_step_nothing_tells_what_was() -> None:
    async def script(driver: Driver) -> None:
        await edit(driver)
        driver.screen.compare()
        await driver.press("comma")
        await driver.settle()
        text = driver.text()
        assert "moved" not in driver.text("#transport")
        assert "→5" not in text
        await driver.press("B")
        assert "moved" not in driver.text("#transport")
        assert not is_marked(driver)
        await driver.press("end")
        assert "2 of 8 moved" in driver.text("#transport")

    explore(script)


def test_the_picture_as_text_has_none_of_it() -> None:
    async def script(driver: Driver) -> None:
        await edit(driver)
        before = picture_text(driver.screen.state)
        await driver.press("B")
        assert driver.screen.state.changes.stays
        assert picture_text(driver.screen.state) == before

    explore(script)


def test_a_program_that_is_used_compares_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marks, "COMPARE_AFTER", 0.01)
    monkeypatch.setattr(marks, "MARKED_FOR", 0.01)
    app = DmlvizApp(examples.example("gather-2").session(), compares=True)

    async def run() -> None:
        async with piloted(app, (120, 36)) as pilot:
            driver = Driver(app, pilot)
            await driver.focus(INDICES)
            await driver.press(*"2,1,1,0")
            await driver.until(lambda: driver.screen.state.changes.counts is not None and not is_marked(driver))
            assert driver.screen.state.changes.edits
            assert "B shows" in driver.text("#transport")

    asyncio.run(run())


@pytest.mark.slow
def test_in_a_terminal(terminal: Terminal) -> None:
    terminal.send("B")
    terminal.until("There is no output from before an edit yet")
    terminal.send("e")
    terminal.until("InputTensor[0,0]")
    terminal.send("9\r\x1b")
    text = terminal.until("1 of 8 has another value")
    assert "1→9" not in text
    terminal.send("B")
    text = terminal.until("1→9")
    assert "B hides it" in text
    terminal.send("B")
    terminal.until(lambda text: "1→9" not in text and "B shows what was there" in text)
    lines = terminal.text().split("\n")
    y = next(y for y, line in enumerate(lines) if "has another value" in line)
    for end in "Mm":  # a click on the words
        terminal.send(f"\x1b[<0;{lines[y].index('of 8') + 1};{y + 1}{end}")
    terminal.until("1→9")
    terminal.send("\x1b")
    terminal.until(lambda text: "1→9" not in text)
    terminal.send("u")
    terminal.until("1 of 8 has another value")
    terminal.send("B")
    terminal.until("9→1")
    terminal.send("q")
    assert terminal.ends() == 0


@pytest.mark.slow
def test_in_a_terminal_with_motion_marks_come_and_go(tmp_path: Path) -> None:
    terminal = Terminal([sys.executable, "-m", "dmlviz"], 120, 36, tmp_path, {"TEXTUAL_ANIMATIONS": "full"})
    terminal.until("8 of 8")
    terminal.send("e")
    terminal.until("InputTensor[0,0]")
    terminal.send("9\r")
    terminal.until("1 of 8 has another value  B shows")
    assert "1→".encode() in terminal.raw  # it was there, however late this is read
    assert "1→9" not in terminal.text()
    terminal.process.close(force=True)
