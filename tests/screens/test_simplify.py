"""Simplifying a chain on the screen: offers by key and mouse, one undo step, and nothing told that is hidden."""

from __future__ import annotations

from support.chain_sessions import rotate_half
from support.driver import Driver, explore, is_top

from dmlviz.screens.dialogs.simplify import Simplify


def operators(driver: Driver) -> list[str]:
    return [one.desc.TYPE.removeprefix("DML_OPERATOR_") for one in driver.screen.workspace.document.session.experiments]


async def offered(driver: Driver) -> None:
    await driver.press("L")
    await driver.until(lambda: is_top(driver, Simplify))


def test_an_offer_takes_the_place_of_stages_and_one_undo_brings_them_back() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("right_curly_bracket")
        await offered(driver)
        assert "2 dispatches fewer, 64 bytes fewer · the same map" in driver.words("#offers")
        await driver.press("enter")
        assert operators(driver) == ["GATHER"]
        state = driver.screen.state
        assert (state.view.experiment.name, state.chain, state.view.report.ok) == ("twice", None, True)
        await driver.press("u")
        assert operators(driver) == ["SPLIT", "JOIN", "TILE"]
        assert driver.screen.workspace.experiment.name == "swapped"
        assert not driver.screen.state.document.undoable
        await offered(driver)
        await driver.click_text("1 dispatch fewer", "#offers")
        await driver.until(lambda: operators(driver) == ["GATHER", "TILE"])

    explore(script, rotate_half())


def test_a_stage_that_isn_t_written_yet_tells_nothing_of_what_it_would_be() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("home", "L")
        await driver.until(lambda: "is not written yet" in driver.notice)
        assert not is_top(driver, Simplify)

    explore(script, rotate_half())
