"""What a student hands in of one lesson."""

from __future__ import annotations

from collections.abc import Iterable

from ...errors import DmlvizError
from ..progress.hand_ins import AskedTask, HandIn
from ..progress.progress import AGAIN, EXIT, TEST, Answered, is_of
from ..tasks.tasks import question_of
from .lessons import Lesson


def hand_in_of(lesson: Lesson, answers: Iterable[Answered], name: str) -> HandIn:
    """The answers to a lesson's tasks and to the questions at its end, under a name, and which tasks it has."""
    tasks = []
    for step in lesson.steps:
        if step.task is not None and not step.problem:
            try:
                question = question_of(step.experiment, step.task, lesson.seed)
            except DmlvizError:
                continue  # nobody is asked
            operator = question.subject.operator.name
            tasks.append(
                AskedTask(
                    task=step.task.id,
                    operator=operator,
                    kind=step.task.kind,
                    seed=question.seed,
                    prompt=question.prompt,
                )
            )
    ids = {f"{task.task}{ending}" for task in tasks for ending in ("", AGAIN)}
    ids |= {f"{lesson.id}{EXIT}", f"{lesson.id}{TEST}"}
    own = tuple(answer for answer in answers if answer.task in ids and is_of(answer, lesson.name))
    return HandIn(name=name, lesson=lesson.name, tasks=tuple(tasks), answers=own)
