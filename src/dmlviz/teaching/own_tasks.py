"""What an experiment itself asks: by the task that it has, or as the shipped example that it is."""

from __future__ import annotations

from dataclasses import replace

from ..errors import DmlvizError
from ..session import notes
from ..session.examples import TASK, all_examples
from ..session.experiments import Experiment
from .kinds.fixes import KIND as FIXES
from .kinds.level import KIND as LEVEL
from .offered_fixes import offered
from .tasks import AuthoredQuestion, Task, question_of, task_of
from .texts import read_text


def own_task(experiment: Experiment) -> Task | None:
    """The task of an experiment, or of the shipped example that it is as long as nothing of it is edited.

    Where an example's task has no words of its own, the question of its notes is asked. None for no task. Raises
    TaskError for one that is not as it should be.
    """
    found = task_of(experiment)
    if found is not None:
        return found
    for each in all_examples():
        for shipped in each.with_tasks().experiments:
            if TASK in shipped.extra and _is_same(shipped, experiment):
                task = task_of(shipped)
                said = notes.asked_first(notes.question_of(shipped.notes))
                return task if task is None or task.say else replace(task, say=read_text(said, "notes"))
    return None


def _is_same(one: Experiment, other: Experiment) -> bool:
    return (
        one.name == other.name
        and one.desc == other.desc
        and one.feature_level is other.feature_level
        and dict(one.values) == dict(other.values)
    )


def own_question(experiment: Experiment, seed: int = 0) -> AuthoredQuestion | None:
    """The question of its own task; None where it has none, where that can't be asked, and for a level."""
    try:
        task = own_task(experiment)
        if task is None or task.kind == LEVEL.name:
            return None
        question = question_of(experiment, task, seed)
        return question if question.kind is not FIXES or any(each.mends for each in offered(question)) else None
    except DmlvizError:
        return None  # `dmlviz check` says why
