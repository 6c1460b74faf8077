"""`fill`: which numbers stand in a row of an output, or in all of it?"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...desc.indexing import unravel
from ...operators.wrong_rules import Misreading
from ..questions.elements import SMALL, values_at, windows
from ..questions.question import ANYTHING, Answer, At, Question, Wish
from ..questions.subject import Reading, Subject
from ..questions.wording import element_text, look, map_blank, map_live, path_of, what_tells_elements
from .lib.numbers_kind import NumbersKind, first_under, places_under, values_under

MOST = 12
"""Numbers that are asked for at once; of a longer row the first ones."""
MOST_ROWS = 12
"""Rows that are looked at for the one to ask about."""


class FillKind(NumbersKind):
    """Asks for the values of a row of an output, of a whole output or of some cells; the answer is a tuple of them."""

    name = "fill"
    alternatives = 1000

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        if not subject.valid:
            return None
        dice, at = self.dice(subject, seed), wish.at
        if at is None:
            return self._row_question(subject, seed, dice, _rows_to_ask(subject, dice)) if subject.varies else None
        if not at.place.is_output or at.place.number >= len(subject.desc.outputs):
            return None
        if wish.cells:
            cells = tuple(sorted(set(wish.cells)))  # row-major, as memory is
            return self._cells_question(subject, seed, dice, at, cells)
        sizes = subject.desc.outputs[at.place.number].tensor.sizes
        inside = len(at.index) < len(sizes) and all(0 <= i < n for i, n in zip(at.index, sizes, strict=False))
        return self._row_question(subject, seed, dice, [at], min(wish.first or MOST, SMALL)) if inside else None

    def _cells_question(
        self, subject: Subject, seed: int, dice: random.Random, at: At, cells: tuple[tuple[int, ...], ...]
    ) -> Question | None:
        """The question about some elements of an output, whose others are shown; None where that can't be asked."""
        index = _index_arrays_of(subject.truth, at.place.number, cells) if len(cells) <= SMALL else None
        if index is None or not subject.promised(at.place.number, index).all():
            return None
        shown = windows(subject, dice, [At(at.place, cell) for cell in cells])
        if shown is None:
            return None
        name = path_of(subject, at.place)
        prompt = subject.sentence("fill.prompt_hidden", count=len(cells), name=name)
        if len(cells) == 1:
            prompt = subject.sentence("fill.prompt_hidden_one", name=name)
        return self.pose(subject, seed, prompt, what_tells_elements(subject), at=at, cells=cells, windows=shown)

    def places(self, question: Question) -> list[tuple[int, ...]]:
        at = question.element
        return [*question.cells] or places_under(question.subject.truth, at, _count_asked(question))

    def whole(self, subject: Subject, seed: int, most: int = SMALL) -> Question | None:
        """A question about a whole output of at most `most` elements, to confirm a diagnosis; None where none tells."""
        if not subject.valid or not subject.varies:
            return None
        parts = enumerate(subject.desc.outputs)
        rows = [At.output(k) for k, part in parts if part.tensor.element_count <= most]
        dice = self.dice(subject, seed)
        return self._row_question(subject, seed, dice, dice.sample(rows, min(len(rows), MOST_ROWS)), most)

    def _row_question(
        self, subject: Subject, seed: int, dice: random.Random, rows: list[At], most: int = MOST
    ) -> Question | None:
        """The question about the row that tells most wrong rules from the truth; None where none tells any."""
        telling: list[tuple[int, At, int, int]] = []
        for at in rows:
            under = math.prod(subject.truth.sizes[at.place.number][len(at.index) :])
            count = min(most, under)
            index = first_under(subject.truth, at, count)
            assert index is not None
            if not subject.promised(at.place.number, index).all():
                continue
            truth = values_under(subject.truth, at, count)
            others = [values_under(reading, at, count) for reading in subject.element_readings.values()]
            wrong = sum(other is not None and other != truth for other in others)
            if truth is not None and count > 1 and len(set(truth)) > 1 and (wrong or not subject.element_readings):
                telling.append((wrong, at, count, under))
        dice.shuffle(telling)
        for _, at, count, under in sorted(telling, key=lambda row: -row[0]):
            shown = windows(subject, dice, [At(at.place, place) for place in places_under(subject.truth, at, count)])
            if shown is None:
                continue
            name = element_text(subject, at) if at.index else path_of(subject, at.place)
            prompt = subject.sentence("fill.prompt", count=count, name=name)
            if count != under:
                prompt = subject.sentence("fill.prompt_first", count=count, name=name)
            first = None if count == under else count
            return self.pose(subject, seed, prompt, what_tells_elements(subject), at=at, first=first, windows=shown)
        return None

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        reading, at = question.subject.element_reading(rule), question.element
        if not question.cells:
            return values_under(reading, at, _count_asked(question))
        index = _index_arrays_of(reading, at.place.number, question.cells)
        return None if index is None else tuple(values_at(reading, at.place.number, index))

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        return look(subject), subject.title, map_blank(subject), self.numbers(question)

    def says(self, question: Question) -> str:
        return map_live(question.subject)


def _count_asked(question: Question) -> int:
    """How many values a question asks for that doesn't name cells."""
    at = question.element
    return question.first or math.prod(question.subject.truth.sizes[at.place.number][len(at.index) :])


def _index_arrays_of(reading: Reading, output: int, cells: Sequence[tuple[int, ...]]) -> tuple[Any, ...] | None:
    """The indices of some cells of an output, one array an axis; None where a reading hasn't all of them."""
    if output >= len(reading.sizes):
        return None
    sizes = reading.sizes[output]
    if any(len(cell) != len(sizes) or any(i >= n for i, n in zip(cell, sizes, strict=True)) for cell in cells):
        return None
    return tuple(np.array(axis, np.int64) for axis in zip(*cells, strict=True))


def _rows_to_ask(subject: Subject, dice: random.Random) -> list[At]:
    """The outputs that are short enough, and rows along the last axes of others."""
    rows: list[At] = []
    outputs = list(enumerate(subject.desc.outputs))
    for k, part in outputs if len(outputs) <= MOST_ROWS else dice.sample(outputs, MOST_ROWS):
        sizes = part.tensor.sizes
        depth = 0
        while depth < len(sizes) - 1 and (math.prod(sizes[depth:]) > MOST and math.prod(sizes[depth + 1 :]) > 1):
            depth += 1
        count = math.prod(sizes[:depth])
        some = range(count) if count <= MOST_ROWS else dice.sample(range(count), MOST_ROWS)
        for flat in some:
            index = unravel(np.array([flat], np.int64), sizes[:depth]) if depth else ()
            rows.append(At.output(k, tuple(int(axis[0]) for axis in index)))
    return rows


KIND = FillKind()
