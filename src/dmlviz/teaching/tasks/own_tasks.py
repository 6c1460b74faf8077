"""What an experiment itself asks, by its task or as the shipped example that it is, and what may be played of it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from ...errors import DmlvizError
from ...scene.steps.apart import Apart
from ...scene.steps.order import Steps, Unit
from ...session.examples import TASK, asked_by_examples
from ...session.experiments import Experiment, Session
from ..kinds.level import FIXES, LEVEL
from ..questions.question import Question
from .offered_fixes import offered
from .tasks import AuthoredQuestion, question_of, said_in_notes, task_of


def with_own_task(experiment: Experiment) -> Experiment:
    """An experiment with the task of the shipped example that it is; as it was where it is none, or is edited.

    Where an example's task has no words of its own, they are the question of its notes.
    """
    for same in asked_by_examples(experiment):
        is_unedited = same.desc == experiment.desc and same.feature_level is experiment.feature_level
        if is_unedited and dict(same.values) == dict(experiment.values):
            task = {"say": said_in_notes(same), **same.extra[TASK]}
            return replace(experiment, extra={**experiment.extra, TASK: task})
    return experiment


def with_own_tasks(session: Session) -> Session:
    """A session with what the shipped examples in it ask; a lesson as it is, whose author has chosen its tasks."""
    if "lesson" in session.extra:
        return session
    return replace(session, experiments=tuple(map(with_own_task, session.experiments)))


def own_question(experiment: Experiment, seed: int = 0) -> AuthoredQuestion | None:
    """The question of an experiment's task, or of the example's that it is; None for none, a level or one not askable.

    Once something of an example is edited, what it asks doesn't fit any more, and is left out.
    """
    own = with_own_task(experiment)
    with suppress(DmlvizError):  # `dmlviz check` says why
        task = task_of(own) if own is not experiment or not asked_by_examples(experiment) else None
        if task is not None and task.kind != LEVEL.name:
            question = question_of(experiment, task, seed)
            return question if question.kind is not FIXES or any(edit.mends for edit in offered(question)) else None
    return None


def played(question: Question) -> Apart | None:
    """What steps may write before the answer; None where the author hides anything, or they could write nothing.

    Another question like a step's own hides what its kind hides.
    """
    is_offered = isinstance(question, AuthoredQuestion) and question.task.hide == () and question.kind.plays
    if not is_offered or question.at is None:
        return None
    steps = Steps(question.subject.trace, Unit.SLICE)
    apart = Apart(steps, question.at.place.number, frozenset(question.kind.places(question)))
    return None if apart.is_empty else apart
