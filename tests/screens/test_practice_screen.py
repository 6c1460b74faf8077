"""Practice over the explorer: its key, its palette entries, escape, and the desc that is taken along."""

from __future__ import annotations

from support.driver import Driver, explore

from dmlviz.screens.learn.question import QuestionScreen


def test_a_practised_desc_is_explored_as_an_experiment_of_its_own() -> None:
    async def script(driver: Driver) -> None:
        explorer = driver.screen
        count = len(explorer.workspace.document.session.experiments)
        await driver.press("G")
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen))
        screen = driver.app.screen
        assert isinstance(screen, QuestionScreen)
        desc = screen.desk.experiment.desc
        assert desc.TYPE == "DML_OPERATOR_TILE"
        await driver.press("s", "e")
        await driver.until(lambda: driver.app.screen is explorer)
        session = explorer.workspace.document.session
        assert len(session.experiments) == count + 1
        assert explorer.workspace.document.experiment.desc == desc
        assert explorer.workspace.document.experiment.name.startswith("practice")
        await driver.press("ctrl+z")
        assert len(explorer.workspace.document.session.experiments) == count

    explore(script, "tile-1")


def test_a_question_waits_while_its_desc_is_explored() -> None:
    async def script(driver: Driver) -> None:
        explorer = driver.screen
        await driver.press("g")
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen))
        first = driver.app.screen
        assert isinstance(first, QuestionScreen)
        question = first.state.question
        await driver.press("h", "e")
        await driver.until(lambda: driver.app.screen is explorer)
        await driver.press("right", "g")
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen))
        again = driver.app.screen
        assert isinstance(again, QuestionScreen)
        assert again.state.question is question
        assert again.state.hints == 1
        await driver.press("escape")
        await driver.until(lambda: driver.app.screen is explorer)

    explore(script, "reverse-1")


def test_what_comes_late_to_a_page_that_was_left_does_nothing() -> None:
    async def script(driver: Driver) -> None:
        explorer = driver.screen
        await driver.press("g")
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen))
        left = driver.app.screen
        assert isinstance(left, QuestionScreen)
        await driver.press("escape")
        await driver.until(lambda: driver.app.screen is explorer and not left.is_attached)
        left.action_do("hint")

    explore(script, "reverse-1")
