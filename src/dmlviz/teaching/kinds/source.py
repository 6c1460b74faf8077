"""`source`: which input element does an output's element come from?"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from ...desc.fields import Role
from ...desc.tensors import brackets
from ...operators.maps import Place
from ...operators.wrong_rules import Misreading
from ..answers import Cell, cell_json, read_cell
from ..elements import best, candidates, holders_at, may_ask, sources_at, windows
from ..question import Answer, At, Kind, Question
from ..subject import Subject
from ..words import element, formula, formula_blank, hides_elements, look, path_of


class SourceKind(Kind):
    name = "source"
    stage = 2

    def make(self, subject: Subject, seed: int) -> Question | None:
        if not subject.valid or _data_elements(subject) < 2:
            return None
        dice = self.dice(subject, seed)
        found = candidates(subject, dice, sources_at)
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
        parts = windows(subject, dice, [at], data=False)
        if parts is None:
            return None
        prompt = f"Which input element does {element(subject, at)} come from?"
        hidden = hides_elements(subject)
        return self.finished(Question(self, subject, seed, prompt, None, at, windows=parts, hidden=hidden))

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        assert question.at is not None
        return holders_at(question.subject, question.subject.reading(rule), question.at, sources_at)

    def read(self, question: Question, given: object) -> Answer:
        return read_cell(given, "tensor", question.subject.desc.inputs)

    def json(self, answer: Answer) -> Any:
        return cell_json(answer, "tensor")

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject, at = question.subject, question.at
        assert at is not None
        return look(subject), subject.operator.title, formula_blank(subject, at), input_element(subject, question.truth)

    def says(self, question: Question) -> str:
        at: At | None = question.at
        assert at is not None
        return f"{formula(question.subject, at.place.number, at.index)}."


def input_element(subject: Subject, cell: Cell) -> str:
    """`InputTensors[1][0,2]`."""
    return f"{path_of(subject, Place(False, cell[0]))}{brackets(cell[1])}"


def _data_elements(subject: Subject) -> int:
    return sum(part.tensor.element_count for part in subject.desc.inputs if part.field.role is Role.DATA)


KIND = SourceKind()
