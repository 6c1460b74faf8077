"""Values typed into cells: what the document holds then, and the field on the screen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cursors import into, out
from support.driver import Driver, explore
from support.effort import tried
from support.one_session import one
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz.desc.tensors import DataType
from dmlviz.desc.value_sources import Listed, ValueSource
from dmlviz.desc.values import Constant, Iota, Random
from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.session.cell_edits import listed, with_value
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import parse
from dmlviz.session.writing import dump
from dmlviz.widgets.picture.cell_entry import CellEntry

QUICK = tried(60)
NO_TYPE = st.sampled_from([Iota(3, 2), Iota(0.1, 0.3), Constant(1), Constant("nan"), Random(5), None])


def held(experiment: Experiment, number: int) -> np.ndarray[Any, Any]:
    return experiment.sources()[number].array().reshape(-1)


def texts_for(kind: DataType) -> st.SearchStrategy[str]:
    if kind.is_float:
        top = float(np.finfo(kind.dtype).max)
        finite = st.floats(-top, top, width=kind.item_size * 8)  # type: ignore[arg-type]
        return st.one_of(finite.map(repr), st.integers(-100, 100).map(str), st.sampled_from(["nan", "INF", "-inf"]))
    return st.integers(*kind.integer_range).map(str)


# ---- what the document holds


@QUICK
@given(cases(), NO_TYPE, st.data())
def test_only_the_element_that_was_typed_changes(case: Case, fill: ValueSource | None, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(case.arrays) - 1))
    part = case.desc.inputs[number]
    kind = part.tensor.data_type
    values: dict[str, ValueSource] = {}
    if fill is None:
        array = case.arrays[number]
        values[part.path] = Listed(tuple(listed(array.reshape(-1))), array.shape)
    elif not (isinstance(fill, Iota) and isinstance(fill.start, float) and not kind.is_float) and (
        kind.is_float or fill != Constant("nan")
    ):
        values[part.path] = fill
    experiment = Experiment("one", case.desc, values=values)
    before = held(experiment, number)
    flat = data.draw(st.integers(0, len(before) - 1))
    text = data.draw(texts_for(kind))
    after = with_value(experiment, part.path, flat, text)
    found = held(after, number)
    want = before.copy()
    want[flat] = float(text) if kind.is_float else int(text)
    np.testing.assert_array_equal(found, want)
    assert np.signbit(found).tolist() == np.signbit(want).tolist() or np.isnan(want).any()
    for other in range(len(case.arrays)):
        if other != number:
            assert after.values.get(case.desc.inputs[other].path) == experiment.values.get(case.desc.inputs[other].path)
    # It can be saved, and read back.
    session, errors = parse(dump(Session((after,))).encode(), "it", None)
    assert not errors
    np.testing.assert_array_equal(held(session.experiments[0], number), want)


# ---- on the screen


def values_of(driver: Driver, number: int) -> list[float]:
    found: list[float] = driver.screen.workspace.experiment.sources()[number].array().reshape(-1).tolist()
    return found


def entry(driver: Driver) -> CellEntry:
    return driver.screen.query_one(CellEntry)


def lies_over_its_cell(driver: Driver) -> bool:
    field, cell = entry(driver), driver.screen.state.cell
    assert cell is not None
    side = driver.side(False)
    x, y = driver.cell(cell.cursor)
    return field.region.y == side.region.y + y and field.region.x <= side.region.x + x < field.region.right


def test_a_value_is_typed_where_it_stands_and_enter_goes_on() -> None:
    async def script(driver: Driver) -> None:
        before = driver.screen.workspace.experiment
        driver.point(into(0, 1))
        await driver.press("e")
        assert lies_over_its_cell(driver)
        assert entry(driver).value == "2"
        await driver.press("7", "enter")
        assert values_of(driver, 0) == [1, 7, 3, 4, 5, 6]
        assert driver.drawn(out(0, 1)) == "7"
        assert driver.screen.state.picture.cursor == into(1, 0)
        assert entry(driver).has_focus
        assert lies_over_its_cell(driver)
        # Keys that come fast still go where they are meant.
        await driver.press("8", "tab", "9", "enter", "escape")
        assert values_of(driver, 0) == [1, 7, 8, 9, 5, 6]
        assert driver.screen.state.cell is None
        assert driver.side(False).has_focus
        assert driver.screen.state.picture.cursor == into(2, 0)
        for want in ([1, 7, 8, 4, 5, 6], [1, 7, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]):
            await driver.press("u")
            assert values_of(driver, 0) == want
        assert driver.screen.workspace.experiment == before

    explore(script)


def test_escape_and_another_click_give_up_what_was_typed() -> None:
    async def script(driver: Driver) -> None:
        before = driver.screen.workspace.experiment
        driver.point(into(0, 0))
        await driver.press("f4", "5", "5", "escape")
        assert driver.screen.state.cell is None
        await driver.press("e", "5", "5")
        await driver.click("#outputs", *driver.cell(out(2, 1)))
        assert driver.screen.state.cell is None
        assert driver.screen.state.picture.cursor == out(2, 1)
        assert driver.screen.workspace.experiment == before
        # Nothing was typed: a fill stays a fill.
        await driver.press("e", "enter", "tab", "shift+tab", "escape")
        assert driver.screen.workspace.experiment == before

    explore(script)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_what_cant_be_held_stays_in_the_field_with_a_sentence(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        before = driver.screen.workspace.experiment
        driver.point(into(0, 3, number=1))
        await driver.press("e", "-", "1", "enter")
        assert "is -1, expected an integer from 0 to 4294967295" in driver.notice
        assert entry(driver).value == "-1"
        assert driver.screen.workspace.experiment == before
        assert lies_over_its_cell(driver)
        await driver.press("home", "delete", "enter")
        assert values_of(driver, 1) == [0, 1, 1, 1]

    explore(script, size=size)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_undo_takes_a_tensor_away_under_an_open_field(size: tuple[int, int]) -> None:
    """Its picture was scrolled far down, and is short again."""
    sizes = (1, 1, 2, 3)

    async def script(driver: Driver) -> None:
        workspace = driver.screen.workspace
        for number in range(9):
            driver.screen.act(workspace.grow, f"InputTensors[{number}]", 1)
        await driver.settle()
        driver.point(Cursor(Place(False, 9), (0, 0, 1, 2)))
        await driver.press("e", "7")
        assert driver.screen.pane.sides[0].scroll_offset.y
        for _ in range(9):
            await driver.press("ctrl+z")
        assert driver.screen.state.cell is None
        assert not driver.screen.pane.is_typing
        assert not entry(driver).display
        assert len(workspace.experiment.desc.inputs) == 1
        await driver.press("e", "7", "enter")
        assert 7 in workspace.experiment.sources()[0].array()

    explore(script, one(dml.Join([dml.TensorDesc("FLOAT32", sizes)], axis=2)), size=size)
