"""Handing in from the map and from a lesson's end: by keys, by mouse, and what can't be written."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.course import open_map, reached
from support.driver import Driver, explore
from support.teaching import past_answer
from textual.widgets import Input

from dmlviz.screens.dialogs.hand_in import HandInDialog
from dmlviz.screens.learn.course_map import CourseMapScreen
from dmlviz.screens.learn.lesson_end import LessonEndScreen
from dmlviz.teaching.lessons.lessons import Lesson, shipped_lessons
from dmlviz.teaching.progress.hand_ins import read_hand_ins
from dmlviz.teaching.progress.progress import Answered

LESSON = shipped_lessons()[0]


def gone_through(lesson: Lesson) -> list[Answered]:
    """Right answers to all of a lesson."""
    tasks = [(step.task.id, step.task.kind) for step in lesson.steps if step.task is not None]
    tasks += [(f"{lesson.id}.exit", "cell")] * lesson.exit
    return [past_answer(task=task, kind=kind, lesson=lesson.name) for task, kind in tasks]


async def to_the_dialog(driver: Driver, *keys: str) -> None:
    driver.app.progress.answers += gone_through(LESSON)
    await open_map(driver)
    await driver.press("home", *keys, "h")
    await reached(driver, HandInDialog)


def field(driver: Driver, name: str) -> Input:
    return driver.app.screen.query_one(f"#{name}", Input)


@pytest.mark.parametrize("keys", [(), ("enter",)], ids=["map", "end"])
def test_one_key_asks_for_a_name_and_a_file_and_enter_writes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)

    async def script(driver: Driver) -> None:
        await to_the_dialog(driver, *keys)
        await driver.type("Ada L")
        assert field(driver, "file").value == f"{LESSON.name}-Ada-L.json"
        await driver.press("enter")
        await driver.until(lambda: not isinstance(driver.app.screen, HandInDialog))
        assert isinstance(driver.app.screen, LessonEndScreen if keys else CourseMapScreen)
        hand_in = read_hand_ins(tmp_path / f"{LESSON.name}-Ada-L.json")[0]
        assert (hand_in.name, hand_in.lesson) == ("Ada L", LESSON.name)
        assert hand_in.answers == tuple(gone_through(LESSON))
        assert f"{LESSON.name}-Ada-L.json: {len(hand_in.answers)}" in driver.notice

    explore(script, "gather-2", (60, 18))


def test_by_mouse_alone_and_escape_leads_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    async def script(driver: Driver) -> None:
        await to_the_dialog(driver, "enter")
        await driver.press("escape")
        assert isinstance(driver.app.screen, LessonEndScreen)
        await driver.click_text("Hand in the answers", "#end-board")
        await reached(driver, HandInDialog)
        await driver.click("#write")
        assert "A name or a number" in driver.text(".trouble")
        field(driver, "student").value = "17"
        await driver.click("#write")
        assert isinstance(driver.app.screen, LessonEndScreen)
        assert read_hand_ins(tmp_path / f"{LESSON.name}-17.json")[0].name == "17"
        assert len([*tmp_path.iterdir()]) == 1

    explore(script, "gather-2", (80, 24))
