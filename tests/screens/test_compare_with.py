"""`=` on the screen: from every focus, by key and by mouse, at every size; and in a terminal by its bytes."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest
from support.chain_sessions import rotate_half
from support.cursors import out
from support.driver import SIZES, Driver, explore, is_top
from support.real_terminal import Terminal

from dmlviz.equality import deciding
from dmlviz.screens.dialogs.compare_with import CompareWith
from dmlviz.stopping import checkpoint
from dmlviz.workspace.explorer import comparing

EXAMPLE = "chain-tile-or-join-first"
VERDICT = "Different: joined, then tiled[0,2] reads InputTensors[1][0,0] of joined here and InputTensor[0,0] of first"


def verdict(driver: Driver) -> str:
    return driver.words("#caption")


@pytest.mark.parametrize("size", SIZES)
def test_one_press_says_why_two_chains_differ(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("ctrl+left")
        if size[0] >= 170:
            await driver.click_text("= compare", "#chain")
        else:
            await driver.press("equals_sign")
        await driver.until(lambda: VERDICT in verdict(driver))
        assert driver.screen.state.picture.cursor == out(0, 2)
        assert "= the other · esc leaves" in verdict(driver)
        for sign in ("3≠", "4≠", "1≠", "2≠"):
            assert sign in driver.text("#outputs")
        path = driver.words("#path")
        assert "joined[0,2] ⇠ InputTensors[1][0,0] = 3" in path
        assert "first twice[0,2] ⇠ InputTensor[0,0] of first twice = 1" in path
        await driver.press("right_square_bracket")
        assert driver.screen.state.picture.cursor == out(0, 3)
        await driver.click_text("Different", "#caption")
        assert driver.screen.state.picture.cursor == out(0, 2)
        await driver.press("equals_sign")
        await driver.until(lambda: "Different: tiled, then joined[0,2] reads" in verdict(driver))
        assert driver.screen.workspace.experiment.name == "tiled, then joined"
        await driver.press("equals_sign")
        assert driver.screen.workspace.experiment.name == "joined, then tiled"
        await driver.press("c")
        await driver.until(lambda: "The verdict" in driver.text())
        await driver.press("enter")
        await driver.until(lambda: driver.app.clipboard.startswith("Different: joined, then tiled[0,2] reads"))
        assert driver.app.clipboard.count("⇠") == 4
        await driver.press("escape")
        assert not driver.screen.query_one("#caption").display
        assert "≠" not in driver.text("#outputs")

    explore(script, EXAMPLE, size)


@pytest.mark.parametrize("focus", ["#rules", "#inputs", "#outputs", "Repeats"])
def test_it_begins_from_each_focus_and_a_field_is_typed_into(focus: str) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("ctrl+left")
        if focus.startswith("#"):
            driver.screen.query_one(focus).focus()
        else:
            await driver.focus(focus)
        await driver.settle()
        await driver.press("equals_sign")
        if not focus.startswith("#"):
            assert driver.screen.state.comparison is None
            await driver.press("ctrl+z", "escape", "equals_sign")
        await driver.until(lambda: VERDICT in verdict(driver))
        await driver.press("escape", "escape")
        assert driver.screen.state.comparison is None

    explore(script, EXAMPLE)


def test_it_asks_where_several_can_be_meant_and_a_click_chooses() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("right_curly_bracket", "equals_sign")
        await driver.until(lambda: is_top(driver, CompareWith))
        assert "Compare swapped with" in driver.text()
        await driver.press("escape")
        assert driver.screen.state.comparison is None
        await driver.press("equals_sign")
        await driver.until(lambda: is_top(driver, CompareWith))
        await driver.click_text("twice", "#outputs-compared")
        await driver.until(
            lambda: "Different: Sizes is {1,8} here and {1,16} there." in verdict(driver).replace(", ", ",")
        )
        assert "≠" not in driver.text("#outputs")

    explore(script, rotate_half())


def test_what_takes_long_leaves_the_screen_free_and_escape_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = threading.Event(), threading.Event()

    def slow(*_: object) -> deciding.Verdict:
        begun.set()
        try:
            while True:
                ended.wait(0.001)
                checkpoint()
        finally:
            ended.set()

    monkeypatch.setattr(comparing, "same", slow)

    async def script(driver: Driver) -> None:
        await driver.press("ctrl+left", "equals_sign")
        await driver.until(begun.is_set)
        assert "comparing with" in verdict(driver)
        await driver.press("right")
        assert driver.screen.state.picture.cursor == out(0, 1)
        await driver.press("escape")
        assert not driver.screen.query_one("#caption").display
        await driver.until(ended.is_set)

    explore(script, EXAMPLE)


@pytest.mark.parametrize("colours", [{}, {"NO_COLOR": "1"}])
def test_in_a_terminal_by_its_bytes_and_mouse(colours: dict[str, str], tmp_path: Path) -> None:
    shown = Terminal([sys.executable, "-m", "dmlviz", EXAMPLE], 80, 24, tmp_path, colours)
    shown.until("first twice")
    shown.wait()
    shown.send("\x1b[1;5D")
    shown.until("covered while its question is open")
    shown.send("=")
    shown.until('"joined, then')
    assert "≠" not in shown.text()
    shown.send("\x1b")
    shown.until("OutputTensor[0,0] = InputTensor")
    shown.send("\x10")
    shown.until("Search")
    shown.send("compare with")
    shown.until("Compare with")
    shown.wait()
    shown.send("\r")
    shown.until("here  ⇠ joined[0,2] ⇠ InputTensors[1][0,0] = 3")
    shown.until("there ⇠ first twice[0,2] ⇠ InputTensor[0,0] of first twice = 1")
    shown.until(lambda text: text.count("≠") == 5)  # four cells, and the verdict
    shown.send("]")
    shown.until("here  ⇠ joined[0,3]")
    shown.click_text("Different, 2 of 4")
    shown.until("here  ⇠ joined[0,2]")
    shown.send("=")
    shown.until("here  ⇠ first twice[0,2]")
    shown.send("\x1b")
    shown.until(lambda text: "≠" not in text)
    shown.quits()
