"""The course map: lessons and levels in one list, by keys and by mouse, in rooms of every size."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from support.driver import Driver, explore

from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.screens.learn.course_map import CourseMapScreen
from dmlviz.screens.learn.lesson import LessonScreen
from dmlviz.screens.learn.level import LevelScreen
from dmlviz.session import examples
from dmlviz.session.experiments import Session
from dmlviz.teaching.lessons.lessons import shipped_lessons, shipped_levels
from dmlviz.teaching.levels.level import answer_of
from dmlviz.teaching.progress.progress import Answered
from dmlviz.widgets.boards.course_board import CourseBoard

SIZES = [(60, 18), (80, 24), (120, 36), (200, 50)]


def the_map(driver: Driver) -> CourseMapScreen:
    screen = driver.app.screen
    assert isinstance(screen, CourseMapScreen)
    return screen


async def open_map(driver: Driver) -> CourseMapScreen:
    await driver.press("t")
    await driver.until(lambda: isinstance(driver.app.screen, CourseMapScreen) and driver.app.screen.is_mounted)
    await driver.settle()
    return the_map(driver)


@pytest.mark.parametrize("size", SIZES)
def test_t_opens_the_map_and_escape_leads_back(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        await open_map(driver)
        await driver.press("escape")
        assert isinstance(driver.app.screen, Explorer)

    explore(script, "join-1", size)


@pytest.mark.parametrize("size", SIZES[1:])
def test_every_lesson_and_level_is_in_sight_with_what_is_so_about_it(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        level = shipped_levels()[1]
        won = Answered(
            time="2026-11-22T19:40:05Z",
            task=level.id,
            operator="SPLIT",
            kind="level",
            seed=0,
            right=True,
            answer=dict(answer_of(level.solution())),
        )
        first = Answered(time="2026-11-22T19:40:05Z", task="join.1", operator="JOIN", kind="sizes", seed=0, right=True)
        driver.app.progress.answers += [won, first]
        await open_map(driver)
        lines = driver.text("#course-board").split("\n")
        for k, lesson in enumerate(shipped_lessons()):
            (line,) = [line for line in lines if f"{k + 1}  {lesson.title}" in line]
            assert (f"{k == 0:d} of {len(lesson.steps)}") in line
        for each in shipped_levels():
            (line,) = [line for line in lines if f"{each.id} " in line]
            sign = "★" if each is level else "□"
            assert f"{sign} {each.id} " in line
        assert f"▸1  {shipped_lessons()[0].title}" in driver.text("#course-board"), "the one that was begun"

    explore(script, "join-1", size)


@pytest.mark.parametrize("size", SIZES)
def test_the_cursor_is_always_in_sight_and_what_it_is_on_is_told(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        screen = await open_map(driver)
        count = len(screen.course.state.items)
        assert count == len(shipped_lessons()) + len(shipped_levels())
        for at in range(count):
            assert screen.course.state.at == at
            item = screen.course.state.item
            shown = driver.text("#course-board")
            assert "▸" in shown
            assert item.about.split()[0] in shown
            screen.query_one(CourseBoard).place_of("open", str(at))
            await driver.press("down")
        assert screen.course.state.at == count - 1
        await driver.press("home")
        assert screen.course.state.at == 0
        await driver.press("tab")
        assert screen.course.state.item.id == "L01"
        await driver.press("tab", "up")
        assert screen.course.state.at == 0

    explore(script, "join-1", size)


def test_under_the_cursor_a_title_is_whole() -> None:
    """The narrowest columns have room for it where par gives way."""

    async def script(driver: Driver) -> None:
        await open_map(driver)
        await driver.press("tab")
        for each in shipped_levels():
            assert f"▸□ {each.id} {each.title()}" in driver.text("#course-board")
            await driver.press("down")

    explore(script, "join-1", (80, 24))


def test_left_and_right_go_to_the_column_beside() -> None:
    async def script(driver: Driver) -> None:
        screen = await open_map(driver)
        await driver.press("tab", "right")
        half = -(-len(shipped_levels()) // 2)
        assert screen.course.state.item.id == f"L{half + 1:02}"
        await driver.press("down", "left")
        assert screen.course.state.item.id == "L02"

    explore(script, "join-1", (80, 24))


@pytest.mark.parametrize("size", SIZES)
def test_a_click_opens_a_lesson_and_the_footer_leads_back(size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        screen = await open_map(driver)
        board = screen.query_one(CourseBoard)
        await driver.click(board, *board.place_of("open", "2"))
        await driver.until(lambda: isinstance(driver.app.screen, LessonScreen))
        assert screen.course.state.at == 2
        await driver.click("#ask-footer", *driver.find("esc leave", "#ask-footer"))
        assert driver.app.screen is screen
        await driver.click("#course-footer", *driver.find("esc leave", "#course-footer"))
        assert isinstance(driver.app.screen, Explorer)

    explore(script, "join-1", size)


def test_a_session_with_tasks_stands_before_the_lessons() -> None:
    async def script(driver: Driver) -> None:
        screen = await open_map(driver)
        own = screen.course.state.own
        assert [each.lesson.steps[0].task is not None for each in own] == [True]
        assert screen.course.state.at == 0
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, LessonScreen))
        assert "lesson ·" in driver.text("#ask-head")

    session = examples.example("join-1").session()
    task = {"ask": {"kind": "sizes"}, "say": "How large?"}
    first = session.experiments[0]
    from dataclasses import replace

    explore(script, replace(session, experiments=(replace(first, extra={"task": task}),)), (80, 24))


def test_answers_to_levels_that_are_gone_stay_and_change_nothing() -> None:
    """Of two operators, as progress of before has them."""

    async def script(driver: Driver) -> None:
        chain = {"stages": [{"Operator": ["TILE"], "reads": ["x"], "Repeats": [1, 2]}]}
        answers = driver.app.progress.answers
        answers += [
            Answered(
                time="2026-11-22T19:40:05Z",
                task="C01",
                operator="TILE",
                kind="level",
                seed=0,
                right=True,
                answer=chain,
                lesson="levels",
            )
        ]
        screen = await open_map(driver)
        assert {item.status for item in screen.course.state.levels} == {"open"}
        assert [answered.task for answered in answers] == ["C01"]

    explore(script, "join-1", (80, 24))


def test_a_resize_keeps_the_cursor_in_sight() -> None:
    async def script(driver: Driver) -> None:
        screen = await open_map(driver)
        await driver.press("end")
        for size in ((60, 18), (40, 10), (200, 50), (80, 24)):
            await driver.pilot.resize_terminal(*size)
            await driver.settle()
            assert screen.course.state.item.id == last
        assert any(f"▸{sign} {last}" in driver.text("#course-board") for sign in "★□")

    last = shipped_levels()[-1].id

    explore(script, "join-1", (80, 24))


@pytest.mark.parametrize("keys", [("3",), ("enter",), ("l", "0", "9")])
def test_a_key_that_opens_a_lesson_or_level_does_nothing_in_it(keys: tuple[str, ...]) -> None:
    async def script(driver: Driver) -> None:
        screen = await open_map(driver)
        await driver.press(*keys)
        await driver.until(lambda: driver.app.screen is not screen)
        await driver.settle()
        opened = driver.app.screen
        if isinstance(opened, LessonScreen):
            assert opened.desk.form.how == "choose"
            assert not any(option.chosen for option in opened.state.options)
        else:
            assert isinstance(opened, LevelScreen)
            assert opened.state.changed == 0

    explore(script, "join-1", (80, 24))


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 36)])
@pytest.mark.parametrize("name", ["join-1", "tile-1", "gather-2"])
def test_where_sizes_are_asked_first_nothing_is_drawn_over_a_heading(name: str, size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        await open_map(driver)
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.screen, LessonScreen) and driver.app.screen.is_mounted)
        await driver.settle()
        screen = driver.app.screen
        assert isinstance(screen, LessonScreen)
        shown = driver.text("#inputs")
        for part in screen.desk.subject.desc.inputs:
            short = re.sub(r"Tensors?|\[\d\]", "", part.path)
            assert re.search(rf"(?m)(▏| |^){short}[^ ]* ", shown), shown
        assert not screen.query_one("#outputs").display or not driver.text("#outputs").strip()

    first = examples.example(name).session().experiments[0]
    task = {"ask": {"kind": "sizes"}, "say": "How large?"}
    explore(script, Session((replace(first, extra={"task": task}),)), size)
