"""The screen of a question: by keys alone and by mouse alone, left from everywhere, in rooms of every size."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from support.answering import Clock, give
from support.driver import Driver, explore
from support.kinds import KINDS, of_kind
from support.lesson_play import (
    answer_by_keys,
    answer_by_mouse,
    asked,
    click_footer,
    easy_keys,
)
from support.real_terminal import Terminal
from textual.events import MouseScrollDown, MouseScrollUp

import dmlviz as dml
from dmlviz.desc.value_sources import Listed
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.screens.learn.question import QuestionScreen
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.teaching.progress.progress import Progress
from dmlviz.teaching.questions.subject import shown
from dmlviz.widgets.boards.answer_board import AnswerBoard
from dmlviz.workspace.asking.asking import AskDesk

SOME = [(60, 18), *(pytest.param(size, marks=pytest.mark.slow) for size in ((80, 24), (200, 50)))]


async def opened(driver: Driver, desk: AskDesk | None = None) -> QuestionScreen:
    """The question that `g` opens, or another."""
    if desk is None:
        await driver.press("g")
    else:
        driver.app.push_screen(QuestionScreen(desk))
    await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen) and driver.app.screen.is_mounted)
    return asked(driver)


async def ask(driver: Driver, kind: str) -> QuestionScreen:
    """Opens a question of one kind about what is shown."""
    return await opened(driver, AskDesk(driver.screen.state.document.experiment, Progress(), Clock(), only=[kind]))


def is_right(screen: QuestionScreen) -> bool:
    verdict = screen.state.verdict
    assert verdict is not None, screen.state.answer.sentence
    return verdict.right


@pytest.mark.parametrize("size", SOME)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("by_mouse", [False, True])
def test_by_keys_alone_and_by_mouse_alone(kind: str, size: tuple[int, int], by_mouse: bool) -> None:
    """Enter alone is never graded, and says what to choose; an easy kind takes three keys."""
    experiment, question = of_kind(kind)
    progress = Progress()

    async def script(driver: Driver) -> None:
        screen = await opened(driver, AskDesk(experiment, progress, Clock(), own=question))
        assert "".join(question.prompt.split()) in "".join(driver.text("#ask-board").split()), "it is in sight"
        await (click_footer(driver, "enter") if by_mouse else driver.press("enter"))
        assert screen.state.open
        assert not progress.answers
        if screen.state.form.how == "edit":
            return  # the level's own screen is answered
        assert screen.state.answer.sentence in " ".join(driver.text("#ask-board").split())
        driver.keys = 0
        await (answer_by_mouse(driver) if by_mouse else answer_by_keys(driver))
        easy_keys(screen.desk, driver.keys)
        assert is_right(screen)
        assert "Right" in driver.text("#ask-board")
        assert "enter:" in driver.words("#ask-board") or screen.query_one(AnswerBoard).max_scroll_y
        await (click_footer(driver, "enter go on") if by_mouse else driver.press("enter"))
        assert screen.state.open
        await (click_footer(driver, "h hint") if by_mouse else driver.press("h"))
        assert screen.state.hints == 1
        await (click_footer(driver, "s skip") if by_mouse else driver.press("s"))
        assert not screen.state.open
        await (click_footer(driver, "esc leave") if by_mouse else driver.press("escape"))
        assert isinstance(driver.app.screen, Explorer)

    explore(script, Session((experiment,)), size)


@pytest.mark.parametrize("session", ["tile-1"])
@pytest.mark.parametrize("size", [(60, 18)])
async def test_g_asks_about_the_desc_what_the_example_asks_first_and_once_it_is_answered_other_things(
    driver: Driver,
) -> None:
    screen = await opened(driver)
    assert "How often is the 5 read?" in driver.text()
    await driver.press("escape", "g")
    screen = asked(driver)
    assert "How often is the 5 read?" in driver.text(), "it isn't answered yet"
    await driver.press("9", "enter")
    assert is_right(screen)
    await driver.press("enter")
    assert screen.state.open
    assert "How often is the 5 read?" not in driver.text()
    await driver.press("escape", "g")
    assert "How often is the 5 read?" not in driver.text()
    assert asked(driver).desk.experiment is driver.screen.state.document.experiment


def test_clicks_of_a_real_terminal_answer_from_a_fresh_start(tmp_path: Path) -> None:
    """A pictures question and a cell question, by real mouse bytes alone; the answers are in the user's file."""
    path = tmp_path / "session.json"
    path.write_bytes(examples.example("reverse-1").path.read_bytes())
    session: Session = examples.example("reverse-1").session()
    twin = AskDesk(session.experiments[0], Progress(), Clock())
    assert twin.question.kind.name == "pictures"
    terminal = Terminal([sys.executable, "-m", "dmlviz", str(path)], 100, 30, tmp_path)
    try:
        terminal.until("12 of 12")
        terminal.send("g")
        terminal.until(twin.question.prompt)
        terminal.click_text(f" {twin.question.truth} ", below="Which picture")
        terminal.until(f"[{twin.question.truth}]")
        terminal.click_text("enter answer")
        terminal.until("Right")
        terminal.click_text("enter go on")
        give(twin, twin.question.truth)
        twin.answer()
        terminal.until(twin.question.prompt)
        for digit in shown(twin.question.truth):
            terminal.click_text(f" {digit} ", below="Answer")
        terminal.until(f"Answer  {shown(twin.question.truth)} ")
        terminal.click_text("↵")
        terminal.until("Right")
        terminal.send("\x1b")
        terminal.until("12 of 12")
    finally:
        terminal.crash()
    (kept,) = (tmp_path / ".home").rglob("progress.jsonl")
    answers = [json.loads(line) for line in kept.read_text().splitlines()]
    assert [(each["kind"], each["right"]) for each in answers] == [("pictures", True), ("cell", True)]


@pytest.mark.parametrize("kind", ["order", "dest"])
def test_a_click_that_turns_to_another_slice_answers_nothing(kind: str) -> None:
    cubes = dml.Tile(dml.TensorDesc("FLOAT32", (6, 5, 4, 4)), (1, 1, 1, 2))

    async def script(driver: Driver) -> None:
        screen = await ask(driver, kind)
        before = screen.state
        await driver.click_text("›", "#outputs" if kind == "dest" else "#inputs")
        state = screen.state
        assert state.picture.cursor != before.picture.cursor
        assert (state.answer.slots, state.picture.look.entries) == (before.answer.slots, before.picture.look.entries)

    explore(script, Session((Experiment("cubes", cubes),)), (80, 24))


@pytest.mark.parametrize("size", [(80, 24), (60, 18)])
def test_the_last_row_of_a_choice_and_every_hint_are_reached_by_keys_and_by_the_wheel(size: tuple[int, int]) -> None:
    """Choices of twelve rows with wide numbers, of which one at a time has room, and no room for all its rows."""
    data = dml.TensorDesc("FLOAT32", (1, 1, 12, 4))
    desc = dml.ReverseSubsequences(data, dml.TensorDesc("UINT32", (1, 1, 12, 1)), 3)
    numbers = tuple(100_000_000 + 8 * k for k in range(48))
    values = {"InputTensor": Listed(numbers, (48,)), "SequenceLengthsTensor": Listed((3,) * 12, (12,))}
    session = Session((Experiment("tall", desc, values=values),))

    async def script(driver: Driver) -> None:
        screen = await ask(driver, "pictures")
        board = screen.query_one(AnswerBoard)
        last = re.compile(r"1000003(52|60|68|76)")
        for _ in range(4):
            await driver.press("h")
            assert screen.state.hint.split()[-1] in driver.text("#ask-board")
        for _ in range(12):
            await driver.press("pageup")
        assert not last.search(driver.text("#ask-board"))
        seen = ""
        for _ in range(12):
            await driver.press("pagedown")
            seen += driver.text("#ask-board")
        assert last.search(seen)
        for kind, end in ((MouseScrollUp, 0), (MouseScrollDown, board.max_scroll_y)):
            for _ in range(40):
                board.post_message(kind(board, 1, 1, 0, 0, 0, False, False, False))
            await driver.settle()
            assert board.scroll_offset.y == end

    explore(script, session, size)


@pytest.mark.parametrize("session", ["reverse-1"])
async def test_what_comes_late_to_a_page_that_was_left_does_nothing(driver: Driver) -> None:
    explorer = driver.screen
    await driver.press("g")
    await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen))
    left = driver.app.screen
    assert isinstance(left, QuestionScreen)
    await driver.press("escape")
    await driver.until(lambda: driver.app.screen is explorer and not left.is_attached)
    left.action_do("hint")


@pytest.mark.parametrize("session", ["tile-1"])
@pytest.mark.parametrize("size", [(80, 24)])
async def test_at_80x24_numbers_stand_in_the_middle_of_cells_and_the_keypad_apart_from_its_answer(
    driver: Driver,
) -> None:
    screen = await opened(driver)
    scene = screen.state.picture.scene
    assert scene is not None
    assert all(figure.cell >= 3 for stack in (scene.inputs, scene.outputs) for figure in stack.figures)
    lines = driver.text("#ask-board").split("\n")
    keys = next(y for y, line in enumerate(lines) if "⌫" in line)
    assert not lines[keys - 1].strip()
