"""The palette's own window: what it says where it finds nothing."""

from __future__ import annotations

from support.driver import Driver, explore
from textual.command import CommandList

from dmlviz.screens.palette import Palette


def test_nothing_found_is_said_and_a_palette_that_goes_says_nothing() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("ctrl+p", *"qqqq")
        palette = driver.app.screen
        assert isinstance(palette, Palette)
        await driver.until(lambda: "No matches found" in driver.text())
        await palette.query_one(CommandList).remove()  # as when its screen is taken away
        palette.say_no_matches(searched=True)
        palette.say_no_matches(searched=False)
        await driver.settle()
        assert driver.app._exception is None

    explore(script)
