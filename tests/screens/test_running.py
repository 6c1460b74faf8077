"""A run of the kernel from the explorer: what it tells, and that an invalid desc has none."""

from __future__ import annotations

import pytest
from support.driver import Driver

from dmlviz.widgets.kernel_panel import KernelPanel


async def test_a_run_tells_cold_from_warm_and_agrees_with_the_picture(driver: Driver) -> None:
    screen = driver.screen
    await driver.press("r")
    await driver.until(lambda: not screen.state.run.running.busy)
    words = driver.words("#kernel")
    assert not screen.state.run.running.trouble
    assert "cold call" in words or "cached call" in words
    assert "first" in words
    assert "warm" in words
    assert "median" in words
    assert "8 elements as pictured" in words
    await driver.choose("DataType", "FLOAT16")
    await driver.settle()
    assert screen.state.view.live
    assert screen.query_one(KernelPanel).display
    assert "warm" not in driver.words("#kernel")  # another desc has not run yet


@pytest.mark.parametrize("session", ["gather-3-as-printed"])
async def test_an_invalid_desc_does_not_run(driver: Driver) -> None:
    await driver.press("r")
    assert not driver.screen.state.run.running.busy
    assert driver.screen.state.run.running.timing is None
