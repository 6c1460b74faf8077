"""The ways to begin: offered at the first launch without a file, and later by the palette alone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from support.driver import Driver, is_top
from support.quiet_pilot import piloted
from textual.widget import Widget
from textual.widgets import OptionList

from dmlviz.app import DmlvizApp
from dmlviz.screens.dialogs.choose import WAYS, Welcome
from dmlviz.screens.dialogs.gallery import Gallery
from dmlviz.screens.dialogs.import_dialog import ImportDialog
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.screens.learn.course_map import CourseMapScreen
from dmlviz.session.recent_files import first

LEADS_TO: list[type[Widget]] = [CourseMapScreen, Gallery, ImportDialog]
"""What each of the choices opens, in their order."""
Script = Callable[[Driver], Awaitable[None]]


def launch(script: Script, *, size: tuple[int, int] = (120, 36), learns: str | None = None) -> None:
    """A launch without a file, which remembers what was before it."""

    async def run() -> None:
        opened = first()
        app = DmlvizApp(opened.session, remembers=True, opened=opened, learns=learns, welcomes=True)
        async with piloted(app, size) as pilot:
            driver = Driver(app, pilot)
            await driver.settle()
            await script(driver)
        app.close_keeper()

    asyncio.run(run())


async def offered(driver: Driver) -> None:
    await driver.until(lambda: is_top(driver, Welcome) and driver.app.screen.is_mounted)


async def not_offered(driver: Driver) -> None:
    await driver.until(lambda: all(each.is_finished for each in driver.app.workers))
    assert is_top(driver, Explorer)


@pytest.mark.parametrize("case", [(w, s) for w in ("digit", "arrows", "click") for s in ((60, 18), (120, 36))])
def test_each_choice_is_whole_and_taken_by_its_digit_by_arrows_and_by_a_click(case: tuple[str, Any]) -> None:
    way, size = case

    async def script(driver: Driver) -> None:
        await offered(driver)
        assert driver.app.screen.query_one("#ways", OptionList).max_scroll_y == 0
        for number, (name, about) in enumerate(WAYS.values()):
            if not is_top(driver, Welcome):
                driver.screen.action_welcome()
                await offered(driver)
            assert about in driver.words("#ways")
            if way == "digit":
                await driver.press(str(number + 1))
            elif way == "arrows":
                await driver.press(*["down"] * number, "enter")
            else:
                await driver.click_text(name, "#ways")
            await driver.until(lambda number=number: is_top(driver, LEADS_TO[number]))  # type: ignore[misc]
            await driver.press("escape")
            await driver.until(lambda: is_top(driver, Explorer))

    launch(script, size=size)
    launch(not_offered)  # never again


def test_a_launch_that_learns_goes_to_the_course_at_once() -> None:
    async def script(driver: Driver) -> None:
        await driver.until(lambda: is_top(driver, CourseMapScreen))
        assert not any(isinstance(each, Welcome) for each in driver.app.screen_stack)

    launch(script, learns="")
