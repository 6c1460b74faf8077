"""`unread`: which input elements does no output element read?"""

from __future__ import annotations

from typing import Any

from ...desc.fields import Role
from ...operators.wrong_rules import Misreading
from ..questions.answers import Cell, cells_json, read_cells, score_of_cells
from ..questions.elements import SMALL, is_small
from ..questions.question import ANYTHING, Answer, At, Kind, Question, Wish
from ..questions.subject import Reading, Subject
from ..questions.wording import element_text, look, map_blank, map_live, what_tells_elements
from .lib.destinations import every_place, goes_to, unpromised_sources


class UnreadKind(Kind):
    """Asks which data elements no output element reads; the answer is a tuple of cells."""

    name = "unread"
    stage = 2

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        if not subject.valid or not is_small(subject) or unpromised_sources(subject):
            return None
        count = sum(part.tensor.element_count for part in subject.desc.inputs if part.field.role is Role.DATA)
        if not 2 <= count <= SMALL:
            return None
        truth = _unread_by(subject, subject.truth)
        told = any(_unread_by(subject, reading) not in (None, truth) for reading in subject.element_readings.values())
        chosen = any(part.field.role is Role.INDICES for part in subject.desc.inputs)
        if not truth and not (told and chosen):
            return None  # without indices an operator that reads all of one desc reads all of every one
        return self.pose(subject, seed, subject.sentence("unread.prompt"), what_tells_elements(subject))

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        return _unread_by(question.subject, question.subject.element_reading(rule))

    def read(self, question: Question, given: object) -> tuple[Cell, ...]:
        return read_cells(given, "tensor", question.subject.desc.inputs)

    def json(self, answer: tuple[Cell, ...]) -> Any:
        return cells_json(answer, "tensor")

    def score(self, question: Question, answer: Answer) -> float:
        return score_of_cells(answer, question.truth)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        names = ", ".join(element_text(subject, At.input(*cell)) for cell in question.truth)
        return look(subject), subject.title, map_blank(subject), names or subject.sentence("unread.none")

    def says(self, question: Question) -> str:
        count, code, sentence = len(question.truth), map_live(question.subject), question.subject.sentence
        if not count:
            return sentence("unread.says_none", map=code)
        return sentence("unread.says_one", map=code) if count == 1 else sentence("unread.says", count=count, map=code)


def _unread_by(subject: Subject, reading: Reading) -> tuple[Cell, ...] | None:
    """The data elements that nothing reads, in order; None where a reading can't say."""
    goes = goes_to(subject, reading)
    if goes is None:
        return None
    data = [(k, part.tensor.sizes) for k, part in enumerate(subject.desc.inputs) if part.field.role is Role.DATA]
    return tuple((k, place) for k, sizes in data for place in every_place(sizes) if (k, place) not in goes)


KIND = UnreadKind()
