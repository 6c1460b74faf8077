"""What may be played of a task's picture before it is answered."""

from __future__ import annotations

from ...scene.steps.apart import Apart
from ...scene.steps.order import Steps, Unit
from ..questions.question import Question
from .tasks import AuthoredQuestion


def played(question: Question) -> Apart | None:
    """What steps may write before the answer; None where the author hides anything, or they could write nothing.

    Another question like a step's own hides what its kind hides.
    """
    at = question.at
    is_offered = isinstance(question, AuthoredQuestion) and question.task.shows_all and question.kind.plays
    if not is_offered or at is None:
        return None
    steps = Steps(question.subject.trace, Unit.SLICE)
    apart = Apart(steps, at.place.number, frozenset(question.kind.places(question)))
    return None if apart.is_empty else apart
