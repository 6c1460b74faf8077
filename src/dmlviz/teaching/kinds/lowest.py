"""`lowest`: the lowest feature level that takes a desc."""

from __future__ import annotations

from typing import Any

from ...desc.levels import LEVELS
from ...errors import DmlvizError, quote
from ...operators.wrong_rules import Misreading
from ..questions.question import Answer, Kind, Question
from ..questions.subject import Subject

NONE = "none"
"""The answer where no level takes the desc; null in JSON."""


class LowestKind(Kind):
    name = "lowest"
    confirms_elsewise = True
    alternatives = 8
    stage = 3
    easy = True

    def make(self, subject: Subject, seed: int) -> Question | None:
        prompt = subject.sentence("lowest.prompt")
        hidden = frozenset({"levels", "rules", "fixes", "feature_level"})
        return self.finished(
            Question(
                kind=self, subject=subject, seed=seed, prompt=prompt, truth=None, blank="feature_level", hidden=hidden
            )
        )

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        subject = question.subject
        if rule is None:
            return _text(subject.report.lowest_level)
        if rule.lowest_level is None or not subject.may_differ(rule):
            return question.truth
        return _text(rule.lowest_level(subject.desc))

    def read(self, question: Question, given: object) -> Answer:
        known = [each.value for each in LEVELS]
        if given is None or given == NONE:
            return NONE
        if not isinstance(given, str) or given not in known:
            raise DmlvizError(f"answer is {quote(given)}, expected null or one of {', '.join(known)}.")
        return given

    def json(self, answer: Answer) -> Any:
        return None if answer == NONE else answer

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        return (
            question.subject.sentence("lowest.look"),
            question.subject.sentence("lowest.rule"),
            question.subject.sentence("lowest.formula"),
            self.says(question),
        )

    def says(self, question: Question) -> str:
        subject = question.subject
        if question.truth == NONE:
            return subject.sentence("lowest.says_none")
        return subject.sentence("lowest.says", level=question.truth, operator=subject.operator.name)


def _text(level: Any) -> str:
    return NONE if level is None else str(level.value)


KIND = LowestKind()
