"""`promised`: does DirectML promise the value of an output's element?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...desc.fields import Role
from ...errors import DmlvizError, quote
from ...operators.maps import CLAMPED, Place
from ...operators.wrong_rules import Misreading
from ..questions.elements import MOST_LOOKED_AT, answer_at, may_ask, sampled_outputs, vias_at, windows
from ..questions.question import Answer, At, Kind, Question
from ..questions.subject import Reading, Subject
from ..questions.wording import element, formula, formula_blank, hides_elements, steering


class PromisedKind(Kind):
    name = "promised"
    stage = 2
    easy = True
    alternatives = 2

    def make(self, subject: Subject, seed: int) -> Question | None:
        if not subject.valid or not any(part.field.role is Role.INDICES for part in subject.desc.inputs):
            return None
        dice = self.dice(subject, seed)
        found: dict[bool, list[At]] = {True: [], False: []}
        for k, index in sampled_outputs(subject, dice, MOST_LOOKED_AT):
            for i, promised in enumerate(subject.promised(k, index).tolist()):
                found[promised].append(At(Place(True, k), tuple(int(axis[i]) for axis in index)))
        if not found[False]:
            return None  # nobody would say no
        wanted = dice.random() < 0.5 and bool(found[True])
        return self._about(subject, seed, dice.choice(found[wanted]))

    def wanted(
        self, subject: Subject, seed: int, *, at: At | None = None, first: int | None = None, rules: Sequence[str] = ()
    ) -> Question | None:
        if at is None:
            return self.make(subject, seed)
        indexed = any(part.field.role is Role.INDICES for part in subject.desc.inputs)
        asked = indexed and subject.valid and may_ask(subject, at, promised=False)
        return self._about(subject, seed, at) if asked else None

    def _about(self, subject: Subject, seed: int, at: At) -> Question:
        prompt = subject.sentence("promised.prompt", element=element(subject, at))
        hidden = hides_elements(subject) | {"rules", "fixes"}
        parts = windows(subject, self.dice(subject, seed), [at], data=False) or ()
        return self.finished(
            Question(
                kind=self, subject=subject, seed=seed, prompt=prompt, truth=None, at=at, windows=parts, hidden=hidden
            )
        )

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        assert question.at is not None
        subject = question.subject
        if rule is None:
            return answer_at(subject.truth, question.at, promised_at)
        reading = subject.readings.get(rule.id)
        if reading is None or not reading.has_elements:
            return None
        return answer_at(reading, question.at, promised_at)

    def read(self, question: Question, given: object) -> Answer:
        if not isinstance(given, bool):
            raise DmlvizError(f"answer is {quote(given)}, expected true or false.")
        return given

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject, at = question.subject, question.at
        assert at is not None
        words = subject.sentence("promised.rule")
        blank = formula_blank(subject, at).partition(subject.sentence("words.where"))[0].removesuffix(".") + "."
        answer = subject.sentence("promised.yes") if question.truth else subject.sentence("promised.no")
        return subject.sentence("words.joint").join(steering(subject)), words, blank, answer

    def says(self, question: Question) -> str:
        subject, at = question.subject, question.at
        assert at is not None
        cell: Any = answer_at(subject.truth, at, vias_at)
        said = formula(subject, at.place.number, at.index)
        if question.truth:
            return subject.sentence("promised.says_inside", formula=said)
        path = subject.desc.inputs[cell[0]].path if cell else steering(subject)[0]
        return subject.sentence("promised.says_outside", path=path, formula=said)


def promised_at(reading: Reading, output: int, index: tuple[np.ndarray[Any, Any], ...]) -> list[bool | None]:
    """What a reading says of elements; None of a rule that says nothing of ranges."""
    flags = reading.sources(output, index).flags
    if flags is None:
        return [True if reading.rule is None else None] * len(index[0])
    return [not flag & CLAMPED for flag in flags.tolist()]


KIND = PromisedKind()
