"""Answers given to a question as a user gives them: by the methods that keys and clicks lead to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.session.experiments import Experiment
from dmlviz.teaching.lessons.lessons import Lesson, Step, shipped_lessons
from dmlviz.teaching.progress.progress import Progress
from dmlviz.teaching.questions.answers import FROM_NOWHERE, shown
from dmlviz.teaching.tasks.tasks import AuthoredQuestion, question_of
from dmlviz.workspace.asking.answering import NONE, VALID
from dmlviz.workspace.asking.ask_state import AskState, Form
from dmlviz.workspace.asking.asking import Asking
from dmlviz.workspace.lessons.lesson import RunningLesson
from dmlviz.workspace.shown.picture import Room


class Clock:
    """Seconds since 1970 that go on by one each time they are asked for."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


def asking(experiment: Experiment, *kinds: str, seed: int = 0, room: tuple[int, int] = (100, 24)) -> Asking:
    """Questions of some kinds about an experiment, laid out; progress is in memory."""
    made = Asking(experiment, Progress(), Clock(), seed=seed, only=kinds or None)
    made.fit(Room(*room))
    return made


def begun(lesson: Lesson, progress: Progress | None = None, number: int = 0) -> Asking:
    """A lesson at its first step, or where `progress` leaves it, laid out as the map opens it."""
    kept = progress or Progress()
    running = RunningLesson(lesson, kept.answers, number=number)
    made = Asking(lesson.steps[0].experiment, kept, Clock(), lesson=running)
    made.fit(Room(100, 24))
    return made


def asked_steps() -> Iterator[tuple[Lesson, Step, AuthoredQuestion]]:
    """Every step that asks, of all lessons."""
    for lesson in shipped_lessons():
        for step in lesson.steps:
            if step.task is not None:
                yield lesson, step, question_of(step.experiment, step.task, lesson.seed)


def typed(asked: Asking, text: str) -> None:
    for key in text:
        asked.press(key)


def give(asked: Asking, answer: Any) -> AskState:
    """Gives an answer in its own form (as `Question.truth` is), step by step."""
    form = asked.form
    if form is Form.NUMBER:
        typed(asked, shown(answer))
    elif form is Form.NUMBERS:
        flat = answer[0] if asked.question.kind.name == "sizes" else answer
        typed(asked, ",".join(map(str, flat)) if isinstance(flat, tuple) else str(flat))
    elif form is Form.CELLS:
        for k, value in enumerate(answer):
            typed(asked, shown(value))
            if k < len(answer) - 1:
                asked.answer()
    elif form.is_marked:
        if not answer:
            asked.choose(NONE)
        for number, index in answer:
            asked.point(Cursor(Place(form is Form.OUTPUT_MARKS, number), index), marks=True)
    elif form is Form.POINT:
        if answer == FROM_NOWHERE:
            asked.choose(NONE)
        else:
            asked.point(Cursor(Place(False, answer[0]), answer[1]), marks=True)
    elif form is Form.CHOICE:
        asked.choose({True: "a", False: "b"}[answer] if isinstance(answer, bool) else answer)
    elif form is Form.LEVEL:
        asked.choose(answer or NONE)
    else:
        for each in answer or ((VALID,) if asked.question.kind.name == VALID else ()):
            asked.choose(each)
    return asked.answer()
