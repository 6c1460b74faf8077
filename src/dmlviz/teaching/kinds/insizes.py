"""`insizes`: which sizes does the lengths tensor have to have?"""

from __future__ import annotations

from typing import Any

from ...desc.fields import Role
from ...desc.tensors import braces
from ...operators.wrong_rules import Misreading
from ..questions.answers import read_sizes
from ..questions.question import ANYTHING, Answer, Question, Wish
from ..questions.subject import Subject
from .lib.sizes_kind import SizesKind


class InSizesKind(SizesKind):
    """Asks for the sizes of the lengths tensor; the answer is a tuple of integers."""

    name = "insizes"
    stage = 2

    def path(self, subject: Subject) -> str | None:
        """The path of the lengths tensor; None where there is none: the sizes of indices follow from nothing."""
        return next((part.path for part in subject.desc.inputs if part.field.role is Role.LENGTHS), None)

    def right_sizes(self, question: Question) -> tuple[int, ...]:
        sizes: tuple[int, ...] = question.truth
        return sizes

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        path = self.path(subject)
        return self.question_about(subject, seed, path, f"{path}.Sizes") if subject.valid and path is not None else None

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        desc = question.subject.desc
        number = [part.field.role for part in desc.inputs].index(Role.LENGTHS)
        if rule is None or rule.input_sizes is None:
            return desc.inputs[number].tensor.sizes
        return rule.input_sizes(desc, number)

    def read(self, question: Question, given: object) -> tuple[int, ...]:
        return read_sizes(given)

    def look(self, subject: Subject) -> str:
        data = next(part.path for part in subject.desc.inputs if part.field.role is Role.DATA)
        axes = [field.name for field in subject.desc.ATTRIBUTES if field.is_axis]
        return subject.sentence("insizes.joint").join((subject.sentence("words.sizes_of", name=data), *axes))

    def says(self, question: Question) -> str:
        subject = question.subject
        why = "; ".join(reason.removesuffix(".") for reason in self.reasons(subject))
        return f"{why}." if why else subject.sentence("sizes.is", path=question.blank, sizes=braces(question.truth))


KIND = InSizesKind()
