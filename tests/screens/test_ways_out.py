"""Nobody is trapped: every pane and field has a way back to the picture, which the footer names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.driver import Driver, header
from support.real_terminal import Terminal

from dmlviz.session import examples


def in_picture(driver: Driver) -> bool:
    focused = driver.screen.focused
    return focused is not None and driver.screen.pane in focused.ancestors_with_self


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_escape_leads_from_every_row_and_pane_to_the_picture(driver: Driver) -> None:
    for key in [row.key for row in driver.screen.state.form.rows]:
        if driver.screen.has_class("narrow"):
            driver.screen.add_class("form")
        driver.form.focus_row(key)
        await driver.settle()
        assert "esc picture" in driver.text("#footer")
        await driver.press("escape")
        assert in_picture(driver), key
        assert driver.screen.query_one("#picture").region.area
    assert "esc picture" not in driver.text("#footer")
    assert header(driver).count("✔") == 1


async def test_escape_puts_back_what_letters_have_made_of_a_field(driver: Driver) -> None:
    """Letters are text in a field; whoever meant a command is told the way out, and loses nothing by it."""

    before = driver.screen.state.document.experiment
    for key in ("Axis", "InputTensor", "OutputTensor", "IndexDimensions"):
        field = await driver.focus(key)
        for letter in "rst":
            await driver.press(letter)
        assert field.value == "rst"
        assert f'{key} has "rst", expected' in driver.words("#rules")
        assert "not read: esc restores it" in driver.text("#form")
        await driver.press("escape")
        assert in_picture(driver)
        assert driver.screen.state.document.experiment == before
        assert not driver.screen.state.form.errors
        assert "rst" not in driver.text("#form")


@pytest.mark.parametrize("size", [(80, 24), (120, 36), pytest.param((200, 50), marks=pytest.mark.slow)])
def test_the_form_is_reached_and_left_by_f2_at_every_size(
    size: tuple[int, int], start: Callable[..., Terminal], tmp_path: Path
) -> None:
    path = tmp_path / "lesson.json"
    path.write_bytes(examples.example("gather-2").path.read_bytes())
    terminal = start(str(path), size=size)
    terminal.until("8 of 8")
    terminal.until("F2 form")
    terminal.send("\x1bOQ")
    terminal.until("esc picture")
    terminal.send("\x1b")
    terminal.until("F2 form")
    terminal.send("\x1bOQ")
    terminal.until("esc picture")
    terminal.send("\t\t\t")
    terminal.until("axis 1, counted from 0")
    terminal.send("x")
    terminal.until("not read: esc restores it")
    terminal.send("\x1bOQ")
    terminal.until("F2 form")
    terminal.send(",")
    terminal.until("7 of 8")
    terminal.quits()
