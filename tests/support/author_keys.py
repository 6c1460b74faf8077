"""An author at the dialog in which tasks are written, by keys alone."""

from __future__ import annotations

import json
from typing import Any

from textual.events import Paste
from textual.widgets import OptionList, TextArea

from dmlviz.screens.dialogs.make_task import MakeTask
from dmlviz.widgets.lib.textual_private import Palette
from support.driver import Driver, is_top


class Author:
    """Presses an author's keys; what is typed is pasted over what was there."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver

    @property
    def dialog(self) -> MakeTask:
        found = self.driver.app.screen
        assert isinstance(found, MakeTask), found
        return found

    @property
    def members(self) -> dict[str, Any]:
        """What the text has."""
        members: dict[str, Any] = json.loads(self.dialog.query_one(TextArea).text)
        return members

    async def open(self) -> None:
        """Opens the dialog from the palette."""
        driver = self.driver
        await driver.press("ctrl+p")
        await driver.until(lambda: is_top(driver, Palette))
        await driver.type("make a task")
        found = driver.app.screen.query_one(OptionList)
        await driver.until(lambda: found.option_count > 0 and "Make a task" in str(found.options[0].prompt))
        await driver.press("enter")
        if not is_top(driver, MakeTask):
            await driver.press("enter")
        await driver.until(lambda: is_top(driver, MakeTask))

    async def choose(self, id_: str) -> None:
        """Chooses a kind, or a misconception."""
        offers = self.dialog.query_one(OptionList)
        while self.driver.app.focused is not offers:
            await self.driver.press("shift+tab")
        await self.driver.press("home")
        for _ in range(offers.option_count):
            if offers.highlighted is not None and offers.get_option_at_index(offers.highlighted).id == id_:
                return await self.driver.press("enter")
            await self.driver.press("down")
        raise AssertionError(f"{id_} is not among {[each.id for each in offers.options]}")

    async def paste(self, text: str) -> None:
        """Writes a text instead of the one that is there."""
        editor = self.dialog.query_one(TextArea)
        while self.driver.app.focused is not editor:
            await self.driver.press("tab")
        await self.driver.press("f7")
        self.driver.app.post_message(Paste(text))
        await self.driver.until(lambda: self.dialog.draft.text == text)

    async def write(self, part: str = "task", **members: Any) -> None:
        """Writes some members of the task, or of the lesson."""
        every = self.members
        every[part] |= members
        await self.paste(json.dumps(every, indent=2))

    async def make(self) -> None:
        """Makes the task, in which nothing is wrong."""
        assert not self.dialog.draft.faults, self.dialog.draft.faults
        await self.driver.press("ctrl+s")
        await self.driver.until(lambda: not is_top(self.driver, MakeTask))
