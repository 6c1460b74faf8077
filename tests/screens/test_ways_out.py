"""Nobody is trapped: every pane and field has a way back to the picture, which the footer names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.driver import Driver, header
from support.real_terminal import Terminal

import dmlviz as dml
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session

PANES = ("form", "rules", "inputs", "outputs")


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
    for _ in PANES:
        await driver.press("f6")
        if not in_picture(driver):
            await driver.press("escape")
            assert in_picture(driver)
        else:
            assert "esc picture" not in driver.text("#footer")
    assert header(driver).count("✔") == 1


async def test_choices_close_first_and_then_the_form_is_left(driver: Driver) -> None:
    driver.form.focus_row("Operator")
    await driver.press("enter", "escape")
    assert driver.form.focused_key == "Operator"
    await driver.press("escape")
    assert in_picture(driver)


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
    terminal.until("axis 1, the second of 2")
    terminal.send("x")
    terminal.until("not read: esc restores it")
    terminal.send("\x1bOQ")
    terminal.until("F2 form")
    terminal.send(",")
    terminal.until("7 of 8")
    terminal.quits()


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_the_form_is_reached_from_a_cell_that_is_typed_in(driver: Driver) -> None:
    await driver.press("e", "f2")
    assert driver.form.focused_key == "Operator"
    await driver.press("escape")
    assert in_picture(driver)
    assert "esc picture" not in driver.text("#footer")


@pytest.mark.parametrize(
    "session", [Session((Experiment("join", dml.Join([dml.TensorDesc("INT32", (2, 2))] * 2, 0)),))]
)
async def test_plus_on_values_that_are_selected_adds_a_tensor_with_others(driver: Driver) -> None:
    field = await driver.focus("InputTensors[1].values")
    await driver.press("plus")
    desc = driver.screen.state.document.experiment.desc
    assert len(desc.get("InputTensors")) == 3
    arrays = [source.array() for source in driver.screen.state.document.experiment.sources()]
    assert sorted(x for a in arrays[1:] for x in a.flat) == [*range(1, 9)]
    field = await driver.focus("InputTensors[2].values")
    await driver.press("end")
    await driver.type("+1")
    assert field.value.endswith("+1")  # a sign that belongs to a number
    assert len(driver.screen.state.document.experiment.desc.get("InputTensors")) == 3


async def test_another_operator_has_its_own_name_and_the_old_notes_are_one_undo_away(driver: Driver) -> None:
    before = driver.screen.state.document.experiment
    await driver.choose("Operator", "TILE")
    now = driver.screen.state.document.experiment
    assert (now.name, now.notes) == ("TILE", "")
    assert now.desc.inputs[0].tensor.sizes == (1, 1, *before.desc.inputs[0].tensor.sizes)  # 3_0 takes four
    assert "row gather" not in header(driver)
    (said,) = driver.notices
    assert said == "The notes were on GATHER; undo brings them back. Open has examples of each operator."
    await driver.press("ctrl+z")
    assert driver.screen.state.document.experiment == before


async def test_the_second_axis_is_not_taken_for_the_first(driver: Driver) -> None:
    await driver.focus("OutputTensor")
    await driver.press("end")
    assert "axis 1, the second of 2" in driver.text("#form")
    assert "axis 1 of 2" not in driver.text("#form")
