"""The palette: it offers what can act, does what it says, and neither a small window nor a hasty end brings it down."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from inspect import isawaitable
from operator import attrgetter
from typing import Any

import pytest
from support.driver import Driver
from textual import actions
from textual.command import CommandList

from dmlviz.app import DmlvizApp
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.screens.explorer.files import Files
from dmlviz.widgets.fields.field import Field
from dmlviz.widgets.lib.commands import COMMANDS
from dmlviz.widgets.lib.textual_private import Palette
from dmlviz.widgets.panels.reasons_panel import ReasonsPanel
from dmlviz.widgets.picture.tensor_stack import TensorStack


def offered(driver: Driver) -> dict[str, Callable[[], Any]]:
    """The commands that are offered now."""
    return {command.title: command.callback for command in driver.app.get_system_commands(driver.app.screen)}


# ---- its window


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
    for _ in range(2):
        driver.app.action_command_palette()  # as a key does that comes while a busy machine takes the last one away
        await driver.settle()
        assert driver.app._exception is None
        assert [each for each in driver.app.screen_stack if isinstance(each, Palette)] == [driver.app.screen]
    assert driver.app.screen is not first


@pytest.mark.parametrize("size", [(6, 6), (20, 5)])
async def test_a_page_of_a_list_without_a_line_is_nothing_to_move_by(driver: Driver) -> None:
    driver.app.action_command_palette()
    await driver.settle()
    await driver.press("d", "down", "pagedown", "pageup", "pagedown", "escape")
    assert driver.app._exception is None


# ---- its commands


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


@pytest.mark.parametrize(
    ("size", "session", "nowhere"),
    [((80, 24), "join-1", False), ((120, 36), "rule-dtype-equal", True)],
    ids=["valid", "broken"],
)
async def test_every_command_may_be_called_and_left(
    driver: Driver, monkeypatch: pytest.MonkeyPatch, nowhere: bool
) -> None:
    """From the start and with the focus nowhere; the monkey calls them from everywhere."""
    ended: list[object] = []
    monkeypatch.setattr(driver.app, "exit", lambda *_: ended.append("exit"))
    monkeypatch.setattr(driver.app, "deliver_screenshot", lambda *_: None)
    for title, callback in offered(driver).items():
        if nowhere:
            driver.screen.set_focus(None)
        await run(driver, callback)
        for _ in range(4):
            if driver.app.screen is not driver.screen or driver.screen.maximized is not None:
                await driver.press("escape")
        assert driver.app.screen is driver.screen, title
        for back in ("Cancel run", "Undo"):
            if back in offered(driver):
                await run(driver, offered(driver)[back])
    assert ended  # Quit would have


async def test_the_palette_offers_what_can_act_and_does_it_even_from_a_field(driver: Driver) -> None:
    always = {each.title for each in COMMANDS if each.pane == "explorer" and each.when(driver.screen.state)}
    assert always - {"Back to the picture", "Cell under the cursor"} <= {*offered(driver)}
    never = {"Undo", "Cancel run", "Fix 1", "Next failed check", "Add a tensor", "Leave the steps", "Next experiment"}
    assert not never & {*offered(driver)}
    await driver.focus("Axis")
    await driver.type("7")
    assert {"Undo", "Apply fix 1", "Next failed check"} <= {*offered(driver)}
    assert not {"Play", "Run", "Redo", "Fix 9"} & {*offered(driver)}
    await driver.press("ctrl+z", "ctrl+p")
    await driver.type("First step")
    await driver.until(lambda: "before anything is written" in driver.text())
    await driver.press("enter")
    await driver.until(lambda: driver.screen.state.picture.step == 0)


async def test_every_command_has_somebody_who_does_it(driver: Driver) -> None:
    kinds = {"explorer": Explorer, "form": Field, "picture": TensorStack, "rules": ReasonsPanel}
    for command in COMMANDS:
        where, name, given = actions.parse(command.action)
        does = {"app": DmlvizApp, "screen": Explorer}.get(where, kinds[command.pane])
        assert callable(getattr(does, f"action_{name}")), command.id
        if name in ("do", "file"):
            assert callable(attrgetter(str(given[0]))(driver.screen.desk if name == "do" else Files)), command.id
        assert command.title
        assert command.help
