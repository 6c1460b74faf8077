"""`pictures`: which of four pictures is the output?"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...desc.indexing import unravel
from ...desc.tensors import brackets
from ...errors import DmlvizError, quote
from ...operators.maps import Place
from ...operators.wrong_rules import Misreading, Sizes
from ..questions.answers import values_of
from ..questions.elements import few, may_ask, windows
from ..questions.question import Answer, At, Choice, Kind, Picture, Question
from ..questions.subject import Reading, Subject
from ..questions.wording import formula_and_value, hides_elements, listed, look, map_blank, map_live, path_of

IDS = ("a", "b", "c", "d")
ACROSS, DOWN = 6, 4
"""Elements of a window along the last axis that is longer than 1, and along the one before it."""
MOST_WAYS = 84
"""Choices of three wrong pictures that are looked at."""
MOST_WINDOWS = 8
"""Windows that are looked at for one that shows three wrong rules."""


class PicturesKind(Kind):
    name = "pictures"
    stage = 1
    easy = True

    def make(self, subject: Subject, seed: int) -> Question | None:
        if not subject.valid or not subject.varies or len(subject.element_readings) < len(IDS) - 1:
            return None
        dice = self.dice(subject, seed)
        return self._first(subject, seed, dice, _parts(subject, dice), ())

    def wanted(
        self, subject: Subject, seed: int, *, at: At | None = None, first: int | None = None, rules: Sequence[str] = ()
    ) -> Question | None:
        if at is None and not rules:
            return self.make(subject, seed)
        if not subject.valid:
            return None
        dice = self.dice(subject, seed)
        parts: Iterable[tuple[At | None, Sizes]] = _parts(subject, dice)
        if at is not None:
            if not may_ask(subject, at, promised=False):
                return None
            sizes = subject.desc.outputs[at.place.number].tensor.sizes
            room = zip(_window(sizes, 0), sizes, at.index, strict=True)
            parts = [(at, tuple(min(wide, n - i) for wide, n, i in room))]
        return self._first(subject, seed, dice, parts, rules)

    def _first(
        self,
        subject: Subject,
        seed: int,
        dice: random.Random,
        parts: Iterable[tuple[At | None, Sizes]],
        rules: Sequence[str],
    ) -> Question | None:
        """About the first of some parts of the outputs that shows three wrong rules, those that are named first."""
        for at, sizes in parts:
            truth = draw(subject, subject.truth, at, sizes)
            if truth is None:
                continue
            named: list[Picture] = []
            others: list[Picture] = []
            for id_, reading in subject.element_readings.items():
                picture = draw(subject, reading, at, sizes)
                if picture is not None and picture not in (truth, *named):
                    (named if id_ in rules else others).append(picture)
            named = named[: len(IDS) - 1]
            others = [each for each in dict.fromkeys(others) if each not in named]
            lacking = len(IDS) - 1 - len(named)
            if len(others) < lacking:
                continue
            # Of several whole outputs the input is no larger than they are together: no window is needed.
            first = at or At(Place(True, 0), (0,) * len(subject.truth.sizes[0]))
            places = _places(first, sizes if at is not None else subject.truth.sizes[0])
            shown = windows(subject, dice, [At(first.place, place) for place in places])
            if shown is None:
                continue
            drawn = [truth, *named, *_chosen(truth, named, others, lacking, dice)]
            dice.shuffle(drawn)
            choices = tuple(Choice(id_, picture=each) for id_, each in zip(IDS, drawn, strict=True))
            return self.finished(
                Question(
                    kind=self,
                    subject=subject,
                    seed=seed,
                    prompt=subject.sentence("pictures.prompt", name=_name(subject, at, sizes)),
                    truth=None,
                    at=at,
                    windows=shown,
                    choices=choices,
                    hidden=hides_elements(subject),
                )
            )
        return None

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        subject = question.subject
        reading = subject.reading(rule)
        if not reading.has_elements:
            reading = subject.truth
        picture = draw(subject, reading, question.at, _sizes(question))
        return next((each.id for each in question.choices if each.picture == picture), None)

    def read(self, question: Question, given: object) -> Answer:
        if given not in IDS:
            raise DmlvizError(f"answer is {quote(given)}, expected one of {', '.join(IDS)}.")
        return given

    def where(self, question: Question, answer: Answer) -> At | None:
        pictures = {each.id: each.picture for each in question.choices}
        wrong, true = pictures[answer], pictures[question.truth]
        assert wrong is not None
        assert true is not None
        for k, ((sizes, mine), (_, right)) in enumerate(zip(wrong.outputs, true.outputs, strict=True)):
            for i, (a, b) in enumerate(zip(mine, right, strict=True)):
                if a != b:
                    at = question.at or At(Place(True, k), (0,) * len(sizes))
                    inner = tuple(int(axis[0]) for axis in unravel(np.array([i], np.int64), sizes))
                    return At(at.place, tuple(x + y for x, y in zip(at.index, inner, strict=True)))
        return question.at

    def remarks(self, question: Question, answer: Answer) -> str:
        if answer == question.truth:
            return self.says(question)
        at = self.where(question, answer)
        assert at is not None
        return formula_and_value(question.subject, at.place.number, at.index)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        return look(subject), subject.title, map_blank(subject), str(question.truth)

    def says(self, question: Question) -> str:
        return map_live(question.subject)


def _chosen(
    truth: Picture, named: list[Picture], others: list[Picture], count: int, dice: random.Random
) -> list[Picture]:
    """So many of the others, among which the truth is the picture most like all as rarely as any other is.

    Each distractor is the truth with one thing wrong: by chance the truth would stand in the middle of them.
    """
    found: dict[int, list[tuple[Picture, ...]]] = {}
    ways = list(itertools.combinations(others, count))
    for each in ways if len(ways) <= MOST_WAYS else dice.sample(ways, MOST_WAYS):
        four = (truth, *named, *each)
        apart = [sum(_unlike(a, b) for b in four) for a in four]
        found.setdefault(sum(other < apart[0] for other in apart), []).append(each)
    wanted = dice.randrange(len(IDS))
    return list(dice.choice(found[min(found, key=lambda place: abs(place - wanted))]))


@lru_cache(4096)
def _unlike(one: Picture, other: Picture) -> int:
    """In how many elements two pictures of the same sizes differ."""
    pairs = zip(one.outputs, other.outputs, strict=True)
    return sum(x != y for (_, a), (_, b) in pairs for x, y in zip(a, b, strict=True))


def draw(subject: Subject, reading: Reading, at: At | None, sizes: Sizes) -> Picture | None:
    """The outputs by a reading, or a window of one; None where a reading has outputs of other sizes.

    None too where an element that isn't promised lies in it.
    """
    if not reading.has_elements or reading.sizes != subject.truth.sizes:
        return None
    key = "pictures", reading.rule.id if reading.rule else "", at, sizes
    if key not in subject.kept:
        subject.kept[key] = _drawn(subject, reading, at, sizes)
    found: Picture | None = subject.kept[key]
    return found


def _drawn(subject: Subject, reading: Reading, at: At | None, sizes: Sizes) -> Picture | None:
    if at is not None:
        parts = [(at.place.number, at.index, sizes)]
    else:
        parts = [(k, (0,) * len(each), each) for k, each in enumerate(reading.sizes)]
    made = []
    for k, start, wide in parts:
        inner = unravel(np.arange(int(np.prod(wide, dtype=object)), dtype=np.int64), wide)
        index = tuple(axis + first for axis, first in zip(inner, start, strict=True))
        if not subject.promised(k, index).all():
            return None
        made.append((wide, tuple(values_of(reading.values(k, index)))))
    return Picture(tuple(made))


def _parts(subject: Subject, dice: random.Random) -> Iterator[tuple[At | None, Sizes]]:
    """All outputs where they are small, then windows of single ones: large first, then of a row or two less."""
    if few(subject):
        yield None, ()
    outputs = subject.desc.outputs
    for less in range(MOST_WINDOWS):
        k = dice.randrange(len(outputs))
        sizes = outputs[k].tensor.sizes
        wide = _window(sizes, less // 2)
        yield At(Place(True, k), tuple(dice.randint(0, n - w) for n, w in zip(sizes, wide, strict=True))), wide


def _window(sizes: Sizes, less: int) -> Sizes:
    made = [1] * len(sizes)
    long = [d for d in reversed(range(len(sizes))) if sizes[d] > 1][:2]
    for d, most in zip(long, (ACROSS, DOWN), strict=False):
        made[d] = max(2, min(sizes[d], most) - less)
    return tuple(made)


def _sizes(question: Question) -> Sizes:
    """The sizes of the window that is asked about; () for whole outputs."""
    picture = question.choices[0].picture
    assert picture is not None
    return picture.outputs[0][0] if question.at is not None else ()


def _places(at: At, sizes: Sizes) -> list[tuple[int, ...]]:
    inner = unravel(np.arange(int(np.prod(sizes, dtype=object)), dtype=np.int64), sizes)
    return list(zip(*((axis + first).tolist() for axis, first in zip(inner, at.index, strict=True)), strict=True))


def _name(subject: Subject, at: At | None, sizes: Sizes) -> str:
    if at is None:
        paths = [part.path for part in subject.desc.outputs]
        few = len(paths) <= 3
        return listed(paths, subject.lang) if few else subject.sentence("words.to", first=paths[0], last=paths[-1])
    last = [first + n for first, n in zip(at.index, sizes, strict=True)]
    pieces = (f"{a}:{b}" if b - a > 1 else str(a) for a, b in zip(at.index, last, strict=True))
    return f"{path_of(subject, at.place)}{brackets(pieces)}"


KIND = PicturesKind()
