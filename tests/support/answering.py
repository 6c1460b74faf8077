"""Answers given to a question as a user gives them: by the methods that keys and clicks lead to."""

from __future__ import annotations

from functools import cache
from typing import Any

from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.session.experiments import Experiment
from dmlviz.teaching.lessons.lessons import Lesson, Step, shipped_lessons
from dmlviz.teaching.progress.progress import Progress
from dmlviz.teaching.questions.subject import FROM_NOWHERE, shown
from dmlviz.teaching.tasks.tasks import AuthoredQuestion, question_of
from dmlviz.workspace.asking.asked_desc import NONE, VALID
from dmlviz.workspace.asking.asking import AskDesk, AskState, LessonDesk
from dmlviz.workspace.lessons.lesson import RunningLesson
from dmlviz.workspace.shown.picture import Room


class Clock:
    """Seconds since 1970 that go on by one each time they are asked for."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


def asking(experiment: Experiment, *kinds: str, seed: int = 0, room: tuple[int, int] = (100, 24)) -> AskDesk:
    """Questions of some kinds about an experiment, laid out; progress is in memory."""
    made = AskDesk(experiment, Progress(), Clock(), seed=seed, only=kinds or None)
    made.fit(Room(*room))
    return made


def begun(lesson: Lesson, progress: Progress | None = None, number: int = 0) -> LessonDesk:
    """A lesson at its first step, or where `progress` leaves it, laid out as the map opens it."""
    kept = progress or Progress()
    made = LessonDesk(RunningLesson(lesson, kept.answers, number=number), kept, Clock())
    made.fit(Room(100, 24))
    return made


@cache
def asked_steps() -> list[tuple[Lesson, Step, AuthoredQuestion]]:
    """Every step that asks, of all lessons."""
    return [
        (lesson, step, question_of(step.experiment, step.task, lesson.seed))
        for lesson in shipped_lessons()
        for step in lesson.steps
        if step.task is not None
    ]


def typed(asked: AskDesk, text: str) -> None:
    for key in text:
        asked.answering.press(key)


def options(asked: AskDesk, answer: Any) -> list[str]:
    """The options that an answer is."""
    if asked.answering.offered:
        assert answer == asked.question.truth, "any edit that mends is right"
        found = zip(asked.state.answer.options, asked.answering.offered, strict=True)
        return [option.id for option, each in found if each.mends][:1]
    if asked.form.how == "tick":
        return list(answer) or [VALID]
    return [{True: "a", False: "b"}[answer] if isinstance(answer, bool) else answer or NONE]


def numbers(asked: AskDesk, answer: Any) -> list[str]:
    """What an answer is typed as, a text for each slot."""
    if asked.form.fills:
        return [shown(each) for each in answer]
    flat = answer[0] if isinstance(answer, tuple) and isinstance(answer[0], tuple) else answer
    return [",".join(map(str, flat)) if isinstance(flat, tuple) else shown(flat)]


def targets(asked: AskDesk, answer: Any) -> list[Cursor]:
    """The elements that are marked or pointed at; none for what comes from nowhere."""
    cells = answer if asked.form.takes_several else [answer][: answer != FROM_NOWHERE]
    return [Cursor(Place(asked.form.side == "outputs", number), tuple(index)) for number, index in cells]


def give(asked: AskDesk, answer: Any) -> AskState:
    """Gives an answer in its own form (as `Question.truth` is), step by step."""
    form = asked.form
    if form.how == "type":
        first, *more = numbers(asked, answer)
        typed(asked, first)
        for each in more:
            asked.answer()
            typed(asked, each)
    elif form.how == "mark":
        for target in (cells := targets(asked, answer)):
            asked.click(target)
        if not cells:
            asked.answering.choose(NONE)
    else:
        for each in options(asked, answer):
            asked.answering.choose(each)
    asked.answer()
    return asked.state
