"""`valid`: is the desc valid, and if it isn't, which rule breaks?"""

from __future__ import annotations

from typing import Any

from ...errors import DmlvizError, quote
from ...operators.report import Severity, root_of
from ...operators.wrong_rules import Misreading
from ..questions.question import Answer, Choice, Kind, Question
from ..questions.subject import Subject, TooManyReadError
from ..words.catalogue import check_says


class ValidKind(Kind):
    name = "valid"
    confirms_elsewise = True
    alternatives = 10
    stage = 2
    easy = True

    def make(self, subject: Subject, seed: int) -> Question | None:
        report = subject.report
        ids = [c.id for c in report.checks if c.severity is not Severity.NOTE] + [w.id for w in report.waiting]
        choices = tuple(Choice(each, subject.rule_sentence(each) or each) for each in dict.fromkeys(ids))
        if not choices:
            return None
        prompt = subject.sentence("valid.prompt", level=report.feature_level)
        hidden = frozenset({"rules", "fixes", "levels"})
        return self.finished(
            Question(kind=self, subject=subject, seed=seed, prompt=prompt, truth=None, choices=choices, hidden=hidden)
        )

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        subject = question.subject
        broken = tuple(sorted({c.id for c in subject.report.errors}))
        accepted = None if rule is None else accepted_by(subject, rule)
        if rule is None or accepted is None or accepted == (not broken):
            return broken
        if accepted:
            return ()
        if rule.lowest_level is not None:
            return ("dimension_count.supported",)
        warned = {c.id for c in subject.report.failures if c.severity is Severity.WARNING}
        told = " ".join((rule.look, *rule.lights))
        named = {choice.id for choice in question.choices if choice.id in told}
        return tuple(sorted(warned or named)) or None

    def rules(self, question: Question, answer: Answer) -> tuple[str, ...]:
        found = super().rules(question, answer)
        if found or question.truth or not answer:
            return found
        subject = question.subject  # whoever calls a valid desc broken names one of many rules
        unnamed = (rule for rule in subject.rules if self.answer(question, rule) is None)
        return tuple(rule.id for rule in unnamed if accepted_by(subject, rule) is False)

    def read(self, question: Question, given: object) -> Answer:
        return read_ids(question, given)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        errors, sentence = subject.report.errors, subject.sentence
        if not errors:
            none = sentence("valid.formula_none")
            return sentence("valid.look_all"), sentence("valid.rule"), none, self.says(question)
        count, broken = len(question.choices), len(question.truth)
        return (
            sentence("valid.look", field=root_of(errors[0].field)),
            subject.rule_sentence(errors[0].id) or errors[0].id,
            sentence("valid.formula_one", count=count)
            if broken == 1
            else sentence("valid.formula", count=count, broken=broken),
            self.says(question),
        )

    def says(self, question: Question) -> str:
        subject = question.subject
        errors = subject.report.errors
        if not errors:
            return subject.sentence("valid.says")
        return f"{errors[0].id}: {check_says(subject.lang, subject.operator, errors[0])}"


def accepted_by(subject: Subject, rule: Misreading[Any]) -> bool | None:
    """Whether the desc would be valid by a wrong rule; None where it says nothing, or the truth."""
    if (rule.accepts is None and rule.lowest_level is None) or not subject.may_differ(rule):
        return None  # of rules about outputs nothing may be asked here: the desc may be broken
    if rule.accepts is not None:
        try:
            return rule.accepts(subject.desc, subject.spare)
        except TooManyReadError:
            return None
    if rule.lowest_level is not None:
        lowest = rule.lowest_level(subject.desc)
        return lowest is not None and subject.experiment.feature_level >= lowest
    return None


def read_ids(question: Question, given: object) -> Answer:
    """A list of ids of choices, in any order; each counts once."""
    known = [choice.id for choice in question.choices]
    if not isinstance(given, list):
        raise DmlvizError(f"answer is {quote(given)}, expected a list of ids of rules; empty for none.")
    for each in given:
        if each not in known:
            raise DmlvizError(f"answer has {quote(each)}, expected some of {', '.join(known)}.")
    return tuple(sorted(set(given)))


KIND = ValidKind()
