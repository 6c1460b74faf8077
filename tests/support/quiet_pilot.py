"""A pilot that goes on as soon as the program has nothing left to do, and a small app to try widgets in."""

from __future__ import annotations

import asyncio
import time
import unicodedata
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from rich.console import RenderableType
from textual import events
from textual._compositor import Compositor
from textual.app import App, ComposeResult
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.css.types import CSSLocation
from textual.keys import REPLACED_KEYS, _character_to_key, _get_unicode_name_from_key
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget

from dmlviz.themes import DARK
from dmlviz.widgets.fields.field import field_of

PATIENCE = 60.0
"""Seconds after which a program that never rests is given up."""


PARSED: dict[tuple[object, ...], list[RuleSet]] = {}
"""Rules by their style sheet and what it depends on: each program reads what those before it have read."""
_parse_rules = Stylesheet._parse_rules


def parsed_once(
    sheet: Stylesheet, css: str, read_from: CSSLocation, is_default_rules: bool, tie_breaker: int, scope: str
) -> list[RuleSet]:
    """The rules of a style sheet."""
    place = (css, read_from, is_default_rules, tie_breaker, scope)
    key = (*place, *sheet._variables.items())
    if key not in PARSED:
        PARSED[key] = _parse_rules(sheet, *place)
    return PARSED[key]


Stylesheet._parse_rules = parsed_once  # type: ignore[method-assign,assignment]
render_update = Compositor.render_update


def put_off(
    compositor: Compositor, full: bool = False, screen_stack: list[Screen[Any]] | None = None, simplify: bool = False
) -> RenderableType | None:
    """Draws no frame that nobody sees: what has changed is drawn once the program rests, or is looked at."""
    return render_update(compositor, full, screen_stack, simplify) if full else None


Compositor.render_update = put_off  # type: ignore[method-assign,assignment]
LAYOUTS = 20
"""More than one change of a screen asks for, one after the other."""


async def quiet() -> None:
    """Waits until the event loop has nothing left to do that needs no time to pass, and nothing to come from outside.

    Textual's own pilot sleeps until the process uses little time, which on a busy machine it does in the middle of
    its work, too.
    """
    loop = asyncio.get_running_loop()
    ends = time.monotonic() + PATIENCE
    while True:
        await asyncio.sleep(0)
        if not loop._ready:  # type: ignore[attr-defined]
            return
        assert time.monotonic() < ends, "the program never rests"


def key_event(name: str) -> events.Key:
    """The event of a key's name, or of the character that it types."""
    if len(name) == 1 and not name.isalnum():
        name = _character_to_key(name)
    try:
        char: str | None = unicodedata.lookup(_get_unicode_name_from_key(REPLACED_KEYS.get(name, name)))
    except KeyError:
        char = name if len(name) == 1 else None
    return events.Key(name, char)


class QuietPilot(Pilot[Any]):
    """Presses keys and clicks, and waits for their effect."""

    async def press(self, *keys: str) -> None:
        driver = self.app._driver
        assert driver is not None
        for key in keys:
            event = key_event(key)
            event.set_sender(self.app)
            driver.send_message(event)
            await quiet()
            await self.app.animator.wait_until_complete()
            await quiet()

    async def pause(self, delay: float | None = None) -> None:
        await quiet()
        while (field := field_of(self.app.screen.focused)) is not None and field._pause is not None:
            await asyncio.sleep(0.01)  # what follows from a text comes when typing pauses
            await quiet()
        if delay is not None:
            await asyncio.sleep(delay)
            await quiet()
        # What Textual puts off for some milliseconds is done at once: a new size, layout and painting.
        if self.app._resize_event is not None:
            self.app._check_resize()
            await quiet()
        for _ in range(LAYOUTS):  # one may ask for the next: a scrollbar that has come makes its pane narrower
            self.app.screen._on_timer_update()
            await quiet()
            if not self.waits():
                break
        render_update(self.app.screen._compositor, screen_stack=self.app._background_screens)

    def waits(self) -> bool:
        """True if the screen is still to be laid out or painted anew."""
        screen = self.app.screen
        if not screen.is_current or self.app._batch_count:
            return False
        return bool(
            screen._layout_required
            or screen._scroll_required
            or screen._repaint_required
            or screen._dirty_widgets
            or screen._callbacks
        )


@asynccontextmanager
async def piloted(app: App[Any], size: tuple[int, int] = (80, 24)) -> AsyncIterator[QuietPilot]:
    """A program that runs without a terminal, and a pilot for it."""
    async with app.run_test(size=size):
        pilot = QuietPilot(app)
        await pilot.pause()
        yield pilot


class Shown(App[None]):
    """Shows widgets in the dark theme. A subclass says what it hears of their messages."""

    def __init__(self, *widgets: Widget) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.theme = DARK.name
        self._shown = widgets
        self.heard: list[Any] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return {"focus": "colour"}

    def compose(self) -> ComposeResult:
        yield from self._shown


def show(app: Shown, script: Callable[[QuietPilot], Awaitable[None]], size: tuple[int, int]) -> None:
    """Runs an app, and `script` on it."""

    async def run() -> None:
        async with piloted(app, size) as pilot:
            await script(pilot)

    asyncio.run(run())
