"""Rules that are broken, and their fixes, by key and by click; rules that hold."""

from __future__ import annotations

import pytest
from support.driver import SIZES, Driver, header

import dmlviz as dml
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session


@pytest.mark.parametrize("session", ["gather-3-as-printed"])
async def test_gather_3_as_printed_is_mended_by_a_key_and_prints_its_page(driver: Driver) -> None:
    screen = driver.screen
    assert "✘ E_INVALIDARG" in header(driver)
    assert "gather.fits" in driver.text("#why")
    assert "preview with fix 1" in driver.text("#caption")
    await driver.press("f")
    assert "✔ valid" in header(driver)
    assert screen.state.view.trace is not None
    page = examples.example("gather-3-corrected").session().experiments[0].trace()
    assert screen.state.view.trace.reference(0).reshape(-1).tolist() == page.reference(0).reshape(-1).tolist()
    await driver.press("ctrl+z")
    assert "gather.fits" in driver.text("#why")


@pytest.mark.parametrize("size", SIZES)
async def test_a_desc_that_is_not_checked_whole_is_said_to_be_so_everywhere(
    driver: Driver, size: tuple[int, int]
) -> None:
    desc = dml.Tile(dml.TensorDesc("FLOAT32", (2, 3), strides=[3]), (1, 2))
    driver.open(Session((Experiment("strided", desc),)))
    await driver.settle()
    assert "? not checked" in header(driver)
    if size[0] < 100:
        await driver.press("f2")
    said = driver.text("#rules")
    assert "? InputTensor.Strides {3} has" in " ".join(said.split())
    assert "Rules  1 not checked" in said
    assert "all hold" not in said
    assert f"✔ {len(driver.screen.state.view.report.checks)} others hold" in said
    assert driver.screen.state.view.live  # nothing is refused


@pytest.mark.parametrize("session", ["rule-dtype-supported"])
@pytest.mark.parametrize("size", [(80, 24)])
async def test_f3_goes_into_the_form_where_the_line_above_the_picture_has_no_such_field(driver: Driver) -> None:
    screen = driver.screen
    assert not screen.query_one("#form").display or not screen.has_class("form")
    await driver.press("f3")
    assert screen.has_class("form")
    assert driver.form.focused_key == "DataType"
    await driver.press("f2")
    assert not screen.has_class("form")


async def test_rules_that_hold_open_by_key_and_by_click(driver: Driver) -> None:
    rules = driver.screen.query_one("#rules")
    assert "o opens" in driver.text("#rules")
    rules.focus()
    await driver.press("enter")
    assert "o closes" in driver.text("#rules")
    await driver.click("#rules", 3, 2)
    assert "o opens" in driver.text("#rules")
