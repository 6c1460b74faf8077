"""`cell`: which number stands in an output's element?"""

from __future__ import annotations

from typing import Any

from ...operators.wrong_rules import Misreading
from ..answers import output_type, read_value, shown
from ..elements import best, candidates, holders_at, values_at, windows
from ..question import Answer, Kind, Question
from ..subject import Subject
from ..words import element, formula_and_value, formula_blank, hides_elements, look


class CellKind(Kind):
    name = "cell"
    alternatives = 16
    stage = 1
    easy = True

    def make(self, subject: Subject, seed: int) -> Question | None:
        if not subject.valid or not subject.varies:
            return None
        dice = self.dice(subject, seed)
        found = candidates(subject, dice, values_at)
        if subject.element_readings and not any(each.told for each in found):
            return None  # each rule gives the same numbers
        while (chosen := best(found, dice)) is not None:
            shown_parts = windows(subject, dice, [chosen.at])
            if shown_parts is not None:
                prompt = f"Which number stands in {element(subject, chosen.at)}?"
                hidden = hides_elements(subject)
                made = Question(self, subject, seed, prompt, None, chosen.at, windows=shown_parts, hidden=hidden)
                return self.finished(made)
            found.remove(chosen)
        return None

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        assert question.at is not None
        return holders_at(question.subject, question.subject.reading(rule), question.at, values_at)

    def read(self, question: Question, given: object) -> Answer:
        return read_value(given, output_type(question.subject.desc))

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject, at = question.subject, question.at
        assert at is not None
        return look(subject), subject.operator.title, formula_blank(subject, at), shown(question.truth)

    def says(self, question: Question) -> str:
        assert question.at is not None
        return formula_and_value(question.subject, question.at.place.number, question.at.index)


KIND = CellKind()
