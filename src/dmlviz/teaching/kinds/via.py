"""`via`: which index or length cell sends an output's element to its place?"""

from __future__ import annotations

import random
from collections.abc import Sequence

from ...desc.fields import Role
from ...desc.values import Indices
from ..questions.answers import Cell
from ..questions.elements import vias_at
from ..questions.question import ANYTHING, At, Question, Window, Wish
from ..questions.subject import Reading, Subject
from ..questions.wording import element_text, formula, formula_blank, steering_paths
from .source import SourceKind


class ViaKind(SourceKind):
    """Asks which index or length cell sends an output element to its place; the answer is a cell."""

    name = "via"

    def has_any(self, subject: Subject) -> bool:
        return sum(part.tensor.element_count for part in subject.desc.inputs if part.field.role is not Role.DATA) > 1

    def ask(self, reading: Reading, output: int, index: tuple[Indices, ...]) -> Sequence[Cell | None]:
        return vias_at(reading, output, index)

    def takes_nowhere(self, subject: Subject) -> bool:
        return False

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        return super().make(subject, seed, wish) if steering_paths(subject) else None

    def windows(self, subject: Subject, dice: random.Random, at: At) -> tuple[Window, ...]:
        return ()

    def prompt(self, subject: Subject, at: At) -> str:
        part = next(part for part in subject.desc.inputs if part.field.role is not Role.DATA)
        by_length, name = part.field.role is Role.LENGTHS, element_text(subject, at)
        return subject.sentence("via.prompt_length" if by_length else "via.prompt_index", path=part.path, element=name)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        names = ", ".join(subject.sentence("via.look", name=name) for name in steering_paths(subject))
        cell = element_text(subject, At.input(*question.truth))
        return names, subject.title, formula_blank(subject, question.element), cell

    def says(self, question: Question) -> str:
        subject, cell = question.subject, element_text(question.subject, At.input(*question.truth))
        return subject.sentence("via.says", cell=cell, formula=formula(subject, question.element))


KIND = ViaKind()
