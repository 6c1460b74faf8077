"""`sizes`: what are the outputs' sizes?"""

from __future__ import annotations

from typing import Any

from ...desc.tensors import braces
from ...errors import DmlvizError, quote
from ...operators.wrong_rules import Misreading
from ..question import Answer, Kind, Question
from ..subject import Subject


class SizesKind(Kind):
    name = "sizes"
    stage = 1

    def make(self, subject: Subject, seed: int) -> Question | None:
        if not subject.valid or len(subject.desc.outputs) != 1:
            return None  # of several outputs the sizes are given: they say where to cut
        path = subject.desc.outputs[0].path
        prompt = f"What are {path}'s sizes?"
        hidden = frozenset({f"{path}.Sizes", path, "values"})
        return self.finished(Question(self, subject, seed, prompt, None, hidden=hidden))

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        return question.subject.reading(rule).sizes

    def read(self, question: Question, given: object) -> Answer:
        if not isinstance(given, list) or len(given) != 1:
            raise DmlvizError(f"answer is {quote(given)}, expected a list with the sizes of 1 output, as [[4, 2]].")
        for each in given:
            if not isinstance(each, list) or not all(type(n) is int for n in each):
                raise DmlvizError(f"answer has {quote(each)}, expected a list of integers.")
        return tuple(tuple(each) for each in given)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        said = braces(question.truth[0])
        return (
            "Sizes in the titles of the inputs",
            question.subject.operator.title,
            self.says(question),
            f"It is {said}.",
        )

    def says(self, question: Question) -> str:
        output = question.subject.desc.outputs[0].path
        return f"{output}'s sizes are {braces(question.truth[0])}."


KIND = SizesKind()
