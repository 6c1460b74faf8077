"""Feature levels: the strip beside the form, the matrix, and that both say what the rules say."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.driver import Driver, explore
from support.effort import tried
from support.strategies import Case, cases

from dmlviz.desc.base import Desc
from dmlviz.desc.fields import TensorField
from dmlviz.desc.levels import LEVELS, FeatureLevel
from dmlviz.desc.tensors import DataType
from dmlviz.operators.base import Operator
from dmlviz.operators.checking import check
from dmlviz.operators.level_rules import first_level, refusals
from dmlviz.operators.registry import operators
from dmlviz.scene.levels.columns import TYPES, columns
from dmlviz.scene.levels.matrix import LevelMatrix
from dmlviz.scene.levels.strip import level_strip
from dmlviz.screens.dialogs.levels import LevelsScreen
from dmlviz.session.experiments import Experiment
from dmlviz.widgets.panels.level_strip import LevelStripLine

QUICK = tried(40)


def experiments() -> st.SearchStrategy[Experiment]:
    return st.builds(lambda case, level: Experiment("any", case.desc, level), cases(), st.sampled_from(LEVELS))


# ---- what the strip says


@QUICK
@given(cases(), st.sampled_from(LEVELS))
def test_the_strip_accepts_where_the_rules_do(case: Case, here: FeatureLevel) -> None:
    experiment = Experiment("any", case.desc, here)
    report = experiment.check()
    strip = level_strip(experiment, report)
    assert [m.level for m in strip.marks if m.here] == [here]
    for mark in strip.marks:
        assert mark.accepted == (check(case.desc, experiment.sources_or_defaults()[0], mark.level).ok is not False)


@pytest.mark.parametrize("operator", operators().values(), ids=operators())
def test_the_levels_are_parted_where_a_support_table_changes(operator: Operator[Desc]) -> None:
    fields = [f for f in operator.desc.FIELDS if isinstance(f, TensorField)]

    def rows(level: FeatureLevel) -> object:
        choices = [field.choices(level) for field in operator.desc.ATTRIBUTES]
        return level >= first_level(operator) and (*(f.support.at(level) for f in fields), *choices)

    answers = [{rows(level) for level in LEVELS if c.holds(level)} for c in columns(operator.desc)]
    assert all(len(answer) == 1 for answer in answers)
    assert all(one_ != other for one_, other in itertools.pairwise(answers))


# ---- the matrix


@QUICK
@given(experiments(), st.data())
def test_a_cell_is_accepted_where_the_rules_accept_its_type(experiment: Experiment, data: st.DataObject) -> None:
    matrix = LevelMatrix(experiment)
    table = data.draw(st.sampled_from([table for table in matrix.tables if table.entries is TYPES]))
    entry, column = data.draw(st.sampled_from(TYPES)), data.draw(st.sampled_from(matrix.columns))
    changed = matrix.chosen(table, entry, column).desc
    for level in (column.first, column.last):
        failed = {(c.id, c.field.split("[")[0].split(".")[0]) for c in refusals(changed, level)}
        broken = {("dtype.supported", name) for name in table.fields} | {("level.operator", "FeatureLevel")}
        assert matrix.accepted(table, entry, column) == (not failed & broken)


@QUICK
@given(experiments(), st.data())
def test_choosing_a_cell_goes_there_and_keeps_sizes(experiment: Experiment, data: st.DataObject) -> None:
    matrix = LevelMatrix(experiment)
    table = data.draw(st.sampled_from(matrix.tables))
    entry, column = data.draw(st.sampled_from(table.entries)), data.draw(st.sampled_from(matrix.columns))
    chosen = matrix.chosen(table, entry, column)
    assert column.holds(chosen.feature_level)
    assert [p.tensor.sizes for p in chosen.desc.parts] == [p.tensor.sizes for p in experiment.desc.parts]
    if isinstance(entry, DataType):
        assert LevelMatrix(chosen).present(table) == {entry}
    if matrix.is_here(table, entry, column):
        assert chosen == experiment


# ---- on the screen


@pytest.mark.parametrize("size", [(100, 30), (200, 50)])
def test_the_strip_stands_below_the_form_and_a_click_sets_the_level(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        strip = driver.screen.query_one(LevelStripLine)
        tall = size == (200, 50)
        assert strip.size.height == (2 if tall else 1), "one line, unless there is room"
        text = driver.text("#levels").split("\n")
        assert text[0].replace("▸", " ▸").split() == ["Levels", "1_0✘", "2_1✘", "▸3_0✔", "4_1✔"]
        assert not tall or text[1].strip() == "DimensionCount 2: 2_1 needs 4"
        for name in ("4_1", "2_1"):
            await driver.click_text(name, "#levels", 1)
            assert driver.screen.workspace.experiment.feature_level == name
            assert f"▸{name}" in driver.text("#levels")
        assert not driver.screen.state.view.report.ok
        await driver.press("u", "u")
        assert driver.screen.workspace.experiment.feature_level == "3_0"

    explore(script, size=size)


def test_v_opens_the_matrix_and_enter_or_two_clicks_set_level_and_type_as_one_edit() -> None:
    async def script(driver: Driver) -> None:
        before = driver.screen.workspace.experiment
        await driver.press("v")
        screen = driver.app.screen
        assert isinstance(screen, LevelsScreen)
        assert screen.under[1:] == (DataType.FLOAT32, screen._matrix.columns[2])
        await driver.press("up", "right")
        assert "FLOAT64 from 4_1 on. Enter sets feature level 4_1 and FLOAT64." in driver.words("#levels-now")
        await driver.press("enter")
        assert "✔ valid" in driver.text("#levels-now")
        assert screen._matrix.here == 3
        data = screen._tables[0]
        lines = driver.text("#levels-tables").split("\n")
        y = next(y for y, line in enumerate(lines) if line.split()[:1] == ["INT32"])
        marks = [x for x, letter in enumerate(lines[y]) if letter in "✔✘·" and x < data.region.right]
        await driver.click("#levels-tables", marks[0], y)
        assert driver.screen.workspace.experiment.feature_level == "4_1", "the first click tells, the second sets"
        await driver.click("#levels-tables", marks[0], y)
        await driver.press("escape")
        after = driver.screen.workspace.experiment
        assert (after.feature_level, after.desc.inputs[0].tensor.data_type) == (FeatureLevel.L1_0, DataType.INT32)
        assert after.desc.outputs[0].tensor.data_type is DataType.INT32
        await driver.press("u", "u")
        assert driver.screen.workspace.experiment == before

    explore(script, size=(120, 36))
