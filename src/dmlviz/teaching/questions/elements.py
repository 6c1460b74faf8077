"""Elements worth asking about: how well each tells wrong rules from the truth, and the best of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from msgspec import Struct

from .answers import Cell
from .question import At
from .subject import Reading, Subject

SHOWN = 48
"""Elements of the outputs up to which all of them are drawn as a choice, or asked for."""

Ask = Callable[[Reading, Cell], Hashable | None]
"""What a reading answers for an element; None where it can't answer."""


class Candidate(Struct, frozen=True):
    """Something that could be asked about, and how well it tells rules apart."""

    at: Any
    """An `At`; of a chain a place of its kind."""
    told: int
    """How many rules answer otherwise than the truth."""
    apart: int
    """How many wrong answers there are."""
    truth: Any


def candidates(subject: Subject, places: Iterable[At], ask: Ask) -> list[Candidate]:
    """Elements of a small subject, with how well they tell rules apart."""
    readings, found = subject.element_readings.values(), []
    for at in places:
        cell = at.place.number, at.index
        if (truth := ask(subject.truth, cell)) is not None:
            wrong = [answer for reading in readings if (answer := ask(reading, cell)) not in (None, truth)]
            found.append(Candidate(at, len(wrong), len({*wrong}), truth))
    return found


def best_candidate(candidates: Iterable[Candidate], dice: random.Random) -> Candidate | None:
    """The candidate that tells most rules from the truth, then apart; by chance among near ties; None for none."""
    every = list(candidates)
    if not every:
        return None
    most = max(candidate.told for candidate in every)
    tied = [candidate for candidate in every if candidate.told == most]
    widest = max(candidate.apart for candidate in tied)
    return dice.choice([candidate for candidate in tied if candidate.apart >= widest - 1])
