"""Nothing is chosen until somebody chooses: enter alone is never graded, and a second try replaces the first."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.answering import Clock
from support.driver import Driver, explore
from support.every_kind import KINDS, of_kind
from support.lesson_play import answer_by_keys, asked
from support.levels import level
from support.real_terminal import Terminal
from support.untouched import is_untouched

from dmlviz.screens.learn.level import LevelScreen
from dmlviz.screens.learn.question import QuestionScreen
from dmlviz.session import examples
from dmlviz.session.experiments import Session
from dmlviz.session.writing import dump
from dmlviz.teaching.progress.progress import Progress
from dmlviz.teaching.words.catalogue import sentence
from dmlviz.workspace.asking.answering import first_sentence
from dmlviz.workspace.asking.ask_state import Form
from dmlviz.workspace.asking.asking import Asking

SIZES = [(80, 24), pytest.param((60, 18), marks=pytest.mark.slow), pytest.param((120, 36), marks=pytest.mark.slow)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_enter_alone_is_not_graded_and_says_what_to_choose(kind: str, size: tuple[int, int]) -> None:
    experiment, question = of_kind(kind)
    progress = Progress()

    async def script(driver: Driver) -> None:
        driver.app.push_screen(QuestionScreen(Asking(experiment, progress, Clock(), own=question)))
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen) and driver.app.screen.is_mounted)
        screen = asked(driver)
        assert is_untouched(screen.state)
        await driver.press("enter", "enter")
        assert screen.state.open
        assert is_untouched(screen.state)
        assert not progress.answers
        if screen.state.form is Form.DOOR:
            return  # the level's own screen is answered
        assert screen.state.entry.sentence == first_sentence(question) or question.kind.name == "order"
        assert screen.state.entry.sentence in " ".join(driver.text("#ask-board").split())
        await answer_by_keys(driver)  # and what is chosen then is taken
        assert screen.state.feedback.verdict is not None, screen.state.entry.sentence
        assert screen.state.feedback.verdict.right

    explore(script, Session((experiment,)), size)


def test_where_four_pictures_have_no_room_the_one_that_is_seen_is_not_chosen() -> None:
    progress = Progress()
    experiment = examples.example("join-2-axis-3").session().experiments[0]

    async def script(driver: Driver) -> None:
        driver.app.push_screen(QuestionScreen(Asking(experiment, progress, Clock(), only=["pictures"])))
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen) and driver.app.screen.is_mounted)
        assert "▹a" in driver.text("#ask-board")
        await driver.press("enter")
        assert "▹a" in driver.text("#ask-board")
        assert not progress.answers
        await driver.press("right")
        assert "▸[a]" in driver.text("#ask-board")

    explore(script, size=(60, 18))


@pytest.mark.parametrize("name", ["L01", "L06", "L07"])
def test_enter_in_a_level_that_nobody_changed_is_kept_nowhere(name: str) -> None:
    progress = Progress()

    async def script(driver: Driver) -> None:
        driver.app.push_screen(LevelScreen(level(name), progress))
        await driver.until(lambda: isinstance(driver.app.screen, LevelScreen) and driver.app.screen.is_mounted)
        await driver.press("enter")
        screen = driver.app.screen
        assert isinstance(screen, LevelScreen)
        assert screen.state.feedback.explained == sentence("level.unchanged")
        assert not screen.state.feedback.rules, "who has changed nothing follows no rule"
        assert not progress.answers

    explore(script, size=(80, 24))


def test_a_number_that_was_checked_in_a_level_is_replaced() -> None:
    async def script(driver: Driver) -> None:
        driver.app.push_screen(LevelScreen(level("L03"), Progress()))
        await driver.until(lambda: isinstance(driver.app.screen, LevelScreen) and driver.app.screen.is_mounted)
        screen = driver.app.screen
        assert isinstance(screen, LevelScreen)
        while screen.strip.focused_key != "Repeats":
            await driver.press("right")
        await driver.press("7", "enter", "2")
        assert screen.work.experiment.desc.get("Repeats")[0] == 2

    explore(script, size=(80, 24))


# ---- in a terminal


def in_terminal(tmp_path: Path, kind: str, play: Callable[[Terminal, Any], None]) -> None:
    """Plays in a low terminal on a session of one task of a kind."""
    experiment, question = of_kind(kind)
    path = tmp_path / "session.json"
    path.write_text(dump(Session((experiment,))))
    terminal = Terminal([sys.executable, "-m", "dmlviz", str(path)], 80, 24, tmp_path)
    try:
        terminal.until("? keys")
        terminal.send("g")
        terminal.until("enter answer")
        terminal.wait()
        play(terminal, question)
    finally:
        terminal.process.close(force=True)


def test_by_keys_of_a_terminal_nothing_is_graded_before_something_is_chosen(tmp_path: Path) -> None:
    def play(terminal: Terminal, question: Any) -> None:
        terminal.send("\r")
        terminal.until("Choose first")
        assert "Right" not in terminal.text()
        terminal.send("\x1b[C")
        terminal.until("[a]")
        terminal.send(question.truth)
        terminal.until(f"[{question.truth}]")
        terminal.send("\r")
        terminal.until("Right")

    in_terminal(tmp_path, "pictures", play)


def test_by_the_mouse_of_a_terminal_nothing_is_graded_before_something_is_chosen(tmp_path: Path) -> None:
    def play(terminal: Terminal, question: Any) -> None:
        terminal.click_text("enter answer")
        terminal.until("Mark elements of the outputs first")
        terminal.click_text(" n none ", below="Answer")
        terminal.until("Answer  none")
        terminal.click_text("enter answer")
        terminal.until("enter: ")

    in_terminal(tmp_path, "dest", play)
