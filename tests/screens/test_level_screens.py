"""The strip of feature levels and their matrix on the screen; and the screen of a level."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from support.driver import Driver, explore
from support.lesson_play import reached
from support.levels import level, solve_by_keys, solve_by_mouse

from dmlviz.desc.levels import FeatureLevel
from dmlviz.desc.tensors import DataType
from dmlviz.screens.dialogs.levels import LevelsScreen
from dmlviz.screens.learn.level import LevelScreen
from dmlviz.teaching.lessons.lessons import shipped_levels
from dmlviz.teaching.levels.level import Level
from dmlviz.teaching.progress.progress import Progress
from dmlviz.widgets.panels.level_strip import LevelStripLine


@pytest.mark.parametrize("size", [(100, 30), (200, 50)])
async def test_the_strip_stands_below_the_form_and_a_click_sets_the_level(
    driver: Driver, size: tuple[int, int]
) -> None:
    strip = driver.screen.query_one(LevelStripLine)
    tall = size == (200, 50)
    assert strip.size.height == (2 if tall else 1), "one line, unless there is room"
    text = driver.text("#levels").split("\n")
    assert text[0].replace("▸", " ▸").split() == ["Valid", "1_0✘", "2_1✘", "▸3_0✔", "4_1✔"]
    assert not tall or text[1].strip() == "2_1 needs DimensionCount 4"
    for name in ("4_1", "2_1"):
        await driver.click_text(name, "#levels", 1)
        assert driver.screen.workspace.experiment.feature_level == name
        assert f"▸{name}" in driver.text("#levels")
    assert not driver.screen.state.view.report.ok
    await driver.press("u", "u")
    assert driver.screen.workspace.experiment.feature_level == "3_0"


async def test_v_opens_the_matrix_and_enter_or_two_clicks_set_level_and_type_as_one_edit(driver: Driver) -> None:
    before = driver.screen.workspace.experiment
    await driver.press("v")
    screen = driver.app.screen
    assert isinstance(screen, LevelsScreen)
    for size in ((60, 18), (80, 24), (120, 36)):
        await driver.resize(size)
        assert "…" not in driver.text("#levels-tables"), "titles are whole"
        assert driver.words("#levels-hint").endswith("esc closes")
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


ALL = [((60, 18), 1), ((200, 50), 6)]
"""Windows, and how many levels further the next one is that is tried in it."""


def everything_in_sight(driver: Driver, screen: LevelScreen) -> None:
    """The goal, all of it, what differs, and the keys that lead out are on the screen."""
    goal, board = screen.query_one("#level-goal"), screen.query_one("#level-board")
    assert screen.query_one("#level-middle").region.contains_region(goal.region)
    assert screen.region.contains_region(board.region)
    assert board.region.height >= 2
    shown = driver.text("#level-goal")
    for table in screen.state.goal:
        assert table.title in shown
        assert all(value in shown for value in table.values)
    assert shown.count("✗") == sum(len(table.differing) for table in screen.state.goal)
    assert "esc leave" in driver.text("#level-footer")
    assert f"par {screen.state.level.par}" in driver.text("#level-head")


async def on_level(driver: Driver, each: Level, progress: Progress) -> LevelScreen:
    driver.app.push_screen(screen := LevelScreen(each, progress))
    assert await reached(driver, LevelScreen) is screen
    return screen


@pytest.mark.parametrize("session", ["join-1"])
@pytest.mark.parametrize(
    ("size", "every"), [((60, 18), 12), *(pytest.param(*each, marks=pytest.mark.slow) for each in ALL)]
)
async def test_the_goal_and_the_longest_hint_of_every_level_are_in_sight(driver: Driver, every: int) -> None:
    for each in shipped_levels()[::every]:
        screen = await on_level(driver, each, Progress())
        everything_in_sight(driver, screen)
        assert screen.state.in_picture is screen.pane.display
        longest = max(range(len(each.task.hints)), key=lambda k: len(each.task.hints[k]))
        await driver.press(*["h"] * (longest + 1))
        everything_in_sight(driver, screen)
        assert {*screen.state.hint.split()[-3:]} <= {*driver.words("#level-board").split()}, each.id
        await driver.press("escape")


@pytest.mark.parametrize(
    ("how", "size", "every"),
    [(solve_by_keys, (80, 24), 12), pytest.param(solve_by_mouse, (60, 18), 1, marks=pytest.mark.slow)],
)
def test_levels_from_beginning_to_end(
    how: Callable[[Driver, LevelScreen], Awaitable[None]], size: tuple[int, int], every: int
) -> None:
    progress, levels = Progress(), shipped_levels()[::every]

    async def script(driver: Driver) -> None:
        for each in levels:
            screen = await on_level(driver, each, progress)
            await how(driver, screen)
            assert screen.state.won, f"{each.id}\n{driver.text()}"
            assert screen.state.changed == each.par
            everything_in_sight(driver, screen)
            assert "✓ That is the goal." in driver.words("#level-board")
            await driver.click_text("go on", "#level-footer")
            assert driver.app.screen is not screen

    explore(script, "join-1", size)
    assert {each.task for each in progress.answers if each.right} == {each.id for each in levels}


@pytest.mark.parametrize("size", [(80, 24)])
async def test_enter_explains_and_each_key_does_what_the_footer_says(driver: Driver) -> None:
    left: list[object] = []
    driver.app.push_screen(LevelScreen(level("L03"), Progress()), left.append)
    screen = await reached(driver, LevelScreen)
    await driver.press("-")
    assert screen.state.unread
    await driver.press("escape")
    assert not screen.state.unread, "what can't be read is left first, and then the level"
    await driver.press("3", "right", "2", "enter")
    assert " ".join(screen.state.explained.split()[:4]) in driver.words("#level-board")
    await driver.press("u")
    for rung in range(1, 5):
        assert "solution" not in driver.text("#level-footer")
        await driver.press("h")
        assert f"Hint {rung} of 4" in driver.text("#level-board")
    for words in ("why?", "s solution", "esc leave", "r redo", "m memory"):
        assert words in driver.text("#level-footer")
    for key, won in (("s", True), ("u", False), ("r", True), ("a", False)):
        await driver.press(key)
        assert screen.state.won is won
    assert not screen.state.solved
    await driver.press(*["tab"] * len(screen.state.form.strip), "right", "down")
    cursor = screen.state.picture.cursor
    assert cursor is not None
    assert sum(cursor.index) == 2, "arrows move in the picture"
    await driver.press("tab", "2")
    assert screen.state.changed
    await driver.press("escape")
    assert left == [False]
