"""The course: the map, lessons by keys and by mouse, their end, what follows, and handing in."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from support.answering import past_answer
from support.driver import Driver, explore
from support.lesson_play import (
    answer_by_keys,
    answer_by_mouse,
    asked,
    click_footer,
    easy_keys,
    go_to,
    open_map,
    place_on_map,
    reached,
    running,
)
from support.levels import solve_by_keys

from dmlviz.scene.drawing.small_table import CellSize
from dmlviz.screens.dialogs.asking import AskLine
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.screens.learn.course_map import CourseMapScreen, LessonEndScreen
from dmlviz.screens.learn.level import LevelScreen
from dmlviz.screens.learn.question import LessonScreen
from dmlviz.session import examples
from dmlviz.teaching.lessons.lessons import Lesson, shipped_lessons, shipped_levels
from dmlviz.teaching.levels.level import answer_of
from dmlviz.teaching.progress.hand_ins import read_hand_ins
from dmlviz.teaching.progress.progress import Answered
from dmlviz.teaching.questions.subject import Subject
from dmlviz.teaching.tasks.tasks import question_of
from dmlviz.teaching.words.catalogue import sentence
from dmlviz.workspace.lessons.lesson import lesson_end, standing


@pytest.mark.parametrize("session", ["join-1"])
@pytest.mark.parametrize("size", [(60, 18), (120, 36)])
async def test_what_the_cursor_is_on_is_in_sight_and_told_and_escape_leads_back(driver: Driver) -> None:
    screen = await open_map(driver)
    items = screen.course.items
    for at in (*range(len(items) - 1, 0, -7), 0):
        await go_to(driver, screen, at)
        assert screen.item.id == items[at].id
        assert place_on_map(driver, screen, at) is not None
        assert f"{items[at].title} {items[at].about}"[:70] in driver.words("#course-about")
    before = screen.item
    screen.set_focus(screen._levels)  # the lists are told of it later
    assert screen.item != before
    await driver.press("escape")
    assert isinstance(driver.app.screen, Explorer)


@pytest.mark.parametrize("session", ["join-1"])
@pytest.mark.parametrize("size", [(80, 24)])
async def test_what_was_answered_is_marked_and_answers_to_levels_that_are_gone_change_nothing(driver: Driver) -> None:
    level = shipped_levels()[1]
    answer = dict(answer_of(level.solution()))
    chain = {"stages": [{"Operator": ["TILE"], "reads": ["x"], "Repeats": [1, 2]}]}
    driver.app.progress.answers += [
        past_answer(task=level.id, kind="level", answer=answer, lesson="levels"),
        past_answer(task="C01", kind="level", answer=chain, lesson="levels"),
        past_answer(task="join.1", kind="sizes", lesson="join"),
    ]
    await open_map(driver)
    assert f"★ {level.id} " in driver.text("#course-levels")
    assert driver.text("#course-levels").count("★ L") == 1
    assert "1 of 8" in driver.text("#course-lessons").split("\n")[2]
    assert "□■□□□□□□" in driver.text("#course-lessons")


def test_a_session_with_tasks_stands_before_the_lessons() -> None:
    async def script(driver: Driver) -> None:
        screen = await open_map(driver)
        assert screen.item.id == screen.course.lessons[0].id
        assert not screen.course.lessons[0].number
        await driver.press("enter")
        screen_of_lesson = await reached(driver, LessonScreen)
        assert "1 of 1" in driver.text("#ask-head")
        shown = driver.text("#inputs")
        for part in screen_of_lesson.desk.subject.desc.inputs:
            short = re.sub(r"Tensors?|\[\d\]", "", part.path)
            assert re.search(rf"(?m)(▏| |^){short}[^ ]* ", shown), "nothing is drawn over a heading"

    session = examples.example("join-1").session()
    task = {"ask": {"kind": "sizes"}, "say": "How large?"}
    first = session.experiments[0]
    explore(script, replace(session, experiments=(replace(first, extra={"task": task}),)), (80, 24))


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


@pytest.mark.parametrize("size", [(80, 24)])
async def test_a_lesson_is_skipped_by_its_questions_and_begins_at_a_wrong_answer(driver: Driver) -> None:
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


@pytest.mark.parametrize("size", [(80, 24)])
@pytest.mark.parametrize(
    ("name", "by_mouse"),
    [("join", False), *((name, n % 2 == 1) for n, name in enumerate(LESSONS[1:]))],
)
@pytest.mark.slow
async def test_a_lesson_to_its_end(driver: Driver, name: str, by_mouse: bool) -> None:
    await take(driver, name, by_mouse=by_mouse)
    await driver.press("escape")
    assert isinstance(driver.app.screen, Explorer)


@pytest.mark.parametrize("size", [(80, 24)])
@pytest.mark.parametrize("back", ["t", "g"])
async def test_a_step_is_explored_and_come_back_to(driver: Driver, back: str) -> None:
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


@pytest.mark.parametrize("size", [(80, 24)])
async def test_a_level_is_a_step_that_goes_on_once_it_is_solved(driver: Driver) -> None:
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
