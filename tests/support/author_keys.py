"""An author at the dialog that makes tasks, by keys alone."""

from __future__ import annotations

from textual.widgets import Input, OptionList

from dmlviz.screens.dialogs.make_task import MakeTask
from dmlviz.widgets.lib.textual_private import Palette
from support.driver import Driver, is_top


class Author:
    """Presses the keys of an author, and looks at nothing but the highlighted row to know how far to go."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver

    @property
    def dialog(self) -> MakeTask:
        found = self.driver.app.screen
        assert isinstance(found, MakeTask), found
        return found

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

    async def go(self, key: str) -> None:
        """Goes to a row, or to a kind that is chosen among."""
        rows = self.dialog.query_one(OptionList)
        ids = [each.id for each in rows.options if not each.disabled]
        assert key in ids, f"{key} is not among {ids}"
        assert rows.highlighted is not None
        by = ids.index(key) - ids.index(rows.get_option_at_index(rows.highlighted).id)
        await self.driver.press(*(["down"] * by or ["up"] * -by))
        assert rows.get_option_at_index(rows.highlighted).id == key

    async def press(self, key: str, how: str = "enter") -> None:
        await self.go(key)
        await self.driver.press(how)

    async def kind(self, kind: str) -> None:
        await self.press("kind")
        await self.press(f"pick.{kind}")
        assert self.dialog.authoring.kind == kind

    async def phase(self, phase: str) -> None:
        for _ in range(6):
            if self.dialog.state.row("phase").value == phase:
                return
            await self.press("phase", "right")
        raise AssertionError(phase)

    async def write(self, key: str, text: str) -> None:
        """Writes a text instead of what stands in a row."""
        await self.press(key)
        field = self.dialog.query_one(Input)
        assert self.driver.app.focused is field
        await self.driver.press("end", "ctrl+u")
        await self.driver.pilot.press(*(key_of(each) for each in text))
        assert field.value == text
        await self.driver.press("enter")

    async def make(self) -> None:
        """Makes the task, in which nothing is wrong."""
        assert not self.dialog.state.sentences, self.dialog.state.sentences
        await self.driver.press("ctrl+s")
        await self.driver.until(lambda: not is_top(self.driver, MakeTask))


def key_of(character: str) -> str:
    """The key that types a character."""
    return {" ": "space"}.get(character, character)
