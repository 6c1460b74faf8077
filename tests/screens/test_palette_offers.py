"""The palette offers what can act, and does what it says; each command has somebody who does it."""

from __future__ import annotations

from operator import attrgetter

from support.driver import Driver
from textual import actions

from dmlviz.app import DmlvizApp
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.screens.explorer.files import Files
from dmlviz.widgets.fields.field import Field
from dmlviz.widgets.lib.commands import COMMANDS, listed
from dmlviz.widgets.panels.reasons_panel import ReasonsPanel
from dmlviz.widgets.picture.cell_entry import CellEntry
from dmlviz.widgets.picture.tensor_stack import TensorStack


async def test_the_palette_offers_what_can_act_and_nothing_else(driver: Driver) -> None:
    def offered() -> set[str]:
        return {each.title for each in driver.app.get_system_commands(driver.app.screen)}

    idle = {command.title for command in listed() if command.pane == "explorer"}
    idle -= {
        "Undo",
        "Redo",
        "Previous experiment",
        "Next experiment",
        "Recolour",
    }
    idle -= {
        "Cancel run",
        "Back to the picture",
        "Apply fix 1",
        "Next broken rule",
        "Recolour",
        "Stage before",
        "Path through stages",
        "Wire an input, or not",
        "Next stage",
        *(f"Fix {n}" for n in range(1, 10)),
    }
    assert idle <= offered()
    never = {"Undo", "Cancel run", "Fix 1", "Next broken rule", "Add a tensor", "Leave the steps", "Next experiment"}
    assert not never & offered()
    await driver.focus("Axis")
    await driver.type("7")
    assert {"Undo", "Apply fix 1", "Next broken rule"} <= offered()
    assert not {"Play", "Run", "Redo", "Fix 9"} & offered()
    await driver.press("ctrl+z")
    assert {"Redo", "Play", "Run"} <= offered()
    assert not {"Undo", "Apply fix 1"} & offered()


async def test_every_command_has_somebody_who_does_it(driver: Driver) -> None:
    kinds = {"explorer": Explorer, "form": Field, "picture": TensorStack, "rules": ReasonsPanel}
    kinds |= {"cell": CellEntry}
    for command in COMMANDS:
        where, name, given = actions.parse(command.action)
        assert callable(getattr(DmlvizApp if where == "app" else kinds[command.pane], f"action_{name}")), command.id
        if name in ("do", "file"):
            assert callable(attrgetter(str(given[0]))(driver.screen.desk if name == "do" else Files)), command.id
        assert command.title
        assert command.help


async def test_the_palette_does_what_it_says_even_from_a_field(driver: Driver) -> None:
    await driver.focus("Axis")
    await driver.press("ctrl+p")
    await driver.type("First step")
    await driver.until(lambda: "before anything is written" in driver.text())
    await driver.press("enter")
    await driver.until(lambda: driver.screen.state.picture.step == 0)
