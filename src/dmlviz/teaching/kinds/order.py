"""`order`: which numbers come first in an output's memory?"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...desc.indexing import unravel
from ...desc.tensors import braces
from ...operators.maps import Place
from ...operators.wrong_rules import Misreading
from ..questions.answers import Value, first_wrong, output_type, read_list, read_value, shown
from ..questions.elements import MOST_OUTPUTS, SMALL, values_at, windows
from ..questions.question import Answer, At, Kind, Question
from ..questions.subject import Reading, Subject
from ..questions.wording import formula_and_value, hides_elements, look, map_blank

LEAST, MOST = 6, 8
"""How many elements are asked for."""


class OrderKind(Kind):
    name = "order"
    stage = 2

    def make(self, subject: Subject, seed: int) -> Question | None:
        if not subject.valid or not subject.varies:
            return None
        dice = self.dice(subject, seed)
        outputs = subject.desc.outputs
        numbers = list(range(len(outputs)))
        if len(numbers) > MOST_OUTPUTS:
            numbers = sorted(dice.sample(numbers, MOST_OUTPUTS))
        best: list[tuple[int, int]] = []
        most = -1
        for k in numbers:
            found = _length(subject, k)
            if found is None:
                continue
            first, told = found
            if told > most:
                best, most = [], told
            if told == most:
                best.append((k, first))
        if not best or (subject.element_readings and not most):
            return None
        k, first = dice.choice(best)
        return self._about(subject, seed, dice, At(Place(True, k), ()), first)

    def wanted(
        self, subject: Subject, seed: int, *, at: At | None = None, first: int | None = None, rules: Sequence[str] = ()
    ) -> Question | None:
        if at is None and first is None:
            return self.make(subject, seed)
        where = At(at.place if at else Place(True, 0), ())
        if not subject.valid or not where.place.is_output or where.place.number >= len(subject.desc.outputs):
            return None
        tensor = subject.desc.outputs[where.place.number].tensor
        count = min(first or LEAST, tensor.element_count)
        index = unravel(np.arange(count, dtype=np.int64), tensor.sizes)
        promised = count <= SMALL and bool(subject.promised(where.place.number, index).all())
        return self._about(subject, seed, self.dice(subject, seed), where, count) if promised else None

    def _about(self, subject: Subject, seed: int, dice: random.Random, at: At, first: int) -> Question | None:
        part = subject.desc.outputs[at.place.number]
        path, sizes = part.path, part.tensor.sizes
        shown_parts = windows(subject, dice, _places(at, sizes, first))
        if shown_parts is None:
            return None
        prompt = subject.sentence("order.prompt", count=first, path=path)
        hidden = hides_elements(subject)
        made = Question(
            kind=self,
            subject=subject,
            seed=seed,
            prompt=prompt,
            truth=None,
            at=at,
            first=first,
            windows=shown_parts,
            hidden=hidden,
        )
        return self.finished(made)

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        assert question.at is not None
        assert question.first is not None
        reading = question.subject.reading(rule)
        reading = reading if reading.has_elements else question.subject.truth
        return _written(question.subject, reading, question.at.place.number, question.first)

    def read(self, question: Question, given: object) -> Answer:
        assert question.first is not None
        kind = output_type(question.subject.desc)
        return tuple(read_value(x, kind, f"answer[{i}]") for i, x in enumerate(read_list(given, question.first)))

    def score(self, question: Question, answer: Answer) -> float:
        wrong = first_wrong(answer, question.truth)
        return 1.0 if wrong is None else wrong / len(question.truth)

    def where(self, question: Question, answer: Answer) -> At | None:
        assert question.at is not None
        sizes = question.subject.truth.sizes[question.at.place.number]
        return _places(question.at, sizes, len(question.truth))[first_wrong(answer, question.truth) or 0]

    def remarks(self, question: Question, answer: Answer) -> str:
        wrong, at = first_wrong(answer, question.truth), self.where(question, answer)
        assert at is not None
        said = formula_and_value(question.subject, at.place.number, at.index)
        if wrong is None:
            return self.says(question)
        return question.subject.sentence("fill.first_wrong", number=wrong + 1, formula=said)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        said = ", ".join(map(shown, question.truth))
        return look(subject), subject.sentence("order.rule"), map_blank(subject), said

    def says(self, question: Question) -> str:
        assert question.at is not None
        part = question.subject.desc.outputs[question.at.place.number]
        said = ", ".join(map(shown, question.truth))
        sizes = braces(part.tensor.sizes)
        return question.subject.sentence("order.says", path=part.path, sizes=sizes, numbers=said)


def _first(reading: Reading, output: int, count: int) -> tuple[Value, ...] | None:
    """The first elements of memory; None where there are fewer."""
    if output >= len(reading.sizes) or int(np.prod(reading.sizes[output], dtype=object)) < count:
        return None
    return tuple(values_at(reading, output, unravel(np.arange(count, dtype=np.int64), reading.sizes[output])))


def _written(subject: Subject, reading: Reading, output: int, count: int) -> tuple[Value, ...] | None:
    """The same by a rule, whose holder may know the true picture and read it in another order."""
    order = reading.rule.order if reading.rule is not None else None
    if order is None:
        return _first(reading, output, count)
    return tuple(values_at(subject.truth, output, order(subject.desc, output, np.arange(count, dtype=np.int64))))


def _places(at: At, sizes: tuple[int, ...], count: int) -> list[At]:
    index = unravel(np.arange(count, dtype=np.int64), sizes)
    return [At(at.place, place) for place in zip(*(axis.tolist() for axis in index), strict=True)]


def _length(subject: Subject, output: int) -> tuple[int, int] | None:
    """How many elements to ask for, as few as tell most rules from the truth, and how many they tell.

    None where one of them isn't promised, or where all are equal.
    """
    sizes = subject.truth.sizes[output]
    count = min(MOST, int(np.prod(sizes, dtype=object)))
    index = unravel(np.arange(count, dtype=np.int64), sizes)
    promised = subject.promised(output, index)
    count = count if promised.all() else int(np.flatnonzero(~promised)[0])
    truth = _first(subject.truth, output, count)
    if count < 2 or truth is None or len(set(truth)) < 2:
        return None
    starts = []
    for reading in subject.element_readings.values():
        wrong = _written(subject, reading, output, count)
        at = None if wrong is None else first_wrong(wrong, truth)
        if at is not None:
            starts.append(at + 1)
    first = max(min(LEAST, count), max(starts, default=0))
    return first if len(set(truth[:first])) > 1 else count, len(starts)


KIND = OrderKind()
