"""Elements worth asking about: candidates, what each reading answers there, the best of them, windows around them."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from msgspec import Struct

from ...desc.fields import Role
from ...desc.indexing import ravel, unravel
from ...desc.values import Indices
from ...operators.maps import Place
from ...operators.wrong_rules import NOWHERE, Sizes
from .answers import Cell, Value, values_of
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
    return values_of(reading.values(output, index))


def sources_at(reading: Reading, output: int, index: tuple[Indices, ...]) -> list[Cell | None]:
    """Where elements come from; None for nowhere."""
    found = reading.sources(output, index)
    places = zip(*(axis.tolist() for axis in found.index), strict=True)
    return [None if k == NOWHERE else (k, at) for k, at in zip(found.tensor.tolist(), places, strict=True)]


def vias_at(reading: Reading, output: int, index: tuple[Indices, ...]) -> list[Cell | None]:
    """The index or length cells that send elements to their places; None where a reading doesn't say."""
    found = reading.sources(output, index)
    if found.via is None:
        return [None] * len(index[0])
    return [(found.via_tensor, at) for at in zip(*(axis.tolist() for axis in found.via), strict=True)]


def one(index: Sequence[int]) -> tuple[Indices, ...]:
    """An index as maps take them."""
    return tuple(np.array([i], np.int64) for i in index)


def answer_at(reading: Reading, at: At, ask: Ask[T]) -> T | None:
    """What a reading answers for one element of an output; None where it has no such element."""
    index, output = one(at.index), at.place.number
    return ask(reading, output, index)[0] if reading.inside(output, index)[0] else None


def holders_at(subject: Subject, reading: Reading, at: At, ask: Ask[T]) -> T | None:
    """The same of a rule's holder, who answers rightly where the rule is about sizes alone."""
    return answer_at(reading if reading.has_elements else subject.truth, at, ask)


def may_ask(subject: Subject, at: At, *, promised: bool = True) -> bool:
    """True if a valid subject has such an output element, and, unless that is asked, its value is promised."""
    parts = subject.desc.outputs
    if not at.place.is_output or at.place.number >= len(parts):
        return False
    sizes = parts[at.place.number].tensor.sizes
    if len(at.index) != len(sizes) or not all(0 <= i < n for i, n in zip(at.index, sizes, strict=True)):
        return False
    return not promised or bool(subject.promised(at.place.number, one(at.index))[0])


class Candidate(Struct, frozen=True):
    """Something that could be asked about, and how well it tells rules apart."""

    at: At
    told: int
    """How many rules answer otherwise than the truth."""
    apart: int
    """How many wrong answers there are."""
    truth: Any


def candidates(subject: Subject, dice: random.Random, ask: Ask[T], most: int = MOST_LOOKED_AT) -> list[Candidate]:
    """Promised output elements, at most some hundreds, with how well each tells the rules apart."""
    made: list[Candidate] = []
    readings = list(subject.element_readings.values())
    for output, index in sampled_outputs(subject, dice, most):
        truth = ask(subject.truth, output, index)
        promised = subject.promised(output, index)
        answers = [_answers(reading, output, index, ask) for reading in readings]
        for i in np.flatnonzero(promised).tolist():
            if truth[i] is None:
                continue
            wrong = [each[i] for each in answers if each[i] is not None and each[i] != truth[i]]
            at = At(Place(True, output), tuple(int(axis[i]) for axis in index))
            made.append(Candidate(at, len(wrong), len(set(wrong)), truth[i]))
    return made


def _answers(reading: Reading, output: int, index: tuple[Indices, ...], ask: Ask[T]) -> list[T | None]:
    """What a reading answers for each element; None for those that it hasn't."""
    inside = np.flatnonzero(reading.inside(output, index))
    made: list[T | None] = [None] * len(index[0])
    if len(inside):
        for i, answer in zip(inside.tolist(), ask(reading, output, tuple(axis[inside] for axis in index)), strict=True):
            made[i] = answer
    return made


def best(found: Iterable[Candidate], dice: random.Random) -> Candidate | None:
    """The candidate that tells most rules from the truth, then apart from one another; by chance among near ties."""
    every = list(found)
    if not every:
        return None
    most = max(each.told for each in every)
    tied = [each for each in every if each.told == most]
    widest = max(each.apart for each in tied)
    return dice.choice([each for each in tied if each.apart >= widest - 1])


def sampled_outputs(subject: Subject, dice: random.Random, most: int) -> Iterator[tuple[int, tuple[Indices, ...]]]:
    """Elements of every output: all where there are few, else a few hundred, by chance and from the beginning."""
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


def few(subject: Subject) -> bool:
    """True if the outputs have few elements enough to be drawn whole as a choice."""
    return sum(part.tensor.element_count for part in subject.desc.outputs) <= SMALL


def is_small(subject: Subject) -> bool:
    """True if all output elements are looked at, and what steers them is seen whole: destinations follow from that."""
    total = sum(part.tensor.element_count for part in subject.desc.outputs)
    steers = [part.tensor for part in subject.desc.inputs if part.field.role is not Role.DATA]
    return total <= READ_AT_ONCE and all(each.element_count <= LARGE for each in steers)


# Windows.


def largest_window(sizes: Sizes) -> Sizes:
    """The sizes of a window into a tensor of these sizes: as much of its innermost axes as is seen at a glance."""
    made = [1] * len(sizes)
    long = [d for d in reversed(range(len(sizes))) if sizes[d] > 1][:MOST_AXES]
    for place, d in enumerate(long):
        made[d] = min(sizes[d], ALONG if place < 2 else OUTER)
    return tuple(made)


def windows(subject: Subject, dice: random.Random, at: Sequence[At], *, data: bool = True) -> tuple[Window, ...] | None:
    """Windows of the large inputs, with the sources of elements of one output, and those of wrong rules if they fit.

    None where one window can't hold the true ones. Without `data`, only index and length tensors have one.
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
    index = tuple(np.array(axis, np.int64) for axis in zip(*(each.index for each in at), strict=True))
    for ask in (sources_at, vias_at):
        for found in ask(subject.truth, output, index):
            if found is not None:
                needed.setdefault(found[0], []).append(found[1])
        for reading in subject.element_readings.values():
            wished += dict.fromkeys(cell for cell in _answers(reading, output, index, ask) if cell is not None)
    dice.shuffle(wished)
    made = []
    for k in large:
        sizes = subject.desc.inputs[k].tensor.sizes
        room = largest_window(sizes)
        held = needed.get(k, [])
        if held and not _fits(held, room):
            return None
        for tensor, place in wished:
            if tensor == k and _fits([*held, place], room):
                held = [*held, place]
        start = []
        for d, (n, wide) in enumerate(zip(sizes, room, strict=True)):
            low, high = (min(i[d] for i in held), max(i[d] for i in held)) if held else (0, n - 1)
            least, most = (max(0, high - wide + 1), min(low, n - wide)) if held else (0, n - wide)
            start.append(dice.randint(least, most))
        made.append(Window(k, tuple(start), room))
    return tuple(made)


def _fits(points: Sequence[tuple[int, ...]], room: Sizes) -> bool:
    return all(max(p[d] for p in points) - min(p[d] for p in points) < wide for d, wide in enumerate(room))
