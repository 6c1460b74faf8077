"""`dest`: which output elements read an input element?"""

from __future__ import annotations

from typing import Any

from ...desc.tensors import brackets
from ...operators.maps import Place
from ...operators.wrong_rules import Misreading
from ..questions.answers import Cell, cell_json, read_cells, score_of_cells
from ..questions.elements import best, is_small
from ..questions.question import Answer, At, Question
from ..questions.subject import Subject
from ..questions.wording import element, formula, is_read, look, map_blank, path_of
from .lib.destinations import read_elements, where_it_goes
from .lib.element_kind import InputElementKind

MOST = 16
"""Places that are to be marked, at most."""


class DestKind(InputElementKind):
    name = "dest"
    stage = 2

    def make(self, subject: Subject, seed: int) -> Question | None:
        count = sum(part.tensor.element_count for part in subject.desc.outputs)
        if not subject.valid or count < 2 or not is_small(subject):
            return None
        dice = self.dice(subject, seed)
        found = read_elements(subject, dice, lambda goes, cell: goes.get(cell, ()))
        chosen = best((each for each in found if len(each.truth) <= MOST), dice)
        return None if chosen is None else self.about(subject, seed, chosen.at)

    def prompt(self, subject: Subject, at: At) -> str:
        return subject.sentence("dest.prompt", element=element(subject, at))

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        assert question.at is not None
        subject = question.subject
        reading = subject.reading(rule)
        goes = where_it_goes(subject, reading if reading.has_elements else subject.truth)
        return None if goes is None else goes.get((question.at.place.number, question.at.index), ())

    def read(self, question: Question, given: object) -> Answer:
        return read_cells(given, "output", question.subject.desc.outputs)

    def json(self, answer: Answer) -> Any:
        return [cell_json(each, "output") for each in answer]

    def score(self, question: Question, answer: Answer) -> float:
        return score_of_cells(answer, question.truth)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        said = ", ".join(output_element(subject, each) for each in question.truth) or subject.sentence("dest.none")
        return look(subject), subject.title, map_blank(subject), said

    def says(self, question: Question) -> str:
        assert question.at is not None
        subject, name = question.subject, element(question.subject, question.at)
        read = is_read(subject, len(question.truth))
        if not question.truth:
            return subject.sentence("dest.says", element=name, read=read)
        first = formula(subject, *question.truth[0])
        return subject.sentence("dest.says_where", element=name, read=read, formula=first)


def output_element(subject: Subject, cell: Cell) -> str:
    """`OutputTensors[1][0,2]`."""
    return f"{path_of(subject, Place(True, cell[0]))}{brackets(cell[1])}"


KIND = DestKind()
