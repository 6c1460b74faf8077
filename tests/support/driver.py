"""One explorer that is running, pressed and clicked by a test, and its screen read back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Button, Input, Static
from textual.widgets.input import Selection

from dmlviz.app import DmlvizApp
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session import examples
from dmlviz.session.document import Document
from dmlviz.session.experiments import Experiment, Session
from dmlviz.widgets.fields.form import Form
from dmlviz.widgets.picture.tensor_stack import TensorStack
from support.quiet_pilot import QuietPilot, piloted

Script = Callable[["Driver"], Awaitable[None]]
SIZES = [(80, 24), (120, 36), pytest.param((200, 50), marks=pytest.mark.slow)]
"""The windows in which screens are tried."""


def is_top(driver: Driver, kind: type[Any]) -> bool:
    """True if that screen or dialog takes the keys."""
    return isinstance(driver.app.screen, kind)


class Driver:
    """One explorer that is running: presses keys, clicks, and reads the screen."""

    def __init__(self, app: DmlvizApp, pilot: QuietPilot) -> None:
        self.app, self.pilot = app, pilot
        self.keys = 0
        """How many keys were pressed."""

    @property
    def screen(self) -> Explorer:
        explorer = self.app.screen_stack[0]
        assert isinstance(explorer, Explorer)
        return explorer

    @property
    def notices(self) -> list[str]:
        """The notices that are on the screen, the last one at the end."""
        return [notice.message for notice in self.app._notifications]

    @property
    def notice(self) -> str:
        """The last of them; empty where there is none."""
        return self.notices[-1] if self.notices else ""

    def open(self, session: Session, path: Path | None = None) -> None:
        """Shows another session; the one before is given up."""
        self.screen.act(self.screen.workspace.open, Document(session, path))

    def edit(self, experiment: Experiment) -> None:
        """Makes an edited experiment the present one."""
        self.screen.act(self.screen.workspace.edit, experiment)

    def point(self, cursor: Cursor) -> None:
        """Looks at an element."""
        self.screen.act(self.screen.workspace.point, cursor)

    def play_with(self, **changes: Any) -> None:
        """Changes how steps play, as time or the settings would."""
        picture = self.screen.workspace.picture
        picture.player = replace(picture.player, **changes)

    async def settle(self) -> None:
        for _ in range(2):
            await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        self.keys += len(keys)
        await self.pilot.press(*keys)
        await self.settle()

    async def type(self, text: str) -> None:
        await self.press(*text)

    async def click(self, widget: Widget | str, x: int = 0, y: int = 0) -> None:
        found = self.app.screen.query_one(widget) if isinstance(widget, str) else widget
        if isinstance(found, Button):  # it hears no click while it still shows the one before
            await self.until(lambda: not found.has_class("-active"))
        await self.pilot.click(widget, offset=(x, y))
        await self.settle()

    async def click_text(self, text: str, selector: str, by: int = 0) -> None:
        """A click on a text in a widget, `by` columns behind its first."""
        x, y = self.find(text, selector)
        await self.click(selector, x + by, y)

    async def fill(self, text: str) -> None:
        """Puts a text into the field of the dialog that is open."""
        self.app.screen.query_one(Input).value = text
        await self.settle()

    async def enter(self, text: str) -> None:
        """The same, and enter."""
        await self.fill(text)
        await self.press("enter")

    async def resize(self, size: tuple[int, int]) -> None:
        """Gives the window that many columns and lines."""
        await self.pilot.resize_terminal(*size)
        await self.settle()

    async def scroll(self, widget: Widget, y: int) -> None:
        """Scrolls until that line is the first."""
        widget.scroll_to(y=y, animate=False)
        await self.settle()

    async def until(self, done: Callable[[], bool], seconds: float = 60) -> None:
        """Waits for work that goes on behind the screen."""
        for _ in range(int(seconds / 0.02)):
            if done():
                await self.settle()
                return
            await asyncio.sleep(0.02)
        raise AssertionError(f"still waiting after {seconds} s")

    async def at_rest(self) -> None:
        """Waits until nothing works for the screen or dialog on top."""
        await self.until(lambda: all(one.is_finished for one in self.app.workers if one.node is self.app.screen))

    async def focus(self, key: str, form: str = "#form") -> Input:
        """The focus into a field, all of its text selected."""
        editor = self.screen.query_one(form, Form)
        assert editor.focus_row(key)
        await self.settle()
        assert editor.focused_key == key
        field = self.screen.focused
        assert isinstance(field, Input)
        assert field.selection == Selection(0, len(field.value))
        return field

    async def choose(self, key: str, text: str) -> None:
        """Opens a row's choices by enter, types what is wanted, and takes it by enter."""
        assert self.form.focus_row(key)
        await self.settle()
        await self.press("enter")
        await self.type(text)
        await self.press("enter")

    @property
    def form(self) -> Form:
        return self.screen.query_one("#form", Form)

    def row(self, key: str) -> str:
        """What is drawn in the line of the form that a row has."""
        field = self.form._fields[key]
        return self.text("#form").split("\n")[field.region.y - self.form.region.y]

    async def click_row(self, key: str, mark: str = "") -> None:
        """A click on a row's editor, or on what stands in its line."""
        field = self.form._fields[key]
        if mark:
            x = self.row(key).rindex(mark) + self.form.region.x - field.region.x
            await self.click(field, x)
        else:
            await self.click(field.editor or field, 1)

    def text(self, selector: str = "") -> str:
        """What stands on the screen, or in one widget of it."""
        strips = self.app.screen._compositor.render_strips()
        lines = ["".join(segment.text for segment in strip) for strip in strips]
        if not selector:
            return "\n".join(lines)
        region = self.app.screen.query_one(selector).region
        return "\n".join(line[region.x : region.right] for line in lines[region.y : region.bottom])

    def words(self, selector: str) -> str:
        """The same on one line, as a reader would take it."""
        return " ".join(self.text(selector).split())

    def find(self, text: str, selector: str) -> tuple[int, int]:
        """Where a text stands in a widget: (x, y) from its corner."""
        for y, line in enumerate(self.text(selector).split("\n")):
            if text in line:
                return line.index(text), y
        raise AssertionError(f"{text!r} is not in\n{self.text(selector)}")

    def side(self, is_output: bool) -> TensorStack:
        return self.screen.query_one("#outputs" if is_output else "#inputs", TensorStack)

    def cell(self, cursor: Cursor) -> tuple[int, int]:
        """Where an element's cell begins in its side: (x, y); it must be in sight."""
        side = self.side(cursor.place.is_output)
        assert side.stack is not None
        x, y = side.stack.locate(cursor)
        left, top = side.scroll_offset
        at = x - left + side.stack.figure(cursor.place).margin, y - top
        assert side.stack.hit(*at, top, left) == cursor
        return at

    def drawn(self, cursor: Cursor) -> str:
        """The text in an element's cell on the screen, without the lines between its fill and bars beside it."""
        side = self.side(cursor.place.is_output)
        assert side.stack is not None
        x, y = self.cell(cursor)
        return self.strip(side, y).text[x : x + side.stack.figure(cursor.place).cell].strip(" ▏▕")

    def strip(self, side: TensorStack, y: int) -> Strip:
        """A line of a side as it is drawn now: what it was given last may not be on the screen yet."""
        side.render_lines(side.size.region)
        return side.render_line(y)

    def segment(self, cursor: Cursor) -> Segment:
        side, (x, y) = self.side(cursor.place.is_output), self.cell(cursor)
        return next(iter(self.strip(side, y).crop(x + 1, x + 2)))


def explore(
    script: Script, session: Session | str = "gather-2", size: tuple[int, int] = (120, 36), path: Path | None = None
) -> DmlvizApp:
    """Runs the explorer on a session, and `script` on it."""
    opened = examples.example(session).session() if isinstance(session, str) else session
    app = DmlvizApp(opened, path)

    async def run() -> None:
        async with piloted(app, size) as pilot:
            driver = Driver(app, pilot)
            await driver.settle()
            await script(driver)

    asyncio.run(run())
    return app


def header(driver: Driver) -> str:
    return driver.text("#header")


def panel(driver: Driver) -> str:
    """What the kernel's panel says."""
    return driver.words("#kernel")


def names(driver: Driver) -> list[str]:
    """The names of the document's experiments."""
    return [each.name for each in driver.screen.workspace.document.session.experiments]


def top(driver: Driver, selector: str) -> str:
    return " ".join(str(driver.app.screen.query_one(selector, Static).render()).split())
