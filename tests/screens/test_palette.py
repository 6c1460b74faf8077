"""The palette's own window: what it says where it finds nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.driver import Driver
from textual.command import CommandList

from dmlviz.app import DmlvizApp
from dmlviz.widgets.lib.textual_private import Palette


async def test_nothing_found_is_said_and_a_palette_that_goes_says_nothing(driver: Driver) -> None:
    await driver.press("ctrl+p", *"qqqq")
    palette = driver.app.screen
    assert isinstance(palette, Palette)
    await driver.until(lambda: "No matches found" in driver.text())
    await palette.query_one(CommandList).remove()  # as when its screen is taken away
    palette.say_no_matches(searched=True)
    palette.say_no_matches(searched=False)
    for is_found in (True, False):  # by what searches, which hasn't ended
        palette._list_visible = is_found
    await driver.settle()
    assert driver.app._exception is None


async def test_a_palette_may_be_asked_for_before_the_last_one_is_gone(driver: Driver) -> None:
    await driver.press("ctrl+p")
    first = driver.app.screen
    assert isinstance(first, Palette)
    first.dismiss(None)
    driver.app.action_command_palette()  # as a key does that comes while a busy machine takes the last one away
    await driver.settle()
    assert driver.app._exception is None
    assert [each for each in driver.app.screen_stack if isinstance(each, Palette)] == [driver.app.screen]
    driver.app.action_command_palette()
    await driver.settle()
    assert sum(isinstance(each, Palette) for each in driver.app.screen_stack) == 1
    assert driver.app.screen is not first


@pytest.mark.parametrize("size", [(6, 6), (20, 5), (80, 24)])
@pytest.mark.parametrize("opens", [lambda app: app.action_command_palette(), lambda app: app.search_themes()])
async def test_a_page_of_a_list_without_a_line_is_nothing_to_move_by(
    driver: Driver, opens: Callable[[DmlvizApp], None]
) -> None:
    opens(driver.app)
    await driver.settle()
    assert isinstance(driver.app.screen, Palette)
    await driver.press("d", "down", "pagedown", "pageup", "pagedown", "escape")
    assert driver.app._exception is None
