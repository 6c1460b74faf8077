"""Steps by key and by the transport: both ways, and in each unit."""

from __future__ import annotations

import pytest
from support.cursors import out
from support.driver import SIZES, Driver


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
