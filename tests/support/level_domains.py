"""Every desc of a level's bounded domain: what its `may_change` lets a student write, up to small sizes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

from dmlviz.desc.base import Desc
from dmlviz.desc.fields import Field, Role
from dmlviz.operators.registry import operator_of
from dmlviz.session.experiments import Experiment
from dmlviz.teaching.levels.level import Level
from dmlviz.teaching.questions.goals import flowed

MOST_REPEATS = 4
MOST_INDICES = 6
MOST_AXES = 4
"""Of tensors whose sizes may change."""
Tried = tuple[Desc, dict[str, tuple[int, ...]]]


def tries(level: Level) -> Iterator[Experiment]:
    """Every experiment of the domain, by the start's own operator."""
    for desc, steering in _descs(level):
        yield flowed(level.start, desc, dict(steering))


def _descs(level: Level) -> Iterator[Tried]:
    start = level.start.desc
    name = start.TYPE.removeprefix("DML_OPERATOR_")
    own = {"JOIN": _joins, "SPLIT": _splits, "TILE": _tiles, "GATHER": _gathers, "REVERSE_SUBSEQUENCES": _reverses}
    return own.get(name, _neighbours)(level, start)


def _axes(level: Level, count: int) -> list[int]:
    held: int = level.start.desc.get("Axis")
    return list(range(count)) if level.allows("Axis") else [held]


def shapes(count: int, axes: int) -> list[tuple[int, ...]]:
    """Every way to write a number as a product of so many sizes."""
    if axes == 1:
        return [(count,)]
    divisors = (n for n in range(1, count + 1) if count % n == 0)
    return [(n, *rest) for n in divisors for rest in shapes(count // n, axes - 1)]


def parts(whole: int) -> Iterator[tuple[int, ...]]:
    """Every way to write a number as a sum, in order."""
    for cuts in itertools.product((False, True), repeat=whole - 1):
        sizes = [1]
        for cut in cuts:
            sizes = [*sizes, 1] if cut else [*sizes[:-1], sizes[-1] + 1]
        yield tuple(sizes)


def _joins(level: Level, start: Desc) -> Iterator[Tried]:
    tensors = start.get("InputTensors")
    if not level.allows("InputTensors[0].Sizes"):
        for axis in _axes(level, tensors[0].dimension_count):
            yield start.replace({"Axis": axis}), {}
        return
    for rank in range(1, MOST_AXES + 1):
        for sizes in itertools.product(*(shapes(t.element_count, rank) for t in tensors)):
            made = [t.resized(s) for t, s in zip(tensors, sizes, strict=True)]
            for axis in range(rank):
                yield start.replace({"InputTensors": made, "Axis": axis}), {}


def _splits(level: Level, start: Desc) -> Iterator[Tried]:
    tensor = start.get("InputTensor")
    for axis in _axes(level, tensor.dimension_count):
        for sizes in parts(tensor.sizes[axis]):
            made = [tensor.resized((*tensor.sizes[:axis], n, *tensor.sizes[axis + 1 :])) for n in sizes]
            yield start.replace({"OutputTensors": made, "Axis": axis}), {}


def _tiles(level: Level, start: Desc) -> Iterator[Tried]:
    tensor = start.get("InputTensor")
    ranks = range(1, MOST_AXES + 1) if level.allows("InputTensor.Sizes") else [tensor.dimension_count]
    for rank in ranks:
        every = shapes(tensor.element_count, rank) if level.allows("InputTensor.Sizes") else [tensor.sizes]
        for sizes in every:
            for repeats in itertools.product(range(1, MOST_REPEATS + 1), repeat=rank):
                yield start.replace({"InputTensor": tensor.resized(sizes), "Repeats": repeats}), {}


def _reverses(level: Level, start: Desc) -> Iterator[Tried]:
    tensor, lengths = start.get("InputTensor"), start.get("SequenceLengthsTensor")
    for axis in _axes(level, tensor.dimension_count):
        sizes = (*tensor.sizes[:axis], 1, *tensor.sizes[axis + 1 :])
        desc = start.replace({"SequenceLengthsTensor": lengths.resized(sizes), "Axis": axis})
        for held in itertools.product(range(tensor.sizes[axis] + 2), repeat=math.prod(sizes)):
            yield desc, {"SequenceLengthsTensor": held}


def _gathers(level: Level, start: Desc) -> Iterator[Tried]:
    tensor, indices = start.get("InputTensor"), start.get("IndicesTensor")
    rank = tensor.dimension_count
    values_change = level.allows("IndicesTensor")
    for axis in _axes(level, rank):
        held: Any = start.get("IndexDimensions")
        for dimensions in range(rank + 1) if level.allows("IndexDimensions") else [held]:
            if not values_change:
                yield start.replace({"Axis": axis, "IndexDimensions": dimensions}), {}
                continue
            for count in range(1, MOST_INDICES + 1) if dimensions else [1]:
                for shape in shapes(count, dimensions) if dimensions else [()]:
                    sizes = (1,) * (rank - dimensions) + shape
                    changes = {"IndicesTensor": indices.resized(sizes), "Axis": axis, "IndexDimensions": dimensions}
                    desc = start.replace(changes)
                    for items in itertools.product(range(tensor.sizes[axis]), repeat=count):
                        yield desc, {"IndicesTensor": items}


def _neighbours(level: Level, start: Desc) -> Iterator[Tried]:
    """Small numbers and choices in every field that may change, and indices within their range; sizes stay."""
    rank = max(part.tensor.dimension_count for part in start.parts)
    longest = max(size for part in start.parts for size in part.tensor.sizes)
    changed = [field for field in start.ATTRIBUTES if level.allows(field.name)]
    steering = [part for part in start.inputs if part.field.role is not Role.DATA and level.allows(part.path)]
    for held in itertools.product(*(list(_held(start, field, rank, longest)) for field in changed)):
        desc = start.replace({field.name: content for field, content in zip(changed, held, strict=True)})
        bounds = [operator_of(desc).bound(desc, desc.inputs.index(part)) or 1 for part in steering]
        for items in itertools.product(
            *(itertools.product(range(n), repeat=p.tensor.element_count) for p, n in zip(steering, bounds, strict=True))
        ):
            yield desc, {part.path: values for part, values in zip(steering, items, strict=True)}


def _held(start: Desc, field: Field, rank: int, longest: int) -> Iterator[Any]:
    """What a field of a neighbour may hold in the domain."""
    held = start.get(field.name)
    if field.is_list:
        numbers = range(-2 if field.signed else int(field.neutral != 0), longest + 1)
        yield from itertools.product(numbers, repeat=len(held))
    else:
        yield from dict.fromkeys((held, *field.exchanged(held, lambda number: range(rank + (not field.is_axis)))))
