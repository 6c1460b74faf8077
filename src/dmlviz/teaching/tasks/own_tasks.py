"""What an experiment itself asks: by the task that it has, or as the shipped example that it is."""

from __future__ import annotations

from dataclasses import replace

from ...errors import DmlvizError
from ...session.examples import TASK, asked_by_examples
from ...session.experiments import Experiment, Session
from ..kinds.level import LEVEL
from ..kinds.rules import FIXES
from .offered_fixes import offered
from .tasks import AuthoredQuestion, Task, question_of, said_in_notes, task_of, with_notes


def with_own_task(experiment: Experiment) -> Experiment:
    """An experiment with the task of the shipped example that it is; as it was where it is none, or is edited.

    Where an example's task has no words of its own, they are the question of its notes.
    """
    same = next((example for example in asked_by_examples(experiment) if _is_unedited(example, experiment)), None)
    if same is None:
        return experiment
    return replace(experiment, extra={**experiment.extra, TASK: {"say": said_in_notes(same), **same.extra[TASK]}})


def with_own_tasks(session: Session) -> Session:
    """A session with what the shipped examples in it ask; a lesson as it is, whose author has chosen its tasks."""
    if "lesson" in session.extra:
        return session
    return replace(session, experiments=tuple(map(with_own_task, session.experiments)))


def own_task(experiment: Experiment) -> Task | None:
    """The task of an experiment, or of the shipped example that it is; None for no task.

    Once something of an example is edited, what it asks doesn't fit any more, and is left out. Raises TaskError for a
    task that is not as it should be.
    """
    own = with_own_task(experiment)
    if own is experiment and asked_by_examples(experiment):
        return None
    task = task_of(own)
    return with_notes(task, own) if task is not None else None


def _is_unedited(one: Experiment, other: Experiment) -> bool:
    """True if an experiment has the example's desc, feature level and values."""
    return (
        one.desc == other.desc and one.feature_level is other.feature_level and dict(one.values) == dict(other.values)
    )


def own_question(experiment: Experiment, seed: int = 0) -> AuthoredQuestion | None:
    """The question of an experiment's task, None for none, a level, or one not askable."""
    try:
        task = own_task(experiment)
        if task is None or task.kind == LEVEL.name:
            return None
        question = question_of(experiment, task, seed)
        return question if question.kind is not FIXES or any(edit.mends for edit in offered(question)) else None
    except DmlvizError:
        return None  # `dmlviz check` says why
