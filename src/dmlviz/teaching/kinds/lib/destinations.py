"""Where input elements go by every reading of a small subject: read off from the sources of all output elements."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any

import numpy as np

from ....desc.fields import Role
from ....desc.indexing import unravel
from ....operators.maps import Place
from ....operators.wrong_rules import Sizes
from ...questions.answers import Cell
from ...questions.elements import MOST_LOOKED_AT, Candidate, sampled, sources_at
from ...questions.question import At
from ...questions.subject import Reading, Subject

Goes = Mapping[Cell, tuple[Cell, ...]]
"""The output elements that come from each input element that is read, in row-major order."""


def where_it_goes(subject: Subject, reading: Reading) -> Goes | None:
    """Where each input element of a small subject goes by a reading; None where that has outputs of other sizes."""
    key = "goes", reading.rule.id if reading.rule else ""
    if key not in subject.kept:
        subject.kept[key] = _goes(subject, reading)
    found: Goes | None = subject.kept[key]
    return found


def _goes(subject: Subject, reading: Reading) -> Goes | None:
    if not reading.has_elements or reading.sizes != subject.truth.sizes:
        return None
    made: dict[Cell, list[Cell]] = {}
    for k, sizes in enumerate(reading.sizes):
        sources = sources_at(reading, k, _all(sizes))
        for cell, place in zip(sources, places(sizes), strict=True):
            if cell is not None:
                made.setdefault(cell, []).append((k, place))
    return {cell: tuple(places) for cell, places in made.items()}


def unpromised(subject: Subject) -> frozenset[Cell]:
    """Input elements of a small subject that elements read as things are, whose values aren't promised."""
    found: set[Cell] = set()
    for k, sizes in enumerate(subject.truth.sizes):
        index = _all(sizes)
        for cell, promised in zip(
            sources_at(subject.truth, k, index), subject.promised(k, index).tolist(), strict=True
        ):
            if cell is not None and not promised:
                found.add(cell)
    return frozenset(found)


def may_ask_input(subject: Subject, at: At) -> bool:
    """True if a small subject has such a data element, and no element reads it that isn't promised."""
    parts = subject.desc.inputs
    if at.place.is_output or at.place.number >= len(parts) or parts[at.place.number].field.role is not Role.DATA:
        return False
    sizes = parts[at.place.number].tensor.sizes
    if len(at.index) != len(sizes) or not all(0 <= i < n for i, n in zip(at.index, sizes, strict=True)):
        return False
    cell, left_out = (at.place.number, at.index), unpromised(subject)
    goes = where_it_goes(subject, subject.truth) or {}
    return cell not in left_out and (cell in goes or not left_out)


def data_cells(subject: Subject, dice: random.Random, most: int = MOST_LOOKED_AT) -> Iterator[Cell]:
    """Elements of the data inputs, at most some hundreds."""
    numbers = [k for k, part in enumerate(subject.desc.inputs) if part.field.role is Role.DATA]
    if len(numbers) > most:
        numbers = sorted(dice.sample(numbers, most))
    for k in numbers:
        sizes = subject.desc.inputs[k].tensor.sizes
        flat = sampled(sizes, dice, max(1, most // len(numbers)))
        for place in zip(*(axis.tolist() for axis in unravel(flat, sizes)), strict=True):
            yield k, place


def read_elements(subject: Subject, dice: random.Random, ask: Callable[[Goes, Cell], Hashable]) -> list[Candidate]:
    """Data elements of a small subject, without those that only a promise would decide, and how they tell rules apart.

    `ask` gives a reading's answer.
    """
    truth = where_it_goes(subject, subject.truth)
    assert truth is not None
    goes = [where_it_goes(subject, each) for each in subject.element_readings.values()]
    left_out, made = unpromised(subject), []
    for cell in data_cells(subject, dice):
        if cell in left_out or (left_out and cell not in truth):
            continue  # what isn't promised may read it
        true = ask(truth, cell)
        wrong = [answer for each in goes if each is not None and (answer := ask(each, cell)) != true]
        made.append(Candidate(At(Place(False, cell[0]), cell[1]), len(wrong), len(set(wrong)), true))
    return made


def _all(sizes: Sizes) -> tuple[Any, ...]:
    return unravel(np.arange(int(np.prod(sizes, dtype=object)), dtype=np.int64), sizes)


def places(sizes: Sizes) -> Iterator[tuple[int, ...]]:
    return itertools.product(*(range(n) for n in sizes))
