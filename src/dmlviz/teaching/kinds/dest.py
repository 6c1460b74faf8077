"""`dest`: which output elements read an input element?"""

from __future__ import annotations

import random
from typing import Any

from ...operators.wrong_rules import Misreading
from ..questions.answers import Cell, cells_json, read_cells, score_of_cells
from ..questions.elements import best_candidate, is_small
from ..questions.question import Answer, At, Question
from ..questions.subject import Subject
from ..questions.wording import element_text, formula, look, map_blank, times_read
from .lib.destinations import candidates_by_readers, readers
from .lib.element_kind import InputElementKind
from .lib.from_one import moved, read_from_one

MOST = 16
"""Places that are to be marked, at most."""


class DestKind(InputElementKind):
    """Asks which output elements read an input element; the answer is a tuple of cells."""

    name = "dest"
    stage = 2

    def choose(self, subject: Subject, dice: random.Random) -> At | None:
        if sum(part.tensor.element_count for part in subject.desc.outputs) < 2 or not is_small(subject):
            return None
        cells = candidates_by_readers(subject, dice, lambda cells: cells)
        chosen = best_candidate((cell for cell in cells if len(cell.truth) <= MOST), dice)
        return None if chosen is None else chosen.at

    def prompt(self, subject: Subject, at: At) -> str:
        return subject.sentence("dest.prompt", element=element_text(subject, at))

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        return readers(question.subject, question.element, rule)

    def read(self, question: Question, given: object) -> tuple[Cell, ...]:
        return read_cells(given, "output", question.subject.desc.outputs)

    def json(self, answer: tuple[Cell, ...]) -> Any:
        return cells_json(answer, "output")

    def score(self, question: Question, answer: Answer) -> float:
        return score_of_cells(answer, question.truth)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        names = ", ".join(element_text(subject, At.output(*cell)) for cell in question.truth)
        return look(subject), subject.title, map_blank(subject), names or subject.sentence("dest.none")

    def counted_from_one(self, question: Question) -> tuple[Answer, ...]:
        outputs = question.subject.desc.outputs
        cells = tuple(moved(cell, 1, outputs) for cell in question.truth)
        return (*([] if None in cells else [cells]), *read_from_one(question))

    def says(self, question: Question) -> str:
        subject, name = question.subject, element_text(question.subject, question.element)
        read = times_read(subject, len(question.truth))
        if not question.truth:
            return subject.sentence("dest.says", element=name, read=read)
        first = formula(subject, At.output(*question.truth[0]))
        return subject.sentence("dest.says_where", element=name, read=read, formula=first)


KIND = DestKind()
