"""Help in the course: `?` and F1 on each of its screens tell the signs that are on it, the words, and the keys."""

from __future__ import annotations

import re
import unicodedata

import pytest
from support.answering import Clock
from support.driver import Driver, explore
from support.levels import level

from dmlviz.screens.dialogs.learn_help import LearnHelp
from dmlviz.screens.learn.lesson import LessonScreen
from dmlviz.screens.learn.level import LevelScreen
from dmlviz.screens.learn.question import QuestionScreen
from dmlviz.teaching.lessons.lessons import Lesson, shipped_lessons
from dmlviz.teaching.levels.level import answer_of
from dmlviz.teaching.progress.progress import Answered, Progress
from dmlviz.teaching.words.catalogue import FIELDS, WORDS, found
from dmlviz.workspace.asking.following import LessonDesk
from dmlviz.workspace.lessons.lesson import RunningLesson

DRAWN = {*"─│▀▄█▁▂▃▅▆▇▌▊▎▔━┃·…—–−⌫↵×←↑→↓≤≥■□╭╮╰╯▘▝▖▗"}
"""What cells, bars and keys are drawn of, and signs of arithmetic."""


def signs_of(text: str) -> set[str]:
    """The signs in a text that are neither letters, figures nor punctuation."""
    return {sign for sign in text if ord(sign) > 127 and unicodedata.category(sign)[0] in "SN"} - DRAWN


async def told(driver: Driver, key: str) -> str:
    """What help says, opened by a key and closed by escape."""
    await driver.press(key)
    await driver.until(lambda: isinstance(driver.app.screen, LearnHelp) and driver.app.screen.is_mounted)
    await driver.settle()
    screen = driver.app.screen
    assert isinstance(screen, LearnHelp)
    said = screen.text.plain
    await driver.press("escape")
    assert driver.app.screen is not screen
    return said


async def hold(driver: Driver) -> None:
    """Holds the help of the screen that has the keys against what stands on that."""
    on_screen, above = driver.text(), driver.app.screen
    for key in ("question_mark", "f1"):
        said = await told(driver, key)
        assert driver.app.screen is above
        assert not signs_of(on_screen) - {*said}, (signs_of(on_screen) - {*said}, on_screen)
        for name in WORDS:
            term, _, about = name.partition(": ")
            told_here = type(above) is not QuestionScreen or name not in FIELDS or name in found(on_screen)
            assert (f"{term}  {about}" in said) == told_here
        assert "esc" in said
    assert re.search(r"\? (help|Hilfe| *$)", on_screen) or isinstance(above, LevelScreen)


@pytest.mark.parametrize("lesson", shipped_lessons(), ids=lambda lesson: lesson.id)
def test_help_tells_each_sign_of_a_lesson_before_and_after_answers(lesson: Lesson) -> None:
    async def script(driver: Driver) -> None:
        progress = Progress()
        running = RunningLesson(lesson, progress.answers, number=1)
        asking = LessonDesk(running, progress, Clock())
        driver.app.push_screen(LessonScreen(asking, progress))
        await driver.until(lambda: isinstance(driver.app.screen, LessonScreen) and driver.app.screen.is_mounted)
        for _ in range(4):
            await driver.settle()
            await hold(driver)
            await driver.press("s")
            await hold(driver)
            await driver.press("enter")

    explore(script, "join-1", (80, 24))


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_help_tells_each_sign_of_a_level_a_question_and_the_map(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        await driver.press("t")
        await driver.settle()
        await hold(driver)
        for name in ("L15", "L28"):
            driver.app.push_screen(LevelScreen(level(name), Progress()))
            await driver.until(lambda: isinstance(driver.app.screen, LevelScreen) and driver.app.screen.is_mounted)
            await driver.settle()
            await hold(driver)
            await driver.press("escape")
        await driver.press("escape", "g")
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen) and driver.app.screen.is_mounted)
        await driver.settle()
        await hold(driver)

    explore(script, "reverse-1", size)


def test_a_question_about_padding_has_its_words_alone_and_one_word_for_a_key() -> None:
    async def script(driver: Driver) -> None:
        await driver.press("g")
        await driver.until(lambda: isinstance(driver.app.screen, QuestionScreen) and driver.app.screen.is_mounted)
        screen = driver.app.screen
        assert isinstance(screen, QuestionScreen)
        for _ in range(12):
            await driver.settle()
            none = screen.state.none
            if none is not None and none.text == "nowhere":
                break
            await driver.press("s", "enter")
        else:
            pytest.fail("no question takes nowhere")
        assert "n nowhere" in driver.text().splitlines()[-1]
        assert "n none" not in driver.text()
        await driver.press("s")
        await driver.settle()
        assert "∅" in driver.text()
        said = await told(driver, "question_mark")
        assert "comes from no element; a constant stands there." in said
        assert "IndexDimensions" not in said
        assert "equence length" not in said

    explore(script, "padding-1", (120, 36))


def test_signs_are_explained_as_every_screen_means_them() -> None:
    async def script(driver: Driver) -> None:
        won = level("L01")
        driver.app.progress.add(
            Answered(
                time="2026-11-22T19:40:05Z",
                task=won.id,
                operator="JOIN",
                kind="level",
                seed=0,
                right=True,
                answer=dict(answer_of(won.solution())),
            )
        )
        await driver.press("t")
        await driver.settle()
        assert "✓" in driver.text()
        said = await told(driver, "f1")
        assert "✗  not so; ✓ so, or solved" in said
        assert "what you said" not in said
        driver.app.push_screen(LevelScreen(won, Progress()))
        await driver.until(lambda: isinstance(driver.app.screen, LevelScreen) and driver.app.screen.is_mounted)
        await driver.settle()
        assert "✗" in driver.text()
        said = await told(driver, "f1")
        assert "✗  not so; ✓ so, or solved" in said
        assert "what you said" not in said

    explore(script, "join-1", (80, 24))
