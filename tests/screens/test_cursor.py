"""The cursor in the picture: keys and clicks move it, and the formula follows."""

from __future__ import annotations

import pytest
from support.cursors import into, out
from support.driver import SIZES, Driver


async def test_keys_move_the_cursor_and_the_formula_follows(driver: Driver) -> None:
    screen = driver.screen
    moves = [
        ("down", (1, 0)), ("right", (1, 1)), ("j", (2, 1)), ("h", (2, 0)), ("l", (2, 1)), ("k", (1, 1)),
        ("left", (1, 0)), ("up", (0, 0)), ("up", (0, 0)), ("left", (0, 0)), ("pagedown", (3, 0)),
    ]  # fmt: skip
    for key, index in moves:
        await driver.press(key)
        assert screen.state.picture.cursor == out(*index)
        trace = screen.state.view.trace
        assert trace is not None
        formula = driver.words("#formula")
        assert f"OutputTensor[{index[0]},{index[1]}]" in formula
        assert f"IndicesTensor[0,{index[0]}]" in formula
        source = trace.source(0, index).index
        assert f"InputTensor[{source[0]},{source[1]}]" in formula
        assert driver.segment(out(*index)).style.bold  # type: ignore[union-attr]
        assert driver.segment(into(*source)).style.bold  # type: ignore[union-attr]
        assert driver.segment(into(0, index[0], number=1)).style.bold  # type: ignore[union-attr]


@pytest.mark.parametrize("size", SIZES)
async def test_a_click_points_at_the_cell_under_it(driver: Driver) -> None:
    for cursor in (out(2, 1), out(3, 0), into(2, 0), into(0, 3, number=1)):
        x, y = driver.cell(cursor)
        await driver.click("#outputs" if cursor.place.is_output else "#inputs", x + 2, y)
        assert driver.screen.state.picture.cursor == cursor
    await driver.click("#outputs", 0, 0)  # a title is no element
    assert driver.screen.state.picture.cursor == into(0, 3, number=1)
