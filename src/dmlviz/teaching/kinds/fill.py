"""`fill`, `order`, `runs`: which numbers stand in an output, or first in its memory; how many copies does that need?"""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import numpy as np

from ...desc.indexing import unravel
from ...desc.tensors import braces
from ...operators.maps import NOWHERE, Sources
from ...operators.wrong_rules import Misreading
from ..questions.goals import all_promised
from ..questions.question import ANYTHING, SHOWN, At, Kind, Question, Wish, part_at
from ..questions.subject import Answer, Cell, Reading, Subject, Value, first_wrong
from ..questions.wording import element_text, formula, what_tells_elements
from ..words.catalogue import sentence
from .elements import PicturedKind
from .lib.forms import NUMBER, VALUES

MOST = 12
"""Numbers that are asked for at once; of a longer row the first ones. And rows that are looked at."""
MOST_FIRST = 8
"""How many elements of memory are asked for, where they are promised."""


class FillKind(PicturedKind):
    """Asks for the values of a row of an output, or of a whole output; the answer is a tuple of them."""

    name, form, quantity = "fill", VALUES, "value"
    alternatives = 1000
    plays = True

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        subject, at = subject.small if wish.at is None else subject, wish.at
        if not subject.is_small or (at is None and not subject.varies):
            return None
        dice = self.dice(subject, seed)
        if at is None:
            return self._about_row(subject, seed, dice, _rows_to_ask(subject, dice))
        return self._about_row(subject, seed, dice, [at], min(wish.first or MOST, SHOWN))

    def whole(self, subject: Subject, seed: int, most: int = SHOWN) -> Question | None:
        """A question about a whole output of at most `most` elements, to confirm a diagnosis; None where none tells."""
        if not subject.is_small or not subject.varies:
            return None
        parts = enumerate(subject.desc.outputs)
        rows = [At.output(k) for k, part in parts if part.tensor.element_count <= most]
        dice = self.dice(subject, seed)
        return self._about_row(subject, seed, dice, dice.sample(rows, min(len(rows), MOST)), most)

    def _about_row(
        self, subject: Subject, seed: int, dice: random.Random, rows: list[At], most: int = MOST
    ) -> Question | None:
        counts = [min(most, len(cells_under(subject.truth, at))) for at in rows]
        if (chosen := self.most_telling(subject, dice, [*zip(rows, counts, strict=True)])) is None:
            return None
        at, count = chosen
        first = None if count == len(cells_under(subject.truth, at)) else count
        name = element_text(subject, at) if at.index else part_at(subject, at.place).path
        prompt = sentence("fill.prompt", part=int(first is not None), count=count, name=name)
        return self.pose(subject, seed, prompt, what_tells_elements(subject), at=at, first=first)

    def most_telling(self, subject: Subject, dice: random.Random, rows: list[tuple[At, int]]) -> tuple[At, int] | None:
        """The row and how many of its numbers that tell most wrong rules from the truth; None where none tells any."""
        telling: list[tuple[int, tuple[At, int]]] = []
        for at, count in rows:
            truth = self.values(subject, subject.truth, at, count)
            is_promised = all(map(subject.truth.promised.get, cells_under(subject.truth, at)[:count]))
            if truth is not None and len({*truth}) > 1 and is_promised:
                said = [self.values(subject, reading, at, count) for reading in subject.element_readings.values()]
                told = sum(one not in (None, truth) for one in said)
                telling += [(told, (at, count))] if told or not said else []
        dice.shuffle(telling)
        return max(telling, key=lambda row: row[0], default=(0, None))[1]

    def values(self, subject: Subject, reading: Reading, at: At, count: int) -> tuple[Value, ...] | None:
        """The first `count` numbers of a row or an output by a reading; None where it can't say."""
        cells = cells_under(reading, at)[:count]
        return tuple(reading.value[cell] for cell in cells) if len(cells) == count else None

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        reading = question.subject.element_reading(rule)
        return self.values(question.subject, reading, question.element, len(self.places(question)))

    def places(self, question: Question) -> list[tuple[int, ...]]:
        under = cells_under(question.subject.truth, question.element)
        return [index for _, index in under[: question.first]]

    def remarks(self, question: Question, answer: Answer) -> str:
        wrong = first_wrong(answer, question.truth)
        if wrong is None:
            return self.says(question)
        at = At(question.element.place, self.places(question)[wrong])
        return sentence("fill.first_wrong", number=wrong + 1, formula=formula(question.subject, at))


class OrderKind(FillKind):
    """Asks which values come first in an output's memory."""

    name = "order"
    alternatives = 8
    about_memory = True

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        subject = subject.small if wish.at is None and wish.first is None else subject
        if not subject.is_small:
            return None
        outputs = [At(wish.at.place, ())] if wish.at else [At.output(k) for k in range(len(subject.truth.sizes))]
        most, rows = min(wish.first or MOST_FIRST, SHOWN), []
        for at in outputs:
            promised = map(subject.truth.promised.get, cells_under(subject.truth, at)[:most])
            rows.append((at, [*promised, False].index(False)))
        if (chosen := self.most_telling(subject, self.dice(subject, seed), rows)) is None:
            return None
        at, first = chosen
        prompt = sentence("order.prompt", count=first, path=part_at(subject, at.place).path)
        return self.pose(subject, seed, prompt, what_tells_elements(subject), at=at, first=first)

    def values(self, subject: Subject, reading: Reading, at: At, count: int) -> tuple[Value, ...] | None:
        if reading.rule is None or reading.rule.order is None:
            return super().values(subject, reading, at, count)
        index = reading.rule.order(subject.desc, at.place.number, np.arange(count, dtype=np.int64))
        places = zip(*(axis.tolist() for axis in index), strict=True)
        return tuple(subject.truth.value[at.place.number, place] for place in places)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        look, _, formula, answer = super().hints(question)
        return look, sentence("order.rule"), formula, answer

    def says(self, question: Question) -> str:
        part = part_at(question.subject, question.element.place)
        sizes = braces(part.tensor.sizes)
        return sentence("order.says", path=part.path, sizes=sizes, numbers=self.words(question))


def cells_under(reading: Reading, at: At) -> list[Cell]:
    """The elements of an output under a shorter index by a reading, in memory order; [] where it hasn't that."""
    depth, number = len(at.index), at.place.number
    if not at.place.is_output or number >= len(reading.sizes) or depth >= len(reading.sizes[number]):
        return []
    return [cell for cell in reading.value if cell[0] == number and cell[1][:depth] == at.index]


def _rows_to_ask(subject: Subject, dice: random.Random) -> list[At]:
    """The outputs that are short enough, and rows of others along the last axis that is longer than 1."""
    rows: list[At] = []
    for k, sizes in enumerate(subject.truth.sizes):
        depth = max(k for k, n in enumerate(sizes) if n > 1) if math.prod(sizes) > MOST else 0
        rows += [At.output(k, index) for index in itertools.product(*map(range, sizes[:depth]))]
    return rows if len(rows) <= MOST else dice.sample(rows, MOST)


MOST_ELEMENTS = 4096
"""Elements of all outputs up to which runs are counted."""


class RunsKind(Kind):
    """Asks how many copies of memory the outputs need; the answer is an integer."""

    name, form = "runs", NUMBER
    stage = 3
    about_memory, late, looks_up = True, True, "sizes"

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        outputs = subject.desc.outputs
        is_counted = subject.valid and sum(part.tensor.element_count for part in outputs) <= MOST_ELEMENTS
        if not is_counted or not all_promised(subject.trace):
            return None
        constants, field = int(subject.trace.has_constants), subject.operator.constant_path
        if constants and not _runs_by(subject, None):
            return None
        prompt = sentence("runs.prompt", count=len(outputs), path=outputs[0].path, constants=constants, field=field)
        return self.pose(subject, seed, prompt, {"memory", "links"})

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        runs = _runs_by(question.subject, rule)
        return None if runs is None else len(runs)

    def says(self, question: Question) -> str:
        runs = _runs_by(question.subject, None) or []
        differ = int(min(runs, default=0) < max(runs, default=0))
        return sentence("runs.says", count=f"{len(runs):,}", most=f"{max(runs, default=0):,}", differ=differ)


def _runs_by(subject: Subject, rule: Misreading[Any] | None) -> list[int] | None:
    """The length of every run of the outputs, output by output, by a rule; the true ones for None.

    By a rule with an `order` memory runs along the first axis first. None where the outputs are larger than
    `MOST_ELEMENTS`, or the rule is about sizes alone.
    """
    order = rule.order if rule is not None else None
    reading = subject.truth if order is not None else subject.reading(rule)
    if not reading.has_elements or sum(map(math.prod, reading.sizes)) > MOST_ELEMENTS:
        return None
    runs: list[int] = []
    for output, sizes in enumerate(reading.sizes):
        flat, inputs = np.arange(math.prod(sizes), dtype=np.int64), [*subject.trace.input_sizes]
        sources = reading.sources(output, order(subject.desc, output, flat) if order else unravel(flat, sizes))
        if order is not None:
            sources, inputs = Sources(sources.tensor, sources.index[::-1]), [each[::-1] for each in inputs]
        tensor, at = sources.tensor, sources.flat(inputs)
        cut = (tensor[1:] != tensor[:-1]) | (at[1:] != at[:-1] + 1)
        ends = [0, *(np.flatnonzero(cut) + 1).tolist(), len(tensor)]
        runs += [b - a for a, b in itertools.pairwise(ends) if tensor[a] != NOWHERE]
    return runs


FILL = FillKind()
KINDS = FILL, OrderKind(), RunsKind()
