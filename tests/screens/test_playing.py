"""Playing: it runs to the end, has phases where it is slow, and stops on a key or an edit."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest
from support.cursors import into, out
from support.driver import Driver, explore

from dmlviz.scene.elements.cursor import Cursor
from dmlviz.screens.frames import Pace
from dmlviz.widgets.lib.painted import BAR
from dmlviz.widgets.picture.formula_line import FormulaLine


async def test_play_runs_to_the_end_and_stops_on_a_key(driver: Driver) -> None:
    screen = driver.screen
    driver.play_with(seconds=1.5)
    await driver.pilot.press("space")
    assert screen._clock is not None
    await driver.until(lambda: screen._clock is None)
    assert screen.state.picture.step == 8
    driver.play_with(seconds=60.0)
    await driver.press("space")
    await driver.until(lambda: (screen.state.picture.step or 0) >= 1)
    assert "‖" in driver.text("#transport")
    await driver.press("space")
    assert screen._clock is None
    step = screen.state.picture.step
    assert step is not None
    assert 1 <= step < 8
    await driver.press("full_stop")
    assert screen.state.picture.step == step + 1
    await driver.press("space", "down")  # a cursor key stops it too
    assert screen._clock is None


@pytest.mark.parametrize("size", [(200, 50)])
async def test_speed_is_seconds_a_pass(driver: Driver) -> None:
    assert "2 s a pass" in driver.text("#transport")
    await driver.press("less_than_sign")
    assert "5 s a pass" in driver.text("#transport")
    await driver.press("greater_than_sign", "greater_than_sign")
    assert "1 s a pass" in driver.text("#transport")
    await driver.press(*["greater_than_sign"] * 5)
    assert "0.5 s a pass" in driver.text("#transport")
    await driver.click_text("0.5 s", "#transport")
    assert "1 s a pass" in driver.text("#transport")


def test_textual_animations_none_makes_playing_a_step_a_press(monkeypatch: pytest.MonkeyPatch) -> None:
    """`NO_COLOR` and terminals of 16 colours are respected; `TEXTUAL_ANIMATIONS=none` makes playing a step a press."""
    line = "import textual.constants as c; print(c.TEXTUAL_ANIMATIONS)"
    environment = {**os.environ, "TEXTUAL_ANIMATIONS": "none"}
    told = subprocess.run([sys.executable, "-c", line], env=environment, capture_output=True, text=True, check=True)
    monkeypatch.setattr("textual.constants.TEXTUAL_ANIMATIONS", told.stdout.strip())

    async def script(driver: Driver) -> None:
        assert driver.app.animation_level == "none"
        await driver.press("space")
        assert driver.screen._clock is None
        assert driver.screen.state.picture.step == 1
        await driver.press("space")
        assert driver.screen.state.picture.step == 2

    explore(script)


async def test_a_slow_step_shows_its_phases(driver: Driver) -> None:
    screen = driver.screen
    driver.play_with(seconds=60.0)  # 7.5 s a step
    assert screen.state.picture.steps is not None

    async def at(share: float) -> None:
        """The sixth step, so far."""
        began = time.monotonic() - (5 + share) * 7.5
        screen._pace._due = 0.0
        driver.play_with(began=began)
        screen._tick()
        await driver.settle()

    def bold(cursor: Cursor) -> bool:
        style = driver.segment(cursor).style
        return style is not None and bool(style.bold)

    await driver.press("home", "space")
    lane = "#lane"
    await at(0.1)
    assert [bold(into(1, 1)), bold(into(0, 2, number=1)), bold(out(2, 1))] == [True, False, False]
    assert not driver.words(lane).strip(f"{BAR} ")
    await at(0.27)
    assert [bold(into(1, 1)), bold(into(0, 2, number=1)), bold(out(2, 1))] == [True, True, False]
    assert screen.query_one(FormulaLine).lit
    assert "4" not in driver.words(lane)
    await at(0.37)
    assert bold(out(2, 1))
    first = driver.find("B 4", lane)
    inputs, outputs = driver.side(False), driver.side(True)
    ends = inputs.line_of(into(0, 2, number=1)), outputs.line_of(out(2, 1))  # it leaves from its index
    assert first[1] in range(min(filter(None, ends)), max(filter(None, ends)) + 1)
    await at(0.78)
    assert driver.find("B 4", lane)[1] == driver.side(True).line_of(out(2, 1))
    assert driver.find("B 4", lane) != first
    assert driver.drawn(out(2, 1)) == "·"
    await at(0.9)
    assert driver.drawn(out(2, 1)) == "4"
    assert "4" not in driver.words(lane)
    assert driver.find("▶", "#outputs")[1] == outputs.line_of(out(2, 1))  # there is room before its row
    await driver.press("space")
    assert screen.state.picture.step == 6
    assert "B 4" in driver.words(lane)


async def test_frames_that_cost_much_come_less_often(driver: Driver) -> None:
    screen = driver.screen
    driver.play_with(seconds=60.0)
    await driver.press("home", "space")
    driver.play_with(began=time.monotonic() - 50)
    drawn = time.monotonic() - 0.1
    screen._pace._drawn, screen._pace._spent = drawn, time.thread_time() - 0.05  # half of the time that went by
    screen._pace._due = None
    screen._tick()
    assert screen.state.picture.step in (0, 1)
    screen._pace._drawn, screen._pace._spent, screen._pace._due = drawn, time.thread_time(), None
    screen._tick()
    assert screen.state.picture.step == 7


def test_work_besides_the_frames_does_not_hold_them_up() -> None:
    pace = Pace()
    pace.begin()
    pace.allows()  # when the frame is drawn, and cost nothing
    until = time.thread_time() + 0.05
    while time.thread_time() < until:
        pass
    assert pace.allows()


async def test_an_edit_while_it_plays_stops_it_and_a_resize_does_not(driver: Driver) -> None:
    screen = driver.screen
    driver.play_with(seconds=60.0)
    await driver.press("s", "home", "space")
    for size in ((80, 24), (200, 50), (60, 20), (50, 15), (120, 36)):
        await driver.resize(size)
        assert screen.state.picture.player.playing
    await driver.focus("InputTensor")
    await driver.type("4, 2")
    assert not screen.state.picture.player.playing
    assert screen._clock is None
    assert screen.state.picture.step is None
    assert "step 4 of 4" in driver.text("#transport")
    assert "by run" in driver.text("#transport")
    await driver.focus("Axis")
    await driver.type("7")
    driver.side(True).focus()
    for key in ("space", "s", "full_stop", "comma", "home", "end", "less_than_sign"):
        await driver.press(key)
    assert screen.state.picture.player.unit == "run"
    assert screen.state.picture.step is None
