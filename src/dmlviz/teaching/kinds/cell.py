"""`cell`: which number stands in an output's element?"""

from __future__ import annotations

from collections.abc import Sequence

from ...desc.values import Indices
from ..questions.answers import Value, output_type, read_value, shown
from ..questions.elements import values_at
from ..questions.question import At, Question
from ..questions.subject import Reading, Subject
from ..questions.wording import element_text, formula_and_value, formula_blank, look
from .lib.element_kind import ElementKind


class CellKind(ElementKind):
    """Asks which value stands in an output element; the answer is that value."""

    name = "cell"
    alternatives = 16
    stage = 1
    shows_data = True
    wants_told = True

    def has_any(self, subject: Subject) -> bool:
        return subject.varies

    def ask(self, reading: Reading, output: int, index: tuple[Indices, ...]) -> Sequence[Value | None]:
        return values_at(reading, output, index)

    def prompt(self, subject: Subject, at: At) -> str:
        return subject.sentence("cell.prompt", element=element_text(subject, at))

    def read(self, question: Question, given: object) -> Value:
        return read_value(given, output_type(question.subject.desc))

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        return look(subject), subject.title, formula_blank(subject, question.element), shown(question.truth)

    def says(self, question: Question) -> str:
        return formula_and_value(question.subject, question.element)


KIND = CellKind()
