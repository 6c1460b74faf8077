"""`unread`: which input elements does no output element read?"""

from __future__ import annotations

from typing import Any

from ...desc.fields import Role
from ...operators.wrong_rules import Misreading
from ..questions.answers import Cell, cell_json, read_cells, score_of_cells
from ..questions.elements import SMALL, is_small
from ..questions.question import Answer, Kind, Question
from ..questions.subject import Reading, Subject
from ..questions.wording import hides_elements, look, map_blank, map_live
from .lib.destinations import places, unpromised, where_it_goes
from .source import input_element


class UnreadKind(Kind):
    name = "unread"
    stage = 2

    def make(self, subject: Subject, seed: int) -> Question | None:
        if not subject.valid or not is_small(subject) or unpromised(subject):
            return None
        count = sum(part.tensor.element_count for part in subject.desc.inputs if part.field.role is Role.DATA)
        if not 2 <= count <= SMALL:
            return None
        truth = _unread(subject, subject.truth)
        told = any(_unread(subject, reading) not in (None, truth) for reading in subject.element_readings.values())
        if not truth and not told:
            return None
        prompt = subject.sentence("unread.prompt")
        return self.finished(
            Question(kind=self, subject=subject, seed=seed, prompt=prompt, truth=None, hidden=hides_elements(subject))
        )

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        reading = question.subject.reading(rule)
        return _unread(question.subject, reading if reading.has_elements else question.subject.truth)

    def read(self, question: Question, given: object) -> Answer:
        return read_cells(given, "tensor", question.subject.desc.inputs)

    def json(self, answer: Answer) -> Any:
        return [cell_json(each, "tensor") for each in answer]

    def score(self, question: Question, answer: Answer) -> float:
        return score_of_cells(answer, question.truth)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        said = ", ".join(input_element(subject, each) for each in question.truth) or subject.sentence("unread.none")
        return look(subject), subject.title, map_blank(subject), said

    def says(self, question: Question) -> str:
        count, code = len(question.truth), map_live(question.subject)
        if not count:
            return question.subject.sentence("unread.says_none", map=code)
        if count == 1:
            return question.subject.sentence("unread.says_one", map=code)
        return question.subject.sentence("unread.says", count=count, map=code)


def _unread(subject: Subject, reading: Reading) -> tuple[Cell, ...] | None:
    """The data elements that nothing reads, in order; None where a reading can't say."""
    goes = where_it_goes(subject, reading)
    if goes is None:
        return None
    made = []
    for k, part in enumerate(subject.desc.inputs):
        if part.field.role is Role.DATA:
            made += [(k, place) for place in places(part.tensor.sizes) if (k, place) not in goes]
    return tuple(made)


KIND = UnreadKind()
