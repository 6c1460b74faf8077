"""Fields that are choices, and numbers with a fraction: in the form, in the line above the picture, and in the help."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.driver import Driver, explore
from support.outside import installed
from textual import events
from textual.widgets import OptionList

import dmlviz as dml
from dmlviz.desc.levels import FeatureLevel
from dmlviz.operators.registry import operator_of
from dmlviz.scene.levels.matrix import LevelMatrix
from dmlviz.session.experiments import Experiment, Session
from dmlviz.widgets.fields.desc_strip import DescStrip
from dmlviz.widgets.fields.number_text import named_choice, stepped
from dmlviz.workspace.form.field_help import field_help
from dmlviz.workspace.form.form_rows import form_rows

TOYS = Path(__file__).parents[1] / "operator_kit" / "toys"
LATE = "5_0"
"""The level that brought Mode's choice ROTATE."""


@pytest.fixture(autouse=True, scope="module")
def toys() -> Iterator[None]:
    with installed(TOYS):
        yield


def turn(level: str = LATE, **changes: Any) -> Experiment:
    fields = {"mode": "KEEP", "ratio": 0.5, "value": 0.5, **changes}
    desc = operator_of("DML_OPERATOR_TURN").desc(dml.TensorDesc("FLOAT32", (1, 1, 2, 4)), **fields)
    return Experiment("turn", desc, FeatureLevel.of(level))


def held(driver: Driver, name: str) -> Any:
    return driver.screen.workspace.experiment.desc.get(name)


def opened(script: Any, level: str = LATE, size: tuple[int, int] = (120, 36)) -> None:
    explore(script, session=Session((turn(level),)), size=size)


def test_a_choice_is_walked_found_by_letters_pasted_and_undone() -> None:
    async def script(driver: Driver) -> None:
        driver.form.focus_row("Mode")
        await driver.settle()
        await driver.press("down")
        assert held(driver, "Mode") == "REVERSE"
        await driver.press("up", "up")
        assert held(driver, "Mode") == "KEEP"
        await driver.choose("Mode", "rot")
        assert held(driver, "Mode") == "ROTATE"
        await driver.press("ctrl+z")
        assert held(driver, "Mode") == "KEEP"
        driver.form.post_message(events.Paste("DML_TURN_MODE_REVERSE,"))
        await driver.settle()
        assert held(driver, "Mode") == "REVERSE"

    opened(script)


def test_a_choice_that_the_level_lacks_says_which_it_needs() -> None:
    async def script(driver: Driver) -> None:
        await driver.click_row("Mode")
        choices = driver.screen.query_one("#choices", OptionList)
        assert choices.display
        assert [str(option.prompt).split() for option in choices.options] == [
            ["KEEP"],
            ["REVERSE"],
            ["ROTATE", f"≥{LATE}"],
        ]
        line = next(y for y, line in enumerate(driver.text("#choices").split("\n")) if f"≥{LATE}" in line)
        await driver.click(choices, 2, line)
        assert held(driver, "Mode") == "ROTATE"
        assert f"≥{LATE}" in driver.row("Mode")[1]

    opened(script, "4_0")
    assert not any(row.needs for row in form_rows(turn()))


@pytest.mark.parametrize("name", ["Ratio", "Value"])
def test_a_number_with_a_fraction_is_typed_stepped_and_undone(name: str) -> None:
    async def script(driver: Driver) -> None:
        await driver.focus(name)
        await driver.press("up")
        assert held(driver, name) == 1.5
        await driver.press("down", "down")
        assert held(driver, name) == -0.5
        assert "-0.5" in driver.row(name)[1]
        for text, number in (
            ("0.25", 0.25),
            ("-3", -3),
            ("1e-3", 0.001),
            ("inf", float("inf")),
            ("-INF", -float("inf")),
        ):
            await driver.focus(name)
            await driver.type(text)
            assert held(driver, name) == number
        driver.form.focus_row("Mode")  # what is typed in one row undoes as one
        await driver.focus(name)
        await driver.type("nan")
        assert held(driver, name) != held(driver, name)
        await driver.press("up")
        assert "nan" in driver.row(name)[1]
        await driver.press("ctrl+z")
        assert held(driver, name) == -float("inf")

    opened(script)


def test_what_is_no_number_is_one_sentence_until_escape() -> None:
    async def script(driver: Driver) -> None:
        await driver.focus("Ratio")
        await driver.type("1,5")
        error = driver.screen.state.form.errors["Ratio"]
        assert error == 'Ratio is "1,5", expected a number such as 0.5, or inf or nan.'
        assert held(driver, "Ratio") == 1
        await driver.press("escape")
        assert not driver.screen.state.form.errors
        await driver.focus("Ratio")
        await driver.click_row("Ratio", "▸")
        assert held(driver, "Ratio") == 2

    opened(script)


def test_the_line_above_the_picture_edits_them_too() -> None:
    async def script(driver: Driver) -> None:
        strip = driver.screen.query_one(DescStrip)
        assert strip.focus_row("Mode")
        await driver.settle()
        await driver.press("down")
        assert held(driver, "Mode") == "REVERSE"
        await driver.type("ro")
        assert held(driver, "Mode") == "ROTATE"
        await driver.press("backspace")
        await driver.type("k")
        assert held(driver, "Mode") == "KEEP"
        x, y = driver.find("›", "#strip")
        await driver.click("#strip", x, y)
        assert held(driver, "Mode") == "REVERSE"
        strip.post_message(events.Paste("TURN_MODE_ROTATE"))
        await driver.settle()
        assert held(driver, "Mode") == "ROTATE"
        assert strip.focus_row("Ratio")
        await driver.settle()
        await driver.press("up")
        assert held(driver, "Ratio") == 1.5
        await driver.type("1.25")
        assert held(driver, "Ratio") == 1.25
        await driver.press("delete")
        await driver.type("inf")
        assert held(driver, "Ratio") == float("inf")
        await driver.press("ctrl+z")
        assert held(driver, "Ratio") != float("inf")

    opened(script, size=(80, 24))


def test_the_help_tells_choices_with_numbers_and_levels_and_what_a_number_may_be() -> None:
    experiment = turn(ratio=0.25)
    rows = [row.key for row in form_rows(experiment)]
    told = {key: field_help(experiment, experiment.check(), key, rows) for key in ("Mode", "Ratio")}
    assert told["Mode"].kind == "DML_TURN_MODE"
    assert told["Mode"].here == (f"KEEP = 0, REVERSE = 1, ROTATE = 2 (≥{LATE})",)
    assert told["Ratio"].kind == "FLOAT"
    assert told["Ratio"].about == "How much of the last axis is turned."


def test_the_table_of_levels_has_the_choices_that_came_later() -> None:
    matrix = LevelMatrix(turn("4_0"))
    table = next(table for table in matrix.tables if table.title == "Mode")
    assert [table.title for table in matrix.tables] == ["InputTensor, OutputTensor", "Mode", "DimensionCount"]
    late = [column for column in matrix.columns if matrix.accepted(table, "ROTATE", column)]
    assert late[0].first is FeatureLevel.of(LATE)
    assert matrix.present(table) == {"KEEP"}
    assert matrix.sentence(table, "ROTATE", late[0]) == (
        f"Mode ROTATE from {LATE} on. Enter sets feature level {LATE} and Mode ROTATE."
    )
    chosen = matrix.chosen(table, "ROTATE", late[0])
    assert (chosen.desc.get("Mode"), chosen.feature_level) == ("ROTATE", FeatureLevel.of(LATE))
    assert chosen.check().ok


@pytest.mark.parametrize(
    ("text", "by", "after"),
    [
        ("0.9", 1, "1.9"),
        ("1.1", -1, "0.1"),
        ("-.5", 1, "0.5"),
        ("1e3", 1, "1001"),
        ("1e300", 1, "1e300"),
        ("1e-300", 1, "1e-300"),
        ("inf", 1, "inf"),
        ("9007199254740993", 1, "9007199254740994"),
    ],
)
def test_a_step_adds_one_and_keeps_the_decimals(text: str, by: int, after: str) -> None:
    assert stepped(text, len(text), by)[0] == after


def test_a_pasted_name_is_the_longest_choice_that_it_ends_with() -> None:
    names = ("INT8", "UINT8", "MODE_EDGE", "EDGE")
    assert named_choice(names, "dml_tensor_data_type_uint8;") == "UINT8"
    assert named_choice(names, "DML_MODE_EDGE") == "MODE_EDGE"
    assert named_choice(names, "XINT8") is None
