"""The panel that shows what a run found."""

from __future__ import annotations

import pytest
from support.driver import Driver, explore, panel
from support.processes import gone, wait_until, worker

from dmlviz.widgets.panels.kernel_panel import KernelPanel, _ratio_text


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_the_panel_tells_what_to_do_then_what_was_found_and_the_process_ends_with_the_explorer(
    size: tuple[int, int],
) -> None:
    processes: list[int] = []

    async def script(driver: Driver) -> None:
        await runs(driver, low=size[1] < 32)
        processes.append(worker() or 0)

    wait_until(lambda: worker() is None, "the process of another test to end")
    explore(script, size=size)
    assert processes != [0]
    wait_until(lambda: gone(processes[0]), "the process to end")


async def runs(driver: Driver, *, low: bool) -> None:
    screen = driver.screen
    # Where lines are short, the footer's word is all there is until there is a run to show.
    assert ("r runs and times it" in panel(driver)) is not low
    assert not low or "r run" in driver.text("#footer")
    before = screen.query_one(KernelPanel).size.height
    await driver.press("r")
    assert screen.state.run.running.busy
    assert "r cancels" in panel(driver) or not low
    await driver.until(lambda: not screen.state.run.running.busy)
    words = panel(driver)
    assert "this desc: " in words
    assert "NumPy" in words
    assert "median min" in words
    assert screen.query_one(KernelPanel).size.height > before
    found = screen.state.run.running.comparison
    assert found is not None
    assert found.textbook is not None
    assert _ratio_text(found.textbook.loop / found.ours.warm.median) in words.partition("naive loop")[2]
    assert " call " in words
    assert "48 bytes read, 32 bytes written" in words
    assert "8 elements match" in words
    assert "…" not in words, "nothing of it is cut"
    assert driver.side(True).size.height >= 6
    await driver.press("down")
    assert "this desc" in panel(driver)  # the cursor changes nothing about it
