"""`fill`: which numbers stand in a row of an output, or in all of it?"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...desc.indexing import unravel
from ...operators.maps import Place
from ...operators.wrong_rules import Misreading, Sizes
from ..questions.answers import Value, first_wrong, output_type, read_list, read_value, shown
from ..questions.elements import SMALL, values_at, windows
from ..questions.question import Answer, At, Kind, Question
from ..questions.subject import Reading, Subject
from ..questions.wording import element, formula_and_value, hides_elements, look, map_blank, map_live, path_of

MOST = 12
"""Numbers that are asked for at once; of a longer row the first ones."""
MOST_ROWS = 12
"""Rows that are looked at for the one to ask about."""


class FillKind(Kind):
    name = "fill"
    alternatives = 1000
    stage = 2

    def make(self, subject: Subject, seed: int) -> Question | None:
        if not subject.valid or not subject.varies:
            return None
        dice = self.dice(subject, seed)
        return self._best(subject, seed, dice, _rows(subject, dice))

    def wanted(
        self, subject: Subject, seed: int, *, at: At | None = None, first: int | None = None, rules: Sequence[str] = ()
    ) -> Question | None:
        if at is None:
            return self.make(subject, seed)
        parts = subject.desc.outputs
        if not subject.valid or not at.place.is_output or at.place.number >= len(parts):
            return None
        sizes = parts[at.place.number].tensor.sizes
        inside = len(at.index) < len(sizes) and all(0 <= i < n for i, n in zip(at.index, sizes, strict=False))
        most = min(first or MOST, SMALL)
        return self._best(subject, seed, self.dice(subject, seed), [at], most) if inside else None

    def of_cells(self, subject: Subject, output: int, cells: Sequence[tuple[int, ...]], seed: int) -> Question | None:
        """The question about some elements of an output, whose others are shown; None where that can't be asked."""
        held = tuple(sorted(set(cells)))  # row-major, as memory is
        if not subject.valid or output >= len(subject.desc.outputs) or not 0 < len(held) <= SMALL:
            return None
        at = At(Place(True, output), ())
        index = _among(subject.truth, output, held)
        if index is None or not subject.promised(output, index).all():
            return None
        parts = windows(subject, self.dice(subject, seed), [At(at.place, each) for each in held])
        if parts is None:
            return None
        name, hidden = path_of(subject, at.place), hides_elements(subject)
        prompt = subject.sentence("fill.prompt_hidden", count=len(held), name=name)
        if len(held) == 1:
            prompt = subject.sentence("fill.prompt_hidden_one", name=name)
        return self.finished(
            Question(
                kind=self,
                subject=subject,
                seed=seed,
                prompt=prompt,
                truth=None,
                at=at,
                cells=held,
                windows=parts,
                hidden=hidden,
            )
        )

    def places(self, question: Question) -> list[tuple[int, ...]]:
        """The indices of the elements that are asked for, in their order."""
        assert question.at is not None
        return [*question.cells] or _places(question.subject.truth, question.at, _asked(question))

    def whole(self, subject: Subject, seed: int, most: int = SMALL) -> Question | None:
        """The same about a whole output of at most so many elements, as a diagnosis confirms by."""
        if not subject.valid or not subject.varies:
            return None
        parts = enumerate(subject.desc.outputs)
        rows = [At(Place(True, k), ()) for k, part in parts if part.tensor.element_count <= most]
        dice = self.dice(subject, seed)
        return self._best(subject, seed, dice, dice.sample(rows, min(len(rows), MOST_ROWS)), most)

    def _best(
        self, subject: Subject, seed: int, dice: random.Random, rows: list[At], most: int = MOST
    ) -> Question | None:
        found: list[tuple[int, At]] = []
        for at in rows:
            count = _count(subject.truth.sizes[at.place.number], at, most)
            index = _under(subject.truth, at, count)
            assert index is not None
            if not subject.promised(at.place.number, index).all():
                continue
            truth = _values(subject.truth, at, count)
            others = [_values(reading, at, count) for reading in subject.element_readings.values()]
            wrong = sum(other is not None and other != truth for other in others)
            if truth is not None and count > 1 and len(set(truth)) > 1 and (wrong or not subject.element_readings):
                found.append((wrong, at))
        dice.shuffle(found)
        for _, at in sorted(found, key=lambda each: -each[0]):
            sizes = subject.truth.sizes[at.place.number]
            count = _count(sizes, at, most)
            parts = windows(subject, dice, [At(at.place, i) for i in _places(subject.truth, at, count)])
            if parts is None:
                continue
            under = math.prod(sizes[len(at.index) :])
            name = element(subject, at) if at.index else path_of(subject, at.place)
            prompt = subject.sentence("fill.prompt", count=count, name=name)
            if count != under:
                prompt = subject.sentence("fill.prompt_first", count=count, name=name)
            return self.finished(
                Question(
                    kind=self,
                    subject=subject,
                    seed=seed,
                    prompt=prompt,
                    truth=None,
                    at=at,
                    first=None if count == under else count,
                    windows=parts,
                    hidden=hides_elements(subject),
                )
            )
        return None

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        reading = question.subject.reading(rule)
        reading = reading if reading.has_elements else question.subject.truth
        assert question.at is not None
        if not question.cells:
            return _values(reading, question.at, _asked(question))
        output = question.at.place.number
        index = _among(reading, output, question.cells)
        return None if index is None else tuple(values_at(reading, output, index))

    def read(self, question: Question, given: object) -> Answer:
        kind = output_type(question.subject.desc)
        return tuple(read_value(x, kind, f"answer[{i}]") for i, x in enumerate(read_list(given, _asked(question))))

    def score(self, question: Question, answer: Answer) -> float:
        wrong = first_wrong(answer, question.truth)
        return 1.0 if wrong is None else wrong / len(question.truth)

    def where(self, question: Question, answer: Answer) -> At | None:
        assert question.at is not None
        wrong = first_wrong(answer, question.truth) or 0
        return At(question.at.place, self.places(question)[wrong])

    def remarks(self, question: Question, answer: Answer) -> str:
        wrong, at = first_wrong(answer, question.truth), self.where(question, answer)
        assert at is not None
        if wrong is None:
            return self.says(question)
        said = formula_and_value(question.subject, at.place.number, at.index)
        return question.subject.sentence("fill.first_wrong", number=wrong + 1, formula=said)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        said = ", ".join(map(shown, question.truth))
        return look(subject), subject.title, map_blank(subject), said

    def says(self, question: Question) -> str:
        return map_live(question.subject)


def _asked(question: Question) -> int:
    """How many numbers are asked for."""
    assert question.at is not None
    sizes = question.subject.truth.sizes[question.at.place.number]
    return len(question.cells) or question.first or math.prod(sizes[len(question.at.index) :])


def _count(sizes: Sizes, at: At, most: int) -> int:
    return min(most, math.prod(sizes[len(at.index) :]))


def _under(reading: Reading, at: At, count: int) -> tuple[Any, ...] | None:
    """The first elements under a shorter index, as maps take them; None where a reading hasn't as many."""
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


def _among(reading: Reading, output: int, cells: Sequence[tuple[int, ...]]) -> tuple[Any, ...] | None:
    """Some elements of an output, as maps take them; None where a reading hasn't all of them."""
    if output >= len(reading.sizes):
        return None
    sizes = reading.sizes[output]
    if any(len(each) != len(sizes) or any(i >= n for i, n in zip(each, sizes, strict=True)) for each in cells):
        return None
    return tuple(np.array(axis, np.int64) for axis in zip(*cells, strict=True))


def _places(reading: Reading, at: At, count: int) -> list[tuple[int, ...]]:
    index = _under(reading, at, count)
    return [] if index is None else list(zip(*(axis.tolist() for axis in index), strict=True))


def _values(reading: Reading, at: At, count: int) -> tuple[Value, ...] | None:
    """The numbers by a reading; None where the elements under the index are others than the truth's by number."""
    if not reading.has_elements:
        return None
    index = _under(reading, at, count)
    return None if index is None else tuple(values_at(reading, at.place.number, index))


def _rows(subject: Subject, dice: random.Random) -> list[At]:
    """Whole outputs where they are short enough, else rows along their last axes that are."""
    made: list[At] = []
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
            made.append(At(Place(True, k), tuple(int(axis[0]) for axis in index)))
    return made


KIND = FillKind()
