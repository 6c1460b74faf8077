"""Elements worth asking about: candidates, what each reading answers there, the best of them, windows around them."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from msgspec import Struct

from ...desc.base import Part
from ...desc.fields import Role
from ...desc.indexing import ravel, unravel
from ...desc.values import Indices
from ...operators.maps import NOWHERE
from ...operators.wrong_rules import Sizes
from .answers import FROM_NOWHERE, Cell, Value, values_of
from .question import At, Window
from .subject import READ_AT_ONCE, Reading, Subject

MOST_LOOKED_AT = 192
"""Elements that are looked at for the one to ask about."""
MOST_OUTPUTS = 16
"""Outputs that are looked at: a map may take its time for each of thousands."""
SMALL = 48
"""Elements of the outputs up to which all of them are drawn as a choice, or asked for."""
LARGE = 1024
"""Elements from which on a tensor is shown by a window."""
ALONG, OUTER, MOST_AXES = 12, 4, 3
"""Elements of a window along the two innermost axes that are longer than 1, along the third, and how many of those."""

T = TypeVar("T", bound=Hashable)
Ask = Callable[[Reading, int, tuple[Indices, ...]], Sequence[T | None]]
"""What a reading answers for each of N elements of an output, all of which it has; None where it can't answer."""


def values_at(reading: Reading, output: int, index: tuple[Indices, ...]) -> list[Value]:
    """The values that a reading gives elements of an output."""
    return values_of(reading.values(output, index))


def sources_at(reading: Reading, output: int, index: tuple[Indices, ...]) -> list[Cell | None]:
    """Where a reading has elements of an output come from; None for nowhere."""
    sources = reading.sources(output, index)
    places = zip(*(axis.tolist() for axis in sources.index), strict=True)
    return [None if k == NOWHERE else (k, at) for k, at in zip(sources.tensor.tolist(), places, strict=True)]


def origins_at(reading: Reading, output: int, index: tuple[Indices, ...]) -> list[Cell | None]:
    """`sources_at`, with FROM_NOWHERE for nowhere where the operator has such elements."""
    nowhere = FROM_NOWHERE if reading.has_constants else None
    return [nowhere if source is None else source for source in sources_at(reading, output, index)]


def vias_at(reading: Reading, output: int, index: tuple[Indices, ...]) -> list[Cell | None]:
    """The index or length cells that send elements of an output to their places; None where a reading doesn't say."""
    sources = reading.sources(output, index)
    if sources.via is None:
        return [None] * len(index[0])
    return [(sources.via_tensor, at) for at in zip(*(axis.tolist() for axis in sources.via), strict=True)]


def index_arrays(index: Sequence[int]) -> tuple[Indices, ...]:
    """One index as maps take indices: an array of one number an axis."""
    return tuple(np.array([i], np.int64) for i in index)


def answer_at(reading: Reading, at: At, ask: Ask[T]) -> T | None:
    """What a reading answers for one element of an output; None where it has no such element."""
    index, output = index_arrays(at.index), at.place.number
    return ask(reading, output, index)[0] if reading.inside(output, index)[0] else None


def holders_answer_at(subject: Subject, reading: Reading, at: At, ask: Ask[T]) -> T | None:
    """What the holder of a rule answers for one element: the truth where the rule is about sizes alone."""
    return answer_at(reading if reading.has_elements else subject.truth, at, ask)


def has_element(parts: Sequence[Part], at: At) -> bool:
    """True if `parts`, the inputs or the outputs of a desc, have such an element."""
    if at.place.number >= len(parts):
        return False
    sizes = parts[at.place.number].tensor.sizes
    return len(at.index) == len(sizes) and all(0 <= i < n for i, n in zip(at.index, sizes, strict=True))


def may_ask_output(subject: Subject, at: At, *, promised: bool = True) -> bool:
    """True if a valid subject has such an output element and, where `promised`, DirectML promises its value."""
    if not at.place.is_output or not has_element(subject.desc.outputs, at):
        return False
    return not promised or bool(subject.promised(at.place.number, index_arrays(at.index))[0])


class Candidate(Struct, frozen=True):
    """Something that could be asked about, and how well it tells rules apart."""

    at: At
    told: int
    """How many rules answer otherwise than the truth."""
    apart: int
    """How many wrong answers there are."""
    truth: Any


def candidates(subject: Subject, dice: random.Random, ask: Ask[T], most: int = MOST_LOOKED_AT) -> list[Candidate]:
    """Output elements whose values are promised, at most some hundreds, with how well they tell rules apart."""
    elements: list[Candidate] = []
    readings = list(subject.element_readings.values())
    for output, index in sampled_outputs(subject, dice, most):
        truth = ask(subject.truth, output, index)
        promised = subject.promised(output, index)
        by_rules = [_answers_of_all(reading, output, index, ask) for reading in readings]
        for i in np.flatnonzero(promised).tolist():
            if truth[i] is None:
                continue
            wrong = [answers[i] for answers in by_rules if answers[i] is not None and answers[i] != truth[i]]
            at = At.output(output, tuple(int(axis[i]) for axis in index))
            elements.append(Candidate(at, len(wrong), len(set(wrong)), truth[i]))
    return elements


def _answers_of_all(reading: Reading, output: int, index: tuple[Indices, ...], ask: Ask[T]) -> list[T | None]:
    """What a reading answers for elements of an output; None in the place of one that it hasn't."""
    inside = np.flatnonzero(reading.inside(output, index))
    answers: list[T | None] = [None] * len(index[0])
    if len(inside):
        for i, answer in zip(inside.tolist(), ask(reading, output, tuple(axis[inside] for axis in index)), strict=True):
            answers[i] = answer
    return answers


def best_candidate(candidates: Iterable[Candidate], dice: random.Random) -> Candidate | None:
    """The candidate that tells most rules from the truth, then apart; by chance among near ties; None for none."""
    every = list(candidates)
    if not every:
        return None
    most = max(candidate.told for candidate in every)
    tied = [candidate for candidate in every if candidate.told == most]
    widest = max(candidate.apart for candidate in tied)
    return dice.choice([candidate for candidate in tied if candidate.apart >= widest - 1])


def sampled_outputs(subject: Subject, dice: random.Random, most: int) -> Iterator[tuple[int, tuple[Indices, ...]]]:
    """(output, indices) of elements of every output: all of few, else a few hundred, half from the beginning."""
    outputs = subject.desc.outputs
    numbers = list(range(len(outputs)))
    if len(numbers) > MOST_OUTPUTS:
        numbers = sorted(dice.sample(numbers, MOST_OUTPUTS))
    for k in numbers:
        sizes = outputs[k].tensor.sizes
        yield k, unravel(sampled(sizes, dice, max(1, most // len(numbers))), sizes)


def sampled(sizes: Sizes, dice: random.Random, most: int) -> Indices:
    """Flat indices of a tensor of these sizes: all where they are few; else by chance, half from the beginning."""
    count = int(np.prod(sizes, dtype=object))
    if count <= most:
        return np.arange(count, dtype=np.int64)
    near = tuple(min(n, ALONG) for n in sizes)
    some = np.array(dice.sample(range(count), most - most // 2), np.int64)
    nearby = [tuple(dice.randrange(n) for n in near) for _ in range(most // 2)]
    at = tuple(np.array(axis, np.int64) for axis in zip(*nearby, strict=True)) if nearby else ()
    return np.unique(np.concatenate([some, ravel(at, sizes)] if nearby else [some]))


def fit_a_choice(subject: Subject) -> bool:
    """True if the outputs have so few elements that all of them can be drawn as a choice."""
    return sum(part.tensor.element_count for part in subject.desc.outputs) <= SMALL


def is_small(subject: Subject) -> bool:
    """True if all outputs, indices and lengths are read, so that it is known which outputs read an input."""
    total = sum(part.tensor.element_count for part in subject.desc.outputs)
    steers = [part.tensor for part in subject.desc.inputs if part.field.role is not Role.DATA]
    return total <= READ_AT_ONCE and all(tensor.element_count <= LARGE for tensor in steers)


# Windows.


def indices_in_window(start: Sequence[int], sizes: Sizes) -> tuple[Indices, ...]:
    """The indices of a window's elements, row-major, as maps take them: one (N,) array an axis."""
    inner = unravel(np.arange(int(np.prod(sizes, dtype=object)), dtype=np.int64), sizes)
    return tuple(axis + first for axis, first in zip(inner, start, strict=True))


def largest_window(sizes: Sizes) -> Sizes:
    """The sizes of a window into a tensor of these sizes: as much of its innermost axes as is seen at a glance."""
    wide = [1] * len(sizes)
    long = [d for d in reversed(range(len(sizes))) if sizes[d] > 1][:MOST_AXES]
    for place, d in enumerate(long):
        wide[d] = min(sizes[d], ALONG if place < 2 else OUTER)
    return tuple(wide)


def windows(subject: Subject, dice: random.Random, at: Sequence[At], *, data: bool = True) -> tuple[Window, ...] | None:
    """The part to show of every large input: sources of elements of one output, and those of wrong rules if they fit.

    () where no input is large, None where one window can't hold all true sources. Without `data`, only index and length
    tensors have one.
    """
    large = [
        k
        for k, part in enumerate(subject.desc.inputs)
        if part.tensor.element_count > LARGE and (data or part.field.role is not Role.DATA)
    ]
    if not large:
        return ()
    needed: dict[int, list[tuple[int, ...]]] = {}
    wished: list[Cell] = []
    output = at[0].place.number
    index = tuple(np.array(axis, np.int64) for axis in zip(*(element.index for element in at), strict=True))
    for ask in (sources_at, vias_at):
        for source in ask(subject.truth, output, index):
            if source is not None:
                needed.setdefault(source[0], []).append(source[1])
        for reading in subject.element_readings.values():
            wished += dict.fromkeys(cell for cell in _answers_of_all(reading, output, index, ask) if cell is not None)
    dice.shuffle(wished)
    shown = []
    for k in large:
        sizes = subject.desc.inputs[k].tensor.sizes
        room = largest_window(sizes)
        places = needed.get(k, [])
        if places and not _fit_into(places, room):
            return None
        for tensor, place in wished:
            if tensor == k and _fit_into([*places, place], room):
                places = [*places, place]
        start = []
        for d, (n, wide) in enumerate(zip(sizes, room, strict=True)):
            least, most = 0, n - wide
            if places:
                least = max(0, max(place[d] for place in places) - wide + 1)
                most = min(min(place[d] for place in places), n - wide)
            start.append(dice.randint(least, most))
        shown.append(Window(k, tuple(start), room))
    return tuple(shown)


def _fit_into(points: Sequence[tuple[int, ...]], room: Sizes) -> bool:
    """True if a window of the sizes `room` can hold all of the points."""
    return all(max(p[d] for p in points) - min(p[d] for p in points) < wide for d, wide in enumerate(room))
