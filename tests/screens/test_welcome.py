"""The ways to begin: offered at the first launch without a file, and later by the palette alone."""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from support.driver import Driver, is_top
from support.lesson_play import asked, running
from support.quiet_pilot import piloted
from support.real_terminal import Terminal
from textual import events
from textual.widget import Widget
from textual.widgets import OptionList, TextArea

import dmlviz.app
from dmlviz.app import DmlvizApp
from dmlviz.cli.explore import run as explore_command
from dmlviz.errors import SessionError
from dmlviz.screens.dialogs.choose import WAYS, Welcome
from dmlviz.screens.dialogs.gallery import Gallery
from dmlviz.screens.dialogs.import_dialog import ImportDialog
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.screens.learn.course_map import CourseMapScreen
from dmlviz.screens.learn.lesson import LessonScreen
from dmlviz.session import examples
from dmlviz.session.recent_files import Recent, first
from dmlviz.session.writing import dump
from dmlviz.teaching.progress.progress import LESSONS

ASKED = "How do you want to begin?"
LEADS_TO: list[type[Widget]] = [CourseMapScreen, Gallery, ImportDialog]
"""What each of the choices opens, in their order."""
Script = Callable[[Driver], Awaitable[None]]


def launch(script: Script, *, size: tuple[int, int] = (120, 36), learns: str | None = None) -> None:
    """A launch without a file, which remembers what was before it."""

    async def run() -> None:
        opened = first()
        app = DmlvizApp(opened.session, remembers=True, opened=opened, learns=learns, welcomes=True)
        async with piloted(app, size) as pilot:
            driver = Driver(app, pilot)
            await driver.settle()
            await script(driver)
        app.close_keeper()

    asyncio.run(run())


async def offered(driver: Driver) -> None:
    await driver.until(lambda: is_top(driver, Welcome) and driver.app.screen.is_mounted)


async def not_offered(driver: Driver) -> None:
    await driver.until(lambda: all(each.is_finished for each in driver.app.workers))
    assert is_top(driver, Explorer)


@pytest.mark.parametrize("size", [(60, 18), (80, 24), (120, 36)])
def test_each_choice_is_whole_and_in_sight(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        await offered(driver)
        shown = driver.words("#ways")
        for n, (name, about) in enumerate(WAYS.values(), 1):
            assert f"{n} {name}" in shown
            assert about in shown
        ways = driver.app.screen.query_one("#ways", OptionList)
        assert ways.max_scroll_y == 0
        for key in ("later by t", "later by ^o", "later by i"):
            assert key in shown

    launch(script, size=size)


@pytest.mark.parametrize("number", range(len(WAYS)))
@pytest.mark.parametrize("way", ["digit", "arrows", "click"])
def test_each_choice_is_taken_by_its_digit_by_arrows_and_by_a_click(number: int, way: str) -> None:
    async def script(driver: Driver) -> None:
        await offered(driver)
        if way == "digit":
            await driver.press(str(number + 1))
        elif way == "arrows":
            await driver.press(*["down"] * number, "enter")
        else:
            name, _ = [*WAYS.values()][number]
            await driver.click_text(name, "#ways")
        await driver.until(lambda: is_top(driver, LEADS_TO[number]))
        await driver.press("escape")
        await driver.until(lambda: is_top(driver, Explorer))

    launch(script)


def test_from_the_start_to_the_first_reveal_are_at_most_eight_keys() -> None:
    """By what the screens say: the first choice, the first lesson, a letter, and enter; a wrong one reveals as well."""

    async def script(driver: Driver) -> None:
        await offered(driver)
        await driver.press("1")
        await driver.until(lambda: is_top(driver, CourseMapScreen) and driver.app.screen.is_mounted)
        await driver.press("enter")
        await driver.until(lambda: is_top(driver, LessonScreen) and driver.app.screen.is_mounted)
        screen = asked(driver)
        assert running(driver).lesson.id == LESSONS[0]
        assert screen.state.open
        await driver.press(next(each for each in "ab" if each != screen.state.question.truth), "enter")
        assert not screen.state.open
        assert screen.state.verdict is not None
        assert screen.state.picture.scene is not None, "the picture is shown whole"
        assert driver.keys <= 8

    launch(script, size=(80, 24))


@pytest.mark.parametrize("leaves", [["escape"], ["1"], ["2"], ["3"], []], ids=lambda keys: "".join(keys) or "killed")
def test_it_is_offered_at_the_first_launch_and_never_again(leaves: list[str]) -> None:
    async def leave(driver: Driver) -> None:
        await offered(driver)
        await driver.press(*leaves)

    launch(leave)
    launch(not_offered)


def test_after_looking_around_the_hint_stays_until_a_key() -> None:
    async def script(driver: Driver) -> None:
        await offered(driver)
        await driver.press("escape")
        await not_offered(driver)
        assert "t teaches you" in driver.text()
        await driver.press("down")
        assert "t teaches you" not in driver.text()

    launch(script)


async def test_the_palette_asks_again(driver: Driver) -> None:
    found = {each.title: each for each in driver.app.get_system_commands(driver.app.screen)}
    await found["Welcome"].callback()
    await offered(driver)
    assert ASKED in driver.text()
    await driver.press("2")
    await driver.until(lambda: is_top(driver, Gallery))


def test_what_is_pasted_there_is_imported() -> None:
    text = dump(examples.example("tile-1").session())

    async def script(driver: Driver) -> None:
        await offered(driver)
        driver.app.post_message(events.Paste(text))
        await driver.until(lambda: is_top(driver, ImportDialog))
        await driver.until(lambda: "three by three copies" in driver.text())
        assert "three by three copies" in driver.app.screen.query_one("#pasted", TextArea).text

    launch(script)


def test_a_launch_that_learns_goes_to_the_course_at_once() -> None:
    async def script(driver: Driver) -> None:
        await driver.until(lambda: is_top(driver, CourseMapScreen))
        assert not any(isinstance(each, Welcome) for each in driver.app.screen_stack)

    launch(script, learns="")


def test_where_it_cannot_be_kept_nothing_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Recent) -> None:
        raise SessionError("recent.json can't be written: no space left on device.")

    monkeypatch.setattr(Recent, "keep", full)
    launch(not_offered)


@pytest.mark.parametrize(
    ("words", "browser", "welcomes"), [([], False, True), (["tile-1"], False, False), ([], True, False)]
)
def test_only_a_launch_in_a_terminal_without_a_file_welcomes(
    words: list[str], browser: bool, welcomes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[object] = []

    def opened(*_: object, **how: object) -> int:
        told.append(how["welcomes"])
        return 0

    class Tty(io.StringIO):
        def isatty(self) -> bool:
            return True

    if browser:
        monkeypatch.setenv("TEXTUAL_DRIVER", "dmlviz.screens.tab_driver:TabDriver")
        monkeypatch.setattr("dmlviz.desc.npy_files.allowed", None)
    monkeypatch.setattr(dmlviz.app, "explore", opened)
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, Tty())
    monkeypatch.setattr("dmlviz.cli.explore.signal.signal", lambda *_: None)
    assert explore_command(words) == 0
    assert told == [welcomes]


@pytest.mark.parametrize(
    ("title", "key", "leads_to"),
    [
        pytest.param("Learn", "1", "tab lessons, levels"),
        pytest.param("Explore an example", "2", "Open a session file or an example", marks=pytest.mark.slow),
        pytest.param("Paste a desc", "3", "tab goes to the buttons", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("by_mouse", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["click", "key"])
def test_in_a_terminal_each_leads_somewhere_and_the_next_launch_begins_without(
    tmp_path: Path, title: str, key: str, leads_to: str, by_mouse: bool
) -> None:
    line = [sys.executable, "-m", "dmlviz"]
    terminal = Terminal(line, 80, 24, tmp_path, first=True)
    try:
        terminal.until(ASKED)
        terminal.wait()
        if by_mouse:
            terminal.click_text(title)
        else:
            terminal.send(key)
        terminal.until(lambda text: ASKED not in text and leads_to in text)
    finally:
        terminal.process.close(force=True)
    terminal = Terminal(line, 80, 24, tmp_path, first=True)
    try:
        terminal.until("8 of 8")
        terminal.wait()
        assert ASKED not in terminal.text()
        terminal.quits()
    finally:
        terminal.process.close(force=True)
