"""Playing: it runs to the end, has phases where it is slow, and stops on a key or an edit."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from support.driver import Driver, explore


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
