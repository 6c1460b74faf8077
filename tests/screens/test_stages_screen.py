"""The screen of a level of two operators: played by keys and by mouse, in rooms of several sizes, and in German."""

from __future__ import annotations

import pytest
from support.driver import Driver, explore
from support.level_play import solve_by_keys, solve_by_mouse
from support.levels import play

from dmlviz.screens.dialogs.choose_operator import ChooseOperator
from dmlviz.screens.learn.level import LevelScreen
from dmlviz.screens.learn.stages import StagesScreen
from dmlviz.teaching.lessons.lessons import level, stages_levels
from dmlviz.teaching.levels.stages import StagesLevel
from dmlviz.teaching.progress.progress import Progress
from dmlviz.teaching.words import catalogue

SIZES = [(80, 24), (120, 36), (200, 50)]
IDS = [each.id for each in stages_levels()]


@pytest.mark.drawn(3)
@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("how", [solve_by_keys, solve_by_mouse])
def test_every_level_is_solved_at_par_by_keys_and_by_mouse(name: str, how: object) -> None:
    async def script(driver: Driver, screen: LevelScreen) -> None:
        await how(driver, screen)  # type: ignore[operator]
        assert screen.state.attempt.won
        assert screen.state.attempt.changed == screen.state.terms.par
        assert "That is the goal." in driver.words("#level-board")
        await driver.press("enter")

    assert play(script, name) == [True]


@pytest.mark.drawn(2)
@pytest.mark.parametrize("size", SIZES)
def test_the_chain_the_goal_and_its_limits_are_in_sight(size: tuple[int, int]) -> None:
    async def script(driver: Driver, screen: LevelScreen) -> None:
        await solve_by_keys(driver, screen)
        chain = driver.text("#level-chain")
        assert "1 SPLIT" in chain
        assert "[2 JOIN" in chain
        assert "2 of 2 operators" in driver.text("#level-head")
        assert "up to 12 elements" in driver.text("#level-given")
        assert "Goal {2, 4}" in driver.text()
        assert "InputTensors[0] ‹1[1]›" in driver.text("#level-fields")

    play(script, "C02", size)


def test_braces_and_a_click_on_the_line_go_between_stages() -> None:
    async def script(driver: Driver, screen: LevelScreen) -> None:
        assert isinstance(screen, StagesScreen)
        assert screen.check_action("stage", ()) is False
        await solve_by_keys(driver, screen)
        assert screen.work.at == 1
        await driver.press("left_curly_bracket")
        assert screen.work.at == 0
        assert screen.strip.focused_key == "InputTensor"
        x, y = driver.find("2 JOIN", "#level-chain")
        await driver.click("#level-chain", x, y)
        assert screen.work.at == 1
        await driver.press("x")
        assert len(screen.work.stages) == 1
        await driver.press("u", "A")
        assert screen.work.stages == [dict(screen.work.level.begin)]

    play(script, "C02")


def test_only_the_levels_operators_are_offered_and_escape_takes_none() -> None:
    async def script(driver: Driver, screen: LevelScreen) -> None:
        assert isinstance(screen, StagesScreen)
        for key in "ao":
            await driver.press(key)
            await driver.until(lambda: isinstance(driver.app.screen, ChooseOperator))
            await driver.settle()
            shown = driver.text("#operators")
            names = ("JOIN", "SPLIT", "TILE", "GATHER", "PADDING")
            assert {name for name in names if f" {name} " in shown} == {"TILE", "JOIN"}
            await driver.press("escape")
            await driver.until(lambda: driver.app.screen is screen)
        assert len(screen.work.stages) == 1

    play(script, "C07")


def test_it_is_all_german_where_the_user_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "user_language", lambda: "de")
    monkeypatch.setenv("DMLVIZ_LANG", "de")
    each = level("C02")
    assert isinstance(each, StagesLevel)

    async def script(driver: Driver) -> None:
        screen = StagesScreen(each, Progress(), "de")
        driver.app.push_screen(screen)
        await driver.until(lambda: driver.app.screen is screen and screen.is_mounted)
        await driver.settle()
        assert "Mach das Ziel aus x" in driver.words("#level-board")
        assert "bis 12 Elemente" in driver.text("#level-given")
        assert "1 von 2 Operatoren" in driver.text("#level-head")
        await driver.press("h")
        assert "Welche Spalten von x" in driver.words("#level-board")

    explore(script, "join-1", (80, 24))
