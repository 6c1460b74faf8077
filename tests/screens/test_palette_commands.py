"""Commands of the palette: each may be called and left, and is offered where it finds something to do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from inspect import isawaitable
from typing import Any

import pytest
from support.driver import Driver

SIZES = [(80, 24), (120, 36), (200, 50)]
EXAMPLES = ["join-1", "rule-dtype-equal"]
"""One that is valid, and one whose first JOIN is not: its tensors have types of their own."""
Palette = dict[str, Callable[[], Any]]
OF_CHOICES = {"Open the choices", "Choice before", "Choice after"}
OF_AN_ARRAY = {"Add a tensor", "Remove the tensor", "Move the tensor up", "Move the tensor down"}
OF_A_ROW = OF_CHOICES | OF_AN_ARRAY
"""Commands for the row of the form that has the focus."""


def palette(driver: Driver) -> Palette:
    """The commands that are offered now."""
    return {command.title: command.callback for command in driver.app.get_system_commands(driver.app.screen)}


async def run(driver: Driver, callback: Callable[[], Any]) -> None:
    """Calls a command as the palette does once it has closed."""
    answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def called() -> None:
        try:
            answer = callback()
            if isawaitable(answer) and not hasattr(answer, "cancel"):
                await answer
        except Exception as error:
            answered.set_exception(error)
        else:
            answered.set_result(None)

    driver.app.call_later(called)
    await asyncio.wait_for(answered, 60)
    await driver.settle()


def ancestors(driver: Driver) -> list[str | None]:
    """The ids of what has the focus and of what that stands in."""
    focused = driver.app.focused
    return [node.id for node in focused.ancestors_with_self] if focused is not None else []


# ---- every command


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("session", EXAMPLES)
async def test_every_command_may_be_called_and_left(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the start and with the focus nowhere; the monkey calls them from everywhere."""
    ended: list[object] = []
    monkeypatch.setattr(driver.app, "exit", lambda *_: ended.append("exit"))
    monkeypatch.setattr(driver.app, "deliver_screenshot", lambda *_: None)
    for nowhere in (False, True):
        for title, callback in palette(driver).items():
            if nowhere:
                driver.screen.set_focus(None)
            await run(driver, callback)
            for _ in range(4):
                if driver.app.screen is not driver.screen or driver.screen.maximized is not None:
                    await driver.press("escape")
            assert driver.app.screen is driver.screen, title
            for back in ("Cancel run", "Undo"):
                if back in palette(driver):
                    await run(driver, palette(driver)[back])
    await driver.settle()
    assert ended  # Quit would have
