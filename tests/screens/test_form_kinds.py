"""Fields that are choices, and numbers with a fraction: in the form, in the line above the picture, and in the help."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.driver import Driver
from support.outside import installed

import dmlviz as dml
from dmlviz.desc.levels import FeatureLevel
from dmlviz.operators.registry import operator_of
from dmlviz.scene.levels.matrix import LevelMatrix
from dmlviz.session.experiments import Experiment, Session
from dmlviz.widgets.fields.form import Form

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


async def test_a_choice_that_the_level_lacks_says_which_it_needs(driver: Driver) -> None:
    driver.open(Session((turn("4_0"),)))
    await driver.settle()
    await driver.focus("Ratio")
    await driver.press("shift+tab", "enter")
    assert f"ROTATE  ≥{LATE}" in driver.text()
    await driver.type("rot")
    await driver.press("enter")
    assert held(driver, "Mode") == "ROTATE"
    assert f"≥{LATE}" in driver.row("Mode")
    await driver.press("ctrl+z")
    assert held(driver, "Mode") == "KEEP"


@pytest.mark.parametrize(("size", "form"), [((120, 36), "#form"), ((80, 24), "#strip")])
async def test_a_choice_and_a_number_with_a_fraction_are_edited_in_form_and_strip(driver: Driver, form: str) -> None:
    driver.open(Session((turn(),)))
    await driver.settle()
    assert driver.screen.query_one(form, Form).focus_row("Mode")
    await driver.settle()
    await driver.press("enter", "down", "enter")
    assert held(driver, "Mode") == "REVERSE"
    await driver.focus("Ratio", form)
    for text, number in (("1e-3", 0.001), ("-INF", -float("inf"))):
        await driver.focus("Ratio", form)
        await driver.type(text)
        assert held(driver, "Ratio") == number
    await driver.focus("Value", form)
    await driver.type("1,5")
    assert "Value" in driver.screen.state.form.errors
    await driver.press("escape")
    assert not driver.screen.state.form.errors


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
