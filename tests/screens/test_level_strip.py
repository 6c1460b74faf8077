"""Feature levels: the strip beside the form, the matrix, and that both say what the rules say."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.driver import Driver, explore, is_top
from support.effort import tried
from support.strategies import Case, cases
from support.toy import Toy

import dmlviz as dml
from dmlviz.desc.fields import TensorField
from dmlviz.desc.levels import LEVELS, FeatureLevel
from dmlviz.desc.tensors import DataType
from dmlviz.errors import DmlvizError
from dmlviz.operators.checking import check
from dmlviz.operators.desc_edits import with_dimensions
from dmlviz.operators.level_rules import LEVEL_CHECKS, first_level, refusals
from dmlviz.operators.registry import operators
from dmlviz.scene.levels.columns import TYPES, Column, accepts, columns
from dmlviz.scene.levels.matrix import LevelMatrix, Table
from dmlviz.scene.levels.sentences import level_adds, level_below
from dmlviz.scene.levels.strip import level_strip
from dmlviz.screens.dialogs.levels import LevelsScreen
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment
from dmlviz.widgets.panels.level_strip import NAME, LevelStripLine

QUICK = tried(40)
GATHER = dml.Gather(dml.TensorDesc("FLOAT32", (3, 2)), dml.TensorDesc("UINT32", (1, 4)), 0, 1)


def experiments() -> st.SearchStrategy[Experiment]:
    return st.builds(lambda case, level: Experiment("any", case.desc, level), cases(), st.sampled_from(LEVELS))


def cell_of(matrix: LevelMatrix, title: str, level: str) -> tuple[Table, Column]:
    table = next(t for t in matrix.tables if t.title == title)
    return table, next(c for c in matrix.columns if c.holds(FeatureLevel.of(level)))


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


@pytest.mark.parametrize("name", [each.name for each in examples.all_examples() if "-" in each.name][::3])
def test_acceptance_at_every_level_agrees_with_the_rules(name: str) -> None:
    for experiment in examples.example(name).session().experiments:
        report = experiment.check()
        for level in LEVELS:
            at_level = check(experiment.desc, experiment.sources_or_defaults()[0], level)
            assert accepts(report, level) == (at_level.ok is not False)
            want = [(c.id, c.message) for c in at_level.errors if c.id in LEVEL_CHECKS]
            found = [(c.id, c.message) for c in refusals(experiment.desc, level)]
            assert set(found) <= set(want)
            assert bool(found) == bool(want)
            assert found[:1] == want[:1]


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("JOIN", ["1_0–2_0", "2_1", "3_0–4_0", "4_1–6_4"]),
        ("SPLIT", ["1_0–2_0", "2_1", "3_0–4_0", "4_1–6_4"]),
        ("GATHER", ["1_0–2_0", "2_1", "3_0–4_0", "4_1–6_4"]),
        ("TILE", ["1_0–2_0", "2_1–3_0", "3_1–4_0", "4_1–6_4"]),
        ("REVERSE_SUBSEQUENCES", ["1_0–2_0", "2_1", "3_0–3_1", "4_0–4_1", "5_0–6_4"]),
    ],
)
def test_the_levels_are_parted_where_a_support_table_changes(name: str, labels: list[str]) -> None:
    operator = operators()[f"DML_OPERATOR_{name}"]
    assert [c.label for c in columns(operator.desc)] == labels
    fields = [f for f in operator.desc.FIELDS if isinstance(f, TensorField)]

    def rows(level: FeatureLevel) -> object:
        return level >= first_level(operator) and tuple(f.support.at(level) for f in fields)

    answers = [{rows(level) for level in LEVELS if c.holds(level)} for c in columns(operator.desc)]
    assert all(len(answer) == 1 for answer in answers)
    assert all(one_ != other for one_, other in itertools.pairwise(answers))


@pytest.mark.parametrize(
    ("changes", "level", "sentence"),
    [
        ({}, "3_0", "2_1 refuses: DimensionCount must be 4"),
        ({}, "6_4", "2_1 refuses: DimensionCount must be 4"),
        ({}, "1_0", "the lowest level that accepts it is 3_0"),
        ({"IndexDimensions": 2}, "5_0", "no feature level accepts this desc"),
        ({"IndicesTensor": dml.TensorDesc("INT64", (1, 4))}, "3_0", "2_1 refuses: DimensionCount must be 4"),
    ],
)
def test_one_sentence_says_what_breaks_below(changes: dict[str, object], level: str, sentence: str) -> None:
    experiment = Experiment("one", GATHER.replace(changes), FeatureLevel.of(level))
    assert level_strip(experiment, experiment.check()).sentence == sentence


def test_a_type_is_what_breaks_where_the_dimensions_fit() -> None:
    four = dml.Gather(dml.TensorDesc("FLOAT32", (1, 1, 3, 2)), dml.TensorDesc("INT64", (1, 1, 1, 4)), 2, 1)
    experiment = Experiment("one", four, FeatureLevel.L5_0)
    assert level_strip(experiment, experiment.check()).sentence == "2_1 refuses IndicesTensor INT64"
    assert level_below(experiment, experiment.check()).startswith(
        "Down to 3_0 nothing breaks. IndicesTensor.DataType is INT64"
    )
    join = dml.Join((dml.TensorDesc("INT8", (1, 1, 1, 2)),), 3)
    experiment = Experiment("one", join, FeatureLevel.L2_1)
    assert level_strip(experiment, experiment.check()).sentence == "1_0 refuses DataType INT8"
    tile = Experiment("one", dml.Tile(dml.TensorDesc("FLOAT32", (1, 1, 2, 2)), (1, 1, 1, 2)))
    assert level_strip(tile, tile.check()).sentence == "every feature level accepts this desc"
    turned = examples.example("reverse-1").session().experiments[0]
    assert level_strip(turned, turned.check()).sentence == "1_0 has no REVERSE_SUBSEQUENCES"


def test_a_sentence_says_what_the_next_level_adds() -> None:
    join = dml.Join((dml.TensorDesc("INT8", (1, 1, 1, 2)),), 3)
    assert level_adds(join, FeatureLevel.L2_1) == "3_0 adds DimensionCount 5."
    assert level_adds(join, FeatureLevel.L4_0) == (
        "4_1 adds FLOAT64, INT64 and UINT64 and DimensionCount 1 to 3 and 6 to 8."
    )
    assert (
        level_adds(GATHER, FeatureLevel.L3_1) == "4_1 adds FLOAT64, INT64 and UINT64 for InputTensor and OutputTensor."
    )
    assert level_adds(GATHER, FeatureLevel.L6_4) == "No later level adds anything to GATHER."


def test_a_sixth_operator_has_levels_too(toy: Toy) -> None:
    experiment = Experiment("one", toy.desc(dml.TensorDesc("INT64", (2, 3)), 0), FeatureLevel.L5_1)
    strip = level_strip(experiment, experiment.check())
    assert [(m.level.value, m.dimensions, m.accepted) for m in strip.marks] == [
        ("1_0", "", False),
        ("2_1", "4D", False),
        ("5_1", "1-8D", True),
    ]
    assert level_adds(experiment.desc, FeatureLevel.L2_1) == "5_1 adds DimensionCount 1 to 3 and 5 to 8."
    assert level_adds(experiment.desc, FeatureLevel.L1_0) == "2_1 brings FLIP."


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
def test_choosing_a_cell_goes_there_and_says_so_before(experiment: Experiment, data: st.DataObject) -> None:
    matrix = LevelMatrix(experiment)
    table = data.draw(st.sampled_from(matrix.tables))
    entry, column = data.draw(st.sampled_from(table.entries)), data.draw(st.sampled_from(matrix.columns))
    sentence = matrix.sentence(table, entry, column)
    try:
        chosen = matrix.chosen(table, entry, column)
    except DmlvizError as error:
        refused = str(error)
    else:
        refused = ""
    assert sentence.endswith(refused)
    if refused:
        return
    after = LevelMatrix(chosen)
    assert after.is_here(table, entry, column)
    assert after.present(table) == {entry}
    if matrix.is_here(table, entry, column):
        assert sentence.endswith("You are here.")
        assert chosen == experiment
    elif not column.holds(experiment.feature_level):
        assert f"feature level {column.first}" in sentence
    if isinstance(entry, DataType):
        assert [p.tensor.sizes for p in chosen.desc.parts] == [p.tensor.sizes for p in experiment.desc.parts]


@QUICK
@given(cases(), st.integers(1, 8))
def test_other_dimension_counts_only_pad_or_drop_leading_ones(case: Case, count: int) -> None:
    changed = with_dimensions(case.desc, count)
    old = case.desc.parts
    if changed is None or len(changed.parts) < len(old):
        return  # GATHER may need the leading 1s that would go, and then infers no output
    for before, after in zip(old, changed.parts, strict=True):
        assert after.tensor.dimension_count == count
        assert after.tensor.data_type is before.tensor.data_type
        short, long = sorted((before.tensor.sizes, after.tensor.sizes), key=len)
        assert long == (1,) * (len(long) - len(short)) + short
    back = with_dimensions(changed, old[0].tensor.dimension_count)
    assert back == case.desc
    if count >= old[0].tensor.dimension_count:
        assert check(changed).ok


DATA = "InputTensor, OutputTensor"
NEVER = "No feature level takes INT8 as IndicesTensor for GATHER."
FOUR = "Every feature level takes DimensionCount 4. Enter sets feature level 2_1 and 4 sizes a tensor"
BARE = "InputTensor {3, 2} can't have 1 size: only leading 1s may go, and it has 0 of them."


@pytest.mark.parametrize(
    ("title", "entry", "level", "sentence"),
    [
        (DATA, "INT64", "3_0", "INT64 from 4_1 on; 3_0–4_0 refuse it. Enter sets DataType INT64."),
        (DATA, "FLOAT32", "3_0", "Every feature level takes FLOAT32. You are here."),
        (DATA, "INT8", "5_0", "INT8 from 2_1 on. Enter sets feature level 4_1 and DataType INT8."),
        ("IndicesTensor", "INT8", "2_1", f"{NEVER} Enter sets feature level 2_1 and IndicesTensor INT8."),
        ("DimensionCount", "4", "2_1", f"{FOUR}: InputTensor {{1, 1, 3, 2}}."),
        ("DimensionCount", "1", "3_0", f"DimensionCount 1 from 3_0 on. {BARE}"),
    ],
)
def test_a_cell_says_what_it_means(title: str, entry: str, level: str, sentence: str) -> None:
    matrix = LevelMatrix(Experiment("one", GATHER, FeatureLevel.L3_0))
    table, column = cell_of(matrix, title, level)
    found = next(e for e in table.entries if str(e) == entry)
    assert matrix.sentence(table, found, column) == sentence


def test_a_dimension_count_that_breaks_another_rule_is_refused_with_it() -> None:
    # IndexDimensions 2 needs the leading 1 that would go.
    desc = dml.Gather(dml.TensorDesc("FLOAT32", (1, 3, 2)), dml.TensorDesc("UINT32", (1, 1, 4)), 1, 2)
    matrix = LevelMatrix(Experiment("one", desc))
    assert matrix.report.ok
    table, column = cell_of(matrix, "DimensionCount", "6_4")
    with pytest.raises(DmlvizError, match=r"DimensionCount 2 would break gather\.fits: IndexDimensions is 2"):
        matrix.chosen(table, 2, column)


# ---- on the screen


@pytest.mark.parametrize("size", [(100, 30), (120, 36), (160, 45), (200, 50)])
def test_the_strip_stands_below_the_form_and_a_click_sets_the_level(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        strip = driver.screen.query_one(LevelStripLine)
        tall = size == (200, 50)
        assert strip.size.height == (4 if tall else 1), "one line, unless there is room"
        assert strip.region.y == driver.form.region.bottom
        text = driver.text("#levels").split("\n")
        if tall:
            assert text[0].split() == ["Levels", "1_0", "2_1", "▸3_0", "4_1"]
            assert text[1].split() == ["4D", "4D", "1-8D", "1-8D"]
            assert text[2].split() == ["✘", "✘", "✔", "✔"]
            assert text[3].strip() == "2_1 refuses: DimensionCount must be 4"
        else:
            assert text[0].replace("▸", " ▸").split() == ["Levels", "1_0✘", "2_1✘", "▸3_0✔", "4_1✔"]
        x, _ = driver.find("4_1", "#levels")
        await driver.click("#levels", x + 1, 2 * tall)
        assert driver.screen.workspace.experiment.feature_level == "4_1"
        assert "▸4_1" in driver.text("#levels")
        await driver.click("#levels", driver.find("2_1", "#levels")[0], 0)
        assert not driver.screen.state.view.report.ok
        if tall:
            assert "the lowest level that accepts it is 3_0" in driver.text("#levels")
        await driver.press("u", "u")
        assert driver.screen.workspace.experiment.feature_level == "3_0"
        assert not driver.screen.state.document.dirty

    explore(script, size=size)


@pytest.mark.parametrize("size", [(120, 36), (200, 50)])
def test_enter_and_a_click_beside_the_levels_open_all_of_them(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        strip = driver.screen.query_one(LevelStripLine)
        picture = driver.screen.focused
        await driver.click("#levels", driver.find("Levels", "#levels")[0], 0)
        assert is_top(driver, LevelsScreen)
        await driver.press("escape")
        assert driver.screen.focused is picture, "a click there takes no keys away"
        driver.form.focus_row(driver.screen.state.form.rows[-1].key)
        await driver.settle()
        before = driver.text("")
        await driver.press("tab")
        assert driver.screen.focused is strip, "it is next to the form in reading order"
        assert driver.text("#levels").split("\n")[0] != before.split("\n")[strip.region.y][: strip.region.width]
        await driver.press("enter")
        assert is_top(driver, LevelsScreen)
        await driver.press("escape", "escape")
        assert driver.screen.focused is picture

    explore(script, size=size)


def test_the_strip_gives_way_where_width_and_height_are_short() -> None:
    async def script(driver: Driver) -> None:
        assert not driver.screen.query_one(LevelStripLine).display
        await driver.pilot.resize_terminal(120, 30)
        await driver.settle()
        assert driver.screen.query_one(LevelStripLine).display

    explore(script, size=(90, 30))


def test_where_columns_are_scarce_the_present_level_is_kept() -> None:
    async def script(driver: Driver) -> None:
        strip = driver.screen.query_one(LevelStripLine)
        for level in LEVELS:
            driver.edit(replace(driver.screen.workspace.experiment, feature_level=level))
            strip.styles.width = len(NAME) + 3 + 12
            await driver.settle()
            marks, _ = strip._marks_in_room()
            assert len(marks) == 2
            assert f"▸{level}" in driver.text("#levels")
            holds = driver.screen.state.view.report.lowest_level
            assert holds is not None
            assert level >= holds or marks[1].level is holds, "and the one that would help"

    explore(script)


def page(driver: Driver) -> LevelsScreen:
    assert isinstance(driver.app.screen, LevelsScreen)
    return driver.app.screen


def test_v_opens_the_matrix_and_enter_sets_level_and_type_as_one_edit() -> None:
    async def script(driver: Driver) -> None:
        before = driver.screen.workspace.experiment
        await driver.press("v")
        assert "4_1 adds FLOAT64" in driver.words("#levels-now")
        assert page(driver).under[1:] == (DataType.FLOAT32, page(driver)._matrix.columns[2])
        await driver.press("up", "right")
        assert "FLOAT64 from 4_1 on. Enter sets feature level 4_1 and DataType FLOAT64." in driver.words("#levels-cell")
        await driver.press("enter")
        assert "✔ valid" in driver.text("#levels-head")
        assert "▸4_1" in driver.text("#levels-tables")
        assert "You are here" in driver.words("#levels-cell")
        await driver.press("escape")
        after = driver.screen.workspace.experiment
        assert (after.feature_level, after.desc.inputs[0].tensor.data_type) == (FeatureLevel.L4_1, DataType.FLOAT64)
        assert after.desc.outputs[0].tensor.data_type is DataType.FLOAT64
        assert "FLOAT64" in driver.text("#form")
        await driver.press("u")
        assert driver.screen.workspace.experiment == before

    explore(script)


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
def test_two_clicks_set_a_cell_and_one_that_cant_be_leaves_everything_as_it_is(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        before = driver.screen.workspace.experiment
        await driver.press("v")
        lines = driver.text("#levels-tables").split("\n")

        async def click(number: int, row: str, column: int) -> None:
            tables = driver.app.screen.query_one("#levels-tables")
            first = tables.query(".levels-table")[number].region.x - tables.region.x
            y = next(y for y, line in enumerate(lines) if y > 1 and line[first:].split()[:1] == [row])
            marks = [x for x, letter in enumerate(lines[y]) if x >= first and letter in "✔✘·"]
            await driver.click("#levels-tables", marks[column], y)

        await click(2, "1", 3)
        assert driver.screen.workspace.experiment == before, "the first click tells, the second sets"
        await click(2, "1", 3)
        assert "InputTensor {3, 2} can't have 1 size" in driver.words("#levels-cell")
        assert driver.screen.workspace.experiment == before
        await click(1, "INT64", 3)
        await click(1, "INT64", 3)
        assert "INT64 as IndicesTensor from 3_0 on" in driver.words("#levels-cell")
        assert driver.screen.workspace.experiment.desc.inputs[1].tensor.data_type is DataType.INT64
        await click(2, "4", 0)
        await click(2, "4", 0)
        assert driver.screen.workspace.experiment.desc.inputs[0].tensor.sizes == (1, 1, 3, 2)
        assert driver.screen.workspace.experiment.desc.get("Axis") == 2
        assert driver.screen.workspace.experiment.feature_level is FeatureLevel.L1_0

    explore(script, size=size)


@pytest.mark.parametrize("name", ["gather-2", "join-1", "gather-3-as-printed", "note-tile-float64"])
@pytest.mark.parametrize("size", [(60, 18), (80, 24), (200, 50)])
def test_every_cell_can_be_reached_by_keys_and_says_what_it_is(name: str, size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("v")
        screen = page(driver)
        for number, table in enumerate(screen._matrix.tables):
            data = screen._tables[number]
            assert data.has_focus
            await driver.press("ctrl+home", "home")
            for row, entry in enumerate(table.entries):
                assert str(data.get_row_at(row)[0]).strip() == str(entry)
                for column, each in enumerate(screen._matrix.columns):
                    accepted, here = (f(table, entry, each) for f in (screen._matrix.accepted, screen._matrix.is_here))
                    mark = "✔" if accepted else "✘" if here else "·"
                    assert str(data.get_row_at(row)[column + 1]).strip() == (f"▸{mark}◂" if here else mark)
                data.move_cursor(row=row)
                await driver.settle()
                assert screen.under == (table, entry, screen._matrix.columns[screen._matrix.here])
                if size[1] > 18:
                    assert f"{entry} " in driver.text("#levels-tables")
            await driver.press("tab")

    explore(script, name, size=size)


def test_v_is_a_letter_in_a_field() -> None:
    async def script(driver: Driver) -> None:
        await driver.focus("Axis")
        await driver.press("v")
        assert not isinstance(driver.app.screen, LevelsScreen)

    explore(script)


def test_many_tensors_that_are_alike_are_held_against_a_level_once() -> None:
    tensors = tuple(dml.TensorDesc("INT8", (1, 1, 1, 2)) for _ in range(300))
    broken = refusals(dml.Join(tensors, 3), FeatureLevel.L1_0)
    assert [c.field for c in broken] == ["InputTensors[0].DataType", "OutputTensor.DataType"]


@pytest.mark.parametrize(
    ("name", "said", "holds"),
    [
        ("rule-level-operator", "▸1_0✘ no such operator", "2_1"),
        ("rule-dtype-supported", "Levels ▸2_0✘ no INT8", "2_1"),
        ("rule-dimension-count-supported", "▸2_1✘ only 4 dimensions", "4_1"),
    ],
)
def test_one_line_says_why_the_present_level_refuses_and_which_doesnt(name: str, said: str, holds: str) -> None:
    async def script(driver: Driver) -> None:
        strip = driver.screen.query_one("#levels")
        assert strip.size.height == 1
        assert driver.words("#levels").strip() == f"{said} {holds}✔"
        x, y = driver.find(said[-4:], "#levels")
        await driver.click("#levels", x, y)
        assert is_top(driver, LevelsScreen), "all levels are told in the table"
        await driver.press("escape")
        for width in (len(f" ▸2_1✘ … {holds}✔"), 16, 24):
            strip.styles.width = width + strip.region.width - strip.size.width
            await driver.settle()
            assert driver.words("#levels").strip().endswith(f" {holds}✔"), "the reason gives way"
        x, y = driver.find(holds, "#levels")
        await driver.click("#levels", x + len(holds), y)
        assert driver.screen.workspace.experiment.feature_level == holds

    explore(script, name)


@pytest.mark.parametrize("name", ["rule-sizes-repeat", "tile-1", "reverse-1"])
def test_levels_stay_in_the_line_where_it_is_not_the_level_that_refuses(name: str) -> None:
    async def script(driver: Driver) -> None:
        assert "2_1" in driver.text("#levels")
        assert "3_" in driver.text("#levels")

    explore(script, name)


def test_without_colours_here_has_marks_on_both_sides_and_the_cursor_is_turned_round(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def script(driver: Driver) -> None:
        await driver.press("v", "right")
        assert driver.text("#levels-tables").count("▸✔◂") == 3
        assert "▸ ◂ here" in driver.text("#levels-hint")
        turned = [
            segment.text
            for strip in driver.app.screen._compositor.render_strips()
            for segment in strip
            if segment.style is not None and segment.style.reverse
        ]
        assert "".join(turned).strip() == "✔"

    explore(script, "gather-2")
