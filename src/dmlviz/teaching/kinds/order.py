"""`order`: which numbers come first in an output's memory?"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from ...desc.indexing import unravel
from ...desc.tensors import braces
from ...operators.wrong_rules import Misreading
from ..questions.answers import Value, first_wrong
from ..questions.elements import MOST_OUTPUTS, SMALL, values_at, windows
from ..questions.question import ANYTHING, Answer, At, Question, Wish
from ..questions.subject import Reading, Subject
from ..questions.wording import look, map_blank, what_tells_elements
from .lib.numbers_kind import NumbersKind, places_under, values_under

LEAST, MOST = 6, 8
"""How many elements are asked for."""


class OrderKind(NumbersKind):
    """Asks which values come first in an output's memory; the answer is a tuple of them."""

    name = "order"

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        if not subject.valid:
            return None
        dice = self.dice(subject, seed)
        if wish.at is None and wish.first is None:
            chosen = _most_telling(subject, dice) if subject.varies else None
        else:
            chosen = _wished_elements(subject, wish)
        if chosen is None:
            return None
        at, first = chosen
        shown = windows(subject, dice, [At(at.place, place) for place in places_under(subject.truth, at, first)])
        if shown is None:
            return None
        prompt = subject.sentence("order.prompt", count=first, path=subject.desc.outputs[at.place.number].path)
        return self.pose(subject, seed, prompt, what_tells_elements(subject), at=at, first=first, windows=shown)

    def places(self, question: Question) -> list[tuple[int, ...]]:
        return places_under(question.subject.truth, question.element, len(question.truth))

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        assert question.first is not None
        reading = question.subject.element_reading(rule)
        return _first_values_by(question.subject, reading, question.element, question.first)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        return look(subject), subject.sentence("order.rule"), map_blank(subject), self.numbers(question)

    def says(self, question: Question) -> str:
        part = question.subject.desc.outputs[question.element.place.number]
        sizes, numbers = braces(part.tensor.sizes), self.numbers(question)
        return question.subject.sentence("order.says", path=part.path, sizes=sizes, numbers=numbers)


def _wished_elements(subject: Subject, wish: Wish) -> tuple[At, int] | None:
    """(output, how many of its elements) that an author names; None where one of them isn't there or isn't promised."""
    at = At(wish.at.place, ()) if wish.at else At.output(0)
    if not at.place.is_output or at.place.number >= len(subject.desc.outputs):
        return None
    tensor = subject.desc.outputs[at.place.number].tensor
    count = min(wish.first or LEAST, tensor.element_count)
    if count > SMALL:
        return None
    index = unravel(np.arange(count, dtype=np.int64), tensor.sizes)
    return (at, count) if subject.promised(at.place.number, index).all() else None


def _most_telling(subject: Subject, dice: random.Random) -> tuple[At, int] | None:
    """(output, how many of its elements) that tell most wrong rules from the truth; None where none tells any."""
    numbers = list(range(len(subject.desc.outputs)))
    if len(numbers) > MOST_OUTPUTS:
        numbers = sorted(dice.sample(numbers, MOST_OUTPUTS))
    telling = [(k, *length) for k in numbers if (length := _telling_length(subject, At.output(k))) is not None]
    most = max((told for _, _, told in telling), default=0)
    if not telling or (subject.element_readings and not most):
        return None
    k, first = dice.choice([(k, first) for k, first, told in telling if told == most])
    return At.output(k), first


def _first_values_by(subject: Subject, reading: Reading, at: At, count: int) -> tuple[Value, ...] | None:
    """The first `count` values of an output's memory by a reading; None where it can't say."""
    order, output = reading.rule.order if reading.rule is not None else None, at.place.number
    if order is None:
        return values_under(reading, at, count)
    return tuple(values_at(subject.truth, output, order(subject.desc, output, np.arange(count, dtype=np.int64))))


def _telling_length(subject: Subject, at: At) -> tuple[int, int] | None:
    """(elements, rules told): the fewest that tell most. None where too few are promised, or all are equal."""
    sizes = subject.truth.sizes[at.place.number]
    count = min(MOST, int(np.prod(sizes, dtype=object)))
    index = unravel(np.arange(count, dtype=np.int64), sizes)
    promised = subject.promised(at.place.number, index)
    count = count if promised.all() else int(np.flatnonzero(~promised)[0])
    truth = values_under(subject.truth, at, count)
    if count < 2 or truth is None or len(set(truth)) < 2:
        return None
    starts = []
    for reading in subject.element_readings.values():
        answer = _first_values_by(subject, reading, at, count)
        wrong = None if answer is None else first_wrong(answer, truth)
        if wrong is not None:
            starts.append(wrong + 1)
    first = max(min(LEAST, count), max(starts, default=0))
    return first if len(set(truth[:first])) > 1 else count, len(starts)


KIND = OrderKind()
