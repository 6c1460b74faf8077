"""The course map: lessons and levels in two lists, by keys and by mouse, in rooms of every size."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from support.course import go_to, open_map, place_on_map, reached
from support.driver import Driver, explore
from support.teaching import past_answer

from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.screens.learn.course_map import CourseMapScreen
from dmlviz.screens.learn.question import LessonScreen
from dmlviz.session import examples
from dmlviz.teaching.lessons.lessons import shipped_levels
from dmlviz.teaching.levels.level import answer_of


@pytest.mark.parametrize("size", [(60, 18), (120, 36)])
def test_what_the_cursor_is_on_is_in_sight_and_told_and_escape_leads_back(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        screen = await open_map(driver)
        items = screen.course.items
        for at in (*range(len(items) - 1, 0, -7), 0):
            await go_to(driver, screen, at)
            assert screen.item.id == items[at].id
            assert place_on_map(driver, screen, at) is not None
            assert f"{items[at].title} {items[at].about}"[:70] in driver.words("#course-about")
        await driver.press("escape")
        assert isinstance(driver.app.screen, Explorer)

    explore(script, "join-1", size)


def test_a_click_opens_a_lesson_and_the_footer_leads_back() -> None:
    async def script(driver: Driver) -> None:
        screen = await open_map(driver)
        place = place_on_map(driver, screen, 2)
        assert place is not None
        await driver.click(*place)
        await reached(driver, LessonScreen)
        await driver.click_text("esc leave", "#ask-footer")
        assert await reached(driver, CourseMapScreen) is screen
        assert screen.item.id == screen.course.lessons[2].id
        await driver.click_text("esc leave", "#course-footer")
        assert isinstance(driver.app.screen, Explorer)

    explore(script, "join-1", (60, 18))


@pytest.mark.parametrize("key", ["3", "enter"])
def test_a_key_that_opens_a_lesson_does_nothing_in_it(key: str) -> None:
    async def script(driver: Driver) -> None:
        await open_map(driver)
        await driver.press(key)
        screen = await reached(driver, LessonScreen)
        assert not screen.state.answer.chosen

    explore(script, "join-1", (80, 24))


def test_what_was_answered_is_marked_and_answers_to_levels_that_are_gone_change_nothing() -> None:
    async def script(driver: Driver) -> None:
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
        assert "1 of 8" in driver.text("#course-lessons").split("\n")[1]
        assert "□■□□□□□□" in driver.text("#course-lessons")

    explore(script, "join-1", (80, 24))


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
