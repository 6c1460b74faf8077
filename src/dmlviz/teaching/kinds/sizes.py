"""`sizes` and `insizes`: what are the output's sizes, and which does the lengths tensor have to have?"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

from ...desc.fields import Role
from ...desc.tensors import braces
from ...operators.report import Check
from ...operators.wrong_rules import Misreading
from ..questions.answers import Answer
from ..questions.question import ANYTHING, Kind, Quantity, Question, Wish
from ..questions.subject import Subject
from ..questions.wording import blanked, listed, look
from .lib.forms import SizesForm

GENERAL = ("sizes.positive", "sizes.element_count")
"""Checks of sizes that say nothing of where they come from."""


class SizesKind(Kind):
    """A kind that asks for the sizes of one tensor, which follow from the rest of the desc."""

    confirms_elsewise, looks_up = True, "sizes"
    alternatives = 20
    blanks = False
    """True if the question's JSON has a blank for them."""

    @abstractmethod
    def path(self, subject: Subject) -> str | None:
        """The path of the tensor whose sizes are asked for; None for none."""

    @abstractmethod
    def look(self, subject: Subject) -> str:
        """Where to look, in a few words."""

    @abstractmethod
    def reason(self, check: Check) -> str:
        """What a check says of the sizes."""

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        if not subject.valid or (path := self.path(subject)) is None:
            return None
        hidden = {path, f"{path}.Sizes", "values", "memory", "rules", "fixes", "links", "reads"}
        blank = f"{path}.Sizes" if self.blanks else None
        return self.pose(subject, seed, subject.sentence(f"{self.name}.prompt", path=path), hidden, blank=blank)

    def asks(self, question: Question) -> Iterator[Quantity]:
        path = self.path(question.subject) or ""
        if self.blanks or f"{path}.Sizes" in question.hidden:
            yield Quantity("sizes", path)

    def checks(self, subject: Subject) -> list[Check]:
        """The checks of the tensor's sizes that hold, without those that any tensor has."""
        begin = f"{self.path(subject)}.Sizes"
        return [c for c in subject.evaluated if c.ok and c.field.startswith(begin) and c.id not in GENERAL]

    def why(self, subject: Subject, told: str = "") -> str:
        """What the checks say of the sizes, in one clause, without what is `told` already; "" for nothing."""
        reasons = (self.reason(check).removesuffix(".").removeprefix(told) for check in self.checks(subject))
        return "; ".join(reasons)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject, sizes = question.subject, question.truth[0] if self.form.words == "sizes" else question.truth
        words = " ".join(filter(None, (subject.rule_sentence(check.id) for check in self.checks(subject))))
        formula = " ".join(blanked(self.reason(check)) for check in self.checks(subject))
        unknown = subject.sentence("sizes.is", path=f"{self.path(subject)}.Sizes", sizes=braces("?" for _ in sizes))
        return self.look(subject), words or subject.title, formula or unknown, braces(sizes)


class OutputSizesKind(SizesKind):
    """Asks for the sizes of the only output, where they follow; the answer is a tuple with one tuple of integers."""

    name, form = "sizes", SizesForm(nested=True)
    stage = 1
    pictured, draws_outputs = True, False

    def path(self, subject: Subject) -> str | None:
        desc = subject.desc
        if len(desc.outputs) != 1 or desc.outputs[0].field.many:
            return None  # of several outputs the sizes are given: they say where to cut
        inferred = desc.replace({desc.outputs[0].field.name: None}).outputs
        follows = bool(inferred) and inferred[0].tensor.sizes == desc.outputs[0].tensor.sizes
        return desc.outputs[0].path if follows else None

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        return question.subject.reading(rule).sizes

    def look(self, subject: Subject) -> str:
        data = [part.path for part in subject.desc.inputs]
        if len(data) == 1:
            return look(subject)
        names = data if len(data) == 2 else [subject.sentence("words.to", first=data[0], last=data[-1])]
        return subject.sentence("sizes.look", names=listed(names))

    def reason(self, check: Check) -> str:
        head, _, expected = check.message.partition(", expected ")
        return f"{check.field} is {expected}" if expected else head

    def says(self, question: Question) -> str:
        subject, path, sizes = question.subject, self.path(question.subject), braces(question.truth[0])
        told = subject.sentence("sizes.is", path=f"{path}.Sizes", sizes=sizes).removesuffix(".") + ": "
        why = self.why(subject, told)
        return subject.sentence("sizes.says_why" if why else "sizes.says", path=path, sizes=sizes, why=why)


class InSizesKind(SizesKind):
    """Asks for the sizes of the lengths tensor: those of indices follow from nothing; a tuple of integers."""

    name, form = "insizes", SizesForm()
    stage = 2
    blanks = True

    def path(self, subject: Subject) -> str | None:
        return next((part.path for part in subject.desc.inputs if part.field.role is Role.LENGTHS), None)

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        desc = question.subject.desc
        number = [part.field.role for part in desc.inputs].index(Role.LENGTHS)
        if rule is None or rule.input_sizes is None:
            return desc.inputs[number].tensor.sizes
        return rule.input_sizes(desc, number)

    def look(self, subject: Subject) -> str:
        data = next(part.path for part in subject.desc.inputs if part.field.role is Role.DATA)
        axes = [field.name for field in subject.desc.ATTRIBUTES if field.is_axis]
        return subject.sentence("insizes.joint").join((subject.sentence("words.sizes_of", name=data), *axes))

    def reason(self, check: Check) -> str:
        return check.message

    def says(self, question: Question) -> str:
        why = self.why(question.subject)
        sizes = question.subject.sentence("sizes.is", path=question.blank, sizes=braces(question.truth))
        return f"{why}." if why else sizes


KINDS = OutputSizesKind(), InSizesKind()
