"""`sizes`: what are the output's sizes?"""

from __future__ import annotations

from typing import Any

from ...desc.tensors import braces
from ...errors import DmlvizError, quote
from ...operators.report import Check
from ...operators.wrong_rules import Misreading
from ..questions.answers import read_sizes
from ..questions.question import ANYTHING, Answer, Question, Wish
from ..questions.subject import Subject
from ..questions.wording import listed, look
from .lib.sizes_kind import SizesKind


class OutputSizesKind(SizesKind):
    """Asks for the sizes of the only output; the answer is a tuple with one tuple of integers."""

    name = "sizes"
    stage = 1

    def path(self, subject: Subject) -> str:
        return subject.desc.outputs[0].path

    def right_sizes(self, question: Question) -> tuple[int, ...]:
        sizes: tuple[int, ...] = question.truth[0]
        return sizes

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        if not subject.valid or not _output_sizes_follow(subject):
            return None  # of several outputs the sizes are given: they say where to cut
        return self.question_about(subject, seed, self.path(subject))

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        return question.subject.reading(rule).sizes

    def read(self, question: Question, given: object) -> tuple[tuple[int, ...]]:
        if not isinstance(given, list) or len(given) != 1 or not isinstance(given[0], list):
            raise DmlvizError(f"answer is {quote(given)}, expected a list with the sizes of 1 output, as [[4, 2]].")
        return (read_sizes(given[0], "answer[0]"),)

    def look(self, subject: Subject) -> str:
        data = [part.path for part in subject.desc.inputs]
        if len(data) == 1:
            return look(subject)
        names = data if len(data) == 2 else [subject.sentence("words.to", first=data[0], last=data[-1])]
        return subject.sentence("sizes.look", names=listed(names))

    def check_text(self, check: Check) -> str:
        """What a check expects of the sizes, as `path is …`; the whole message where it expects nothing."""
        head, _, expected = check.message.partition(", expected ")
        return f"{check.field} is {expected}" if expected else head

    def says(self, question: Question) -> str:
        subject, path, sizes = question.subject, self.path(question.subject), braces(self.right_sizes(question))
        told = subject.sentence("sizes.is", path=f"{path}.Sizes", sizes=sizes).removesuffix(".") + ": "
        why = "; ".join(reason.removesuffix(".").removeprefix(told) for reason in self.reasons(subject))
        if why:
            return subject.sentence("sizes.says_why", path=path, sizes=sizes, why=why)
        return subject.sentence("sizes.says", path=path, sizes=sizes)


def _output_sizes_follow(subject: Subject) -> bool:
    """True if the only output's sizes follow from the rest of the desc."""
    desc = subject.desc
    if len(desc.outputs) != 1 or desc.outputs[0].field.many:
        return False
    inferred = desc.replace({desc.outputs[0].field.name: None}).outputs
    return bool(inferred) and inferred[0].tensor.sizes == desc.outputs[0].tensor.sizes


KIND = OutputSizesKind()
