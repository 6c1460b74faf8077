"""Questions before work is given up: asked when it is time, and answered by nothing that was meant for elsewhere."""

from __future__ import annotations

import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.driver import Driver, explore, header, is_top

from dmlviz.screens.dialogs.asking import AskLost, AskName, AskReplace, AskUnsaved
from dmlviz.screens.dialogs.dialog import Dialog
from dmlviz.screens.dialogs.gallery import Gallery
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session import examples
from dmlviz.session.document import Document
from dmlviz.session.kept import Kept
from dmlviz.session.recovery import LostSession

GIVES_UP = ("discard", "overwrite", "replace")
"""Answers after which something is gone."""


def lost() -> Dialog[Any]:
    return AskLost(LostSession(Kept(Path("lost"), None), Document(examples.example("gather-2").session()), 0.0), 0)


QUESTIONS: list[Callable[[], Dialog[Any]]] = [
    AskUnsaved,
    lost,
    lambda: AskReplace("lesson.json"),
]


async def edit_axis(driver: Driver) -> None:
    await driver.focus("Axis")
    await driver.press("1")
    driver.screen.query_one("#outputs").focus()
    await driver.settle()
    assert driver.screen.state.document.dirty


def test_opening_asks_once_something_is_chosen() -> None:
    async def script(driver: Driver) -> None:
        await edit_axis(driver)
        document = driver.screen.workspace.document
        held = document.session
        await driver.press("ctrl+o")
        assert is_top(driver, Gallery)
        await driver.press("escape")
        assert is_top(driver, Explorer)
        await driver.press("ctrl+o")
        await driver.type("split-1")
        await driver.press("enter")
        await driver.until(lambda: is_top(driver, AskUnsaved))
        await driver.press("escape")
        assert is_top(driver, Explorer)
        assert driver.screen.workspace.document.session is held
        await driver.press("ctrl+o")
        await driver.type("split-1")
        await driver.press("enter")
        await driver.until(lambda: is_top(driver, AskUnsaved))
        await driver.press("ctrl+s")  # the session has no file yet
        assert is_top(driver, AskName)
        await driver.press("escape", "ctrl+o")
        await driver.type("split-1")
        await driver.press("enter")
        await driver.until(lambda: is_top(driver, AskUnsaved))
        await driver.press("ctrl+d")
        assert is_top(driver, Explorer)
        assert "SPLIT" in header(driver)
        assert driver.screen.workspace.document is not document

    explore(script)


@pytest.mark.parametrize("question", QUESTIONS)
def test_neither_a_letter_nor_enter_gives_anything_up(question: Callable[[], Dialog[Any]]) -> None:
    async def script(driver: Driver) -> None:
        answers: list[Any] = []
        for char in f"{string.ascii_letters}{string.digits} .,-":
            if is_top(driver, Explorer):
                driver.app.push_screen(question(), answers.append)
                await driver.settle()
            await driver.press(char)
            assert not [each for each in answers if each in GIVES_UP], char
        if is_top(driver, Explorer):
            driver.app.push_screen(question(), answers.append)
            await driver.settle()
        await driver.press("right", "left", "right", "enter")
        assert not [each for each in answers if each in GIVES_UP]

    explore(script)
