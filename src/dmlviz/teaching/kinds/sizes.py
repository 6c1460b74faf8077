"""`sizes` and `insizes`: what are the output's sizes, and which does the lengths tensor have to have?"""

from __future__ import annotations

from abc import abstractmethod

from ...desc.fields import Role
from ...desc.tensors import braces
from ...operators.sentences import sentence_of
from ..questions.question import ANYTHING, Hints, Kind, Question, Wish
from ..questions.subject import Answer, Rule, Subject
from ..questions.wording import blanked, listed
from ..words.catalogue import sentence
from .lib.forms import SIZES

GENERAL = ("sizes.positive", "sizes.element_count")
"""Checks of sizes that say nothing of where they come from."""


class SizesKind(Kind):
    """A kind that asks for the sizes of one tensor, which follow from the rest of the desc."""

    quantity = "sizes"
    confirms_elsewise = True
    alternatives = 20

    @abstractmethod
    def path(self, subject: Subject) -> str | None:
        """The path of the tensor whose sizes are asked for; None for none."""

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        if not subject.valid or (path := self.path(subject)) is None:
            return None
        hidden = {path, f"{path}.Sizes", "values", "memory", "rules", "fixes", "links", "reads"}
        blank = None if self.pictured else f"{path}.Sizes"
        return self.pose(subject, seed, sentence(f"{self.name}.prompt", path=path), hidden, blank=blank)

    def why(self, subject: Subject) -> list[tuple[str, str]]:
        """(rule, what it says of the sizes) of the checks of the sizes that hold, without those of any tensor."""
        begin = f"{self.path(subject)}.Sizes"
        found = []
        for check in subject.evaluated:
            if check.ok and check.field.startswith(begin) and check.id not in GENERAL:
                head, _, wanted = check.message.removesuffix(".").partition(", expected ")
                told = f"{check.field} is {wanted}" if wanted else head
                found.append((sentence_of(subject.operator, check.id), told))
        return found

    def hints(self, question: Question) -> Hints:
        subject = question.subject
        why = self.why(subject)
        path = self.path(subject)
        names = dict.fromkeys(part.field.name for part in subject.desc.inputs if part.path != path)
        rule = " ".join(filter(None, (rule for rule, _ in why))) or subject.title
        formula = blanked("; ".join(reason for _, reason in why) or f"{path}.Sizes is ?")
        return sentence("sizes.look", names=listed([*names])), rule, f"{formula}.", _text(question)

    def says(self, question: Question) -> str:
        told = f"{self.path(question.subject)}.Sizes is {_text(question)}"
        why = "; ".join(reason for _, reason in self.why(question.subject))
        return f"{why}." if why.startswith(told) else f"{told}{': ' * bool(why)}{why}."


def _text(question: Question) -> str:
    first, *_ = question.truth
    return braces(first if isinstance(first, tuple) else question.truth)


class OutputSizesKind(SizesKind):
    name = "sizes"
    form = SIZES
    stage = 1
    pictured = True
    draws_outputs = False
    needs = "one output, whose sizes follow from the rest"

    def path(self, subject: Subject) -> str | None:
        desc = subject.desc
        if len(desc.outputs) != 1 or desc.outputs[0].field.many:
            return None  # of several outputs the sizes are given: they say where to cut
        inferred = desc.replace({desc.outputs[0].field.name: None}).outputs
        follows = bool(inferred) and inferred[0].tensor.sizes == desc.outputs[0].tensor.sizes
        return desc.outputs[0].path if follows else None

    def answer(self, question: Question, rule: Rule | None) -> Answer | None:
        return question.subject.reading(rule).sizes


class InSizesKind(SizesKind):
    name = "insizes"
    form = SIZES
    needs = "a tensor of lengths"

    def path(self, subject: Subject) -> str | None:
        return next((part.path for part in subject.desc.inputs if part.field.role is Role.LENGTHS), None)

    def answer(self, question: Question, rule: Rule | None) -> Answer | None:
        desc = question.subject.desc
        number = [part.field.role for part in desc.inputs].index(Role.LENGTHS)
        if rule is None or rule.input_sizes is None:
            return desc.inputs[number].tensor.sizes
        return rule.input_sizes(desc, number)


KINDS = OutputSizesKind(), InSizesKind()
