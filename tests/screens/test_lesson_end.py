"""The end of a lesson, tries again, lessons skipped by their questions, what follows a level, and handing in."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.course import open_map, reached
from support.driver import Driver, explore
from support.lesson_play import answer_by_keys, asked, running
from support.teaching import past_answer

from dmlviz.scene.drawing.small_table import CellSize
from dmlviz.screens.dialogs.asking import AskLine
from dmlviz.screens.learn.course_map import CourseMapScreen, LessonEndScreen
from dmlviz.screens.learn.level import LevelScreen
from dmlviz.screens.learn.question import LessonScreen
from dmlviz.teaching.lessons.lessons import shipped_lessons, shipped_levels
from dmlviz.teaching.progress.hand_ins import read_hand_ins
from dmlviz.teaching.progress.progress import Answered
from dmlviz.teaching.questions.subject import Subject
from dmlviz.teaching.tasks.tasks import question_of
from dmlviz.teaching.words.catalogue import sentence
from dmlviz.workspace.lessons.lesson import course_of, first_tries, lesson_end, standing

LESSON = shipped_lessons()[0]


def answered(task: str, *, right: bool, rules: tuple[str, ...] = (), on: str = "") -> Answered:
    return past_answer(task=task, operator="JOIN", right=right, rules=rules, on=on, lesson=LESSON.name)


def pictured_rule() -> tuple[str, str]:
    """(task, rule) of the first step whose picture a wrong rule changes."""
    for step in LESSON.steps:
        assert step.task is not None
        question = question_of(step.experiment, step.task, LESSON.seed)
        readings = question.subject.element_readings if question.subject.valid else {}
        for rule, reading in readings.items():
            if rule in question.answers and reading.sizes == question.subject.truth.sizes:
                return step.task.id, rule
    raise AssertionError


def gone_through(missed: str, rule: str) -> list[Answered]:
    """A whole lesson in which one step was answered by a wrong rule first; its last question is still to be asked."""
    answers = []
    for step in LESSON.steps:
        assert step.task is not None
        if step.task.id == missed:
            answers.append(answered(missed, right=False, rules=(rule,)))
        answers.append(answered(step.task.id, right=True, on=rule if step.task.id == missed else ""))
    return [*answers, *[answered(f"{LESSON.id}.exit", right=True)] * (LESSON.exit - 1)]


async def to_the_end(driver: Driver, missed: str, rule: str) -> LessonEndScreen:
    """Answers the last question of a lesson in which one step was missed."""
    driver.app.progress.answers += gone_through(missed, rule)
    await open_map(driver)
    await driver.press("1")
    await reached(driver, LessonScreen)
    assert f"exit question {LESSON.exit} of {LESSON.exit}" in driver.text("#ask-head")
    await answer_by_keys(driver)
    await driver.press("enter")
    return await reached(driver, LessonEndScreen)


def test_first_tries_stay_and_what_was_mended_has_its_name_and_picture() -> None:
    missed, rule = pictured_rule()
    answers = gone_through(missed, rule)
    end = lesson_end(LESSON, answers, following="")
    at = [step.task.id for step in LESSON.steps if step.task].index(missed)
    assert (end.firsts[at], end.later[at], end.missed) == ("missed", "right", 1)
    (belief,) = end.beliefs
    assert (belief.rule, belief.mended) == (rule, True)
    assert belief.picture is not None
    assert belief.picture[0].lines(CellSize(2, 1)) != belief.picture[1].lines(CellSize(2, 1))
    more = [*answers, answered(f"{missed}.again", right=True)]
    assert lesson_end(LESSON, more, following="").firsts == end.firsts
    assert standing(LESSON, answers) == standing(LESSON, more)
    wrong, right = answered(missed, right=False, rules=(rule,)), answered(missed, right=True)
    (open_,) = lesson_end(LESSON, [wrong, right], following="").beliefs
    assert not open_.mended, "what was answered rightly since told nothing of that rule"


def test_two_rules_that_gave_the_same_answers_share_a_line() -> None:
    missed, rule = pictured_rule()
    step = next(step for step in LESSON.steps if step.task is not None and step.task.id == missed)
    other = next(each for each in Subject(step.experiment).rules if each.id != rule)
    both = answered(missed, right=False, rules=(rule, other.id))
    (belief,) = lesson_end(LESSON, [both], following="").beliefs
    assert belief.name.endswith(f" or {other.name}")
    (belief,) = lesson_end(LESSON, [both, answered(missed, right=False, rules=(rule,))], following="").beliefs
    assert other.name not in belief.name


def test_the_last_lesson_ends_at_the_map_and_one_that_is_begun_anew_goes_on() -> None:
    done = [*gone_through(*pictured_rule()), answered(f"{LESSON.id}.exit", right=True)]
    first = LESSON.steps[0].task
    assert first is not None
    for answers, is_at_end in ((done, True), ([*done, answered(first.id, right=False)], False)):
        course = course_of(shipped_lessons(), shipped_levels(), answers)
        assert course.lessons[0].is_at_end is is_at_end
        assert course.following(shipped_lessons()[-1].id) is course.following(shipped_levels()[-1].id) is None


def test_from_the_map_to_the_end_and_to_the_next_lesson_by_one_key() -> None:
    missed, rule = pictured_rule()

    async def script(driver: Driver) -> None:
        screen = await to_the_end(driver, missed, rule)
        assert f"✓ Fixed: {screen.end.beliefs[0].name}" in driver.words("#end-board")
        await driver.press("end")
        for words in ("in fact", f"Next: {shipped_lessons()[1].title}", "Try the one you missed again"):
            assert words in driver.words("#end-board")
        await driver.press("m")
        await reached(driver, LessonScreen)
        assert running(driver).task == f"{missed}.again"
        assert asked(driver).desk.experiment is not running(driver).lesson.steps[0].experiment, "another one like it"
        await answer_by_keys(driver)
        await driver.press("enter")
        await reached(driver, LessonEndScreen)
        await driver.press("enter")
        await reached(driver, LessonScreen)
        assert running(driver).number == 2

    explore(script, "gather-2", (80, 24))


def test_a_click_goes_on_to_the_next_lesson_and_a_lesson_that_is_done_opens_at_its_end() -> None:
    async def script(driver: Driver) -> None:
        end = (await to_the_end(driver, *pictured_rule())).end
        await driver.click_text("Next:", "#end-board")
        await reached(driver, LessonScreen)
        assert running(driver).number == 2
        await driver.press("escape", "1")
        assert (await reached(driver, LessonEndScreen)).end == end
        await driver.click_text("Go through it again", "#end-board")
        await reached(driver, LessonScreen)
        await answer_by_keys(driver)
        await driver.press("escape", "1")
        await reached(driver, LessonScreen)
        assert "2 of" in driver.text("#ask-head"), "it is begun anew"
        assert first_tries(LESSON, driver.app.progress.answers)[0] == end.firsts

    explore(script, "gather-2", (80, 24))


def test_a_lesson_is_skipped_by_its_questions_and_begins_at_a_wrong_answer() -> None:
    async def script(driver: Driver) -> None:
        await open_map(driver)
        await driver.press("t")
        await reached(driver, LessonScreen)
        await answer_by_keys(driver)
        await driver.press("enter", "s")
        assert sentence("test.failed") in driver.words("#ask-board")
        await driver.press("enter")
        assert "1 of" in driver.text("#ask-head")
        await driver.press("escape")
        assert not standing(LESSON, driver.app.progress.answers).tested_out
        await driver.press("t")
        await reached(driver, LessonScreen)
        for k in range(LESSON.exit):
            assert f"exit question {k + 1} of {LESSON.exit}" in driver.text("#ask-head")
            await answer_by_keys(driver)
            await driver.press("enter")
        assert (await reached(driver, LessonEndScreen)).end.tested_out
        assert standing(LESSON, driver.app.progress.answers).tested_out

    explore(script, "gather-2", (80, 24))


def test_a_solved_level_leads_to_the_next_by_one_key() -> None:
    async def script(driver: Driver) -> None:
        await open_map(driver)
        await driver.press("tab", "home", "enter")
        await reached(driver, LevelScreen)
        await driver.press("1")
        assert "enter go on" in driver.text("#level-footer")
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, LevelScreen) and "L02" in driver.text("#level-head"))

    explore(script, "gather-2", (80, 24))


def test_a_name_is_asked_for_and_the_file_is_called_after_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tasks = [(step.task.id, step.task.kind) for step in LESSON.steps if step.task is not None]
    tasks += [(f"{LESSON.id}.exit", "cell")] * LESSON.exit
    answers = [past_answer(task=task, kind=kind, lesson=LESSON.name) for task, kind in tasks]

    async def script(driver: Driver) -> None:
        driver.app.progress.answers += answers
        await open_map(driver)
        await driver.press("home", "h")
        await reached(driver, AskLine)
        await driver.press("escape")
        await reached(driver, CourseMapScreen)
        await driver.press("enter")
        await reached(driver, LessonEndScreen)
        await driver.click_text("Hand in the answers", "#end-board")
        await reached(driver, AskLine)
        taken = tmp_path / f"{LESSON.name}-Ada-L.json"
        taken.mkdir()
        await driver.press("enter")
        assert isinstance(driver.app.screen, AskLine), "without a name nothing is written"
        await driver.press(*"Ada", "space", "L", "enter")
        assert "is there and no hand-in, expected another name" in driver.words(".trouble")
        taken.rmdir()
        await driver.press("enter")
        await reached(driver, LessonEndScreen)
        (hand_in,) = read_hand_ins(taken)
        assert (hand_in.name, hand_in.lesson) == ("Ada L", LESSON.name)
        assert hand_in.answers == tuple(answers)
        assert f"{taken.name}: {len(answers)}" in driver.notice

    explore(script, "gather-2", (60, 18))
