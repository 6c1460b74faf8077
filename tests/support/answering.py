"""Answers given to a question as a user gives them: by the methods that keys and clicks lead to, and as kept."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from numpy.typing import NDArray

from dmlviz.desc.base import Desc
from dmlviz.desc.value_sources import Listed
from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.session.experiments import Experiment
from dmlviz.teaching.lessons.lessons import Lesson, Step, shipped_lessons
from dmlviz.teaching.progress.progress import Answered, Progress
from dmlviz.teaching.questions.question import Question
from dmlviz.teaching.questions.subject import FROM_NOWHERE, Subject, shown, values_of
from dmlviz.teaching.tasks.tasks import AuthoredQuestion, question_of
from dmlviz.workspace.asking.asked_desc import NONE, VALID
from dmlviz.workspace.asking.asking import AskDesk, AskState, LessonDesk
from dmlviz.workspace.lessons.lesson import RunningLesson
from dmlviz.workspace.shown.picture import Room


class Clock:
    """Seconds since 1970 that go on by so many each time they are asked for."""

    def __init__(self, by: float = 1) -> None:
        self.now, self.by = 1_800_000_000.0, by

    def __call__(self) -> float:
        self.now += self.by
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


def subject_of(desc: Desc, arrays: list[NDArray[Any]] | None = None, name: str = "random") -> Subject:
    """A subject with these inputs; filled by default without them."""
    values = {}
    for part, array in zip(desc.inputs, arrays or [], strict=arrays is not None):
        values[part.path] = Listed(tuple(values_of(array.reshape(-1))), (array.size,))
    return Subject(Experiment(name, desc, values=values))


def answered(question: Question, answer: Any) -> Any:
    """An answer's JSON form, read back from its text."""
    return json.loads(json.dumps(question.kind.form.json(answer)))


def past_answer(**fields: Any) -> Answered:
    """A right answer of some time ago, as progress keeps it, with other fields."""
    usual = {"time": "2026-11-22T19:40:05Z", "task": "gather-2", "operator": "GATHER", "kind": "cell", "seed": 7}
    return Answered(**{**usual, "right": True, **fields})
