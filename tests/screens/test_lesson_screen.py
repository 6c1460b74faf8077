"""Lessons on the screen: whole ones by keys and by mouse, explored and come back to, resized, and gone on with."""

from __future__ import annotations

import pytest
from support.course import go_to, open_map, place_on_map, reached
from support.driver import Driver, explore
from support.lesson_play import answer_by_keys, answer_by_mouse, asked, click_footer, easy_keys, numbers, running
from support.level_play import solve_by_keys
from support.teaching import past_answer

from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.screens.learn.course_map import CourseMapScreen, LessonEndScreen
from dmlviz.screens.learn.level import LevelScreen
from dmlviz.screens.learn.question import LessonScreen, QuestionScreen
from dmlviz.teaching.lessons.lessons import Lesson, shipped_lessons

LESSONS = [each.id for each in shipped_lessons()]


async def open_lesson(driver: Driver, name: str, *, by_mouse: bool = False) -> Lesson:
    """Opens a lesson from the map."""
    held = driver.app.screen
    screen = held if isinstance(held, CourseMapScreen) else await open_map(driver)
    at = LESSONS.index(name)
    place = place_on_map(driver, screen, at)
    if by_mouse and place is not None:
        await driver.click(*place)
    else:
        await go_to(driver, screen, at)
        await driver.press("enter")
    await reached(driver, LessonScreen)
    return shipped_lessons()[at]


async def take(driver: Driver, name: str, *, by_mouse: bool) -> None:
    """Goes through a lesson from the map to its end; levels are skipped, which other tests solve."""
    lesson = await open_lesson(driver, name, by_mouse=by_mouse)
    screen, seen = asked(driver), list[str]()
    while isinstance(driver.app.screen, LessonScreen):
        seen.append(running(driver).task)
        assert len(seen) < 40
        if screen.state.form.how == "edit":
            await (click_footer(driver, "s skip") if by_mouse else driver.press("s"))
        else:
            driver.keys = 0
            await (answer_by_mouse(driver) if by_mouse else answer_by_keys(driver))
            easy_keys(screen.desk, driver.keys)
            assert screen.state.verdict is not None, (seen, screen.state.answer.sentence)
            assert screen.state.verdict.right, seen
        await (click_footer(driver, "enter go on") if by_mouse else driver.press("enter"))
    steps = [step.task.id for step in lesson.steps if step.task is not None]
    assert seen == [*steps, *[f"{name}.exit"] * 3]
    assert [each.task for each in driver.app.progress.answers][-len(seen) :] == seen
    end = driver.app.screen
    assert isinstance(end, LessonEndScreen)
    assert end.end.title == lesson.title
    await (click_footer(driver, "esc map", "#end-footer") if by_mouse else driver.press("escape"))
    assert isinstance(driver.app.screen, CourseMapScreen)
    assert driver.app.screen.course.lessons[LESSONS.index(name)].is_done


@pytest.mark.parametrize(
    ("name", "by_mouse"),
    [("join", False), *(pytest.param(name, n % 2 == 1, marks=pytest.mark.slow) for n, name in enumerate(LESSONS[1:]))],
)
def test_a_lesson_to_its_end(name: str, by_mouse: bool) -> None:
    async def script(driver: Driver) -> None:
        await take(driver, name, by_mouse=by_mouse)
        await driver.press("escape")
        assert isinstance(driver.app.screen, Explorer)

    explore(script, "gather-2", (80, 24))


def test_a_wrong_answer_is_explained_and_another_like_it_is_asked() -> None:
    async def script(driver: Driver) -> None:
        lesson = await open_lesson(driver, "join")
        screen = asked(driver)
        task = lesson.steps[0].task
        assert task is not None
        rule, given = next((rule, given) for rule, given in screen.state.question.answers.items() if rule in task.wrong)
        await driver.press(*("comma" if c == "," else c for c in ",".join(map(str, given[0]))), "enter")
        shown = driver.words("#ask-board")
        assert " ".join(task.wrong[rule].split()) in shown
        assert "enter: another like it" in shown
        assert "▣□□□□□□□" in driver.text("#ask-head")
        await driver.press("enter")
        assert screen.state.open
        assert "1 of 8" in driver.text("#ask-head")
        await answer_by_keys(driver)
        assert "enter: on, to question 2" in driver.words("#ask-board")

    explore(script, "gather-2", (80, 24))


@pytest.mark.parametrize("back", ["t", "g"])
def test_a_step_is_explored_and_come_back_to(back: str) -> None:
    async def script(driver: Driver) -> None:
        explorer = driver.screen
        lesson = await open_lesson(driver, "reverse")
        question = asked(driver).state.question
        await driver.press("b", "h")
        for _ in range(2):
            await driver.press("e")
            await driver.until(lambda: driver.app.screen is explorer)
            assert explorer.workspace.experiment.desc == lesson.steps[0].experiment.desc
            assert len(explorer.workspace.document.session.experiments) == 2, "it is added once"
            await driver.press(back)
            await reached(driver, LessonScreen)
            state = asked(driver).state
            assert state.question is question
            assert state.hints == 1
            assert state.answer.chosen == ("b",)
        await driver.press("escape", "escape")
        assert driver.app.screen is explorer
        await open_map(driver)

    explore(script, "gather-2", (80, 24))


async def open_shown_step(driver: Driver) -> QuestionScreen:
    """Opens a step whose picture hides nothing but what is asked."""
    driver.app.progress.answers.append(past_answer(task="split.1", operator="SPLIT", kind="pictures"))
    await open_lesson(driver, "split")
    return asked(driver)


def test_space_plays_the_picture_that_is_asked_about_and_any_key_stops_it() -> None:
    """No frame of it tells what is asked."""

    async def script(driver: Driver) -> None:
        driver.play_with(seconds=4.0)
        (explorer,) = (screen for screen in driver.app.screen_stack if isinstance(screen, Explorer))
        explorer.act(explorer.workspace.unmark)
        screen = await open_shown_step(driver)
        answer = numbers(screen.desk)[0]

        def is_over() -> bool:
            assert "?" in driver.text("#outputs")
            return not screen.state.picture.player.playing

        await driver.pilot.press("space")
        assert screen.state.picture.player.seconds == 4.0, "as fast as the explorer"
        await driver.until(is_over)
        for key in ("h", "comma", answer[0]):
            await driver.pilot.press("space")
            await driver.until(lambda: screen.state.picture.player.playing)
            await driver.press(key)
            assert not screen.state.picture.player.playing, key
        assert screen.state.answer.slots == (answer[0],), "the key did what it does"

    explore(script, "gather-2", (80, 24))


def test_a_level_is_a_step_that_goes_on_once_it_is_solved() -> None:
    async def script(driver: Driver) -> None:
        tasks = [step.task for step in shipped_lessons()[0].steps if step.task is not None]
        answers = driver.app.progress.answers
        answers += [past_answer(task=task.id, operator="JOIN", kind=task.kind) for task in tasks[:-1]]
        await open_lesson(driver, "join")
        screen = asked(driver)
        await driver.click_text("open the puzzle", "#ask-board")
        await reached(driver, LevelScreen)
        await driver.press("escape")
        await driver.until(lambda: driver.app.screen is screen)
        assert screen.state.open
        await driver.press("enter")
        await solve_by_keys(driver, await reached(driver, LevelScreen))
        await driver.press("enter")
        await driver.until(lambda: driver.app.screen is screen)
        assert "exit question 1 of 3" in driver.text("#ask-head")
        assert [each.task for each in answers].count(tasks[-1].id) == 1

    explore(script, "gather-2", (80, 24))
