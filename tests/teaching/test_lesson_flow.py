"""How a shipped lesson flows: few words a step, a picture first, kinds in turn, something to make at the end."""

from __future__ import annotations

import itertools

import pytest

from dmlviz.teaching.lessons.lessons import Lesson, shipped_lessons
from dmlviz.teaching.tasks.tasks import question_of

LESSONS = shipped_lessons()
OF_EACH = pytest.mark.parametrize("lesson", LESSONS, ids=[lesson.id for lesson in LESSONS])
MOST_WORDS = 60


def kinds_of(lesson: Lesson) -> list[str]:
    return [step.task.kind for step in lesson.steps if step.task is not None]


@pytest.mark.parametrize("lang", ["en", "de"])
@OF_EACH
def test_no_step_asks_in_more_words_than_are_read(lesson: Lesson, lang: str) -> None:
    for step in lesson.steps:
        assert step.task is not None
        question = question_of(step.experiment, step.task, 7, lang)
        texts = [question.prompt, *(choice.text for choice in question.choices if choice.picture is None)]
        words = " ".join(texts).split()
        assert len(words) <= MOST_WORDS, f"{step.task.id} in {lang}: {len(words)} words: {' '.join(words)}"


@OF_EACH
def test_it_begins_with_a_picture_and_ends_by_making_something(lesson: Lesson) -> None:
    first, last = lesson.steps[0].task, lesson.steps[-1].task
    assert first is not None
    assert last is not None
    assert (first.kind, first.phase) == ("pictures", "predict")
    question = question_of(lesson.steps[0].experiment, first, 7, lesson.lang)
    assert len(question.answers) >= 3
    assert (last.kind, last.phase) == ("level", "make")


@OF_EACH
def test_no_kind_is_asked_twice_running(lesson: Lesson) -> None:
    assert not [kind for kind, after in itertools.pairwise(kinds_of(lesson)) if kind == after]


def test_levels_are_asked_about_in_the_lesson_that_teaches_them_alone() -> None:
    assert [lesson.id for lesson in LESSONS if "lowest" in kinds_of(lesson)] == ["invalid"]
