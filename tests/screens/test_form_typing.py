"""The form's fields, typed in by keys and clicked: each keystroke is checked, and an edit is undone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.cursors import out
from support.driver import Driver, explore, header, is_top
from textual import events

import dmlviz as dml
from dmlviz.scene.colour.palette import fill
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session import examples
from dmlviz.session.reading import load
from dmlviz.session.writing import save
from dmlviz.widgets.fields.desc_strip import DescStrip
from dmlviz.widgets.fields.number_input import NumberInput


def test_every_keystroke_is_checked_and_the_last_valid_picture_stays() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        before = screen.state.view.trace
        field = await driver.focus("Axis")
        await driver.press("delete")
        assert "✘ 1 field unreadable" in header(driver)
        assert "Axis is empty" in driver.words("#rules")
        await driver.press("9")
        assert "✘ E_INVALIDARG · " in header(driver)
        assert "Axis is empty" not in driver.words("#rules")
        assert screen.state.view.report.errors[0].id == "axis.range"
        assert "Axis" in driver.text("#why")
        assert "axis.range" in driver.text("#why")
        assert "◀" in driver.row("Axis")[1]
        assert screen.state.view.trace is before
        assert "the last valid picture" in driver.text("#caption")
        assert driver.drawn(out(1, 1)) == "4"
        style = driver.segment(out(1, 1)).style
        assert style is not None
        assert style.bgcolor is not None
        assert tuple(style.bgcolor.get_truecolor()) not in {fill(n) for n in range(8)}
        assert field.value == "9"
        await driver.press("backspace", "0")
        assert "✔ valid" in header(driver)
        assert screen.state.view.live
        assert "the last valid picture" not in driver.text()
        assert "◀" not in driver.text("#form")

    explore(script)


def test_a_field_takes_letters_for_itself() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        for word in ("q", "r", "1", "?"):
            field = await driver.focus("InputTensor")
            before, count = field.value, screen.state.picture.step
            await driver.press("question_mark" if word == "?" else word)
            assert field.value == word != before
            assert driver.app.is_running
            assert not screen.state.run.running.busy
            assert screen.state.run.running.comparison is None
            assert screen.state.picture.step == count
            assert is_top(driver, Explorer)
        await driver.press("space", "full_stop")
        assert field.value == "? ."

    explore(script)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_a_letter_that_works_in_a_whole_number_is_no_text_where_it_has_nothing_to_do(driver: Driver) -> None:
    before = driver.screen.workspace.experiment
    if driver.screen.has_class("narrow"):
        driver.screen.query_one(DescStrip).focus_row("Axis")
        await driver.settle()
        await driver.press("u", "f")
    else:
        for key in ("Axis", "IndexDimensions", "InputTensor"):
            field = await driver.focus(key)
            text = field.value
            await driver.press("u", "f")
            assert field.value == text
    assert not driver.screen.state.form.errors
    assert driver.screen.workspace.experiment is before
    await driver.press("1", "u")
    assert driver.screen.workspace.experiment == before


def test_keys_that_come_fast_are_not_lost_between_fields() -> None:
    """All keys of a burst are on their way before the first of them is looked at."""

    async def burst(driver: Driver, *keys: str) -> None:
        characters = {"comma": ",", "space": " "}
        for key in keys:
            char = characters.get(key, key if len(key) == 1 else None)
            driver.app.post_message(events.Key(key, char))
        await driver.settle()
        await driver.settle()

    async def script(driver: Driver) -> None:
        desc = driver.screen.workspace.experiment.desc
        await burst(driver, "f6", "tab", "tab", "tab", "5", "comma", "2", "tab", "9", "shift+tab", "end", "up")
        assert driver.screen.workspace.experiment.desc.get("InputTensor").sizes == (5, 3)
        assert driver.form.focused_key == "InputTensor"
        assert driver.screen.query_one(NumberInput).value.replace(" ", "") == "5,3"
        assert driver.screen.state.view.problems  # nine alone fills no tensor
        for _ in range(8):
            await driver.press("ctrl+z")
        assert driver.screen.workspace.experiment.desc == desc
        await burst(driver, *["tab"] * 6, "backspace", "1", "up", "tab", "0", "shift+tab")
        assert driver.screen.workspace.experiment.desc.get("Axis") == 2
        assert driver.screen.workspace.experiment.desc.get("IndexDimensions") == 0
        before = driver.screen.workspace.experiment
        await burst(driver, "tab", "tab", "7", "8")  # they come after the form was left
        assert driver.form.focused_key == ""
        assert driver.screen.workspace.experiment == before
        assert driver.form.focus_row("DataType")
        await burst(driver, "enter", "F", "L", "O", "A", "T", "1", "enter", "tab", "4", "comma", "2")
        assert driver.screen.workspace.experiment.desc.get("InputTensor") == dml.TensorDesc("FLOAT16", (4, 2))

    explore(script)


def test_up_and_down_step_the_number_under_the_cursor() -> None:
    async def script(driver: Driver) -> None:
        field = await driver.focus("InputTensor")
        await driver.press("home", "up")
        assert field.value.replace(" ", "") == "4,2"
        assert driver.screen.workspace.experiment.desc.get("InputTensor").sizes == (4, 2)
        await driver.press("down", "down")
        assert driver.screen.workspace.experiment.desc.get("InputTensor").sizes == (2, 2)

    explore(script)


def test_an_edit_is_undone_and_redone() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        first = screen.workspace.experiment
        field = await driver.focus("InputTensor")
        await driver.type("5, 2")
        changed = screen.workspace.experiment
        assert changed.desc.get("InputTensor").sizes == (5, 2)
        assert screen.state.document.dirty
        assert "unsaved" in header(driver)
        await driver.press("ctrl+z")
        assert screen.workspace.experiment == first  # what was typed in one go is one edit
        assert field.value.replace(" ", "") == "3,2"
        assert not screen.state.document.dirty
        await driver.press("ctrl+y")
        assert screen.workspace.experiment == changed
        assert field.value.replace(" ", "") == "5,2"
        driver.side(True).focus()
        await driver.press("u")
        assert screen.workspace.experiment == first
        await driver.press("ctrl+z", "u")  # nothing is left to undo
        assert screen.workspace.experiment == first

    explore(script)


def test_what_cannot_be_read_never_reaches_the_document() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        first = screen.workspace.experiment
        field = await driver.focus("IndexDimensions")
        await driver.type("y")
        assert 'IndexDimensions has "y"' in driver.words("#rules")
        assert screen.workspace.experiment == first
        driver.side(True).focus()
        await driver.settle()
        assert field.value == "1"
        assert "✔ valid" in header(driver)

    explore(script)


def test_an_output_that_is_emptied_is_inferred() -> None:
    async def script(driver: Driver) -> None:
        field = await driver.focus("OutputTensor")
        await driver.press("delete")
        assert "OutputTensor" in driver.screen.workspace.experiment.desc.inferred
        assert "✔ valid" in header(driver)
        assert "auto" in driver.row("OutputTensor")[1]
        assert "4" in str(field.placeholder)

    explore(script)


def test_the_axis_under_the_cursor_is_named() -> None:
    async def script(driver: Driver) -> None:
        await driver.focus("InputTensor")
        assert "axis 1, the second of 2" in driver.words("#form")
        await driver.press("home")
        assert "axis 0 = Axis" in driver.words("#form")
        await driver.focus("OutputTensor")
        await driver.press("home")
        assert "axis 0 = indices" in driver.words("#form")
        await driver.focus("Axis")
        await driver.type("1")
        await driver.focus("InputTensor")
        assert "axis 1 = Axis" in driver.words("#form")

    explore(script)


def test_values_of_data_are_typed(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([[1.5, 2], [3, 4], [5, -6]], np.float32))
    np.save(tmp_path / "wide.npy", np.zeros((3, 3), np.float32))
    path = tmp_path / "lesson.json"
    save(examples.example("gather-2").session(), path)

    async def script(driver: Driver) -> None:
        screen = driver.screen

        async def typed(text: str) -> None:
            await driver.focus("InputTensor.values")
            await driver.type(text)

        await typed("0.5, 1e3, -2, 3, 4, nan")
        assert [driver.drawn(out(0, j)) for j in range(2)] == ["0.5", "1e3"] or driver.drawn(out(0, 0)) == "0.5"
        assert driver.drawn(out(3, 1)) == "nan"
        await typed("constant 7")
        assert {driver.drawn(out(i, j)) for i in range(4) for j in range(2)} == {"7"}
        await typed("file x.npy")
        assert driver.drawn(out(0, 0)) == "1.5"
        assert "an array of FLOAT32 {3, 2}" in driver.words("#form")
        held = screen.workspace.experiment
        await typed("wide.npy")
        assert "InputTensor: wide.npy has shape {3, 3}, expected {3, 2}." in driver.words("#rules")
        assert screen.query_one(NumberInput).value == "wide.npy"
        await typed("none.npy")
        assert "none.npy is missing" in driver.words("#rules")
        assert screen.workspace.experiment == held
        await driver.press("tab")
        assert "none.npy" not in driver.text()
        assert screen.state.view.live

    explore(script, load(path), size=(200, 50), path=path)


def test_focus_walks_in_and_out_of_the_form_at_both_ends() -> None:
    async def script(driver: Driver) -> None:
        screen, form = driver.screen, driver.form
        await driver.press("f6")
        assert form.focused_key == "Operator"
        await driver.press("shift+tab")
        assert form.focused_key == ""
        await driver.press("tab")
        assert form.focused_key == "Operator"
        for _ in form._rows:
            await driver.press("tab")
        assert form.focused_key == ""
        assert screen.focused is screen.query_one("#levels")
        assert not screen.query_one(NumberInput).display
        await driver.press("shift+tab")
        assert form.focused_key == list(form._rows)[-1]
        await driver.press("enter")
        assert screen.focused is screen.query_one("#levels")
        await driver.press("tab")
        assert screen.focused is screen.query_one("#rules")

    explore(script)


def test_a_click_steps_the_number_that_was_clicked() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("f2")
        for number, want in (("0", (1, 0, 0, 1)), ("1", (2, 0, 0, 1))):
            await driver.click_row("InputWindowOffsets", number)
            await driver.click_row("InputWindowOffsets", "▸")
            assert driver.screen.state.document.experiment.desc.get("InputWindowOffsets") == want

    explore(script, "slice-1", (80, 24))
