"""Answers that are one or several of a question's choices."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence

from ....errors import DmlvizError, quote
from ....operators.report import Severity
from ...questions.question import Choice, Question
from ...questions.subject import Subject

CANDIDATES = 5
"""Rules to choose among, at most; more where more of them are somebody's answer."""
MOST_WORDS, OF_SENTENCE = 60, 16
"""Words of what a step asks, its choices among them; and how many of those are left to its own sentence."""


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


def nearest_choices(choices: Sequence[Choice], kept: Collection[str], dice: random.Random) -> tuple[Choice, ...]:
    """The choices with these ids, and a few others, in their order; first those that are about the same as they."""
    families = {_family(id_) for id_ in kept}
    others = [choice for choice in choices if choice.id not in kept]
    dice.shuffle(others)
    others.sort(key=lambda choice: _family(choice.id) not in families)
    chosen = [choice for choice in choices if choice.id in kept]
    for other in others:
        words = sum(_words(choice) for choice in (*chosen, other))
        if len(chosen) < CANDIDATES and words <= MOST_WORDS - OF_SENTENCE:
            chosen.append(other)
    if len(chosen) == len(kept) and others:
        chosen.append(min(others, key=_words))
    ids = {choice.id for choice in chosen}
    return tuple(choice for choice in choices if choice.id in ids)


def _family(id_: str) -> str:
    """What rules that are easily taken for one another have in common: `sizes` of `sizes.sum`."""
    return id_.partition(".")[0]


def _words(choice: Choice) -> int:
    return len(choice.text.split())
