"""`valid`, `lowest`: which rules a desc breaks, and which feature level takes it."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from typing import Any

from msgspec import structs

from ...desc.levels import LEVELS, FeatureLevel
from ...operators.report import Severity, root_of
from ...operators.sentences import sentence_of
from ...operators.wrong_rules import Misreading
from ..questions.question import ANYTHING, Choice, Form, Kind, Question, Wish
from ..questions.subject import NOTHING, Answer, Subject
from ..words.catalogue import sentence
from .lib.forms import CHOICES

CANDIDATES = 5
"""Rules to choose among, at most; more where more of them are somebody's answer."""
MOST_WORDS = 44
"""Words of the choices together."""
NONE = "none"
"""The answer where no level takes the desc; null in JSON."""


class ValidKind(Kind):
    """Asks which rules the desc breaks; the answer is a tuple of their ids, () for a valid desc."""

    name, form = "valid", CHOICES
    about_rules, told_by_rules, of_any_desc, confirms_elsewise = True, True, True, True
    alternatives = 10
    stage = 2
    late = True

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        report = subject.report
        ids = [c.id for c in report.checks if c.severity is not Severity.NOTE] + [w.id for w in report.waiting]
        choices = tuple(Choice(id_, sentence_of(subject.operator, id_) or id_) for id_ in dict.fromkeys(ids))
        if not choices:
            return None
        prompt = sentence("valid.prompt", level=report.feature_level)
        question = self.pose(subject, seed, prompt, {"rules", "fixes", "levels"}, choices=choices)
        kept = {*question.truth, *(id_ for answer in question.answers.values() for id_ in answer)}
        return structs.replace(question, choices=_nearest_choices(choices, kept, self.dice(subject, seed)))

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

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject, errors = question.subject, question.subject.report.errors
        look, rule = sentence("valid.look_all"), sentence("valid.rule")
        if errors:
            look = sentence("valid.look", field=root_of(errors[0].field))
            rule = sentence_of(subject.operator, errors[0].id) or errors[0].id
        return look, rule, sentence("valid.formula"), self.says(question)

    def says(self, question: Question) -> str:
        errors = question.subject.report.errors
        return f"{errors[0].id}: {errors[0].message}" if errors else sentence("valid.says")


def is_accepted_by(subject: Subject, rule: Misreading[Any]) -> bool | None:
    """Whether the desc would be valid by a wrong rule; None where the rule says nothing of it or never differs."""
    if (rule.accepts is None and rule.lowest_level is None) or not rule.differs(subject.desc, subject.trace.read):
        return None  # of rules about outputs nothing may be asked here: the desc may be broken
    if rule.accepts is not None:
        return rule.accepts(subject.desc, subject.trace.read)
    assert rule.lowest_level is not None
    lowest = rule.lowest_level(subject.desc)
    return lowest is not None and subject.experiment.feature_level >= lowest


def _nearest_choices(choices: Sequence[Choice], kept: Collection[str], dice: random.Random) -> tuple[Choice, ...]:
    """The choices with these ids, and a few others, in their order; first those that are about the same as they."""
    families = {id_.partition(".")[0] for id_ in kept}  # `sizes` of `sizes.sum`
    chosen = [choice for choice in choices if choice.id in kept]
    others = [choice for choice in choices if choice.id not in kept]
    dice.shuffle(others)
    others.sort(key=lambda choice: choice.id.partition(".")[0] not in families)
    for other in others:
        words = sum(len(choice.text.split()) for choice in (*chosen, other))
        if len(chosen) == len(kept) or (len(chosen) < CANDIDATES and words <= MOST_WORDS):
            chosen.append(other)
    return tuple(choice for choice in choices if choice in chosen)


class LevelForm(Form):
    """A feature level by its name, or `NONE`."""

    words, in_row = "level", True

    def read(self, question: Question, given: object) -> Answer:
        return super().read(question, NONE if given is None else given)

    def json(self, answer: Answer) -> Any:
        return None if answer == NONE else answer

    def typed(self, question: Question, text: str) -> Any:
        return None if text.strip().lower() in NOTHING else text.strip()


class LowestKind(Kind):
    """Asks for the lowest feature level that takes the desc; the answer is its name, or `NONE`."""

    name, form = "lowest", LevelForm()
    about_rules, told_by_rules, of_any_desc, confirms_elsewise = True, True, True, True
    stage = 3
    late = True

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        hidden = {"levels", "rules", "fixes", "feature_level"}
        return self.pose(subject, seed, sentence("lowest.prompt"), hidden, blank="feature_level")

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        subject = question.subject
        if rule is None:
            return _level_text(subject.report.lowest_level)
        if rule.lowest_level is None or not rule.differs(subject.desc, subject.trace.read):
            return question.truth
        return _level_text(rule.lowest_level(subject.desc))

    def options(self, question: Question) -> tuple[Choice, ...]:
        none = Choice(NONE, sentence("page.no_level"))
        return (*(Choice(level.value, level.value) for level in LEVELS), none)

    def says(self, question: Question) -> str:
        none, operator = int(question.truth == NONE), question.subject.operator.name
        return sentence("lowest.says", none=none, level=question.truth, operator=operator)


def _level_text(level: FeatureLevel | None) -> str:
    return NONE if level is None else str(level.value)


KINDS = ValidKind(), LowestKind()
