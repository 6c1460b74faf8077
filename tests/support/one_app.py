"""A small app with some of our widgets, which keeps what they ask for: they are tried without a whole screen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from textual.app import App, ComposeResult
from textual.widget import Widget

from dmlviz.themes import DARK
from support.quiet_pilot import QuietPilot, piloted


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
