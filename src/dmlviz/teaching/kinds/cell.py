"""`cell`: which number stands in an output's element?"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from ...operators.wrong_rules import Misreading
from ..answers import output_type, read_value, shown
from ..elements import best, candidates, holders_at, may_ask, values_at, windows
from ..question import Answer, At, Kind, Question
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
            made = self._about(subject, seed, dice, chosen.at)
            if made is not None:
                return made
            found.remove(chosen)
        return None

    def wanted(
        self, subject: Subject, seed: int, *, at: At | None = None, first: int | None = None, rules: Sequence[str] = ()
    ) -> Question | None:
        if at is None:
            return self.make(subject, seed)
        asked = subject.valid and may_ask(subject, at)
        return self._about(subject, seed, self.dice(subject, seed), at) if asked else None

    def _about(self, subject: Subject, seed: int, dice: random.Random, at: At) -> Question | None:
        parts = windows(subject, dice, [at])
        if parts is None:
            return None
        prompt = f"Which number stands in {element(subject, at)}?"
        hidden = hides_elements(subject)
        return self.finished(Question(self, subject, seed, prompt, None, at, windows=parts, hidden=hidden))

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
