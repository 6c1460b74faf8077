"""The registry: lists tell of operators that nobody has imported, the five first and their neighbours behind them."""

from __future__ import annotations

import subprocess
import sys

from support.driver import Driver, explore
from textual.widgets import OptionList

from dmlviz.operators.base import NEIGHBOURS
from dmlviz.operators.registry import listed, operators, type_named
from dmlviz.session import course, examples
from dmlviz.session.new_experiments import choices

FIVE = ["JOIN", "SPLIT", "REVERSE_SUBSEQUENCES", "GATHER", "TILE"]
STARTED = """
import sys
import dmlviz.app
from dmlviz.session import examples
from dmlviz.workspace.form.form_rows import form_rows
experiment = examples.example("gather-2").session().experiments[0]
form_rows(experiment, experiment.check())
from dmlviz.operators.registry import listed
print([one.name for one in listed() if f"dmlviz.operators.{one.module}" in sys.modules])
"""


def test_a_start_imports_the_operator_on_the_screen_and_no_other() -> None:
    done = subprocess.run([sys.executable, "-c", STARTED], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['GATHER']"


def test_neighbours_stand_behind_the_five_wherever_operators_are_listed() -> None:
    names = [one.name for one in listed()]
    assert names[:5] == FIVE
    assert [one.neighbour for one in listed()] == [False] * 5 + [True] * (len(names) - 5)
    assert [operator.name for operator in operators().values()] == names == [name for _, name, _ in choices()]
    assert [type_named(name) for name in names] == [*operators()] == [type_named(kind) for kind in operators()]
    assert type_named("NONE") is None
    cards = course.listed()
    groups = list(dict.fromkeys(card.group for card in cards))
    assert groups[1:7] == [*FIVE, "Neighbours"]
    beside = [card for card in cards if card.group == "Neighbours"]
    assert all({*card.operators} - {*FIVE} for card in beside)
    assert not any({*card.operators} - {*FIVE} for card in cards if card.group in groups[:6])
    own = [each.name for each in examples.all_examples()]
    assert own.index("tile-1") < own.index("slice-1") < own.index("inline-gather-indices")


def test_the_form_and_the_choice_of_an_operator_have_them_under_a_heading_that_is_never_chosen() -> None:
    async def script(driver: Driver) -> None:
        driver.form.focus_row("Operator")
        await driver.settle()
        await driver.press("enter")
        kinds = [one.type for one in listed()]
        lines = [line.strip() for line in driver.text("#choices").split("\n")]
        assert lines.index("TILE") + 1 == lines.index(NEIGHBOURS)
        await driver.press("home", *["down"] * 5, "enter")
        kind = driver.screen.workspace.experiment.desc.TYPE
        assert kind == kinds[5]
        await driver.press("ctrl+z")
        await driver.resize((80, 24))
        await driver.press("ctrl+n")
        options = driver.app.screen.query_one("#operators", OptionList)
        assert [option.id for option in options.options if not option.disabled] == kinds
        assert [str(option.prompt) for option in options.options if option.disabled] == [NEIGHBOURS]

        assert "esc cancels" in driver.text()

    explore(script)
