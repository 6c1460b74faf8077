"""`pictures`: which of four pictures is the output?"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ...operators.wrong_rules import Misreading
from ..questions.question import ANYTHING, At, Choice, Picture, Question, Wish
from ..questions.subject import Answer, Cell, Reading, Subject, first_wrong
from ..questions.wording import formula, what_tells_elements
from ..words.catalogue import sentence
from .elements import PicturedKind

IDS = ("a", "b", "c", "d")
MOST_DRAWN = 64
"""Elements of an output that is drawn as a choice, or of all together."""
MOST_WAYS = 84
"""Choices of three wrong pictures that are looked at."""


class PicturesKind(PicturedKind):
    """Asks which of four pictures is the output, or all of them; the answer is the letter of a choice."""

    name, quantity = "pictures", "value"
    stage = 1
    draws_outputs = False

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        subject = subject.small if wish.at is None else subject
        parts, dice = _parts(subject) if subject.is_small else [], self.dice(subject, seed)
        if wish.at is not None:
            parts = [At(wish.at.place, ())] if At(wish.at.place, ()) in parts else []
        elif not wish.rules and parts and (not subject.varies or len(subject.element_readings) < len(IDS) - 1):
            return None
        for at in parts:
            if (drawn := _four(subject, dice, at, wish.rules)) is not None:
                choices = tuple(Choice(id_, picture=picture) for id_, picture in zip(IDS, drawn, strict=True))
                outputs = [subject.desc.outputs[k] for k in _numbers(subject, at)]
                name = outputs[0].path if len(outputs) == 1 else outputs[0].field.name
                prompt, first = sentence("pictures.prompt", name=name), None
                if at is not None:
                    first = At(at.place, (0,) * len(outputs[0].tensor.sizes))
                return self.pose(subject, seed, prompt, what_tells_elements(subject), at=first, choices=choices)
        return None

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        picture = draw(question.subject, question.subject.element_reading(rule), question.at)
        return next((choice.id for choice in question.choices if choice.picture == picture), None)

    def remarks(self, question: Question, answer: Answer) -> str:
        """Of a wrong picture where the first element that differs comes from."""
        pictures = {choice.id: choice.picture for choice in question.choices if choice.picture is not None}
        wrong, true = (
            [value for _, values in pictures[id_].outputs for value in values] for id_ in (answer, question.truth)
        )
        first = first_wrong(wrong, true)
        if first is None:
            return self.says(question)
        return formula(question.subject, At.output(*_cells(question.subject, question.at)[first]))


def _four(subject: Subject, dice: random.Random, at: At | None, wanted: Sequence[str]) -> list[Picture] | None:
    """The pictures of an output, or of all, by the truth and three wrong rules, wanted ones first; None for no such."""
    truth = draw(subject, subject.truth, at)
    named: list[Picture] = []
    others: list[Picture] = []
    for id_, reading in subject.element_readings.items():
        picture = draw(subject, reading, at)
        if picture is not None and picture not in (truth, *named):
            (named if id_ in wanted else others).append(picture)
    named = named[: len(IDS) - 1]
    others = [picture for picture in dict.fromkeys(others) if picture not in named]
    lacking = len(IDS) - 1 - len(named)
    if truth is None or len(others) < lacking:
        return None
    drawn = [truth, *named, *_distractors(truth, named, others, lacking, dice)]
    dice.shuffle(drawn)
    return drawn


def _distractors(
    truth: Picture, named: list[Picture], others: list[Picture], count: int, dice: random.Random
) -> list[Picture]:
    """`count` of the others, so that the truth is the picture most like all as rarely as any other is.

    Each distractor is the truth with one thing wrong: by chance the truth would stand in the middle of them.
    """
    by_place: dict[int, list[tuple[Picture, ...]]] = {}
    ways = list(itertools.combinations(others, count))
    for way in ways if len(ways) <= MOST_WAYS else dice.sample(ways, MOST_WAYS):
        four = (truth, *named, *way)
        apart = [sum(_count_differing(a, b) for b in four) for a in four]
        by_place.setdefault(sum(other < apart[0] for other in apart), []).append(way)
    wanted = dice.randrange(len(IDS))
    return list(dice.choice(by_place[min(by_place, key=lambda place: abs(place - wanted))]))


@lru_cache(4096)
def _count_differing(one: Picture, other: Picture) -> int:
    pairs = zip(one.outputs, other.outputs, strict=True)
    return sum(x != y for (_, a), (_, b) in pairs for x, y in zip(a, b, strict=True))


def draw(subject: Subject, reading: Reading, at: At | None) -> Picture | None:
    """The picture of all outputs by a reading, or of one where `at` says which.

    None where the reading's outputs have other sizes than the true ones, or an element isn't promised.
    """
    cells = _cells(subject, at)
    if not reading.has_true_sizes or not all(map(subject.truth.promised.get, cells)):
        return None
    values = {k: tuple(reading.value[cell] for cell in cells if cell[0] == k) for k in _numbers(subject, at)}
    return Picture(tuple((reading.sizes[k], own) for k, own in values.items()))


def _cells(subject: Subject, at: At | None) -> list[Cell]:
    numbers = _numbers(subject, at)
    return [cell for cell in subject.truth.value if cell[0] in numbers]


def _numbers(subject: Subject, at: At | None) -> list[int]:
    return [*range(len(subject.truth.sizes))] if at is None else [at.place.number]


def _parts(subject: Subject) -> list[At | None]:
    """None for all outputs of a small subject and each by itself, those that have few enough elements to be drawn."""
    counts = [part.tensor.element_count for part in subject.desc.outputs]
    every: list[At | None] = [None] if sum(counts) <= MOST_DRAWN else []
    return [*every, *(At.output(k) for k, count in enumerate(counts) if count <= MOST_DRAWN)]


KINDS = (PicturesKind(),)
