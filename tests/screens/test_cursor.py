"""The cursor in the picture: keys and clicks move it, and the formula follows."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from support.cursors import into, out
from support.driver import SIZES, Driver, explore
from support.one_session import one

import dmlviz as dml
from dmlviz.desc.value_sources import Listed
from dmlviz.operators.maps import Place
from dmlviz.widgets.picture.tensor_stack import TensorStack


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


async def test_an_input_element_shows_who_reads_it(driver: Driver) -> None:
    screen = driver.screen
    await driver.click("#inputs", *driver.cell(into(1, 1)))
    assert screen.state.picture.cursor == into(1, 1)
    assert screen.focused is driver.side(False)
    formula = driver.words("#formula")
    assert "InputTensor[1,1] = 4 is read by OutputTensor[1,1], OutputTensor[2,1] ×2" in formula
    cells = {i: driver.cell(out(i, 1)) for i in range(4)}
    assert {i for i, (x, y) in cells.items() if driver.side(True).render_line(y).text[x - 1] in "▐█"} == {1, 2}
    await driver.press("right")  # past the last column lies the next tensor
    assert screen.state.picture.cursor is not None
    assert screen.state.picture.cursor.place == Place(False, 1)
    assert "sends" in driver.words("#formula")
    assert "IndicesTensor[0,0]" in driver.words("#formula")


@pytest.mark.parametrize("size", SIZES)
async def test_a_click_points_at_the_cell_under_it(driver: Driver) -> None:
    for cursor in (out(2, 1), out(3, 0), into(2, 0), into(0, 3, number=1)):
        x, y = driver.cell(cursor)
        await driver.click("#outputs" if cursor.place.is_output else "#inputs", x + 2, y)
        assert driver.screen.state.picture.cursor == cursor
    await driver.click("#outputs", 0, 0)  # a title is no element
    assert driver.screen.state.picture.cursor == into(0, 3, number=1)


async def test_an_element_of_a_picture_that_has_gone_is_not_pointed_at(driver: Driver) -> None:
    screen = driver.screen
    screen.act(screen.workspace.type_in_field, "OutputTensor", "")
    screen.act(screen.workspace.type_in_field, "IndicesTensor", "1, 2")
    await driver.press("tab", "tab", "tab")
    assert screen.state.view.live
    before = screen.state.picture.cursor
    screen.post_message(TensorStack.Pointed(into(0, 3, number=1)))
    await driver.settle()
    assert screen.state.picture.cursor == before
    assert driver.app.is_running


def test_values_that_differ_between_types_are_shown_whole() -> None:
    desc = dml.Tile(dml.TensorDesc("INT64", (3,)), (2,))
    values = np.array([2**62, -(2**63), 7])
    session = one(desc, values={"InputTensor": Listed(tuple(int(v) for v in values), (3,))})

    async def script(driver: Driver) -> None:
        await driver.press("right", "down")  # it lies across or down
        assert str(-(2**63)) in driver.words("#formula")

    explore(script, dataclasses.replace(session, title="whole numbers"), (200, 50))
