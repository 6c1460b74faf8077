"""The picture's keys and mouse: slices turn, zooms change, the wheel scrolls, and rows and columns swap."""

from __future__ import annotations

from typing import Any

import pytest
from support.cursors import out
from support.driver import Driver, explore
from support.one_session import one
from textual import events

import dmlviz as dml
from dmlviz.scene.layout.zoom import Zoom


def sliced() -> Any:
    return one(dml.Tile(dml.TensorDesc("INT32", (3, 4, 25, 30)), (2, 1, 1, 1)))


@pytest.mark.parametrize("session", [sliced()])
async def test_a_click_on_a_mark_turns_a_slice(driver: Driver) -> None:
    screen = driver.screen
    driver.zoom(Zoom.VALUES)
    await driver.settle()
    await driver.click_text("›", "#outputs")
    assert screen.state.picture.cursor is not None
    assert sum(screen.state.picture.cursor.index) == 1
    x, y = driver.find("‹", "#inputs")
    before = screen.state.picture.cursor
    await driver.click("#inputs", x, y)
    assert not screen.state.picture.cursor.place.is_output
    assert screen.state.picture.cursor.index <= before.index


@pytest.mark.parametrize("size", [(200, 50)])
async def test_z_goes_through_the_zooms_and_a_choice_sticks(driver: Driver) -> None:
    screen = driver.screen
    assert screen.state.picture.scene is not None
    first = screen.state.picture.scene.zoom
    for n in range(1, 4):
        await driver.press("z")
        assert screen.state.picture.scene.zoom is first.further(n)
        cursor = screen.state.picture.cursor
        assert cursor == out(0, 0)
        await driver.click("#outputs", *driver.cell(cursor))
    await driver.press("Z")
    chosen = first.further(-1)
    assert screen.state.picture.scene.zoom is chosen
    field = await driver.focus("Axis")
    await driver.press("z")
    assert field.value == "z"  # a field keeps its letters
    await driver.press("backspace", "0")
    assert screen.state.picture.scene.zoom is chosen
    driver.side(True).focus()
    driver.open(one(dml.Tile(dml.TensorDesc("INT8", (2, 2)), (1, 2))))
    await driver.settle()
    assert screen.workspace.picture.zoom is None


def test_the_wheel_scrolls_and_the_cursor_stays() -> None:
    async def script(driver: Driver) -> None:
        side, screen = driver.side(True), driver.screen
        cursor = screen.state.picture.cursor
        side._on_mouse_scroll_down(_wheel(side))
        await driver.settle()
        await driver.pilot.pause(0.5)
        assert side.scroll_offset.y > 0
        side._on_mouse_scroll_down(_wheel(side, shift=True))
        await driver.pilot.pause(0.5)
        assert side.scroll_offset.x > 0
        assert screen.state.picture.cursor == cursor

    giant = dml.Gather(dml.TensorDesc("INT8", (65535, 65535)), dml.TensorDesc("UINT32", (1, 65535)), 0, 1)
    explore(script, one(giant))


def _wheel(widget: Any, *, shift: bool = False) -> events.MouseScrollDown:
    return events.MouseScrollDown(widget, 1, 1, 0, 1, 0, shift, meta=False, ctrl=False)


@pytest.mark.parametrize("session", ["reverse-2"])
async def test_t_turns_every_tensor_and_says_so_until_it_is_pressed_again(driver: Driver) -> None:
    screen = driver.screen
    scene = screen.state.picture.scene
    assert scene is not None
    upright = scene.layout
    await driver.press("T")
    await driver.settle()
    assert screen.state.view.turned
    assert "turned" in driver.text("#inputs")
    assert "turned" in driver.text("#outputs")
    turned = screen.state.picture.scene
    assert turned is not None
    assert (turned.layout.down, turned.layout.across) == (upright.across, upright.down)
    await driver.press("z", "Z")  # no zoom and no edit turns it back
    field = await driver.focus("Axis")
    await driver.press("backspace", "7")
    await driver.settle()
    assert not screen.state.view.report.ok
    assert screen.state.view.turned
    await driver.press("T")
    assert field.value == "7T"  # a field keeps its letters
    await driver.press("backspace", "backspace", "2")
    await driver.settle()
    screen.action_do("turn_picture", ())
    await driver.settle()
    assert not screen.state.view.turned
    assert "turned" not in driver.text("#inputs")
    assert "Transpose" in {offer.title for offer in screen.offers()}
