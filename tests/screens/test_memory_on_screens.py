"""The memory strip on the wall and on the screen of a question: by key and by click, in rooms of every size."""

from __future__ import annotations

import dataclasses

import pytest
from support.driver import Driver, explore
from support.presentations import Time

from dmlviz.screens.present.wall import WallPage
from dmlviz.session import examples
from dmlviz.session.experiments import Session
from dmlviz.widgets.picture.memory_part import MemoryPart
from dmlviz.widgets.picture.transport import Transport
from dmlviz.workspace.wall.wall_desk import WallDesk

SIZES = [(60, 18), (120, 36), *(pytest.param(size, marks=pytest.mark.slow) for size in ((80, 24), (200, 50)))]
JOIN = examples.example("join-2-axis-3").session().experiments[0]
ROWS = examples.example("gather-2").session().experiments[0]
LESSON = Session(
    (
        dataclasses.replace(JOIN, extra={"task": {"id": "a", "ask": {"kind": "runs"}}}),
        dataclasses.replace(ROWS, extra={"task": {"id": "b", "ask": {"kind": "runs"}}}),
        dataclasses.replace(JOIN, extra={"task": {"id": "c", "ask": {"kind": "order"}}}),
    ),
    extra={"lesson": {}},
)


def part(driver: Driver) -> MemoryPart:
    return driver.app.screen.query_one(MemoryPart)


def is_seen(driver: Driver) -> bool:
    return part(driver).display and part(driver).region.height > 0


def strip_text(driver: Driver) -> str:
    """What the strip shows, and its steps' line; all of it is on the screen."""
    here = part(driver)
    assert driver.app.screen.region.contains_region(here.region)
    return driver.text(f"#{here.id}")


async def click_button(driver: Driver, name: str) -> None:
    """Clicks a button of the steps' line."""
    line = part(driver).query_one(Transport)
    spans = line.laid.spans
    at = next(n for n, span in enumerate(spans) if span.action == f"press({name!r})")
    await driver.click(line, sum(len(span.text) for span in spans[:at]) + 1)


async def goes_through_copies(driver: Driver, runs: list[str]) -> None:
    """From the reveal on, by key and then by clicks, each copy is told and marked in its turn."""
    for way in ("key", "click"):
        for number, run in enumerate(runs, 1):
            await (driver.press("full_stop") if way == "key" else click_button(driver, "forward"))
            text = strip_text(driver)
            assert f"copy {number} of {len(runs)}" in text
            assert run in text
        await click_button(driver, "first")
        assert f"copy 0 of {len(runs)}" in strip_text(driver)
    line = part(driver).query_one(Transport)
    left, length = line.laid.bar
    await driver.click(line, left + length - 1)
    assert f"copy {len(runs)} of {len(runs)}" in strip_text(driver)


@pytest.mark.parametrize("size", SIZES)
def test_the_wall_goes_through_the_copies_of_a_reveal(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        screen = WallPage(WallDesk(LESSON, Time()))
        driver.app.push_screen(screen)
        await driver.until(lambda: screen.is_mounted)
        for runs in (["run of 2 elements"] * 6, ["run of 4 elements"] * 2, ["run of 2 elements"] * 6):
            assert not is_seen(driver)
            assert screen.state.item.prompt.split()[0] in driver.text("#wall-board")
            await driver.press("r")
            assert "✓" in driver.text("#wall-board")
            assert ", . step" in driver.text("#wall-footer")
            if is_seen(driver):
                await goes_through_copies(driver, runs)
            else:
                scene = screen.state.picture.scene
                assert scene is not None
                assert scene.layout.fits  # which it wouldn't beside the strip
            assert "✓" in driver.text("#wall-board")
            await driver.press("pagedown")

    explore(script, Session((ROWS,)), size)
