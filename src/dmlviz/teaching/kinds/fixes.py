"""`fixes`: mend the desc; any desc that passes, and isn't another problem altogether, will do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...operators.fixes.differences import edits_between
from ...operators.report import Fix
from ...operators.wrong_rules import Misreading
from ..questions.goals import is_valid
from ..questions.question import ANYTHING, Answer, Kind, Question, Wish
from ..questions.subject import Subject
from .lib.desc_answers import DescAnswer, desc_json, read_desc
from .valid import is_accepted_by

MOST_EDITS = 3
"""Numbers and types that an answer may change, unless every known fix changes more."""


class FixesKind(Kind):
    """Asks to mend a desc; the answer is a desc."""

    name = "fixes"
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

    def read(self, question: Question, given: object) -> DescAnswer:
        return read_desc(given, question.subject.desc.TYPE, any_operator=False)

    def json(self, answer: DescAnswer) -> Any:
        return desc_json(answer)

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


KIND = FixesKind()
