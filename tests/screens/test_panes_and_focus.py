"""The focus goes over every field and pane; panes share the room of any terminal."""

from __future__ import annotations

import pytest
from support.cursors import out
from support.driver import Driver, header

from dmlviz.workspace.form.form_rows import form_rows


@pytest.mark.parametrize("session", ["gather-2", "join-1", "gather-3-as-printed"])
@pytest.mark.parametrize("size", [(120, 50)])
async def test_tab_reaches_every_field_and_every_pane(driver: Driver) -> None:
    screen = driver.screen
    seen: list[str] = []
    for _ in screen.focus_chain:
        await driver.pilot.press("tab")
        assert screen.focused is not None
        seen.append(driver.form.focused_key or str(screen.focused.id))
    fields = [row.key for row in form_rows(screen.workspace.experiment)]
    assert [key for key in seen if key in fields] == fields
    assert {"rules", "inputs", "outputs"} <= set(seen)


@pytest.mark.parametrize("size", [(80, 24)])
async def test_the_form_and_the_picture_swap_where_room_is_short(driver: Driver) -> None:
    screen = driver.screen
    assert not screen.query_one("#form").region.area
    await driver.press("f2")
    assert screen.query_one("#form").region.width > 70
    assert not screen.query_one("#picture").region.area
    await driver.focus("Axis")
    await driver.type("7")
    assert "✘ E_INVALIDARG" in header(driver)
    await driver.press("f2")
    assert screen.query_one("#picture").region.area
    assert "axis.range" in driver.text("#rules")
    await driver.press("f")
    assert "✔ valid" in header(driver)


async def test_a_resize_keeps_everything_and_a_tiny_terminal_says_so(driver: Driver) -> None:
    screen = driver.screen
    await driver.press("home", *["full_stop"] * 5)
    await driver.focus("InputTensor")
    await driver.type("4, 2")
    driver.side(True).focus()
    await driver.press("home", *["full_stop"] * 5)
    held = screen.workspace.experiment, screen.state.picture.cursor, screen.state.picture.step
    for size in ((80, 24), (200, 50), (59, 20), (60, 18), (100, 32), (79, 24), (80, 17), (120, 36)):
        await driver.resize(size)
        assert (screen.workspace.experiment, screen.state.picture.cursor, screen.state.picture.step) == held
        tiny = size[0] < 60 or size[1] < 18
        assert ("dmlviz needs 60 columns and 18 lines" in driver.text()) == tiny
        if not tiny:
            assert driver.drawn(out(2, 0)) == "3"
            assert driver.drawn(out(2, 1)) == "·"
