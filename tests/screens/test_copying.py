"""What is copied: as it is seen."""

from __future__ import annotations

import json
from dataclasses import replace

from support.driver import Driver, explore
from support.one_session import many
from textual.widgets import OptionList

from dmlviz.screens.dialogs.choose import CopyMenu
from dmlviz.screens.explorer.copying import picture_text


async def choose(driver: Driver, word: str) -> None:
    await driver.press("c")
    menu = driver.app.screen
    assert isinstance(menu, CopyMenu)
    options = menu.query_one(OptionList)
    options.highlighted = next(i for i, option in enumerate(options.options) if word in str(option.prompt))
    await driver.settle()


async def test_what_is_copied_is_what_is_seen(driver: Driver) -> None:
    await choose(driver, "The formula")
    await driver.press("enter")
    formula = "OutputTensor[0,0] = InputTensor[IndicesTensor[0,0],0] = InputTensor[0,0] = 1"
    assert driver.app.clipboard.strip() == formula
    await choose(driver, "The desc")
    await driver.press("enter")
    found = json.loads(driver.app.clipboard)
    assert found["experiments"][0]["desc"]["Axis"] == 0
    await choose(driver, "The picture")
    await driver.press("enter")
    lines = driver.app.clipboard.split("\n")
    assert lines[0].split() == ["InputTensor", "FLOAT32", "{3,", "2}", "OutputTensor", "FLOAT32", "{4,", "2}"]
    assert any(line.split() == ["B", "1", "3", "4", "×2", "B", "1", "3", "4"] for line in lines)
    said = driver.notice
    assert f"{len(driver.app.clipboard):,} characters" in said


async def test_a_picture_is_of_the_step_that_is_shown(driver: Driver) -> None:
    await driver.press("home", ".")
    assert picture_text(driver.screen.state).count("·") == 7


def test_what_is_too_long_for_a_clipboard_is_not_copied() -> None:
    session = many("a")
    session = session.with_experiment(0, replace(session.experiments[0], notes="x" * 100_001))

    async def script(driver: Driver) -> None:
        await choose(driver, "The desc")
        await driver.press("enter")
        assert driver.app.clipboard == ""
        assert "too many for a clipboard" in driver.notice

    explore(script, session)
