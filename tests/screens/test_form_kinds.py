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
