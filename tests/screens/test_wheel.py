"""The wheel scrolls the tensor under the pointer, where several large ones share a window."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from support.driver import Driver
from support.one_session import one
from support.real_terminal import HOVER, Terminal
from textual.events import MouseScrollDown, MouseScrollUp

import dmlviz as dml
from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.session.writing import save

WHEEL_UP, WHEEL_DOWN, SHIFT = 64, 65, 4
THREE = dml.Join((dml.TensorDesc("INT8", (300, 200)),) * 3, 0)


def rows(text: str) -> dict[int, int]:
    """The first row that is seen of each input, as the lines on them say."""
    lines = [line[40:] for line in text.split("\n")]
    found = {}
    for title, below in pairwise(lines):
        named, row = re.search(r"InputTensors\[(\d)\] INT8", title), re.match(r"[^│]*?rows ([\d,]+)–", below)
        if named and row:
            found[int(named[1])] = int(row[1].replace(",", ""))
    return found


def first_rows(driver: Driver) -> list[int]:
    """The first row that is seen of each input, asked of what is drawn."""
    stack = driver.side(False).stack
    assert stack is not None
    tops = {each.number: each.top for each in stack.asides}
    scrolled = driver.side(False).scroll_offset.y
    return [tops.get(number, scrolled) for number in range(len(stack.figures))]


async def turn(driver: Driver, number: int, event: type[MouseScrollDown | MouseScrollUp], count: int = 1) -> None:
    """Turns the wheel over one of the inputs."""
    side = driver.side(False)
    assert side.stack is not None
    y = side.stack.tops[number] + 3
    for _ in range(count):
        await driver.pilot._post_mouse_events([event], side, (20, y), button=0)
    await driver.settle()


@pytest.mark.parametrize("size", [(120, 36), (200, 50)])
@pytest.mark.parametrize("session", [one(THREE)])
async def test_each_tensor_scrolls_by_itself_and_the_cursor_stays(driver: Driver) -> None:
    side = driver.side(False)
    assert side.stack is not None
    assert len(side.stack.asides) == 2
    cursor = driver.screen.state.picture.cursor
    for number in range(3):
        before = first_rows(driver)
        await turn(driver, number, MouseScrollDown, 3)
        after = first_rows(driver)
        assert [n for n in range(3) if after[n] != before[n]] == [number]
        assert after[number] > before[number]
    assert driver.screen.state.picture.cursor == cursor
    await turn(driver, 0, MouseScrollUp, 9)
    assert first_rows(driver)[0] == 0, "never beyond its beginning"
    await turn(driver, 0, MouseScrollDown, 400)
    figure, aside = side.stack.figures[0], side.stack.asides[0]
    assert first_rows(driver)[0] == figure.height - aside.height, "nor beyond its end"


@pytest.mark.parametrize("session", [one(THREE)])
async def test_what_is_drawn_after_the_wheel_is_what_a_click_hits(driver: Driver) -> None:
    side = driver.side(False)
    await turn(driver, 1, MouseScrollDown, 5)
    assert side.stack is not None
    for row in (12, 13):
        at = Cursor(Place(False, 1), (row, 2))
        await driver.click(side, driver.cell(at)[0] + 1, driver.cell(at)[1])
        assert driver.screen.state.picture.cursor == at


@pytest.mark.parametrize("session", [one(THREE)])
async def test_what_the_cursor_moves_to_comes_back_into_sight(driver: Driver) -> None:
    side = driver.side(False)
    driver.point(Cursor(Place(False, 0), (0, 0)))
    await driver.settle()
    await turn(driver, 0, MouseScrollDown, 20)
    assert side.line_of(Cursor(Place(False, 0), (0, 0))) is None
    level = side.nearest_line_of(Cursor(Place(False, 0), (0, 0)))
    assert level is not None
    assert 0 <= level < side.size.height, "the lane begins at the edge of its place"
    screen = driver.screen
    screen.set_focus(side)
    await driver.press("down")
    assert side.line_of(Cursor(Place(False, 0), (1, 0))) is not None
    await turn(driver, 1, MouseScrollDown, 4)
    held = first_rows(driver)[1]
    await driver.press("right", "down")
    assert first_rows(driver)[1] == held, "what has nothing to do with the cursor stays as it was scrolled"


def test_the_wheel_of_a_terminal_scrolls_what_it_is_over(start: Callable[..., Terminal], tmp_path: Path) -> None:
    save(one(THREE), tmp_path / "three.json")
    terminal = start("three.json", size=(200, 50))
    terminal.until(lambda text: rows(text) == {0: 0, 1: 0, 2: 0})
    for number in range(3):
        terminal.wait()
        lines = terminal.until(f"InputTensors[{number}]").split("\n")
        y = next(y for y, line in enumerate(lines) if f"InputTensors[{number}]" in line[45:]) + 5
        before = rows(terminal.text())
        terminal.mouse(HOVER, 60, y)
        for _ in range(3):
            terminal.mouse(WHEEL_DOWN, 60, y)
        terminal.until(lambda text, n=number, was=before: rows(text).get(n, 0) > was[n])  # type: ignore[misc]
        terminal.wait()
        after = rows(terminal.text())
        assert {n: row for n, row in after.items() if n != number} == {
            n: row for n, row in before.items() if n != number
        }
    terminal.mouse(HOVER, 60, y)
    terminal.quits()
