"""Help is about the field or the pane that has the focus."""

from __future__ import annotations

import pytest
from support.driver import SIZES, Driver, is_top

from dmlviz.screens.dialogs.help_sheet import HelpSheet
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.widgets.fields.form import FOOT


@pytest.mark.parametrize(
    ("pane", "title", "key"),
    [("outputs", "The output", "Cell up"), ("inputs", "The inputs", "Cell up"), ("rules", "The rules", "All rules")],
)
async def test_help_is_about_the_pane_with_the_focus(driver: Driver, pane: str, title: str, key: str) -> None:
    driver.screen.query_one(f"#{pane}").focus()
    await driver.press("f1")
    assert is_top(driver, HelpSheet)
    assert title in driver.text()
    assert key in driver.text()
    await driver.press("f1")
    assert is_top(driver, Explorer)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("by", ["key", "mouse", "palette"])
async def test_a_field_is_explained_with_its_rules(driver: Driver, by: str) -> None:
    await driver.press("f2")
    field = await driver.focus("IndexDimensions")
    if by == "key":
        await driver.press("f1")
    elif by == "mouse":
        y = driver.form.size.height - FOOT
        line = driver.text("#form").split("\n")[y]
        await driver.click("#form", line.rindex("?"), y)
    else:
        await driver.press("ctrl+p")
        await driver.type("help")
        await driver.until(lambda: "What the field or pane with the" in driver.text())
        await driver.press("enter")
    await driver.until(lambda: is_top(driver, HelpSheet))
    text = " ".join(driver.text().split())
    for said in (
        "UINT",
        "[0, 2]",
        "GATHER page: IndexDimensions",
        "Rules that speak of it",
        "index_dimensions.range",
    ):
        assert said in text
    for _ in range(40):
        if "indices.leading" in driver.text():
            break
        await driver.press("down")
    assert "indices.leading" in driver.text()
    await driver.press("escape")
    assert is_top(driver, Explorer)
    assert driver.screen.focused is field, "where one was"


async def test_a_field_s_help_lists_the_keys_of_that_field_only(driver: Driver) -> None:
    await driver.focus("Axis")
    await driver.press("f1")
    assert "One more" in driver.text()
    assert "Add a tensor" not in driver.text()
    await driver.press("f1")
    driver.form.focus_row("DataType")
    await driver.press("f1")
    assert "Open the choices" in driver.text()
    assert "One more" not in driver.text()
