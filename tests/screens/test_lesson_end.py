"""The end of a lesson, tries again, lessons skipped by their questions, and what follows a level, by keys and mouse."""

from __future__ import annotations

import pytest
from support.driver import Driver, explore
from support.lesson_play import answer_by_keys, asked, running

from dmlviz.screens.learn.course_map import CourseMapScreen
from dmlviz.screens.learn.lesson import LessonScreen
from dmlviz.screens.learn.lesson_end import LessonEndScreen
from dmlviz.screens.learn.level import LevelScreen
from dmlviz.teaching.lessons.lessons import Lesson, shipped_lessons, shipped_levels
from dmlviz.teaching.progress.progress import Answered
from dmlviz.teaching.questions.subject import Subject
from dmlviz.teaching.tasks.tasks import question_of
from dmlviz.widgets.boards.answer_board import marks_of
from dmlviz.workspace.lessons.course_map import CourseMap
from dmlviz.workspace.lessons.lesson import first_tries, standing
from dmlviz.workspace.lessons.lesson_end import lesson_end

SIZES = [(60, 18), (80, 24), (120, 36), (200, 50)]
LESSON = shipped_lessons()[0]


def answered(lesson: Lesson, task: str, *, right: bool, rules: tuple[str, ...] = (), on: str = "") -> Answered:
    kinds = {step.task.id: step.task.kind for step in lesson.steps if step.task}
    return Answered(
        time="2026-11-22T19:40:05Z",
        task=task,
        operator="JOIN",
        kind=kinds.get(task, "cell"),
        seed=0,
        right=right,
        rules=rules,
        on=on,
        lesson=lesson.name,
    )


def pictured_rule() -> tuple[str, str]:
    """(task, rule) of the first step whose picture a wrong rule changes."""
    for step in LESSON.steps:
        assert step.task is not None
        if step.task.kind == "level":
            continue
        question = question_of(step.experiment, step.task, LESSON.seed)
        if not question.subject.valid:
            continue
        for rule, reading in question.subject.element_readings.items():
            if rule in question.answers and reading.sizes == question.subject.truth.sizes:
                return step.task.id, rule
    raise AssertionError


def gone_through(missed: str, rule: str) -> list[Answered]:
    """A whole lesson in which one step was answered by a wrong rule first; its last question is still to be asked."""
    answers = []
    for step in LESSON.steps:
        assert step.task is not None
        if step.task.id == missed:
            answers.append(answered(LESSON, missed, right=False, rules=(rule,)))
        answers.append(answered(LESSON, step.task.id, right=True, on=rule if step.task.id == missed else ""))
    return [*answers, *[answered(LESSON, f"{LESSON.id}.exit", right=True)] * (LESSON.exit - 1)]


async def to_the_map(driver: Driver) -> CourseMapScreen:
    await driver.press("t")
    await driver.until(lambda: isinstance(driver.app.screen, CourseMapScreen) and driver.app.screen.is_mounted)
    await driver.settle()
    assert isinstance(driver.app.screen, CourseMapScreen)
    return driver.app.screen


async def to_the_end(driver: Driver, missed: str, rule: str) -> LessonEndScreen:
    """Answers the last question of a lesson in which one step was missed."""
    driver.app.progress.answers += gone_through(missed, rule)
    await to_the_map(driver)
    await driver.press("1")
    await until_screen(driver, LessonScreen)
    assert f"exit question {LESSON.exit} of {LESSON.exit}" in driver.text("#ask-head")
    await answer_by_keys(driver)
    await driver.press("enter")
    await until_screen(driver, LessonEndScreen)
    assert isinstance(driver.app.screen, LessonEndScreen)
    return driver.app.screen


async def until_screen(driver: Driver, kind: type) -> None:
    await driver.until(lambda: isinstance(driver.app.screen, kind) and driver.app.screen.is_mounted)
    await driver.settle()


def test_first_tries_stay_and_what_was_mended_has_its_name_and_picture() -> None:
    missed, rule = pictured_rule()
    answers = gone_through(missed, rule)
    end = lesson_end(LESSON, answers, following="")
    at = [step.task.id for step in LESSON.steps if step.task].index(missed)
    assert end.firsts[at] == "missed"
    assert end.later[at] == "right"
    assert end.missed == 1
    (belief,) = end.beliefs
    assert (belief.rule, belief.mended) == (rule, True)
    assert belief.picture is not None
    assert belief.picture.wrong[1] != belief.picture.true[1]
    again = lesson_end(LESSON, [*answers, answered(LESSON, f"{missed}.again", right=True)], following="")
    assert again.firsts == end.firsts
    assert standing(LESSON, answers) == standing(LESSON, [*answers, answered(LESSON, f"{missed}.again", right=True)])
    wrong, right = answered(LESSON, missed, right=False, rules=(rule,)), answered(LESSON, missed, right=True)
    (open_,) = lesson_end(LESSON, [wrong, right], following="").beliefs
    assert not open_.mended, "what was answered rightly since told nothing of that rule"


def test_two_rules_that_gave_the_same_answers_share_a_line() -> None:
    missed, rule = pictured_rule()
    step = next(step for step in LESSON.steps if step.task is not None and step.task.id == missed)
    other = next(each for each in Subject(step.experiment).rules if each.id != rule)
    both = answered(LESSON, missed, right=False, rules=(rule, other.id))
    (belief,) = lesson_end(LESSON, [both], following="").beliefs
    assert belief.name.endswith(f" or {other.name}")
    told = lesson_end(LESSON, [both, answered(LESSON, missed, right=False, rules=(rule,))], following="")
    assert [other.name in each.name for each in told.beliefs] == [False]


@pytest.mark.parametrize("size", SIZES)
def test_from_the_map_to_the_end_and_to_the_next_lesson_by_one_key(size: tuple[int, int]) -> None:
    missed, rule = pictured_rule()

    async def script(driver: Driver) -> None:
        screen = await to_the_end(driver, missed, rule)
        words, text = driver.words("#end-board"), driver.text("#end-board")
        assert f"✓ Mended: {screen.end.beliefs[0].name}" in words
        marks = [marks_of(row) for row in (screen.end.firsts, screen.end.later)]
        assert "▣" in marks[0]
        assert "▣" not in marks[1]
        assert all(row in text for row in marks)
        assert f"Next: {shipped_lessons()[1].title}" in words
        assert "Try the one you missed again" in words
        if size[1] >= 24:
            assert "as it is" in words, "the picture"
        await driver.press("m")
        await until_screen(driver, LessonScreen)
        assert running(driver).task == f"{missed}.again"
        assert asked(driver).desk.experiment is not running(driver).lesson.steps[0].experiment, "another one like it"
        await answer_by_keys(driver)
        await driver.press("enter")
        await until_screen(driver, LessonEndScreen)
        course = driver.app.screen_stack[-2]
        assert isinstance(course, CourseMapScreen)
        assert course.course.state.lessons[0].marks == screen.end.firsts, "the map keeps first tries, too"
        await driver.press("enter")
        await until_screen(driver, LessonScreen)
        assert "lesson 2 ·" in driver.text("#ask-head")
        assert "step 1 of" in driver.text("#ask-head")

    explore(script, "gather-2", size)


def test_a_lesson_that_is_begun_anew_with_a_wrong_answer_goes_on_there() -> None:
    done = [*gone_through(*pictured_rule()), answered(LESSON, f"{LESSON.id}.exit", right=True)]
    first = LESSON.steps[0].task
    assert first is not None
    for answers, is_at_end in ((done, True), ([*done, answered(LESSON, first.id, right=False)], False)):
        assert CourseMap(shipped_lessons(), shipped_levels(), answers).state.lessons[0].is_at_end is is_at_end


def test_the_last_lesson_ends_at_the_map() -> None:
    course = CourseMap(shipped_lessons(), shipped_levels(), ())
    assert course.following(shipped_lessons()[-1].id) is None
    assert course.following(shipped_levels()[-1].id) is None


def test_a_click_goes_on_to_the_next_lesson_and_a_lesson_that_is_done_opens_at_its_end() -> None:
    async def script(driver: Driver) -> None:
        end = (await to_the_end(driver, *pictured_rule())).end
        await driver.click("#end-board", *driver.find("Next:", "#end-board"))
        await until_screen(driver, LessonScreen)
        assert "lesson 2 ·" in driver.text("#ask-head")
        await driver.press("escape")
        await until_screen(driver, CourseMapScreen)
        await driver.press("1")
        await until_screen(driver, LessonEndScreen)
        assert isinstance(driver.app.screen, LessonEndScreen)
        assert driver.app.screen.end == end
        await driver.click("#end-board", *driver.find("Go through it again", "#end-board"))
        await until_screen(driver, LessonScreen)
        assert "step 1 of" in driver.text("#ask-head")
        await answer_by_keys(driver)
        await driver.press("escape")
        await until_screen(driver, CourseMapScreen)
        await driver.press("1")
        await until_screen(driver, LessonScreen)
        assert "step 2 of" in driver.text("#ask-head"), "it is begun anew"
        assert first_tries(LESSON, driver.app.progress.answers)[0] == end.firsts

    explore(script, "gather-2", (80, 24))


@pytest.mark.parametrize("on_the_map", [False, True])
def test_a_lesson_is_skipped_by_its_questions(on_the_map: bool) -> None:
    async def script(driver: Driver) -> None:
        await to_the_map(driver)
        if on_the_map:
            await driver.press("t")
            await until_screen(driver, LessonScreen)
        else:
            await driver.press("1")
            await until_screen(driver, LessonScreen)
            assert "t skip by questions" in driver.text("#ask-footer") or "t" in dict(asked(driver)._footer.told_keys())
            await driver.press("t")
            await driver.settle()
        for k in range(LESSON.exit):
            assert f"exit question {k + 1} of {LESSON.exit}" in driver.text("#ask-head")
            await answer_by_keys(driver)
            await driver.press("enter")
        await until_screen(driver, LessonEndScreen)
        assert "you need none of its steps" in driver.words("#end-board")
        assert [each.task for each in driver.app.progress.answers] == [f"{LESSON.id}.test"] * LESSON.exit

    explore(script, "gather-2", (80, 24))


def test_a_wrong_answer_to_a_test_begins_the_lesson() -> None:
    async def script(driver: Driver) -> None:
        await to_the_map(driver)
        await driver.press("t")
        await until_screen(driver, LessonScreen)
        await answer_by_keys(driver)
        await driver.press("enter", "s")
        assert "they begin now" in driver.words("#ask-board")
        await driver.press("r", "enter")
        assert "step 1 of" in driver.text("#ask-head")
        assert not standing(LESSON, driver.app.progress.answers).tested_out
        assert not standing(LESSON, driver.app.progress.answers).rounds

    explore(script, "gather-2", (80, 24))


def test_a_solved_level_leads_to_the_next_by_one_key_and_a_level_is_three_keys_away() -> None:
    async def script(driver: Driver) -> None:
        await to_the_map(driver)
        await driver.press("l", "0", "1")
        await until_screen(driver, LevelScreen)
        await driver.press("1")
        assert "enter next level" in driver.text("#level-footer")
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, LevelScreen) and "L02" in driver.text("#level-head"))
        await driver.press("escape")
        await until_screen(driver, CourseMapScreen)

    explore(script, "gather-2", (80, 24))
