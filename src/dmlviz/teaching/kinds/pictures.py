"""`pictures`: which of four pictures is the output?"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from ...operators.wrong_rules import Misreading
from ..questions.answers import Answer, Cell, first_wrong
from ..questions.question import ANYTHING, At, Choice, Picture, Question, Wish
from ..questions.subject import Reading, Subject
from ..questions.wording import formula, what_tells_elements
from ..words.catalogue import sentence
from .elements import PicturedKind

IDS = ("a", "b", "c", "d")
MOST_DRAWN = 64
"""Elements of an output that is drawn as a choice, or of all together."""


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
    truth, wrong = draw(subject, subject.truth, at), dict[Picture, bool]()
    for id_, reading in subject.element_readings.items():
        picture = draw(subject, reading, at)
        if picture is not None and picture != truth:
            wrong[picture] = wrong.get(picture, False) or id_ in wanted
    if truth is None or len(wrong) < len(IDS) - 1:
        return None
    others = sorted(dice.sample([*wrong], len(wrong)), key=lambda picture: not wrong[picture])
    return dice.sample([truth, *others[: len(IDS) - 1]], len(IDS))


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
    """The elements that a picture shows."""
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
