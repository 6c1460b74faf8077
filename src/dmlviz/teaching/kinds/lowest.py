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

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        sentence = question.subject.sentence
        chooses = any(field.choices() for field in question.subject.desc.ATTRIBUTES)
        rule = sentence("lowest.rule_choice" if chooses else "lowest.rule")
        formula = sentence("lowest.formula_choice" if chooses else "lowest.formula")
        return sentence("lowest.look"), rule, formula, self.says(question)

    def says(self, question: Question) -> str:
        desc, level, sentence = question.subject.desc, question.truth, question.subject.sentence
        if level == NONE:
            return sentence("lowest.says_none")
        name = question.subject.operator.name
        for field in desc.ATTRIBUTES:
            content = desc.get(field.name)
            if _level_text(field.needs(content)) == level:
                value = field.shown(content)
                return sentence("lowest.says_choice", level=level, operator=name, path=field.name, value=value)
        return sentence("lowest.says", level=level, operator=name)


def _level_text(level: FeatureLevel | None) -> str:
    """The name of a feature level; `NONE` for None."""
    return NONE if level is None else str(level.value)


KIND = LowestKind()
