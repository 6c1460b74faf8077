"""`source`: which input element does an output's element come from?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...desc.fields import Role
from ...desc.values import Indices
from ..questions.answers import Cell, cell_json, read_cell
from ..questions.elements import sources_at
from ..questions.question import At, Question
from ..questions.subject import Reading, Subject
from ..questions.wording import element_text, formula, formula_blank, look
from .lib.element_kind import ElementKind
from .lib.from_one import moved, read_from_one


class SourceKind(ElementKind):
    """Asks which input element an output element comes from; the answer is a cell."""

    name = "source"
    stage = 2
    shows_data = False

    def has_any(self, subject: Subject) -> bool:
        return sum(part.tensor.element_count for part in subject.desc.inputs if part.field.role is Role.DATA) > 1

    def ask(self, reading: Reading, output: int, index: tuple[Indices, ...]) -> Sequence[Cell | None]:
        return sources_at(reading, output, index)

    def prompt(self, subject: Subject, at: At) -> str:
        return subject.sentence("source.prompt", element=element_text(subject, at))

    def read(self, question: Question, given: object) -> Cell:
        return read_cell(given, "tensor", question.subject.desc.inputs)

    def json(self, answer: Cell) -> Any:
        return cell_json(answer, "tensor")

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        source = element_text(subject, At.input(*question.truth))
        return look(subject), subject.title, formula_blank(subject, question.element), source

    def counted_from_one(self, question: Question) -> tuple[Cell, ...]:
        more = moved(question.truth, 1, question.subject.desc.inputs)
        return (*([] if more is None else [more]), *read_from_one(question))

    def says(self, question: Question) -> str:
        return f"{formula(question.subject, question.element)}."


KIND = SourceKind()
