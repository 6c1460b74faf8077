"""The cursor and the steps: by keys, by the mouse and by the clock."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from support.cursors import into, out
from support.driver import SIZES, Driver, explore


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


def test_textual_animations_none_makes_playing_a_step_a_press(monkeypatch: pytest.MonkeyPatch) -> None:
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


async def test_keys_move_the_cursor_and_the_formula_follows(driver: Driver) -> None:
    screen = driver.screen
    moves = [
        ("down", (1, 0)), ("right", (1, 1)), ("j", (2, 1)), ("h", (2, 0)), ("l", (2, 1)), ("k", (1, 1)),
        ("left", (1, 0)), ("up", (0, 0)), ("up", (0, 0)), ("left", (0, 0)), ("pagedown", (3, 0)),
    ]  # fmt: skip
    for key, index in moves:
        await driver.press(key)
        assert screen.state.picture.cursor == out(*index)
        trace = screen.state.view.trace
        assert trace is not None
        formula = driver.words("#formula")
        assert f"OutputTensor[{index[0]},{index[1]}]" in formula
        assert f"IndicesTensor[0,{index[0]}]" in formula
        source = trace.source(0, index).index
        assert f"InputTensor[{source[0]},{source[1]}]" in formula
        assert driver.segment(out(*index)).style.bold  # type: ignore[union-attr]
        assert driver.segment(into(*source)).style.bold  # type: ignore[union-attr]
        assert driver.segment(into(0, index[0], number=1)).style.bold  # type: ignore[union-attr]


@pytest.mark.parametrize("size", SIZES)
async def test_a_click_points_at_the_cell_under_it(driver: Driver) -> None:
    for cursor in (out(2, 1), out(3, 0), into(2, 0), into(0, 3, number=1)):
        x, y = driver.cell(cursor)
        await driver.click("#outputs" if cursor.place.is_output else "#inputs", x + 2, y)
        assert driver.screen.state.picture.cursor == cursor
    await driver.click("#outputs", 0, 0)  # a title is no element
    assert driver.screen.state.picture.cursor == into(0, 3, number=1)


def empties(driver: Driver) -> list[bool]:
    return [driver.drawn(out(i, j)) == "·" for i in range(4) for j in range(2)]


@pytest.mark.parametrize("size", SIZES)
async def test_the_unit_changes_by_key_and_by_click_and_keeps_the_place(driver: Driver) -> None:
    screen = driver.screen
    await driver.press("home", *["full_stop"] * 6)
    for unit, step, count in (("run", 3, 4), ("slice", 3, 4), ("whole", 1, 1)):
        await driver.press("s")
        assert f"step {step} of {count}" in driver.text("#transport")
        assert f"by {unit}" in driver.text("#transport")
    await driver.press("S")  # all is written by whole, and stays so
    assert "step 4 of 4" in driver.text("#transport")
    await driver.press("home", "full_stop", "full_stop")
    assert empties(driver) == [False] * 4 + [True] * 4
    assert screen.state.picture.cursor == out(1, 0)
    for unit in ("whole", "element", "run", "slice"):
        await driver.click_text("by ", "#transport")
        assert f"by {unit}" in driver.text("#transport")
