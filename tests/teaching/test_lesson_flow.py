"""How a shipped lesson flows: a picture first, something to make at the end."""

from __future__ import annotations

import pytest

from dmlviz.teaching.lessons.lessons import Lesson, shipped_lessons
from dmlviz.teaching.tasks.tasks import question_of

LESSONS = shipped_lessons()
OF_EACH = pytest.mark.parametrize("lesson", LESSONS, ids=[lesson.id for lesson in LESSONS])


def kinds_of(lesson: Lesson) -> list[str]:
    return [step.task.kind for step in lesson.steps if step.task is not None]


@OF_EACH
def test_it_begins_with_a_picture_and_ends_by_making_something(lesson: Lesson) -> None:
    first, last = lesson.steps[0].task, lesson.steps[-1].task
    assert first is not None
    assert last is not None
    assert (first.kind, first.phase) == ("pictures", "predict")
    question = question_of(lesson.steps[0].experiment, first, 7)
    assert len(question.answers) >= 3
    assert (last.kind, last.phase) == ("level", "make")


def test_levels_are_asked_about_in_the_lesson_that_teaches_them_alone() -> None:
    assert [lesson.id for lesson in LESSONS if "lowest" in kinds_of(lesson)] == ["invalid"]
