"""Nobody is trapped: every pane and field has a way back to the picture, which the footer names."""

from __future__ import annotations

import pytest
from support.driver import Driver, header


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
