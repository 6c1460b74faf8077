"""Handing in from the map and from a lesson's end, and what can't be written."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.course import open_map, reached
from support.driver import Driver, explore
from support.teaching import past_answer

from dmlviz.screens.dialogs.asking import AskLine
from dmlviz.screens.learn.course_map import CourseMapScreen, LessonEndScreen
from dmlviz.teaching.lessons.lessons import shipped_lessons
from dmlviz.teaching.progress.hand_ins import read_hand_ins

LESSON = shipped_lessons()[0]


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
