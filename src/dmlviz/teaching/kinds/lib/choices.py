"""Answers that are one or several of a question's choices."""

from __future__ import annotations

from ....errors import DmlvizError, quote
from ....operators.report import Severity
from ...questions.question import Choice, Question
from ...questions.subject import Subject


def read_choice(question: Question, given: object) -> str:
    """The id of a question's choice. Raises DmlvizError for anything else."""
    ids = [choice.id for choice in question.choices]
    if not isinstance(given, str) or given not in ids:
        raise DmlvizError(f"answer is {quote(given)}, expected one of {', '.join(ids)}.")
    return given


def read_ids(question: Question, given: object) -> tuple[str, ...]:
    """The ids of some of a question's choices, sorted, each once. Raises DmlvizError for anything else."""
    ids = [choice.id for choice in question.choices]
    if not isinstance(given, list):
        raise DmlvizError(f"answer is {quote(given)}, expected a list of ids of rules; empty for none.")
    for chosen in given:
        if chosen not in ids:
            raise DmlvizError(f"answer has {quote(chosen)}, expected some of {', '.join(ids)}.")
    return tuple(sorted(set(given)))


def rule_choices(subject: Subject) -> tuple[Choice, ...]:
    """A choice for every rule that holds, breaks or waits, with its sentence."""
    report = subject.report
    ids = [c.id for c in report.checks if c.severity is not Severity.NOTE] + [w.id for w in report.waiting]
    return tuple(Choice(id_, subject.rule_sentence(id_) or id_) for id_ in dict.fromkeys(ids))
