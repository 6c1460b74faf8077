"""The screen of a level: by real keys, by a terminal's mouse bytes, in rooms of every size."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from support.course import reached
from support.driver import Driver, explore
from support.level_play import solve_by_keys, solve_by_mouse
from support.levels import play
from textual.widgets import OptionList

from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.screens.learn.level import LevelScreen
from dmlviz.teaching.lessons.lessons import shipped_levels
from dmlviz.teaching.levels.level import Level
from dmlviz.teaching.progress.progress import Progress
from dmlviz.widgets.picture.tensor_stack import TensorStack

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


@pytest.mark.parametrize(
    ("size", "every"), [((60, 18), 5), *(pytest.param(*each, marks=pytest.mark.slow) for each in ALL)]
)
def test_the_goal_and_the_longest_hint_of_every_level_are_in_sight(size: tuple[int, int], every: int) -> None:
    async def script(driver: Driver) -> None:
        for each in shipped_levels()[::every]:
            screen = await on_level(driver, each, Progress())
            everything_in_sight(driver, screen)
            assert screen.state.in_picture is screen.pane.display
            longest = max(range(len(each.task.hints)), key=lambda k: len(each.task.hints[k]))
            await driver.press(*["h"] * (longest + 1))
            everything_in_sight(driver, screen)
            assert {*screen.state.hint.split()[-3:]} <= {*driver.words("#level-board").split()}, each.id
            await driver.press("escape")

    explore(script, "join-1", size)


@pytest.mark.parametrize(
    ("how", "size", "every"),
    [(solve_by_keys, (80, 24), 5), pytest.param(solve_by_mouse, (60, 18), 1, marks=pytest.mark.slow)],
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


def test_another_operator_wins_too() -> None:
    async def script(driver: Driver, screen: LevelScreen) -> None:
        await driver.press("o")
        await driver.until(lambda: driver.app.screen is not screen)
        ways = driver.app.screen.query_one("#ways", OptionList)
        ways.highlighted = ways.get_option_index("DML_OPERATOR_JOIN")
        await driver.press("enter")
        assert screen.state.operator == "JOIN"
        await driver.press("1")
        assert screen.state.won
        await driver.press("escape")

    assert play(script, "L23", (80, 24)) == [True]


def test_enter_explains_and_each_key_does_what_the_footer_says() -> None:
    async def script(driver: Driver, screen: LevelScreen) -> None:
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

    assert play(script, "L03") == [False]


def test_every_act_has_a_click() -> None:
    async def script(driver: Driver, screen: LevelScreen) -> None:
        await driver.click_text("InputTensor {2, 2}", "#level-given")
        assert "InputTensor is given in this" in driver.notice
        await driver.click_text("›", "#level-fields")
        assert screen.state.changed == 1
        acts: tuple[tuple[str, Callable[[], bool]], ...] = (
            ("undo", lambda: screen.state.changed == 0),
            ("redo", lambda: screen.state.changed == 1),
            ("again", lambda: screen.state.changed == 0),
            ("memory", lambda: screen.state.picture.shows_memory),
            ("hint", lambda: screen.state.hints == 1),
            ("why?", lambda: bool(screen.state.explained)),
        )
        for word, done in acts:
            await driver.click_text(word, "#level-footer")
            assert done(), word
        for sign, count in (("+", 3), ("×", 2)):
            await driver.click_text(sign, "#level-fields")
            assert len(screen.desk.experiment.desc.get("Repeats")) == count
        side = screen.query_one("#outputs", TensorStack)
        assert side.stack is not None
        cursor = Cursor(Place(True, 0), (1, 1))
        x, y = side.stack.locate(cursor)
        await driver.click(side, x + side.stack.figure(cursor.place).margin + 1, y)
        assert screen.state.picture.cursor == cursor
        await driver.click_text("TILE ▾", "#level-head")
        await driver.until(lambda: driver.app.screen is not screen)
        await driver.press("escape")
        await driver.click_text("leave", "#level-footer")
        assert isinstance(driver.app.screen, Explorer)

    assert play(script, "L23", (120, 36)) == [False]
