"""`fill` and `order`: which numbers stand in a row of an output, in all of it, or come first in its memory?"""

from __future__ import annotations

import itertools
import math
import random
from abc import abstractmethod
from typing import Any

import numpy as np

from ...desc.tensors import braces
from ...operators.wrong_rules import Misreading, Sizes
from ..questions.answers import Answer, Value, first_wrong, shown
from ..questions.elements import SHOWN
from ..questions.question import ANYTHING, At, Kind, Question, Wish, part_at
from ..questions.subject import Reading, Subject
from ..questions.wording import element_text, formula_and_value, look, map_blank, map_live, what_tells_elements
from .lib.forms import VALUES

MOST = 12
"""Numbers that are asked for at once; of a longer row the first ones. And rows that are looked at."""
MOST_FIRST = 8
"""How many elements of memory are asked for, where they are promised."""


class NumbersKind(Kind):
    """A kind that asks for several numbers, one after the other; the answer is a tuple of them."""

    form, quantity = VALUES, "value"
    stage = 2
    pictured, plays = True, True

    @abstractmethod
    def rule_text(self, question: Question) -> str:
        """The rule in words."""

    def places(self, question: Question) -> list[tuple[int, ...]]:
        under = cells_under(question.subject.truth, question.element)
        return [*question.cells] or [index for _, index in under[: question.first]]

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
        way = formula_and_value(question.subject, self.where(question, answer))
        return question.subject.sentence("fill.first_wrong", number=wrong + 1, formula=way)

    def numbers(self, question: Question) -> str:
        """The right answer as a person writes it: `1, 2, 2`."""
        return ", ".join(map(shown, question.truth))

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        return look(subject), self.rule_text(question), map_blank(subject), self.numbers(question)


class FillKind(NumbersKind):
    """Asks for the values of a row of an output, of a whole output or of some cells."""

    name = "fill"
    alternatives = 1000
    fills = True

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        subject, at = subject.small if wish.at is None else subject, wish.at
        if not subject.is_small:
            return None
        dice = self.dice(subject, seed)
        if at is None:
            return self._row_question(subject, seed, dice, _rows_to_ask(subject, dice)) if subject.varies else None
        if not at.place.is_output or at.place.number >= len(subject.desc.outputs):
            return None
        if wish.cells:
            return self._cells_question(subject, seed, at, tuple(sorted(set(wish.cells))))
        return self._row_question(subject, seed, dice, [at], min(wish.first or MOST, SHOWN))

    def _cells_question(
        self, subject: Subject, seed: int, at: At, cells: tuple[tuple[int, ...], ...]
    ) -> Question | None:
        """The question about some elements of an output, whose others are shown; None where that can't be asked."""
        if len(cells) > SHOWN or not all(subject.promised.get((at.place.number, cell)) for cell in cells):
            return None
        name = part_at(subject, at.place).path
        key = "fill.prompt_hidden_one" if len(cells) == 1 else "fill.prompt_hidden"
        prompt = subject.sentence(key, count=len(cells), name=name)
        return self.pose(subject, seed, prompt, what_tells_elements(subject), at=at, cells=cells)

    def whole(self, subject: Subject, seed: int, most: int = SHOWN) -> Question | None:
        """A question about a whole output of at most `most` elements, to confirm a diagnosis; None where none tells."""
        if not subject.is_small or not subject.varies:
            return None
        parts = enumerate(subject.desc.outputs)
        rows = [At.output(k) for k, part in parts if part.tensor.element_count <= most]
        dice = self.dice(subject, seed)
        return self._row_question(subject, seed, dice, dice.sample(rows, min(len(rows), MOST)), most)

    def _row_question(
        self, subject: Subject, seed: int, dice: random.Random, rows: list[At], most: int = MOST
    ) -> Question | None:
        """The question about the row that tells most wrong rules from the truth; None where none tells any."""
        telling: list[tuple[int, At, int, int]] = []
        for at in rows:
            under = cells_under(subject.truth, at)
            count = min(most, len(under))
            truth = values_under(subject.truth, at, count)
            if count < 2 or truth is None or len(set(truth)) < 2 or not all(map(subject.promised.get, under[:count])):
                continue
            others = [values_under(reading, at, count) for reading in subject.element_readings.values()]
            wrong = sum(other not in (None, truth) for other in others)
            if wrong or not subject.element_readings:
                telling.append((wrong, at, count, len(under)))
        dice.shuffle(telling)
        if not telling:
            return None
        _, at, count, of_all = max(telling, key=lambda row: row[0])
        name = element_text(subject, at) if at.index else part_at(subject, at.place).path
        prompt = subject.sentence("fill.prompt" if count == of_all else "fill.prompt_first", count=count, name=name)
        first = None if count == of_all else count
        return self.pose(subject, seed, prompt, what_tells_elements(subject), at=at, first=first)

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        reading, at = question.subject.element_reading(rule), question.element
        if question.cells:
            values = tuple(reading.value.get((at.place.number, cell)) for cell in question.cells)
            return None if None in values else values
        under = len(cells_under(question.subject.truth, at))
        return values_under(reading, at, question.first or under)

    def rule_text(self, question: Question) -> str:
        return question.subject.title

    def says(self, question: Question) -> str:
        return map_live(question.subject)


class OrderKind(NumbersKind):
    """Asks which values come first in an output's memory."""

    name = "order"
    about_memory = True

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        is_wished = wish.at is not None or wish.first is not None
        subject = subject if is_wished else subject.small
        if not subject.is_small:
            return None
        chosen = _wished(subject, wish) if is_wished else _most_telling(subject, self.dice(subject, seed))
        if chosen is None:
            return None
        at, first = chosen
        prompt = subject.sentence("order.prompt", count=first, path=part_at(subject, at.place).path)
        return self.pose(subject, seed, prompt, what_tells_elements(subject), at=at, first=first)

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        assert question.first is not None
        reading = question.subject.element_reading(rule)
        return _first_values_by(question.subject, reading, question.element, question.first)

    def rule_text(self, question: Question) -> str:
        return question.subject.sentence("order.rule")

    def says(self, question: Question) -> str:
        part, numbers = part_at(question.subject, question.element.place), self.numbers(question)
        return question.subject.sentence("order.says", path=part.path, sizes=braces(part.tensor.sizes), numbers=numbers)


def cells_under(reading: Reading, at: At) -> list[tuple[int, tuple[int, ...]]]:
    """The elements of an output under a shorter index by a reading, in memory order; [] where it hasn't that."""
    depth, number = len(at.index), at.place.number
    if number >= len(reading.sizes) or depth >= len(reading.sizes[number]):
        return []
    return [cell for cell in reading.value if cell[0] == number and cell[1][:depth] == at.index]


def values_under(reading: Reading, at: At, count: int) -> tuple[Value, ...] | None:
    """The values of the first `count` elements under `at`; None where a reading has fewer."""
    cells = cells_under(reading, at)[:count]
    return tuple(reading.value[cell] for cell in cells) if len(cells) == count else None


def _rows_to_ask(subject: Subject, dice: random.Random) -> list[At]:
    """The outputs that are short enough, and rows of others along the last axis that is longer than 1."""
    rows: list[At] = []
    for k, sizes in enumerate(subject.truth.sizes):
        depth = max(k for k, n in enumerate(sizes) if n > 1) if math.prod(sizes) > MOST else 0
        rows += [At.output(k, index) for index in itertools.product(*map(range, sizes[:depth]))]
    return rows if len(rows) <= MOST else dice.sample(rows, MOST)


def _wished(subject: Subject, wish: Wish) -> tuple[At, int] | None:
    """(output, how many of its elements) that an author names; None where one of them isn't there or isn't promised."""
    at = At(wish.at.place, ()) if wish.at else At.output(0)
    if not at.place.is_output:
        return None
    cells = cells_under(subject.truth, at)[: wish.first or MOST_FIRST]
    return (at, len(cells)) if 0 < len(cells) <= SHOWN and all(map(subject.promised.get, cells)) else None


def _most_telling(subject: Subject, dice: random.Random) -> tuple[At, int] | None:
    """(output, how many of its elements) that tell most wrong rules from the truth; None where none tells any."""
    telling: dict[int, list[tuple[At, int]]] = {}
    for at in [At.output(k) for k in range(len(subject.truth.sizes))] if subject.varies else []:
        promised = [subject.promised[cell] for cell in cells_under(subject.truth, at)[:MOST_FIRST]]
        count = (*promised, False).index(False)
        truth = values_under(subject.truth, at, count)
        if truth is not None and len({*truth}) > 1:
            readings = subject.element_readings.values()
            told = sum(_first_values_by(subject, reading, at, count) not in (None, truth) for reading in readings)
            if told or not readings:
                telling.setdefault(told, []).append((at, count))
    return dice.choice(telling[max(telling)]) if telling else None


def _first_values_by(subject: Subject, reading: Reading, at: At, count: int) -> tuple[Value, ...] | None:
    """The first `count` values of an output's memory by a reading; None where it can't say."""
    order, output = reading.rule.order if reading.rule is not None else None, at.place.number
    if order is None:
        return values_under(reading, at, count)
    index = order(subject.desc, output, np.arange(count, dtype=np.int64))
    places: list[Sizes] = [*zip(*(axis.tolist() for axis in index), strict=True)]
    return tuple(subject.truth.value[output, place] for place in places)


FILL = FillKind()
KINDS = FILL, OrderKind()
