"""`valid`: is the desc valid, and if it isn't, which rule breaks?"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from ...operators.report import Severity, root_of
from ...operators.wrong_rules import Misreading
from ..questions.question import ANYTHING, Answer, Kind, Question, Wish
from ..questions.subject import Subject
from .lib.choices import nearest_choices, read_ids, rule_choices


class ValidKind(Kind):
    """Asks which rules the desc breaks; the answer is a tuple of their ids, () for a valid desc."""

    name = "valid"
    confirms_elsewise = True
    alternatives = 10
    stage = 2

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        choices = rule_choices(subject)
        if not choices:
            return None
        prompt = subject.sentence("valid.prompt", level=subject.report.feature_level)
        question = self.pose(subject, seed, prompt, {"rules", "fixes", "levels"}, choices=choices)
        kept = {*question.truth, *(id_ for answer in question.answers.values() for id_ in answer)}
        return replace(question, choices=nearest_choices(choices, kept, self.dice(subject, seed)))

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        subject = question.subject
        broken = tuple(sorted({c.id for c in subject.report.errors}))
        accepted = None if rule is None else is_accepted_by(subject, rule)
        if rule is None or accepted is None or accepted == (not broken):
            return broken
        if accepted:
            return ()
        if rule.lowest_level is not None:
            return ("dimension_count.supported",)
        warned = {c.id for c in subject.report.failures if c.severity is Severity.WARNING}
        named = {choice.id for choice in question.choices if choice.id in rule.lights}
        return tuple(sorted(warned or named)) or None

    def rules(self, question: Question, answer: Answer) -> tuple[str, ...]:
        rules = super().rules(question, answer)
        if rules or question.truth or not answer:
            return rules
        subject = question.subject  # whoever calls a valid desc broken names one of many rules
        unnamed = (rule for rule in subject.rules if self.answer(question, rule) is None)
        return tuple(rule.id for rule in unnamed if is_accepted_by(subject, rule) is False)

    def read(self, question: Question, given: object) -> tuple[str, ...]:
        return read_ids(question, given)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject, sentence, says = question.subject, question.subject.sentence, self.says(question)
        errors = subject.report.errors
        if not errors:
            return sentence("valid.look_all"), sentence("valid.rule"), sentence("valid.formula_none"), says
        count, broken = len(question.choices), len(question.truth)
        formula = sentence("valid.formula", count=count, broken=broken)
        if broken == 1:
            formula = sentence("valid.formula_one", count=count)
        look = sentence("valid.look", field=root_of(errors[0].field))
        return look, subject.rule_sentence(errors[0].id) or errors[0].id, formula, says

    def says(self, question: Question) -> str:
        subject = question.subject
        errors = subject.report.errors
        if not errors:
            return subject.sentence("valid.says")
        return f"{errors[0].id}: {errors[0].message}"


def is_accepted_by(subject: Subject, rule: Misreading[Any]) -> bool | None:
    """Whether the desc would be valid by a wrong rule; None where the rule says nothing of it or never differs."""
    if (rule.accepts is None and rule.lowest_level is None) or not subject.may_differ(rule):
        return None  # of rules about outputs nothing may be asked here: the desc may be broken
    if rule.accepts is not None:
        return rule.accepts(subject.desc, subject.trace.read)
    assert rule.lowest_level is not None
    lowest = rule.lowest_level(subject.desc)
    return lowest is not None and subject.experiment.feature_level >= lowest


KIND = ValidKind()
