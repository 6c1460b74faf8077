"""Questions about an element's source: what keys and clicks choose, what they can't, and what steps show meanwhile."""

from __future__ import annotations

import pytest
from support.answering import begun
from support.driver import Driver, explore
from support.lesson_play import asked, click_cell

from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.screens.learn.question import QuestionScreen
from dmlviz.teaching.lessons.lessons import shipped_lessons

LESSONS = {lesson.id: lesson for lesson in shipped_lessons()}


async def open_step(driver: Driver, lesson: str, kind: str) -> QuestionScreen:
    """Skips to the first step of a kind whose steps can be shown."""
    driver.app.push_screen(QuestionScreen(begun(LESSONS[lesson])))
    await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen) and driver.app.screen.is_mounted)
    screen = asked(driver)
    while screen.state.question.kind.name != kind:
        await driver.press("s", "enter")
    return screen


@pytest.mark.parametrize("size", [(80, 24), pytest.param((120, 36), marks=pytest.mark.slow)])
def test_steps_show_nothing_that_goes_on_to_what_is_asked_and_leave_what_is_chosen(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        screen = await open_step(driver, "join", "source")
        await driver.press("tab", "right")
        chosen = screen.state.answer.pointed
        assert chosen == "InputTensors[1][0,0,0,1]"
        await driver.press("full_stop", "full_stop")
        assert driver.text("#outputs").count("·") == 9, "the first table's row alone is shown, beside what is asked"
        assert not any(f" {number} " in driver.text("#outputs") for number in (6, 7, 8, 9, 10, 11, 12))
        assert screen.state.answer.pointed == chosen
        await driver.press("down")  # from what was chosen, and not from the step's element
        assert screen.state.answer.pointed == "InputTensors[1][0,0,1,1]"
        await driver.press("full_stop", "enter")
        assert screen.state.verdict is not None
        assert screen.state.verdict.right

    explore(script, size=size)


@pytest.mark.parametrize(
    ("kind", "asked_for", "other"),
    [("source", "InputTensor", Place(False, 1)), ("via", "SequenceLengthsTensor", Place(False, 0))],
)
def test_no_key_and_no_click_chooses_of_another_tensor_than_is_asked_for(
    kind: str, asked_for: str, other: Place
) -> None:
    async def script(driver: Driver) -> None:
        screen = await open_step(driver, "reverse", kind)
        for key in (*["right"] * 5, "tab", *["down"] * 4, "tab", *["left"] * 6, "up"):
            await driver.press(key)
            assert screen.state.answer.pointed.startswith(f"{asked_for}[")
        chosen = screen.state.answer.pointed
        await click_cell(driver, Cursor(other, (0, 0, 0, 0)))
        assert screen.state.answer.pointed == chosen
        assert screen.state.answer.sentence
        await click_cell(driver, Cursor(Place(True, 0), (0, 0, 0, 0)))
        assert (screen.state.answer.pointed, bool(screen.state.answer.sentence)) == (chosen, True)
        await driver.press("right")
        assert not screen.state.answer.sentence

    explore(script, size=(80, 24))
