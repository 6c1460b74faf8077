"""What kinds have in common whose answer is several numbers of an output, in memory order."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import numpy as np

from ....desc.indexing import unravel
from ...questions.answers import Value, first_wrong, output_type, read_list, read_value, shown
from ...questions.elements import values_at
from ...questions.question import Answer, At, Kind, Question
from ...questions.subject import Reading
from ...questions.wording import formula_and_value


class NumbersKind(Kind):
    """A kind that asks for several numbers, one after the other."""

    stage = 2

    @abstractmethod
    def places(self, question: Question) -> list[tuple[int, ...]]:
        """The indices of the elements that are asked for, in their order."""

    def read(self, question: Question, given: object) -> tuple[Value, ...]:
        data_type, numbers = output_type(question.subject.desc), read_list(given, len(question.truth))
        return tuple(read_value(number, data_type, f"answer[{i}]") for i, number in enumerate(numbers))

    def score(self, question: Question, answer: Answer) -> float:
        """The share of the numbers before the first wrong one; 1 where all are right."""
        wrong = first_wrong(answer, question.truth)
        return 1.0 if wrong is None else wrong / len(question.truth)

    def where(self, question: Question, answer: Answer) -> At:
        wrong = first_wrong(answer, question.truth) or 0
        return At(question.element.place, self.places(question)[wrong])

    def remarks(self, question: Question, answer: Answer) -> str:
        wrong = first_wrong(answer, question.truth)
        if wrong is None:
            return self.says(question)
        formula = formula_and_value(question.subject, self.where(question, answer))
        return question.subject.sentence("fill.first_wrong", number=wrong + 1, formula=formula)

    def numbers(self, question: Question) -> str:
        """The right answer as a person writes it: `1, 2, 2`."""
        return ", ".join(map(shown, question.truth))


def asked_places(question: Question) -> list[tuple[int, ...]]:
    """The indices of the elements that a question is about, in memory order."""
    if isinstance(question.kind, NumbersKind):
        return question.kind.places(question)
    return [*question.cells] or [question.element.index]


def first_under(reading: Reading, at: At, count: int) -> tuple[Any, ...] | None:
    """The indices of the first `count` elements under `at`, one array an axis; None where a reading hasn't as many."""
    output, depth = at.place.number, len(at.index)
    if output >= len(reading.sizes):
        return None
    sizes = reading.sizes[output]
    if depth >= len(sizes) or any(i >= n for i, n in zip(at.index, sizes, strict=False)):
        return None
    if math.prod(sizes[depth:]) < count:
        return None
    inner = unravel(np.arange(count, dtype=np.int64), sizes[depth:])
    return (*(np.full(count, i, np.int64) for i in at.index), *inner)


def places_under(reading: Reading, at: At, count: int) -> list[tuple[int, ...]]:
    """The indices of the first `count` elements under `at`, one tuple an element; [] where a reading hasn't as many."""
    index = first_under(reading, at, count)
    return [] if index is None else list(zip(*(axis.tolist() for axis in index), strict=True))


def values_under(reading: Reading, at: At, count: int) -> tuple[Value, ...] | None:
    """The values of the first `count` elements under `at`; None where a reading has fewer, or tells sizes alone."""
    index = first_under(reading, at, count) if reading.has_elements else None
    return None if index is None else tuple(values_at(reading, at.place.number, index))
