"""`insizes`: which sizes does the lengths tensor have to have?"""

from __future__ import annotations

from typing import Any

from ...desc.fields import NumberField, Role
from ...desc.tensors import braces
from ...operators.report import Check
from ...operators.wrong_rules import Misreading
from ..questions.answers import read_sizes
from ..questions.question import Answer, Kind, Question
from ..questions.subject import Subject
from ..questions.wording import blanked
from ..words.texts import ENGLISH

GENERAL = ("sizes.positive", "sizes.element_count")
"""Checks of sizes that say nothing of where they come from."""


class InSizesKind(Kind):
    name = "insizes"
    confirms_elsewise = True
    alternatives = 20
    stage = 2

    def make(self, subject: Subject, seed: int) -> Question | None:
        number = _lengths(subject)
        if not subject.valid or number is None:
            return None
        path = subject.desc.inputs[number].path
        hidden = frozenset({path, f"{path}.Sizes", "values", "memory", "rules", "fixes", "links", "reads"})
        prompt = subject.sentence("insizes.prompt", path=path)
        return self.finished(
            Question(
                kind=self, subject=subject, seed=seed, prompt=prompt, truth=None, blank=f"{path}.Sizes", hidden=hidden
            )
        )

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        desc = question.subject.desc
        number = _lengths(question.subject)
        assert number is not None
        if rule is None or rule.input_sizes is None:
            return desc.inputs[number].tensor.sizes
        return rule.input_sizes(desc, number)

    def read(self, question: Question, given: object) -> Answer:
        return read_sizes(given)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        checks = _own(subject)
        data = next(part.path for part in subject.desc.inputs if part.field.role is Role.DATA)
        words = " ".join(filter(None, (subject.rule_sentence(each.id) for each in checks)))
        blank = " ".join(blanked(each.message) for each in checks)
        axes = [field.name for field in subject.desc.FIELDS if isinstance(field, NumberField) and field.is_axis]
        look = subject.sentence("insizes.joint").join((subject.sentence("words.sizes_of", name=data), *axes))
        if subject.lang != ENGLISH:  # what checks say is English
            blank = subject.sentence("sizes.is", path=question.blank, sizes=braces("?" for _ in question.truth))
        return look, words or subject.title, blank, braces(question.truth)

    def says(self, question: Question) -> str:
        subject = question.subject
        checks = _own(subject) if subject.lang == ENGLISH else []
        why = "; ".join(each.message.removesuffix(".") for each in checks)
        return f"{why}." if why else subject.sentence("sizes.is", path=question.blank, sizes=braces(question.truth))


def _lengths(subject: Subject) -> int | None:
    """The number of the lengths tensor, whose sizes follow from the data's; those of indices are anybody's choice."""
    roles = [part.field.role for part in subject.desc.inputs]
    return roles.index(Role.LENGTHS) if Role.LENGTHS in roles else None


def _own(subject: Subject) -> list[Check]:
    """The operator's own checks that hold of the lengths' sizes."""
    number = _lengths(subject)
    assert number is not None
    path = f"{subject.desc.inputs[number].path}.Sizes"
    return [each for each in subject.evaluated if each.ok and each.field.startswith(path) and each.id not in GENERAL]


KIND = InSizesKind()
