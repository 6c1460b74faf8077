"""The explorer, driven by real keys and clicks, and asked what it shows."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
from support.cursors import into, out
from support.driver import Driver, explore, header, is_top
from support.one_session import one
from support.toy import Toy
from textual import events
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static

import dmlviz as dml
from dmlviz.desc.levels import LEVELS
from dmlviz.desc.value_sources import Listed
from dmlviz.desc.values import Iota
from dmlviz.formats.page_text import shorts
from dmlviz.operators.maps import Place
from dmlviz.scene.colour.palette import fill, ink
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.layout.zoom import Zoom, lettered
from dmlviz.screens.dialogs.ask_changed import AskChanged
from dmlviz.screens.dialogs.ask_name import AskName
from dmlviz.screens.dialogs.ask_unsaved import AskUnsaved
from dmlviz.screens.dialogs.gallery import Gallery, listed_examples
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session import course, examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import load
from dmlviz.session.writing import save
from dmlviz.themes import LIGHT
from dmlviz.widgets.flow_lane import FlowLane
from dmlviz.widgets.form import Form
from dmlviz.widgets.formula_line import FormulaLine
from dmlviz.widgets.kernel_panel import KernelPanel
from dmlviz.widgets.number_input import NumberInput
from dmlviz.widgets.painted import BAR
from dmlviz.widgets.tensor_stack import TensorStack
from dmlviz.widgets.transport import Transport
from dmlviz.workspace.form_rows import form_rows

SIZES = [(80, 24), (120, 36), pytest.param((200, 50), marks=pytest.mark.slow)]
ERRATA_AND_RULES = ("erratum-", "warning-", "note-", "rule-")
PAGES = [each.name for each in examples.all_examples() if not each.name.startswith(ERRATA_AND_RULES)]
W = TypeVar("W", bound=Widget)


# ---- opening


@pytest.mark.parametrize("size", SIZES)
def test_every_page_example_opens_with_its_output(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        for name in PAGES:
            driver.open(examples.example(name).session())
            await driver.settle()
            screen = driver.screen
            if screen.state.picture.scene is not None and not lettered(screen.state.picture.scene.zoom):
                driver.zoom(Zoom.VALUES)  # more elements than can be counted at a glance: by slices, then
                await driver.settle()
            assert screen.state.view.report.ok == (name != "gather-3-as-printed")
            trace, scene = screen.state.view.trace, screen.state.picture.scene
            assert trace is not None
            assert scene is not None
            assert ("✔ valid" if screen.state.view.report.ok else "✘ E_INVALIDARG") in header(driver)
            for k, part in enumerate(trace.outputs):
                want = shorts(trace.reference(k).reshape(-1))
                for value, index in zip(want, itertools.product(*map(range, part.tensor.sizes)), strict=True):
                    cursor = out(*index, number=k)
                    driver.point(cursor)
                    shown = driver.drawn(cursor).rstrip(" ₀₁₂₃₄").split()[-1]
                    assert shown.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == value, (name, cursor)

    explore(script, size=size)


@pytest.mark.slow
def test_every_other_example_opens_and_names_its_rule() -> None:
    async def script(driver: Driver) -> None:
        for each in examples.all_examples():
            if each.name in PAGES:
                continue
            driver.open(each.session())
            await driver.settle()
            assert driver.screen.state.view.report.ok == ("✔ valid" in header(driver))
            for check in driver.screen.state.view.report.errors[:1]:
                assert check.field in driver.text("#why")
                assert check.id in driver.text("#why")

    explore(script)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_the_first_thing_seen_is_the_picture_with_the_cursor_on_it(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        assert screen.focused is driver.side(True)
        assert screen.state.picture.cursor == out(0, 0)
        assert "Output[0,0]" in driver.text("#formula")
        assert "GATHER" in header(driver)
        assert "step 8 of 8" in driver.text("#transport")
        assert not screen.state.document.dirty

    explore(script, size=size)


def test_what_the_first_frame_needs_not_is_not_imported() -> None:
    code = (
        "import sys, asyncio\n"
        "from dmlviz.session import examples\n"
        "from dmlviz.app import DmlvizApp\n"
        "async def main():\n"
        "    app = DmlvizApp(examples.example('join-1').session())\n"
        "    async with app.run_test() as pilot:\n"
        "        await pilot.press('right')\n"
        "        print(*sys.modules)\n"
        "asyncio.run(main())\n"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    late = {
        "dmlviz.widgets.number_input",
        "dmlviz.widgets.choice_list",
        "dmlviz.screens.dialogs.ask_name",
        "numpy.ma",
        "numba",
    }
    assert "dmlviz.widgets.form" in told
    assert not late & set(told)


# ---- typing


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
        for word in ("q", "f", "r", "u", "1", "?"):
            field = await driver.focus("InputTensor")
            before, count = field.value, screen.state.picture.step
            await driver.press("question_mark" if word == "?" else word)
            assert field.value == word != before
            assert driver.app.is_running
            assert not screen.state.run.running.busy
            assert screen.state.run.running.timing is None
            assert screen.state.picture.step == count
            assert is_top(driver, Explorer)
        await driver.press("space", "full_stop")
        assert field.value == "? ."

    explore(script)


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
        assert driver.form.focused_key() == "InputTensor"
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
        assert driver.form.focused_key() == ""
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


def test_types_levels_and_operators_are_chosen() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        await driver.choose("DataType", "FLOAT16")
        await driver.settle()
        assert screen.workspace.experiment.desc.get("OutputTensor").data_type.name == "FLOAT16"
        await driver.choose("IndicesTensor.DataType", "INT64")
        await driver.settle()
        assert screen.workspace.experiment.desc.get("IndicesTensor").data_type.name == "INT64"
        await driver.choose("FeatureLevel", "1_0")
        await driver.settle()
        assert "feature level 1_0" in header(driver)
        assert "✘ E_INVALIDARG" in header(driver)
        await driver.choose("FeatureLevel", LEVELS[-1].value)
        await driver.settle()
        assert "✔ valid" in header(driver)
        for name in ("JOIN", "SPLIT", "TILE", "REVERSE_SUBSEQUENCES", "GATHER"):
            await driver.choose("Operator", name)
            await driver.settle()
            assert f"DML_OPERATOR_{name}" == screen.workspace.experiment.desc.TYPE
            assert name in header(driver)
            assert screen.state.view.live
            names = {f.name for f in screen.workspace.experiment.desc.FIELDS}
            shown = set()
            for row in [row.key for row in screen.state.form.rows]:  # what is shortened is told where the focus is
                driver.form.focus_row(row)
                await driver.settle()
                shown |= {word.split("[")[0] for word in driver.words("#form").split()}
            assert shown >= names
        for _ in range(5):
            await driver.press("ctrl+z")

    explore(script)


def test_the_operator_is_chosen_by_keys() -> None:
    async def script(driver: Driver) -> None:
        driver.form.focus_row("Operator")
        await driver.press("enter")
        await driver.press("home", "enter")
        assert driver.screen.workspace.experiment.desc.TYPE == "DML_OPERATOR_JOIN"
        assert driver.screen.state.view.live

    explore(script)


@pytest.mark.parametrize("by", ["keys", "mouse"])
def test_a_joins_tensors_are_added_removed_and_moved(by: str) -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        first = screen.workspace.experiment

        def sizes() -> list[int]:
            return [tensor.sizes[3] for tensor in screen.workspace.experiment.desc.get("InputTensors")]

        async def do(key: str, keys: str, mark: str) -> None:
            if by == "keys":
                driver.form.focus_row(key)
                await driver.settle()
                await driver.press(keys)
            else:
                if key != "InputTensors.add":
                    await driver.click_row(key)
                await driver.click_row(key, mark)

        values = dict(first.values)
        assert sizes() == [3, 4]
        await do("InputTensors[0]", "ctrl+down", "↓")
        assert sizes() == [4, 3]
        assert driver.form.focused_key() == "InputTensors[1]"
        assert screen.workspace.experiment.values == {
            "InputTensors[0]": values["InputTensors[1]"],
            "InputTensors[1]": values["InputTensors[0]"],
        }
        assert screen.state.view.live
        await driver.press("ctrl+z")
        assert screen.workspace.experiment == first  # a move is one edit
        await do("InputTensors[1]", "ctrl+down", "↓")  # the last has nowhere to go
        assert screen.workspace.experiment == first
        await do("InputTensors.add", "enter", "+ add")
        assert sizes() == [3, 4, 4]
        assert driver.form.focused_key() == "InputTensors.add"
        await do("InputTensors[0]", "minus", "×")
        assert sizes() == [4, 4]
        assert screen.workspace.experiment.values["InputTensors[0]"] == values["InputTensors[1]"]
        assert screen.workspace.experiment.values["InputTensors[1]"] == Iota(9, 1)  # behind the tensor before
        await do("InputTensors[0]", "minus", "×")
        await do("InputTensors[0]", "minus", "×")
        assert sizes() == []
        assert "✘ E_INVALIDARG" in header(driver)
        await do("InputTensors.add", "space", "+ add")
        assert len(sizes()) == 1
        for _ in range(5):
            await driver.press("ctrl+z")
        assert screen.workspace.experiment == first

    explore(script, "join-1", (120, 50))


def test_a_new_tensor_is_typed_in_at_once() -> None:
    async def script(driver: Driver) -> None:
        await driver.focus("InputTensors[0]")
        await driver.type("+1,1,2,9")
        assert [t.sizes[3] for t in driver.screen.workspace.experiment.desc.get("InputTensors")] == [3, 9, 4]
        assert driver.form.focused_key() == "InputTensors[1]"
        await driver.press("ctrl+z", "ctrl+z")
        assert [t.sizes[3] for t in driver.screen.workspace.experiment.desc.get("InputTensors")] == [3, 4]

    explore(script, "join-1", (120, 50))


def test_many_tensors_show_the_values_of_the_one_that_is_worked_on() -> None:
    tensor = dml.TensorDesc("FLOAT32", (1, 2))

    async def script(driver: Driver) -> None:
        form = driver.form
        tall = form.size.height
        assert driver.text("#form").count("values") <= 1
        for number in (0, 7, 19):
            await driver.focus(f"InputTensors[{number}]")
            driver.row(f"InputTensors[{number}]")
            assert driver.text("#form").count("values") == 1
            assert form.size.height == tall
            await driver.press("tab")
            assert form.focused_key() == f"InputTensors[{number}].values"
            assert "values" in driver.row(f"InputTensors[{number}].values")[1]
            await driver.type("5, 6")
            assert driver.screen.workspace.experiment.values[f"InputTensors[{number}]"] == Listed((5, 6), (2,))
        await driver.press("shift+tab", "shift+tab")
        assert form.focused_key() == "InputTensors[18].values"

    explore(script, one(dml.Join((tensor,) * 20, 0)))


@pytest.mark.parametrize("by", ["keys", "mouse"])
@pytest.mark.parametrize("size", SIZES)
def test_choices_open_over_the_screen_and_leave_the_labels_free(by: str, size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        screen, form = driver.screen, driver.form
        await driver.press("f6")
        labels = [line[:18] for line in driver.text("#form").split("\n")]
        for key, text in (("FeatureLevel", "6_0"), ("IndicesTensor.DataType", "INT64"), ("Operator", "SPLIT")):
            before = screen.workspace.experiment
            for take in (False, True):
                if by == "keys":
                    form.focus_row(key)
                    await driver.settle()
                    await driver.press("alt+down")
                elif key.endswith(".DataType"):
                    await driver.click_row("IndicesTensor", "U32 ▾")
                else:
                    await driver.click_row(key)
                choices = screen.query_one("#choices", OptionList)
                assert choices.display
                assert screen.focused is choices
                assert choices.region.right <= size[0]
                assert choices.region.bottom <= size[1]
                if key != "Operator":
                    assert [line[:18] for line in driver.text("#form").split("\n")] == labels
                if not take:
                    await driver.press("escape")
                    assert not choices.display
                    assert form.focused_key() == key
                    assert screen.workspace.experiment == before
                elif by == "keys":
                    await driver.type(text.lower())
                    await driver.press("enter")
                else:
                    choices.scroll_end(animate=False)
                    choices.highlighted = [str(o.prompt).strip() for o in choices.options].index(text)
                    await driver.settle()
                    y = next(y for y, line in enumerate(driver.text("#choices").split("\n")) if text in line)
                    await driver.click(choices, 2, y)
                    assert not choices.display
            assert screen.workspace.experiment != before
        assert screen.workspace.experiment.desc.TYPE == "DML_OPERATOR_SPLIT"

    explore(script, size=size)


def test_up_and_down_choose_where_there_are_choices() -> None:
    async def script(driver: Driver) -> None:
        driver.form.focus_row("DataType")
        await driver.press("down", "down", "up")
        assert driver.screen.workspace.experiment.desc.get("InputTensor").data_type.name == "FLOAT16"
        await driver.press("ctrl+z")
        assert driver.screen.workspace.experiment.desc.get("InputTensor").data_type.name == "FLOAT32"

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


def test_a_click_puts_the_cursor_at_the_character_and_marks_are_clicked() -> None:
    async def script(driver: Driver) -> None:
        screen, form = driver.screen, driver.form
        y, line = driver.row("InputTensor")
        x = line.index("3, 2")
        await driver.click("#form", x + 3, y)
        field = screen.query_one(NumberInput)
        assert form.focused_key() == "InputTensor"
        assert field.cursor_position == 3
        await driver.press("delete", "7")
        assert screen.workspace.experiment.desc.get("InputTensor").sizes == (3, 7)
        await driver.click_row("Axis")
        await driver.click_row("Axis", "▸")
        assert screen.workspace.experiment.desc.get("Axis") == 1
        await driver.click_row("Axis", "◂")
        assert screen.workspace.experiment.desc.get("Axis") == 0
        assert "OutputTensor" not in screen.workspace.experiment.desc.inferred
        await driver.click_row("OutputTensor", "given")
        assert "OutputTensor" in screen.workspace.experiment.desc.inferred
        assert "4, 7" in driver.row("OutputTensor")[1]
        await driver.click_row("OutputTensor", "auto")
        assert "OutputTensor" not in screen.workspace.experiment.desc.inferred
        await driver.click_row("IndexDimensions", "IndexDimensions")  # a label is its field's
        assert form.focused_key() == "IndexDimensions"

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
        assert "Input: wide.npy has shape {3, 3}, expected {3, 2}." in driver.words("#rules")
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
        assert form.focused_key() == "Operator"
        await driver.press("shift+tab")
        assert form.focused_key() == ""
        await driver.press("tab")
        assert form.focused_key() == "Operator"
        for _ in form._rows:
            await driver.press("tab")
        assert form.focused_key() == ""
        assert screen.focused is screen.query_one("#levels")
        assert not screen.query_one(NumberInput).display
        await driver.press("shift+tab")
        assert form.focused_key() == list(form._rows)[-1]
        await driver.press("enter")
        assert screen.focused is screen.query_one("#levels")
        await driver.press("tab")
        assert screen.focused is screen.query_one("#rules")

    explore(script)


def test_a_sixth_operator_has_its_form_and_its_picture(toy: Toy) -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        assert "FLIP" in header(driver)
        assert [driver.drawn(out(0, j)) for j in range(3)] == ["3", "2", "1"]
        await driver.focus("Axis")
        await driver.type("0")
        assert [driver.drawn(out(0, j)) for j in range(3)] == ["4", "5", "6"]
        assert "✔ valid" in header(driver)
        driver.side(True).focus()
        await driver.press("r")
        await driver.until(lambda: screen.state.run.running.timing is not None)
        assert screen.state.run.running.agreed == 6

    explore(script, Session(load(toy.example).experiments))


# ---- rules and fixes


def test_gather_3_as_printed_is_mended_by_a_key_and_prints_its_page() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        assert "✘ E_INVALIDARG" in header(driver)
        assert "gather.fits" in driver.text("#why")
        assert "what fix 1 gives" in driver.text("#caption")
        await driver.press("f")
        assert "✔ valid" in header(driver)
        assert screen.state.view.trace is not None
        page = examples.example("gather-3-corrected").session().experiments[0].trace()
        assert screen.state.view.trace.reference(0).reshape(-1).tolist() == page.reference(0).reshape(-1).tolist()
        await driver.press("ctrl+z")
        assert "gather.fits" in driver.text("#why")

    explore(script, "gather-3-as-printed")


@pytest.mark.parametrize("size", SIZES)
def test_a_click_on_a_fix_applies_it(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        label = screen.state.view.report.errors[0].fixes[0].label
        x, y = driver.find(label[:20], "#why")
        await driver.click("#why", x + 2, y)
        assert screen.state.view.report.ok
        assert driver.app.return_code is None

    explore(script, "gather-3-as-printed", size)


def test_numbered_fixes_and_the_walk_over_broken_fields() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        broken = [c.field.split(".")[0] for c in screen.state.view.report.errors]
        await driver.press("f3")
        assert broken[0].split("[")[0] in driver.form.focused_key()
        driver.side(True).focus()
        await driver.settle()
        errors = len(screen.state.view.report.errors)
        await driver.press("1")
        assert len(screen.state.view.report.errors) < errors

    explore(script, "gather-3-as-printed")


def test_f3_goes_into_the_form_where_the_line_above_the_picture_has_no_such_field() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        assert not screen.query_one("#form").display or not screen.has_class("form")
        await driver.press("f3")
        assert screen.has_class("form")
        assert driver.form.focused_key() == "DataType"
        await driver.press("f2")
        assert not screen.has_class("form")

    explore(script, "rule-dtype-supported", (80, 24))


def test_rules_that_hold_open_by_key_and_by_click() -> None:
    async def script(driver: Driver) -> None:
        rules = driver.screen.query_one("#rules")
        assert "o opens" in driver.text("#rules")
        rules.focus()
        await driver.press("enter")
        assert "o closes" in driver.text("#rules")
        await driver.click("#rules", 3, 2)
        assert "o opens" in driver.text("#rules")

    explore(script)


# ---- the cursor


def test_keys_move_the_cursor_and_the_formula_follows() -> None:
    async def script(driver: Driver) -> None:
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
            assert f"Output[{index[0]},{index[1]}]" in formula
            assert f"Indices[0,{index[0]}]" in formula
            source = trace.source(0, index).index
            assert f"Input[{source[0]},{source[1]}]" in formula
            assert driver.segment(out(*index)).style.bold  # type: ignore[union-attr]
            assert driver.segment(into(*source)).style.bold  # type: ignore[union-attr]
            assert driver.segment(into(0, index[0], number=1)).style.bold  # type: ignore[union-attr]

    explore(script)


def test_an_input_element_shows_who_reads_it() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        await driver.click("#inputs", *driver.cell(into(1, 1)))
        assert screen.state.picture.cursor == into(1, 1)
        assert screen.focused is driver.side(False)
        formula = driver.words("#formula")
        assert "Input[1,1] = 4 is read by Output[1,1], Output[2,1] ×2" in formula
        cells = {i: driver.cell(out(i, 1)) for i in range(4)}
        assert {i for i, (x, y) in cells.items() if driver.side(True).render_line(y).text[x - 1] in "▐█"} == {1, 2}
        await driver.press("right")  # past the last column lies the next tensor
        assert screen.state.picture.cursor is not None
        assert screen.state.picture.cursor.place == Place(False, 1)
        assert "sends" in driver.words("#formula")
        assert "Indices[0,0]" in driver.words("#formula")

    explore(script)


@pytest.mark.parametrize("size", SIZES)
def test_a_click_points_at_the_cell_under_it(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        for cursor in (out(2, 1), out(3, 0), into(2, 0), into(0, 3, number=1)):
            x, y = driver.cell(cursor)
            await driver.click("#outputs" if cursor.place.is_output else "#inputs", x + 2, y)
            assert driver.screen.state.picture.cursor == cursor
        await driver.click("#outputs", 0, 0)  # a title is no element
        assert driver.screen.state.picture.cursor == into(0, 3, number=1)

    explore(script, size=size)


def test_an_element_of_a_picture_that_has_gone_is_not_pointed_at() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        screen.post_message(Form.Edited("OutputTensor", ""))
        screen.post_message(Form.Edited("IndicesTensor", "1, 2"))
        await driver.press("tab", "tab", "tab")
        assert screen.state.view.live
        before = screen.state.picture.cursor
        screen.post_message(TensorStack.Pointed(into(0, 3, number=1)))
        await driver.settle()
        assert screen.state.picture.cursor == before
        assert driver.app.is_running

    explore(script)


# ---- steps


def empties(driver: Driver) -> list[bool]:
    return [driver.drawn(out(i, j)) == "·" for i in range(4) for j in range(2)]


def test_steps_go_both_ways_and_a_picture_is_its_number() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        pictures: dict[int, str] = {}

        def seen(step: int) -> None:
            assert screen.state.picture.step == step
            assert f"step {step} of 8" in driver.text("#transport")
            assert empties(driver) == [n >= step for n in range(8)]
            picture = driver.text("#right")
            assert pictures.setdefault(step, picture) == picture
            # Before the first step, the cursor is on what comes first.
            assert screen.state.picture.cursor == out((max(1, step) - 1) // 2, (max(1, step) - 1) % 2)

        await driver.press("home")
        seen(0)
        for step in range(1, 9):
            await driver.press("full_stop")
            seen(step)
        await driver.press("full_stop")
        seen(8)
        for step in range(7, -1, -1):
            await driver.press("comma")
            seen(step)
        await driver.press("comma")
        seen(0)
        await driver.press("end")
        seen(8)
        await driver.press("home")
        seen(0)

    explore(script)


def test_the_transport_says_whether_the_cursor_is_at_its_step() -> None:
    """All is written at first, and no step is looked at; then the cursor leaves its step, and comes back."""

    async def script(driver: Driver) -> None:
        def says(text: str) -> bool:
            words = driver.words("#transport")
            return text in words and ("done" in text or "done" not in words)

        assert says("step 8 of 8 done")
        await driver.press("right", "down")
        assert says("step 8 of 8 done")
        await driver.press("home")
        assert says("step 0 of 8")
        await driver.press("full_stop", "full_stop")
        assert says("step 2 of 8")
        await driver.press("left")
        assert says("step 2 of 8 done")
        await driver.press("right")
        assert says("step 2 of 8")
        driver.point(into(0, 1))
        await driver.settle()
        assert says("step 2 of 8 done")
        await driver.press("end")
        assert says("step 8 of 8")
        await driver.press("s", "s")  # by slice: a step writes a row
        assert says("step 4 of 4")
        await driver.press("left")
        assert says("step 4 of 4")
        await driver.press("up")
        assert says("step 4 of 4 done")

    explore(script)


def test_the_value_travels_through_the_lane() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("home", *["full_stop"] * 5)
        lane = driver.text("#lane")
        assert "3" in lane
        assert "▶" in lane
        flow = driver.screen.query_one(FlowLane).flow
        assert flow is not None
        assert flow.stop == driver.side(True).line_of(out(2, 0))
        # The index stands between: the route comes to it from the source, and goes on from it.
        inputs = driver.side(False)
        assert flow.start == inputs.line_of(into(0, 2, number=1))
        assert {wire.y for wire in inputs.wires} >= {inputs.line_of(into(1, 0)), flow.start}
        assert "─" in driver.text("#inputs").split("\n")[flow.start]

    explore(script)


@pytest.mark.parametrize("size", SIZES)
def test_the_transport_is_clicked_and_dragged(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        screen, transport = driver.screen, driver.screen.query_one(Transport)
        for mark, step in (("|◀", 0), ("▶▶", 1), ("◀◀", 0), ("▶|", 8)):
            x, y = driver.find(mark, "#transport")
            await driver.click("#transport", x, y)
            assert screen.state.picture.step == step
        left, length = transport.laid.bar
        y = transport.size.height // 2
        found = []
        await driver.pilot.mouse_down("#transport", offset=(left, y))
        for x in [*range(0, length, max(1, length // 9)), length - 1]:
            await driver.pilot.hover("#transport", offset=(left + x, y))
            found.append(screen.state.picture.step)
        await driver.pilot.mouse_up("#transport", offset=(left + length - 1, y))
        await driver.settle()
        steps = [s for s in found if s is not None]
        assert steps == sorted(steps)
        assert steps[0] == 0
        assert screen.state.picture.step == 8
        await driver.pilot.hover("#transport", offset=(left + 1, y))
        await driver.settle()
        assert screen.state.picture.step == 8  # the button is up

    explore(script, size=size)


def test_play_runs_to_the_end_and_stops_on_a_key() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        driver.play_with(seconds=1.5)
        await driver.pilot.press("space")
        assert screen._timer is not None
        await driver.until(lambda: screen._timer is None)
        assert screen.state.picture.step == 8
        driver.play_with(seconds=60.0)
        await driver.press("space")
        await driver.until(lambda: (screen.state.picture.step or 0) >= 1)
        assert "‖" in driver.text("#transport")
        await driver.press("space")
        assert screen._timer is None
        step = screen.state.picture.step
        assert step is not None
        assert 1 <= step < 8
        await driver.press("full_stop")
        assert screen.state.picture.step == step + 1
        await driver.press("space", "down")  # a cursor key stops it too
        assert screen._timer is None

    explore(script)


def test_speed_is_seconds_a_pass() -> None:
    async def script(driver: Driver) -> None:
        assert "2 s a pass" in driver.text("#transport")
        await driver.press("less_than_sign")
        assert "5 s a pass" in driver.text("#transport")
        await driver.press("greater_than_sign", "greater_than_sign")
        assert "1 s a pass" in driver.text("#transport")
        await driver.press(*["greater_than_sign"] * 5)
        assert "0.5 s a pass" in driver.text("#transport")
        x, y = driver.find("0.5 s", "#transport")
        await driver.click("#transport", x, y)
        assert "1 s a pass" in driver.text("#transport")

    explore(script, size=(200, 50))


def test_textual_animations_none_makes_playing_a_step_a_press(monkeypatch: pytest.MonkeyPatch) -> None:
    """`NO_COLOR` and terminals of 16 colours are respected; `TEXTUAL_ANIMATIONS=none` makes playing a step a press."""
    line = "import textual.constants as c; print(c.TEXTUAL_ANIMATIONS)"
    environment = {**os.environ, "TEXTUAL_ANIMATIONS": "none"}
    told = subprocess.run([sys.executable, "-c", line], env=environment, capture_output=True, text=True, check=True)
    monkeypatch.setattr("textual.constants.TEXTUAL_ANIMATIONS", told.stdout.strip())

    async def script(driver: Driver) -> None:
        assert driver.app.animation_level == "none"
        await driver.press("space")
        assert driver.screen._timer is None
        assert driver.screen.state.picture.step == 1
        await driver.press("space")
        assert driver.screen.state.picture.step == 2

    explore(script)


@pytest.mark.parametrize("size", SIZES)
def test_the_unit_changes_by_key_and_by_click_and_keeps_the_place(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        await driver.press("home", *["full_stop"] * 6)
        for unit, step, count in (("run", 3, 4), ("slice", 3, 4), ("whole", 1, 1)):
            await driver.press("s")
            assert f"step {step} of {count}" in driver.text("#transport")
            assert f"by {unit}" in driver.text("#transport")
        await driver.press("S")  # all is written by whole, and stays so
        assert "step 4 of 4" in driver.text("#transport")
        await driver.press("home", "full_stop", "full_stop")
        assert empties(driver) == [False] * 4 + [True] * 4
        assert screen.state.picture.cursor == out(1, 0)
        for unit in ("whole", "element", "run", "slice"):
            x, y = driver.find("by ", "#transport")
            await driver.click("#transport", x, y)
            assert f"by {unit}" in driver.text("#transport")

    explore(script, size=size)


def test_by_run_what_moves_together_is_lit_and_goes_through_the_lane_with_its_letters() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("s", "home", *["full_stop"] * 3)
        lane = driver.words("#lane")
        assert "B 3" in lane
        assert "B 4" in lane
        for cursor in (into(1, 0), into(1, 1), into(0, 2, number=1), out(2, 0), out(2, 1)):
            style = driver.segment(cursor).style
            assert style is not None
            assert style.bold, cursor
        for cursor in (into(0, 0), into(2, 1), into(0, 1, number=1), out(1, 0), out(1, 1)):
            style = driver.segment(cursor).style
            assert style is not None
            assert not style.bold, cursor

    explore(script)


def test_what_does_not_fit_into_the_lane_is_counted() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("s", "s", "home", "full_stop")
        assert "+2 of 6" in driver.words("#lane")  # six elements a copy, four are shown
        await driver.press("s", "end")
        assert "+5 of 9" in driver.words("#lane")  # nine copies
        assert all(name in driver.words("#lane") for name in ("A 1", "B 1", "C 1", "D 1"))

    explore(script, "tile-1")


def test_a_slow_step_shows_its_phases() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        driver.play_with(seconds=60.0)  # 7.5 s a step
        assert screen.state.picture.steps is not None

        async def at(share: float) -> None:
            """The sixth step, so far."""
            began = time.monotonic() - (5 + share) * 7.5
            screen._pace._drawn, screen._pace._spent = 0.0, time.thread_time()
            driver.play_with(began=began)
            screen._tick()
            await driver.settle()

        def bold(cursor: Cursor) -> bool:
            style = driver.segment(cursor).style
            return style is not None and bool(style.bold)

        await driver.press("home", "space")
        lane = "#lane"
        await at(0.1)
        assert [bold(into(1, 1)), bold(into(0, 2, number=1)), bold(out(2, 1))] == [True, False, False]
        assert not driver.words(lane).strip(f"{BAR} ")
        await at(0.27)
        assert [bold(into(1, 1)), bold(into(0, 2, number=1)), bold(out(2, 1))] == [True, True, False]
        assert screen.query_one(FormulaLine).lit
        assert "4" not in driver.words(lane)
        await at(0.37)
        assert bold(out(2, 1))
        first = driver.find("B 4", lane)
        inputs, outputs = driver.side(False), driver.side(True)
        ends = inputs.line_of(into(0, 2, number=1)), outputs.line_of(out(2, 1))  # it leaves from its index
        assert first[1] in range(min(filter(None, ends)), max(filter(None, ends)) + 1)
        await at(0.78)
        assert driver.find("B 4", lane)[1] == driver.side(True).line_of(out(2, 1))
        assert driver.find("B 4", lane) != first
        assert driver.drawn(out(2, 1)) == "·"
        await at(0.9)
        assert driver.drawn(out(2, 1)) == "4"
        assert "4" not in driver.words(lane)
        assert "▶" in driver.words(lane)
        await driver.press("space")
        assert screen.state.picture.step == 6
        assert "B 4" in driver.words(lane)

    explore(script)


def test_frames_that_cost_much_come_less_often() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        driver.play_with(seconds=60.0)
        await driver.press("home", "space")
        driver.play_with(began=time.monotonic() - 50)
        drawn = time.monotonic() - 0.1
        screen._pace._drawn, screen._pace._spent = drawn, time.thread_time() - 0.05  # half of the time that went by
        screen._tick()
        assert screen.state.picture.step in (0, 1)
        screen._pace._drawn, screen._pace._spent = drawn, time.thread_time()
        screen._tick()
        assert screen.state.picture.step == 7

    explore(script)


def test_bookmarks_are_set_cleared_walked_and_clicked() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        await driver.press("home", "full_stop", "full_stop", "b", *["full_stop"] * 3, "b", "end")
        assert driver.text("#transport").count("◆") == 2
        found = []
        for key in ("[", "[", "[", "]", "]"):
            await driver.press({"[": "left_square_bracket", "]": "right_square_bracket"}[key])
            found.append(screen.state.picture.step)
        assert found == [5, 2, 2, 5, 5]
        x, y = driver.find("◆", "#transport")
        await driver.click("#transport", x, y)
        assert screen.state.picture.step == 2
        await driver.press("s")
        assert driver.text("#transport").count("◆") == 2
        await driver.press("right_square_bracket")
        assert screen.state.picture.step == 3
        await driver.press("b")
        assert driver.text("#transport").count("◆") == 1
        await driver.press("S")
        assert (
            screen.state.picture.player.marked_steps(screen.state.picture.steps) == (2,)
            if screen.state.picture.steps
            else False
        )

    explore(script)


def test_bookmarks_belong_to_their_experiment() -> None:
    tensor = dml.TensorDesc("FLOAT32", (2, 3))
    session = Session(tuple(Experiment(name, dml.Tile(tensor, (2, 1))) for name in ("first", "second")))

    async def script(driver: Driver) -> None:
        await driver.press("home", "full_stop", "b")
        await driver.press("ctrl+right")
        assert "◆" not in driver.text("#transport")
        await driver.press("home", "full_stop", "full_stop", "b", "ctrl+left")
        assert driver.screen.state.picture.player.marks == {1}
        assert driver.text("#transport").count("◆") == 1
        driver.open(session)
        await driver.settle()
        assert "◆" not in driver.text("#transport")

    explore(script, session)


def test_step_keys_are_text_in_a_field() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("home")
        await driver.focus("InputTensor")
        await driver.press("s", "b", "left_square_bracket", "right_square_bracket")
        assert driver.screen.state.picture.player.unit == "element"
        assert not driver.screen.state.picture.player.marks

    explore(script)


def test_an_edit_while_it_plays_stops_it_and_a_resize_does_not() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        driver.play_with(seconds=60.0)
        await driver.press("s", "home", "space")
        for size in ((80, 24), (200, 50), (60, 20), (50, 15), (120, 36)):
            await driver.pilot.resize_terminal(*size)
            await driver.settle()
            assert screen.state.picture.player.playing
        await driver.focus("InputTensor")
        await driver.type("4, 2")
        assert not screen.state.picture.player.playing
        assert screen._timer is None
        assert screen.state.picture.step is None
        assert "step 4 of 4" in driver.text("#transport")
        assert "by run" in driver.text("#transport")
        await driver.focus("Axis")
        await driver.type("7")
        driver.side(True).focus()
        for key in ("space", "s", "b", "right_square_bracket", "full_stop", "comma", "home", "end", "less_than_sign"):
            await driver.press(key)
        assert screen.state.picture.player.unit == "run"
        assert screen.state.picture.step is None
        assert not screen.state.picture.player.marks

    explore(script)


def test_as_much_of_a_step_is_seen_as_there_is_room_for() -> None:
    async def script(driver: Driver) -> None:
        side = driver.side(True)
        await driver.press("s", "s", "home", "full_stop")
        for step in range(2, 30):
            await driver.press("full_stop")
            for row in (2 * step - 2, 2 * step - 1):
                assert side.line_of(out(row, 1)) is not None
        await driver.press("s", "home", "full_stop")
        assert side.line_of(out(0, 0)) is not None

    explore(script, one(dml.Join((dml.TensorDesc("INT32", (2, 2)),) * 30, 0)))


def test_the_lane_follows_a_scroll() -> None:
    tensor = dml.TensorDesc("INT32", (60, 2))

    async def script(driver: Driver) -> None:
        await driver.press("home", *["full_stop"] * 3)
        lane, side = driver.screen.query_one(FlowLane), driver.side(True)
        height = side.size.height
        for y in range(side.max_scroll_y + 1):
            side.scroll_to(y=y, animate=False, immediate=True)
            await driver.settle()
            line = side.line_of(out(1, 0))
            assert lane.flow is not None
            assert lane.flow.stop == (line if line is not None else -1)
            texts = driver.text("#lane").split("\n")
            heads = [i for i, text in enumerate(texts) if "▶" in text]
            assert heads == ([line] if line is not None else [])
        driver.side(False).scroll_end(animate=False, immediate=True)
        side.scroll_home(animate=False, immediate=True)
        await driver.settle()
        assert lane.flow is not None
        assert (lane.flow.start, lane.flow.stop) == (-1, side.line_of(out(1, 0)))
        await driver.press("end")
        side.scroll_home(animate=False, immediate=True)
        await driver.settle()
        assert lane.flow is not None
        assert lane.flow.stop == height

    explore(script, one(dml.Tile(tensor, (1, 1))))


# ---- panes and focus


@pytest.mark.parametrize("name", ["gather-2", "join-1", "gather-3-as-printed"])
def test_tab_reaches_every_field_and_every_pane(name: str) -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        seen: list[str] = []
        for _ in range(len(screen.focus_chain) + len(driver.form._rows) - 1):
            await driver.pilot.press("tab")
            assert screen.focused is not None
            seen.append(driver.form.focused_key() or str(screen.focused.id))
        fields = [row.key for row in form_rows(screen.workspace.experiment)]
        assert [key for key in seen if key in fields] == fields
        assert {"rules", "inputs", "outputs"} <= set(seen)
        assert ("why" in seen) == (not screen.state.view.report.ok)

    explore(script, name, (120, 50))


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_f6_walks_over_the_panes(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        found = []
        panes = ["form", "rules", *(["strip"] if size[0] < 100 else []), "inputs", "outputs"]
        for _ in panes:
            await driver.press("f6")
            focused = driver.screen.focused
            assert focused is not None
            names = [node.id for node in (focused, *focused.ancestors)]
            found.append(next(name for name in panes if name in names))
            assert focused.region.area > 0
        assert found == panes

    explore(script, size=size)


def test_the_form_and_the_picture_swap_where_room_is_short() -> None:
    async def script(driver: Driver) -> None:
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
        assert "axis.range" in driver.text("#why")
        await driver.press("f")
        assert "✔ valid" in header(driver)

    explore(script, size=(80, 24))


def test_a_resize_keeps_everything_and_a_tiny_terminal_says_so() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        await driver.press("home", *["full_stop"] * 5)
        await driver.focus("InputTensor")
        await driver.type("4, 2")
        driver.side(True).focus()
        await driver.press("home", *["full_stop"] * 5)
        held = screen.workspace.experiment, screen.state.picture.cursor, screen.state.picture.step
        for size in ((80, 24), (200, 50), (59, 20), (60, 18), (100, 32), (79, 24), (80, 17), (120, 36)):
            await driver.pilot.resize_terminal(*size)
            await driver.settle()
            assert (screen.workspace.experiment, screen.state.picture.cursor, screen.state.picture.step) == held
            tiny = size[0] < 60 or size[1] < 18
            assert ("dmlviz needs 60 columns and 18 lines" in driver.text()) == tiny
            if not tiny:
                assert driver.drawn(out(2, 0)) == "3"
                assert driver.drawn(out(2, 1)) == "·"

    explore(script)


def test_the_key_sheet_opens_and_closes() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("question_mark")
        assert not is_top(driver, Explorer)
        await driver.until(lambda: "Undo" in driver.text())
        await driver.press("escape")
        assert is_top(driver, Explorer)

    explore(script)


# ---- sessions


def test_experiments_follow_each_other() -> None:
    first, second = (examples.example(n).session().experiments[0] for n in ("gather-2", "tile-1"))

    async def script(driver: Driver) -> None:
        screen = driver.screen
        assert "1 of 2" in header(driver)
        await driver.press("ctrl+right")
        assert screen.workspace.experiment == second
        assert "2 of 2" in header(driver)
        assert "TILE" in header(driver)
        assert "Repeats" in driver.text("#form")
        await driver.press("ctrl+right")
        assert screen.workspace.experiment == first
        await driver.press("ctrl+left")
        assert screen.workspace.experiment == second

    explore(script, Session((first, second)))


def test_the_open_dialog_narrows_and_opens() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("ctrl+o")
        dialog = driver.app.screen
        assert isinstance(dialog, Gallery)
        options = dialog.query_one(OptionList)
        headings = sum(option.disabled for option in options.options)
        assert options.option_count == len(listed_examples()) + headings
        await driver.type("tile")
        assert 0 < options.option_count < len(examples.all_examples())
        await driver.type("-1")
        await driver.press("enter")
        assert is_top(driver, Explorer)
        assert "TILE" in header(driver)
        await driver.press("ctrl+o", "down", "enter")
        second = course.course().cards[1].example.session()
        assert driver.screen.workspace.document.history.now == second
        await driver.press("ctrl+o", "escape")
        assert driver.screen.workspace.document.history.now == second

    explore(script)


def test_a_file_is_opened_by_name_and_a_bad_one_is_told(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    save(examples.example("split-1").session(), good)
    bad.write_text("{")

    async def script(driver: Driver) -> None:
        first = driver.screen.workspace.document.history.now
        await driver.press("ctrl+o")
        for path in (bad, tmp_path / "none.json", tmp_path):
            field = driver.app.screen.query_one("#name", Input)
            field.value = f"{path}/" if path is tmp_path else str(path)
            await driver.settle()
            await driver.press("enter")
            assert is_top(driver, Gallery)
            trouble = " ".join(str(driver.app.screen.query_one(".trouble", Static).render()).split())
            assert path.name in trouble
            assert trouble.endswith(".")
        driver.app.screen.query_one("#name", Input).value = "no such example"
        await driver.settle()
        await driver.press("enter")
        assert "No example" in str(driver.app.screen.query_one(".trouble", Static).render())
        assert driver.screen.workspace.document.history.now is first
        driver.app.screen.query_one("#name", Input).value = str(good)
        await driver.settle()
        await driver.press("enter")
        assert "SPLIT" in header(driver)
        assert driver.screen.workspace.document.path == good

    explore(script)


async def edit_axis(driver: Driver, text: str) -> None:
    await driver.focus("Axis")
    await driver.type(text)
    driver.side(True).focus()
    await driver.settle()


def test_saving_asks_for_a_name_once(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"

    async def script(driver: Driver) -> None:
        await edit_axis(driver, "1")
        await driver.press("ctrl+s")
        assert is_top(driver, AskName)
        driver.app.screen.query_one("#name", Input).value = str(tmp_path / "no" / "folder.json")
        await driver.press("enter")
        assert is_top(driver, AskName)  # it couldn't be written, so it asks again
        driver.app.screen.query_one("#name", Input).value = str(path)
        await driver.press("enter")
        assert is_top(driver, Explorer)
        assert not driver.screen.state.document.dirty
        assert "unsaved" not in header(driver)
        await edit_axis(driver, "0")
        assert driver.screen.state.document.dirty
        await driver.press("ctrl+s")
        assert not driver.screen.state.document.dirty
        await driver.press("f12")
        assert is_top(driver, AskName)
        await driver.press("escape")
        assert is_top(driver, Explorer)

    explore(script)
    assert json.loads(path.read_text())["experiments"][0]["desc"]["Axis"] == 0
    assert load(path).experiments[0].desc == examples.example("gather-2").session().experiments[0].desc


@pytest.mark.parametrize("answer", ["k", "ctrl+r", "l", "escape"])
def test_a_file_that_somebody_else_has_changed_is_never_overwritten_unasked(tmp_path: Path, answer: str) -> None:
    """A file that somebody else has changed since it was read is never overwritten unasked: `ctrl+s` offers to look, to
    keep both, or to overwrite."""
    path = tmp_path / "lesson.json"
    save(examples.example("gather-2").session(), path)

    async def script(driver: Driver) -> None:
        await edit_axis(driver, "1")
        theirs = json.loads(path.read_text())
        theirs["title"] = "theirs"
        path.write_text(json.dumps(theirs))
        await driver.press("ctrl+s")
        assert is_top(driver, AskChanged)
        await driver.press(answer)
        if answer == "l":
            shown = str(driver.app.screen.query_one("#difference", Static).render())
            assert "theirs" in shown
            assert is_top(driver, AskChanged)
            await driver.press("escape")
        await driver.settle()
        assert is_top(driver, Explorer)
        saved = answer in ("k", "ctrl+r")
        assert driver.screen.state.document.dirty is not saved
        if saved:
            await edit_axis(driver, "0")
            await driver.press("ctrl+s")  # what was just written is known
            assert is_top(driver, Explorer)
            assert not driver.screen.state.document.dirty

    explore(script, load(path), path=path)
    held = {each.name: json.loads(each.read_text()) for each in tmp_path.glob("*.json")}
    if answer == "ctrl+r":
        assert held["lesson.json"]["title"] != "theirs"
        assert list(held) == ["lesson.json"]
    else:
        assert held["lesson.json"]["title"] == "theirs"
        assert set(held) == ({"lesson.json", "lesson 2.json"} if answer == "k" else {"lesson.json"})


@pytest.mark.parametrize("by", ["keys", "mouse"])
def test_quitting_asks_about_unsaved_changes(tmp_path: Path, by: str) -> None:
    path = tmp_path / "lesson.json"
    save(examples.example("gather-2").session(), path)

    async def answer(driver: Driver, key: str, button: str) -> None:
        if by == "keys":
            await driver.press(key)
        else:
            await driver.click(button, 2, 1)

    async def stay_then_discard(driver: Driver) -> None:
        await edit_axis(driver, "1")
        await driver.press("q")
        assert is_top(driver, AskUnsaved)
        await answer(driver, "escape", "#stay")
        assert is_top(driver, Explorer)
        assert driver.screen.state.document.dirty
        await driver.press("ctrl+q")
        assert is_top(driver, AskUnsaved)
        await answer(driver, "ctrl+d", "#discard")

    async def keep(driver: Driver) -> None:
        await edit_axis(driver, "1")
        await driver.press("q")
        await answer(driver, "ctrl+s", "#save")

    explore(stay_then_discard, load(path), path=path)
    assert load(path).experiments[0].desc.get("Axis") == 0
    explore(keep, load(path), path=path)
    assert load(path).experiments[0].desc.get("Axis") == 1


# ---- running


def test_a_run_tells_cold_from_warm_and_agrees_with_the_picture() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        await driver.press("r")
        await driver.until(lambda: not screen.state.run.running.busy)
        words = driver.words("#kernel")
        assert not screen.state.run.running.trouble
        assert "cold call" in words or "cached call" in words
        assert "first" in words
        assert "warm" in words
        assert "median" in words
        assert "8 elements as pictured" in words
        await driver.choose("DataType", "FLOAT16")
        await driver.settle()
        assert screen.state.view.live
        assert screen.query_one(KernelPanel).display
        assert "warm" not in driver.words("#kernel")  # another desc has not run yet

    explore(script)


def test_an_invalid_desc_does_not_run() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("r")
        assert not driver.screen.state.run.running.busy
        assert driver.screen.state.run.running.timing is None

    explore(script, "gather-3-as-printed")


@pytest.mark.parametrize("data_type", ["INT8", "UINT64"])
def test_a_huge_desc_opens_moves_and_steps(data_type: str) -> None:
    tensor = dml.TensorDesc(data_type, (32767, 65535))

    async def script(driver: Driver) -> None:
        screen = driver.screen
        assert screen.state.picture.steps is not None
        assert screen.state.picture.steps.count == 2 * 32767 * 65535
        assert screen.state.view.live
        await driver.press("down", "right", "pagedown")
        assert screen.state.picture.cursor is not None
        assert screen.state.picture.cursor.index[1] == 1
        await driver.press("full_stop", "comma")
        assert screen.state.picture.step == screen.state.picture.steps.count - 1
        assert screen.state.picture.cursor == out(65533, 65533)
        assert "Output[65533,65533]" in driver.text("#formula")
        await driver.press("end")
        assert screen.state.picture.cursor == out(65533, 65534)
        assert driver.drawn(screen.state.picture.cursor) != "·"
        _, y = driver.find("▶|", "#transport")
        await driver.click("#transport", screen.query_one(Transport).laid.bar[0] + 4, y)
        assert screen.state.picture.step is not None
        assert 0 < screen.state.picture.step < screen.state.picture.steps.count
        assert driver.drawn(screen.state.picture.cursor) != "·"
        if data_type == "UINT64":
            await driver.press("r")
            await driver.until(lambda: not screen.state.run.running.busy)
            assert "memory" in driver.words("#kernel")
            assert screen.state.run.running.timing is None

    explore(script, one(dml.Join((tensor, tensor), 0)))


# ---- for every eye and every terminal


def test_no_color_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    """`NO_COLOR` and terminals of 16 colours are respected; `TEXTUAL_ANIMATIONS=none` makes playing a step a press.

    Marks, letters and brackets remain.
    """
    monkeypatch.setenv("NO_COLOR", "1")

    async def script(driver: Driver) -> None:
        x, y = driver.cell(out(0, 0))
        line = driver.side(True).render_line(y).text
        assert line[x - 1] == "▐"
        assert line[x + driver.side(True).stack.figures[0].cell] == "▌"  # type: ignore[union-attr]
        assert driver.segment(out(0, 0)).style.bold  # type: ignore[union-attr]
        assert line.split()[0] == "A"
        assert "×2" in driver.text("#inputs")
        for strip in driver.app.screen._compositor.render_strips():
            for style in (segment.style for segment in strip if segment.style is not None):
                for colour in (style.color, style.bgcolor):
                    assert colour is None or colour.is_default or len(set(colour.get_truecolor())) == 1

    explore(script)


@pytest.mark.parametrize("size", SIZES)
def test_the_light_theme_keeps_identity_colours(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        def colours() -> list[tuple[int, ...]]:
            found: list[tuple[int, ...]] = []
            for cursor in (out(1, 0), into(1, 0), out(3, 1)):
                style = driver.segment(cursor).style
                assert style is not None
                assert style.bgcolor is not None
                assert style.color is not None
                found.append((*style.bgcolor.get_truecolor(), *style.color.get_truecolor()))
            return found

        dark = colours()
        driver.app.action_toggle_light()
        await driver.settle()
        assert driver.app.theme == LIGHT.name
        assert colours() == dark
        assert dark[0] == (*fill(1), *ink(fill(1)))
        assert dark[0] == dark[1] != dark[2]
        assert "✔ valid" in header(driver)
        driver.app.action_toggle_light()
        await driver.settle()
        assert colours() == dark

    explore(script, size=size)


def test_values_that_differ_between_types_are_shown_whole() -> None:
    desc = dml.Tile(dml.TensorDesc("INT64", (3,)), (2,))
    values = np.array([2**62, -(2**63), 7])
    session = one(desc, values={"InputTensor": Listed(tuple(int(v) for v in values), (3,))})

    async def script(driver: Driver) -> None:
        await driver.press("right", "down")  # it lies across or down
        assert str(-(2**63)) in driver.words("#formula")

    explore(script, replace(session, title="whole numbers"), (200, 50))


def test_undo_in_quick_succession_across_operators() -> None:
    """A picture that is on its way is never drawn with the cursor of another desc."""

    async def script(driver: Driver) -> None:
        screen = driver.screen
        for name in ("JOIN", "TILE", "SPLIT"):
            screen.post_message(Form.Edited("Operator", name))
            await driver.press("f6")
        for _ in range(4):
            screen.action_undo()
            screen.pane._draw_lane()
            screen.present(screen.workspace.stop())
            screen.pane._reveal()
        await driver.press("f6")
        assert screen.workspace.experiment.desc.TYPE == "DML_OPERATOR_GATHER"
        assert screen.state.view.live

    explore(script)


def test_another_operator_keeps_the_level_and_the_sizes_but_for_leading_ones() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        before = screen.workspace.experiment
        screen.post_message(Form.Edited("Operator", "JOIN"))
        await driver.press("f6")
        after = screen.workspace.experiment
        assert after.desc.TYPE == "DML_OPERATOR_JOIN"
        assert after.feature_level is before.feature_level
        assert after.desc.inputs[0].tensor.sizes == (1, 1, 3, 2)  # 3_0 takes no others

    explore(script)


def test_ctrl_q_over_a_dialog_asks_too() -> None:
    async def script(driver: Driver) -> None:
        field = await driver.focus("Axis")
        assert field.value == "0"
        await driver.press("1")
        await driver.press("ctrl+p")
        await driver.press("ctrl+q")
        await driver.settle()
        assert isinstance(driver.app.screen, AskUnsaved)
        await driver.press("ctrl+q")  # the question itself is no way round it
        assert isinstance(driver.app.screen, AskUnsaved)
        await driver.press("escape")
        assert len(driver.app.screen_stack) == 1

    explore(script)
