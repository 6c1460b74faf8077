"""`lowest`: the lowest feature level that takes a desc."""

from __future__ import annotations

from typing import Any

from ...desc.levels import LEVELS, FeatureLevel
from ...errors import DmlvizError, quote
from ...operators.wrong_rules import Misreading
from ..questions.question import ANYTHING, Answer, Kind, Question, Wish
from ..questions.subject import Subject

NONE = "none"
"""The answer where no level takes the desc; null in JSON."""


class LowestKind(Kind):
    """Asks for the lowest feature level that takes the desc; the answer is its name, or `NONE`."""

    name = "lowest"
    confirms_elsewise = True
    alternatives = 8
    stage = 3
    easy = True

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        hidden = {"levels", "rules", "fixes", "feature_level"}
        return self.pose(subject, seed, subject.sentence("lowest.prompt"), hidden, blank="feature_level")

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        subject = question.subject
        if rule is None:
            return _level_text(subject.report.lowest_level)
        if rule.lowest_level is None or not subject.may_differ(rule):
            return question.truth
        return _level_text(rule.lowest_level(subject.desc))

    def read(self, question: Question, given: object) -> str:
        levels = [level.value for level in LEVELS]
        if given is None or given == NONE:
            return NONE
        if not isinstance(given, str) or given not in levels:
            raise DmlvizError(f"answer is {quote(given)}, expected null or one of {', '.join(levels)}.")
        return given

    def json(self, answer: str) -> str | None:
        """The name of a feature level; None for `NONE`."""
        return None if answer == NONE else answer

    def says(self, question: Question) -> str:
        subject = question.subject
        if question.truth == NONE:
            return subject.sentence("lowest.says_none")
        return subject.sentence("lowest.says", level=question.truth, operator=subject.operator.name)


def _level_text(level: FeatureLevel | None) -> str:
    """The name of a feature level; `NONE` for None."""
    return NONE if level is None else str(level.value)


KIND = LowestKind()
