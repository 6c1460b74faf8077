"""`dest`: which output elements read an input element?"""

from __future__ import annotations

from typing import Any

from ...desc.tensors import brackets
from ...operators.maps import Place
from ...operators.wrong_rules import Misreading
from ..answers import Cell, cell_json, read_cells, score_of_cells
from ..destinations import read_elements, where_it_goes
from ..elements import best, is_small
from ..question import Answer, Kind, Question
from ..subject import Subject
from ..words import element, formula, hides_elements, look, map_blank, path_of

MOST = 16
"""Places that are to be marked, at most."""


class DestKind(Kind):
    name = "dest"
    stage = 2

    def make(self, subject: Subject, seed: int) -> Question | None:
        if not subject.valid or not is_small(subject):
            return None
        dice = self.dice(subject, seed)
        found = read_elements(subject, dice, lambda goes, cell: goes.get(cell, ()))
        chosen = best((each for each in found if len(each.truth) <= MOST), dice)
        if chosen is None:
            return None
        prompt = f"Mark every output element that reads {element(subject, chosen.at)}."
        return self.finished(Question(self, subject, seed, prompt, None, chosen.at, hidden=hides_elements(subject)))

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
        said = ", ".join(output_element(subject, each) for each in question.truth) or "none: it is never read"
        return look(subject), subject.operator.title, map_blank(subject), said

    def says(self, question: Question) -> str:
        assert question.at is not None
        subject, name = question.subject, element(question.subject, question.at)
        if not question.truth:
            return f"{name} is never read."
        first = formula(subject, *question.truth[0])
        times = len(question.truth)
        return f"{name} is read {'once' if times == 1 else f'{times} times'}: {first}."


def output_element(subject: Subject, cell: Cell) -> str:
    """`OutputTensors[1][0,2]`."""
    return f"{path_of(subject, Place(True, cell[0]))}{brackets(cell[1])}"


KIND = DestKind()
