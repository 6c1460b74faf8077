"""`valid`, `lowest`, `fixes`: which rules a desc breaks, which feature level takes it, and how it is mended."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from msgspec import structs

from ...desc.levels import LEVELS, FeatureLevel
from ...operators.fixes.differences import edits_between
from ...operators.report import Fix, Severity, root_of
from ...operators.wrong_rules import Misreading
from ..questions.answers import NOTHING, Answer
from ..questions.goals import is_valid
from ..questions.question import ANYTHING, Choice, Form, Kind, Question, Wish
from ..questions.subject import Subject
from .lib.desc_answers import DescAnswer, DescForm
from .lib.forms import CHOICES

CANDIDATES = 5
"""Rules to choose among, at most; more where more of them are somebody's answer."""
MOST_WORDS = 44
"""Words of the choices together."""
NONE = "none"
"""The answer where no level takes the desc; null in JSON."""
MOST_EDITS = 3
"""Numbers and types that an answer may change, unless every known fix changes more."""


class ValidKind(Kind):
    """Asks which rules the desc breaks; the answer is a tuple of their ids, () for a valid desc."""

    name, form = "valid", CHOICES
    about_rules, told_by_rules = True, True
    of_any_desc = True
    confirms_elsewise = True
    alternatives = 10
    stage = 2

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        choices = _rule_choices(subject)
        if not choices:
            return None
        prompt = subject.sentence("valid.prompt", level=subject.report.feature_level)
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
        subject, sentence, says = question.subject, question.subject.sentence, self.says(question)
        errors = subject.report.errors
        formula = sentence("valid.formula", count=len(question.choices), broken=len(question.truth))
        if not errors:
            return sentence("valid.look_all"), sentence("valid.rule"), formula, says
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


def _rule_choices(subject: Subject) -> tuple[Choice, ...]:
    """A choice for every rule that holds, breaks or waits, with its sentence."""
    report = subject.report
    ids = [c.id for c in report.checks if c.severity is not Severity.NOTE] + [w.id for w in report.waiting]
    return tuple(Choice(id_, subject.rule_sentence(id_) or id_) for id_ in dict.fromkeys(ids))


def _nearest_choices(choices: Sequence[Choice], kept: Collection[str], dice: random.Random) -> tuple[Choice, ...]:
    """The choices with these ids, and a few others, in their order; first those that are about the same as they."""
    families = {id_.partition(".")[0] for id_ in kept}  # `sizes` of `sizes.sum`
    others, chosen = [choice for choice in choices if choice.id not in kept], {*kept}
    dice.shuffle(others)
    others.sort(key=lambda choice: choice.id.partition(".")[0] not in families)
    words = {choice.id: len(choice.text.split()) for choice in choices}
    for other in others:
        if len(chosen) < CANDIDATES and sum(words[id_] for id_ in (*chosen, other.id)) <= MOST_WORDS:
            chosen.add(other.id)
    if len(chosen) == len(kept) and others:
        chosen.add(min(others, key=lambda choice: words[choice.id]).id)
    return tuple(choice for choice in choices if choice.id in chosen)


class LevelForm(Form):
    """A feature level by its name, or `NONE`."""

    words = "level"

    def read(self, question: Question, given: object) -> Answer:
        return super().read(question, NONE if given is None else given)

    def json(self, answer: Answer) -> Any:
        return None if answer == NONE else answer

    def typed(self, question: Question, text: str) -> Any:
        return None if text.strip().lower() in NOTHING else text.strip()


class LowestKind(Kind):
    """Asks for the lowest feature level that takes the desc; the answer is its name, or `NONE`."""

    name, form = "lowest", LevelForm()
    about_rules, told_by_rules = True, True
    of_any_desc = True
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

    def options(self, question: Question) -> tuple[Choice, ...]:
        none = Choice(NONE, question.subject.sentence("page.no_level"))
        return (*(Choice(level.value, level.value) for level in LEVELS), none)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        sentence = question.subject.sentence
        return sentence("lowest.look"), sentence("lowest.rule"), sentence("lowest.formula"), self.says(question)

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


class FixesKind(Kind):
    """Asks to mend a desc; the answer is a desc."""

    name, form = "fixes", DescForm()
    authored, of_any_desc = True, True
    stage = 2

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        if subject.valid or not _mending_fixes(subject):
            return None
        most = _most_edits(subject)
        level = subject.experiment.feature_level
        prompt = subject.sentence("fixes.prompt", level=level, count=most)  # there are always several
        return self.pose(subject, seed, prompt, {"fixes"})

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        subject = question.subject
        if rule is not None and is_accepted_by(subject, rule):
            return DescAnswer(subject.desc)  # there is nothing to mend
        return DescAnswer(_mending_fixes(subject)[0].desc)

    def score(self, question: Question, answer: DescAnswer) -> float:
        """1 for a valid desc with few enough numbers changed, else 0."""
        subject = question.subject
        near = edits_between(subject.desc, answer.desc) <= _most_edits(subject)
        return float(near and is_valid(answer.desc, subject.experiment.feature_level))

    def rules(self, question: Question, answer: DescAnswer) -> tuple[str, ...]:
        subject = question.subject
        if is_valid(answer.desc, subject.experiment.feature_level):
            return ()  # it passes, but it is too far away
        tried = Subject(replace(subject.experiment, desc=answer.desc))
        return tuple(rule.id for rule in subject.rules if is_accepted_by(tried, rule))

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        broken, nearest = question.subject.report.errors[0], _mending_fixes(question.subject)[0]
        say = question.subject.sentence
        changed = [change.what for change in nearest.changes]
        change = ", ".join(changed) or say("fixes.one_field")
        reason = broken.message
        return say("fixes.look", field=broken.field), reason, say("fixes.change", what=change), self.says(question)

    def says(self, question: Question) -> str:
        subject = question.subject
        return subject.sentence("fixes.says", fix=", ".join(map(str, _mending_fixes(subject)[0].changes)))


def _mending_fixes(subject: Subject) -> list[Fix]:
    """Fixes after which no error is left, and operator and level are as before; those that change the least first."""
    level = subject.experiment.feature_level
    fixes = [fix for broken in subject.report.errors for fix in broken.fixes]
    mending = [fix for fix in fixes if fix.mends_all and fix.feature_level is level and not fix.turned]
    return sorted(mending, key=lambda fix: edits_between(subject.desc, fix.desc))


def _most_edits(subject: Subject) -> int:
    """How many numbers and types an answer may change."""
    return max(MOST_EDITS, edits_between(subject.desc, _mending_fixes(subject)[0].desc))


VALID, FIXES = ValidKind(), FixesKind()
KINDS = VALID, LowestKind(), FIXES
