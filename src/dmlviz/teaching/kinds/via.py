"""`via`: which index or length cell sends an output's element to its place?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...desc.fields import Role
from ...operators.wrong_rules import Misreading
from ..questions.answers import cell_json, read_cell
from ..questions.elements import best, candidates, holders_at, may_ask, vias_at
from ..questions.question import Answer, At, Kind, Question
from ..questions.subject import Subject
from ..questions.wording import element, formula, formula_blank, hides_elements, steering
from .source import input_element


class ViaKind(Kind):
    name = "via"
    stage = 2

    def make(self, subject: Subject, seed: int) -> Question | None:
        steers = [part for part in subject.desc.inputs if part.field.role is not Role.DATA]
        if not subject.valid or sum(part.tensor.element_count for part in steers) < 2:
            return None
        dice = self.dice(subject, seed)
        chosen = best(candidates(subject, dice, vias_at), dice)
        return None if chosen is None else self._about(subject, seed, chosen.at)

    def wanted(
        self, subject: Subject, seed: int, *, at: At | None = None, first: int | None = None, rules: Sequence[str] = ()
    ) -> Question | None:
        if at is None:
            return self.make(subject, seed)
        steers = any(part.field.role is not Role.DATA for part in subject.desc.inputs)
        return self._about(subject, seed, at) if steers and subject.valid and may_ask(subject, at) else None

    def _about(self, subject: Subject, seed: int, at: At) -> Question:
        steers = [part for part in subject.desc.inputs if part.field.role is not Role.DATA]
        path, name = steers[0].path, element(subject, at)
        prompt = subject.sentence("via.prompt_index", path=path, element=name)
        if steers[0].field.role is Role.LENGTHS:
            prompt = subject.sentence("via.prompt_length", path=path, element=name)
        return self.finished(
            Question(
                kind=self, subject=subject, seed=seed, prompt=prompt, truth=None, at=at, hidden=hides_elements(subject)
            )
        )

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        assert question.at is not None
        return holders_at(question.subject, question.subject.reading(rule), question.at, vias_at)

    def read(self, question: Question, given: object) -> Answer:
        return read_cell(given, "tensor", question.subject.desc.inputs)

    def json(self, answer: Answer) -> Any:
        return cell_json(answer, "tensor")

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject, at = question.subject, question.at
        assert at is not None
        names = ", ".join(subject.sentence("via.look", name=name) for name in steering(subject))
        return names, subject.title, formula_blank(subject, at), input_element(subject, question.truth)

    def says(self, question: Question) -> str:
        at, subject = question.at, question.subject
        assert at is not None
        cell = input_element(subject, question.truth)
        return subject.sentence("via.says", cell=cell, formula=formula(subject, at.place.number, at.index))


KIND = ViaKind()
