"""Where input elements go by every reading of a small subject: read off from the sources of all output elements."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any

from ....desc.fields import Role
from ....desc.indexing import unravel
from ....operators.wrong_rules import Misreading, Sizes
from ...questions.answers import Cell
from ...questions.elements import MOST_LOOKED_AT, Candidate, has_element, sampled, sources_at
from ...questions.goals import every_index
from ...questions.question import At
from ...questions.subject import Reading, Subject

Goes = Mapping[Cell, tuple[Cell, ...]]
"""The output elements that come from each input element that is read, in row-major order."""


def goes_to(subject: Subject, reading: Reading) -> Goes | None:
    """Where the input elements of a small subject go by a reading, worked out once; None for outputs of other sizes."""
    return subject.keep(("goes", reading.rule_id), lambda: _destinations_by(subject, reading))


def _destinations_by(subject: Subject, reading: Reading) -> Goes | None:
    """What `goes_to` keeps."""
    if not reading.has_elements or reading.sizes != subject.truth.sizes:
        return None
    goes: dict[Cell, list[Cell]] = {}
    for k, sizes in enumerate(reading.sizes):
        for source, place in zip(sources_at(reading, k, every_index(sizes)), every_place(sizes), strict=True):
            if source is not None:
                goes.setdefault(source, []).append((k, place))
    return {source: tuple(cells) for source, cells in goes.items()}


def readers(subject: Subject, at: At, rule: Misreading[Any] | None) -> tuple[Cell, ...] | None:
    """The output elements that read an input element by a rule, or in truth; None where the rule can't say."""
    goes = goes_to(subject, subject.element_reading(rule))
    return None if goes is None else goes.get((at.place.number, at.index), ())


def unpromised_sources(subject: Subject) -> frozenset[Cell]:
    """Input elements of a small subject that are read by output elements whose values aren't promised."""
    cells: set[Cell | None] = set()
    for k, sizes in enumerate(subject.truth.sizes):
        index = every_index(sizes)
        cells |= {*itertools.compress(sources_at(subject.truth, k, index), ~subject.promised(k, index))}
    return frozenset(cell for cell in cells if cell is not None)


def may_ask_input(subject: Subject, at: At) -> bool:
    """True if a small subject has such a data element, and it is certain which output elements read it."""
    parts = subject.desc.inputs
    if at.place.is_output or not has_element(parts, at) or parts[at.place.number].field.role is not Role.DATA:
        return False
    return _is_certain((at.place.number, at.index), unpromised_sources(subject), goes_to(subject, subject.truth) or {})


def _is_certain(cell: Cell, left_out: frozenset[Cell], goes: Goes) -> bool:
    """False where an output element whose value isn't promised may read the cell."""
    return cell not in left_out and (cell in goes or not left_out)


def data_cells(subject: Subject, dice: random.Random) -> Iterator[Cell]:
    """Cells of the data inputs: all of few, else a few hundred by chance."""
    numbers = [k for k, part in enumerate(subject.desc.inputs) if part.field.role is Role.DATA]
    if len(numbers) > MOST_LOOKED_AT:
        numbers = sorted(dice.sample(numbers, MOST_LOOKED_AT))
    for k in numbers:
        sizes = subject.desc.inputs[k].tensor.sizes
        flat = sampled(sizes, dice, max(1, MOST_LOOKED_AT // len(numbers)))
        for place in zip(*(axis.tolist() for axis in unravel(flat, sizes)), strict=True):
            yield k, place


def candidates_by_readers(
    subject: Subject, dice: random.Random, ask: Callable[[tuple[Cell, ...]], Hashable]
) -> list[Candidate]:
    """Data elements of a small subject with certain readers, and how well the answers that `ask` gives tell rules."""
    truth = goes_to(subject, subject.truth)
    assert truth is not None
    by_rules = [goes_to(subject, reading) for reading in subject.element_readings.values()]
    left_out, candidates = unpromised_sources(subject), []
    for cell in data_cells(subject, dice):
        if _is_certain(cell, left_out, truth):
            right = ask(truth.get(cell, ()))
            answers = [ask(goes.get(cell, ())) for goes in by_rules if goes is not None]
            wrong = [answer for answer in answers if answer != right]
            candidates.append(Candidate(At.input(*cell), len(wrong), len(set(wrong)), right))
    return candidates


def every_place(sizes: Sizes) -> Iterator[tuple[int, ...]]:
    """Every index into these sizes, row-major."""
    return itertools.product(*(range(n) for n in sizes))
