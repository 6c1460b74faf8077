"""`source`: which input element does an output's element come from?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...desc.fields import Role
from ...desc.values import Indices
from ..questions.answers import FROM_NOWHERE, FROM_NOWHERE_JSON, Cell, cell_json, read_cell
from ..questions.elements import origins_at
from ..questions.question import At, Question
from ..questions.subject import Reading, Subject
from ..questions.wording import element_text, formula, formula_blank, look, origin_text
from .lib.element_kind import ElementKind
from .lib.from_one import moved, read_from_one


class SourceKind(ElementKind):
    """Asks which input element an output element comes from; the answer is a cell, or that it comes from nowhere."""

    name = "source"
    stage = 2
    shows_data = False

    def has_any(self, subject: Subject) -> bool:
        return sum(part.tensor.element_count for part in subject.desc.inputs if part.field.role is Role.DATA) > 1

    def ask(self, reading: Reading, output: int, index: tuple[Indices, ...]) -> Sequence[Cell | None]:
        return origins_at(reading, output, index)

    def takes_nowhere(self, subject: Subject) -> bool:
        return subject.trace.has_constants

    def prompt(self, subject: Subject, at: At) -> str:
        element, nowhere = element_text(subject, at), subject.trace.has_constants
        return subject.sentence("source.prompt_or_nowhere" if nowhere else "source.prompt", element=element)

    def read(self, question: Question, given: object) -> Cell:
        if given == FROM_NOWHERE_JSON and self.takes_nowhere(question.subject):
            return FROM_NOWHERE
        return read_cell(given, "tensor", question.subject.desc.inputs)

    def json(self, answer: Cell) -> Any:
        return FROM_NOWHERE_JSON if answer == FROM_NOWHERE else cell_json(answer, "tensor")

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        source = origin_text(subject, question.truth)
        return look(subject), subject.title, formula_blank(subject, question.element), source

    def counted_from_one(self, question: Question) -> tuple[Cell, ...]:
        parts = question.subject.desc.inputs
        more = moved(question.truth, 1, parts) if question.truth != FROM_NOWHERE else None
        return (*([] if more is None else [more]), *read_from_one(question))

    def says(self, question: Question) -> str:
        return f"{formula(question.subject, question.element)}."


KIND = SourceKind()
