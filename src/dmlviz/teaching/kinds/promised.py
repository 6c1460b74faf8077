"""`promised`: does DirectML promise the value of an output's element?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...desc.fields import Role
from ...errors import DmlvizError, quote
from ...operators.maps import CLAMPED
from ...operators.wrong_rules import Misreading
from ..questions.elements import MOST_LOOKED_AT, answer_at, may_ask_output, sampled_outputs, vias_at, windows
from ..questions.question import ANYTHING, Answer, At, Kind, Question, Wish
from ..questions.subject import Reading, Subject
from ..questions.wording import element_text, formula, formula_blank, steering_paths, what_tells_elements


class PromisedKind(Kind):
    """Asks whether DirectML promises an output element's value; the answer is a bool."""

    name = "promised"
    stage = 2
    alternatives = 2

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        if not subject.valid or not any(part.field.role is Role.INDICES for part in subject.desc.inputs):
            return None
        at = wish.at
        if at is None:
            at = self._chosen_element(subject, seed)
        elif not may_ask_output(subject, at, promised=False):
            return None
        if at is None:
            return None
        prompt = subject.sentence("promised.prompt", element=element_text(subject, at))
        shown = windows(subject, self.dice(subject, seed), [at], data=False) or ()
        hidden = what_tells_elements(subject) | {"rules", "fixes"}
        return self.pose(subject, seed, prompt, hidden, at=at, windows=shown)

    def _chosen_element(self, subject: Subject, seed: int) -> At | None:
        """An element to ask about, promised or not by chance; None where all are promised."""
        dice = self.dice(subject, seed)
        elements: dict[bool, list[At]] = {True: [], False: []}
        for k, index in sampled_outputs(subject, dice, MOST_LOOKED_AT):
            places = zip(*(axis.tolist() for axis in index), strict=True)
            for promised, place in zip(subject.promised(k, index).tolist(), places, strict=True):
                elements[promised].append(At.output(k, place))
        if not elements[False]:
            return None  # nobody would say no
        wanted = dice.random() < 0.5 and bool(elements[True])
        return dice.choice(elements[wanted])

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        subject = question.subject
        reading = subject.truth if rule is None else subject.readings.get(rule.id)
        if reading is None or not reading.has_elements:
            return None
        return answer_at(reading, question.element, promised_at)

    def read(self, question: Question, given: object) -> bool:
        if not isinstance(given, bool):
            raise DmlvizError(f"answer is {quote(given)}, expected true or false.")
        return given

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject, sentence = question.subject, question.subject.sentence
        blank = formula_blank(subject, question.element).partition(sentence("words.where"))[0].removesuffix(".") + "."
        answer = sentence("promised.yes") if question.truth else sentence("promised.no")
        return sentence("words.joint").join(steering_paths(subject)), sentence("promised.rule"), blank, answer

    def says(self, question: Question) -> str:
        subject, at = question.subject, question.element
        cell: Any = answer_at(subject.truth, at, vias_at)
        if question.truth:
            return subject.sentence("promised.says_inside", formula=formula(subject, at))
        path = subject.desc.inputs[cell[0]].path if cell else steering_paths(subject)[0]
        return subject.sentence("promised.says_outside", path=path, formula=formula(subject, at))


def promised_at(reading: Reading, output: int, index: tuple[np.ndarray[Any, Any], ...]) -> list[bool | None]:
    """Whether elements of an output are promised by a reading; None by a rule that says nothing of ranges."""
    flags = reading.sources(output, index).flags
    if flags is None:
        return [True if reading.rule is None else None] * len(index[0])
    return [not flag & CLAMPED for flag in flags.tolist()]


KIND = PromisedKind()
