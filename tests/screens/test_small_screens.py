"""80x24, the projector: what stands around the picture takes the lines that it needs, and no more."""

from __future__ import annotations

import pytest
from support.driver import Driver, explore, header, is_top, panel

from dmlviz.screens.explorer.explorer import Explorer

OPERATORS = ("gather-2", "join-1", "reverse-1", "split-1", "tile-1")


def lines_of(driver: Driver, selector: str) -> list[str]:
    return [line.strip() for line in driver.text(selector).split("\n")]


@pytest.mark.parametrize("session", OPERATORS)
@pytest.mark.parametrize("size", [(80, 24)])
async def test_no_line_is_blank_between_the_picture_and_the_footer(driver: Driver) -> None:
    below = driver.text().split("\n")[driver.screen.pane.region.bottom : 24]
    formula, transport, question = (lines_of(driver, each) for each in ("#formula", "#transport", "#question"))
    assert len(below) == len(formula) + len(transport) + len(question) + 1
    assert all(transport + question)
    assert formula[0].startswith("OutputTensor")
    assert len(formula) <= 2
    assert panel(driver) == ""
    assert driver.screen.pane.size.height >= 15


@pytest.mark.parametrize("size", [(60, 18), (80, 24)])
@pytest.mark.parametrize("session", ["gather-2", "gather-3-as-printed", "warning-length-clamped"])
async def test_every_small_size_shows_all_that_is_needed(driver: Driver, size: tuple[int, int]) -> None:
    screen, width = driver.screen, size[0]
    assert all(len(line) == width for line in driver.text().split("\n"))
    assert screen.pane.region.height >= 4
    assert screen.query_one("#question").region.bottom == size[1] - 1
    assert screen.query_one("#right").region.bottom <= screen.query_one("#question").region.y
    ok = screen.state.view.report.ok
    last = screen.query_one("#transport" if ok else "#rules").region
    assert last.bottom == screen.query_one("#question").region.y  # nothing lies below another
    assert "n reads on" not in driver.text("#question")
    for key in screen.state.form.strip[:1]:
        assert key in driver.text("#strip")


@pytest.mark.parametrize("size", [(3, 3), (10, 30)])
@pytest.mark.parametrize("keys", [["ctrl+e"], ["ctrl+n"], ["ctrl+o"], ["x"], ["f2", "enter"]])
def test_lists_stand_a_window_of_any_size(size: tuple[int, int], keys: list[str]) -> None:
    async def script(driver: Driver) -> None:
        await driver.press(*keys)
        top = driver.app.screen
        for other in (size, (120, 36), size):
            await driver.resize(other)
            assert driver.text().count("\n") == other[1] - 1
        assert driver.app.screen is top

    explore(script, size=(80, 24))
    explore(script, size=size)


@pytest.mark.parametrize("keys", ["ctrl+e", "ctrl+n", "ctrl+o", "ctrl+g", "ctrl+p", *"aginptvWx?", "f1", "f12"])
def test_the_window_changes_its_size_behind_whatever_is_open_over_a_chain(keys: str) -> None:
    async def script(driver: Driver) -> None:
        for by in ("end", "down", "home"):
            await driver.press({"?": "question_mark"}.get(keys, keys), by)
            for size in ((60, 18), (120, 36)):
                await driver.resize(size)
            await driver.press("escape", "escape")
            assert is_top(driver, Explorer)
            workspace = driver.screen.workspace
            assert driver.screen.state.view.experiment is workspace.experiment
            assert f"{workspace.document.number + 1} of " in header(driver)

    explore(script, "chain-tile-or-join-first")
