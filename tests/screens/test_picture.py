"""The picture's keys and mouse: cursor, steps, zooms, slices, values typed into cells, and what is covered."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.driver import SIZES, Driver, explore, is_top
from support.effort import tried
from support.lesson_play import answer_by_keys, asked
from support.one_session import one
from support.scenes import into, out
from support.strategies import Case, cases
from textual import events
from textual.geometry import Region

import dmlviz as dml
from dmlviz.desc.tensors import DataType
from dmlviz.desc.value_sources import Listed, ValueSource
from dmlviz.desc.values import Constant, Iota, Random
from dmlviz.operators.maps import Place
from dmlviz.scene.cells.contents import HIDDEN
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.screens.dialogs.asking import AskLine
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.screens.learn.question import QuestionScreen
from dmlviz.screens.page import FRAME
from dmlviz.session import examples
from dmlviz.session.cell_edits import listed, with_value
from dmlviz.session.document import Document
from dmlviz.session.experiments import Experiment
from dmlviz.widgets.picture.tensor_stack import TensorStack


async def test_lines_made_anew_for_a_part_of_the_window_are_drawn_outside_it_too(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack, asked_for = driver.app.query(TensorStack).first(), list[object]()
    monkeypatch.setattr(stack, "refresh", lambda *regions: asked_for.append(regions))
    stack._drawn, stack._lines = None, []
    stack.render_lines(Region(0, 0, stack.size.width, 1))
    stack.render_lines(Region(0, 1, stack.size.width, 1))
    assert asked_for == [()]


async def test_play_runs_to_the_end_and_stops_on_a_key(driver: Driver) -> None:
    screen = driver.screen
    driver.play_with(seconds=1.5)
    await driver.pilot.press("space")
    assert screen._clock is not None
    await driver.until(lambda: screen._clock is None)
    assert screen.state.picture.step == 8
    driver.play_with(seconds=60.0)
    await driver.press("space")
    await driver.until(lambda: (screen.state.picture.step or 0) >= 1)
    assert "‖" in driver.text("#transport")
    await driver.press("space")
    assert screen._clock is None
    step = screen.state.picture.step
    assert step is not None
    assert 1 <= step < 8
    await driver.press("full_stop")
    assert screen.state.picture.step == step + 1
    await driver.press("space", "down")  # a cursor key stops it too
    assert screen._clock is None


@pytest.mark.parametrize(("cost", "frames"), [(0.005, 120), (0.05, 40), (0.3, 20)])
async def test_frames_that_are_dear_come_less_often_but_twice_a_second(
    driver: Driver, monkeypatch: pytest.MonkeyPatch, cost: float, frames: int
) -> None:
    clock, drawn = SimpleNamespace(now=100.0), list[float]()
    clock.monotonic, clock.thread_time = lambda: clock.now, lambda: len(drawn) * cost
    monkeypatch.setattr("dmlviz.screens.page.time", clock)
    monkeypatch.setattr(driver.screen.desk, "tick", lambda: drawn.append(clock.now))
    for _ in range(120):
        driver.screen._tick()
        clock.now += FRAME
    assert len(drawn) == frames
    assert len(drawn) * cost <= 0.25 * 120 * FRAME or frames == 2 * 120 * FRAME


async def test_an_edit_while_it_plays_stops_it_and_a_resize_does_not(driver: Driver) -> None:
    screen = driver.screen
    driver.play_with(seconds=60.0)
    await driver.press("s", "home", "space")
    for size in ((80, 24), (200, 50), (60, 20), (50, 15), (120, 36)):
        await driver.resize(size)
        assert screen.state.picture.player.playing
    await driver.focus("InputTensor")
    await driver.type("4, 2")
    assert not screen.state.picture.player.playing
    assert screen._clock is None
    assert screen.state.picture.step is None
    assert "step 4 of 4" in driver.text("#transport")
    assert "by run" in driver.text("#transport")


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
async def test_the_unit_changes_by_key_and_by_click_and_keeps_the_place(driver: Driver) -> None:
    screen = driver.screen
    await driver.press("home", *["full_stop"] * 6)
    for unit, step, count in (("run", 3, 4), ("slice", 3, 4), ("whole", 1, 1)):
        await driver.press("s")
        assert f"step {step} of {count}" in driver.text("#transport")
        assert f"by {unit}" in driver.text("#transport")
    await driver.press("S")  # all is written by whole, and stays so
    assert "step 4 of 4" in driver.text("#transport")
    await driver.press("home", "full_stop", "full_stop")
    assert [driver.drawn(out(i, j)) == "·" for i in range(4) for j in range(2)] == [False] * 4 + [True] * 4
    assert screen.state.picture.cursor == out(1, 0)
    for unit in ("whole", "element", "run", "slice"):
        await driver.click_text("by ", "#transport")
        assert f"by {unit}" in driver.text("#transport")


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
    await driver.press("T")
    await driver.settle()
    assert screen.state.view.turned
    assert "turned" in driver.text("#inputs")
    assert "turned" in driver.text("#outputs")
    await driver.press("T")
    await driver.settle()
    assert not screen.state.view.turned
    assert "turned" not in driver.text("#inputs")


QUICK = tried(60)


async def go(driver: Driver, text: str) -> None:
    await driver.press("ctrl+g")
    assert is_top(driver, AskLine)
    await driver.enter(text)


@pytest.mark.parametrize("size", [(80, 24)])
@pytest.mark.parametrize("session", [one(dml.Tile(dml.TensorDesc("INT8", (65535, 65535)), (1, 1)))])
async def test_the_cursor_goes_there_and_is_in_sight(driver: Driver) -> None:
    for text, want in (
        ("OutputTensor[65534, 65534]", out(65534, 65534)),
        ("InputTensor[3, 60000]", into(3, 60000)),
        ("OutputTensor[1 0]", out(1, 0)),
    ):
        await go(driver, text)
        assert driver.screen.state.picture.cursor == want
        x, y = driver.cell(want)
        side = driver.side(want.place.is_output)
        assert 0 <= x < side.size.width
        assert 0 <= y < side.size.height
    await go(driver, "0,65535")
    assert "65535 is outside axis 1 of OutputTensor" in driver.words(".trouble")
    await driver.press("escape")
    assert driver.screen.state.picture.cursor == out(1, 0)


NO_TYPE = st.sampled_from([Iota(3, 2), Iota(0.1, 0.3), Constant(1), Constant("nan"), Random(5), None])


def held(experiment: Experiment, number: int) -> np.ndarray[Any, Any]:
    return experiment.sources()[number].array().reshape(-1)


def texts_for(kind: DataType) -> st.SearchStrategy[str]:
    if kind.is_float:
        top = float(np.finfo(kind.dtype).max)
        finite = st.floats(-top, top, width=kind.item_size * 8)  # type: ignore[arg-type]
        return st.one_of(finite.map(repr), st.integers(-100, 100).map(str), st.sampled_from(["nan", "INF", "-inf"]))
    return st.integers(*kind.integer_range).map(str)


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


NAMES = ["tile-1", "join-2-axis-3"]


def open_example(driver: Driver, name: str) -> None:
    document = Document(examples.example(name).session())
    document.example = name
    driver.screen.act(driver.screen.workspace.open, document)


def outputs(driver: Driver) -> list[str]:
    """What is painted in each cell of the output."""
    scene = driver.screen.state.picture.scene
    assert scene is not None
    sizes = scene.trace.outputs[0].tensor.sizes
    return [driver.drawn(Cursor(Place(True, 0), index)) for index in np.ndindex(*sizes)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [(120, 36)])
async def test_nothing_of_the_output_is_painted_until_it_is_answered(driver: Driver, name: str) -> None:
    open_example(driver, name)
    await driver.settle()
    assert all(HIDDEN in painted for painted in outputs(driver))
    assert "×" not in driver.text("#inputs")
    assert "g answers" in driver.words("#caption")
    assert "step 0 of" in driver.words("#transport")
    await driver.press("g")
    await driver.until(lambda: is_top(driver, QuestionScreen))
    assert "×" not in driver.text()
    await answer_by_keys(driver)
    verdict = asked(driver).state.verdict
    assert verdict is not None
    assert verdict.right
    await driver.press("escape")
    await driver.until(lambda: is_top(driver, Explorer))
    assert not any(HIDDEN in painted for painted in outputs(driver))
    assert "g answers" not in driver.text()


def values_of(driver: Driver, number: int) -> list[float]:
    found: list[float] = driver.screen.workspace.experiment.sources()[number].array().reshape(-1).tolist()
    return found


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_a_value_is_asked_for_and_what_cant_be_held_stays_with_a_sentence(driver: Driver) -> None:
    before = driver.screen.workspace.experiment
    driver.point(out(2, 0))
    await driver.press("e", "7", "enter")
    assert values_of(driver, 0) == [1, 2, 7, 4, 5, 6]
    assert driver.drawn(out(2, 0)) == "7"
    await driver.press("u")
    assert driver.screen.workspace.experiment == before
    driver.point(into(0, 3, number=1))
    await driver.press("f4", "-", "1", "enter")
    assert "is -1, expected an integer from 0 to 4294967295" in " ".join(driver.text().split())
    await driver.press("escape", "e", "enter")
    assert driver.screen.workspace.experiment == before, "a fill stays a fill where nothing else was typed"
    await driver.press("e", "1", "enter")
    assert values_of(driver, 1) == [0, 1, 1, 1]


@pytest.mark.parametrize(
    ("name", "keys", "looked_up"),
    [
        ("join-2-axis-3", ["full_stop"] * 5, False),  # what is asked is the eleventh of its elements
        ("join-2-axis-3", ["escape", "comma", "full_stop", "full_stop"], True),
        ("tile-1", ["g", "e"], True),
        ("tile-1", [], False),
    ],
)
@pytest.mark.parametrize("size", [(80, 24)])
async def test_what_play_has_shown_counts_as_looked_up(
    driver: Driver, name: str, keys: list[str], looked_up: bool
) -> None:
    open_example(driver, name)
    await driver.press(*keys, "g")
    await driver.until(lambda: is_top(driver, QuestionScreen))
    await answer_by_keys(driver)
    answered = asked(driver).desk._progress.answers[-1]
    assert (answered.right, answered.looked_up) == (True, looked_up)
    assert ("counts as looked up" in driver.words("#ask-board")) is looked_up
