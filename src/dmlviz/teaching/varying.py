"""Small descs like a given one: what practice and diagnosis ask about when the session's own have been asked about."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..desc.base import Changes, Desc
from ..desc.fields import Role
from ..desc.indexing import put
from ..desc.levels import NEWEST
from ..desc.tensors import DataType, TensorDesc
from ..desc.value_sources import ValueSource, parse_source
from ..desc.values import Iota
from ..errors import DmlvizError
from ..operators.checking import check
from ..operators.registry import operator_of
from ..session.experiments import Experiment

MOST_ELEMENTS = 24
"""Elements of any tensor: a picture of it is looked over at a glance, four of them stand side by side."""
AT_A_GLANCE = 4 * MOST_ELEMENTS
"""Elements of a tensor that an author may have drawn whole."""
LONGEST = 4
"""The largest size; a fifth of them are one larger."""
SIGNED = 0.3
TRIES = 40
Edits = Callable[[Desc, random.Random], Iterable[Changes]]


def varied(base: Experiment, dice: random.Random) -> Experiment | None:
    """A valid experiment of the same operator with other sizes, numbers and values; None where none was found.

    All its data values differ, so that each tells where it comes from. What is not promised may be among its elements.
    """
    for _ in range(TRIES):
        desc = _another_desc(base.desc, dice)
        if desc is not None and all(part.tensor.element_count <= MOST_ELEMENTS for part in desc.parts):
            experiment = experiment_with_values(base, desc, dice)
            if experiment is not None:
                return experiment
    return None


def broken(base: Experiment, dice: random.Random) -> Experiment | None:
    """An experiment that breaks a rule by one number, one type or one DimensionCount; None where none was found."""
    for _ in range(TRIES):
        if (start := varied(base, dice)) is not None:
            desc = edited(start.desc, dice, 1, partial(edits, breaks=True))
            if check(desc).ok is False:
                return replace(start, desc=desc)
    return None


def _another_desc(desc: Desc, dice: random.Random) -> Desc | None:
    rank = dice.choice((1, 2, 2, 2, 3, 3, 4))
    sizes = tuple(dice.randint(1, LONGEST + (dice.random() < 0.2)) for _ in range(rank))
    axis = dice.randrange(rank)
    data = next((field for field in desc.TENSORS if field.role is Role.DATA), None)
    if data is None or math.prod(sizes) > MOST_ELEMENTS:
        return None
    tensor = TensorDesc(DataType.FLOAT32, sizes)
    if (another := operator_of(desc).about(tensor, axis)) is None:
        changes: dict[str, Any] = {**desc.inferable, **dict.fromkeys(field.name for field in desc.COUNTS)}
        changes[data.name] = [tensor] * dice.randint(2, 3) if data.many else tensor
        changes |= {field.name: axis for field in desc.ATTRIBUTES if field.is_axis}
        another = mended_desc(desc.replace(changes))
    if another is None:
        return None
    arrays = sum(field.is_list for field in desc.ATTRIBUTES)  # a window's offsets, sizes and strides change each
    another = edited(another, dice, dice.choice((0, 1, 1, 2, 3)) * max(1, arrays), edits, mends=True)
    return another if check(another).ok is not False else None


def edited(desc: Desc, dice: random.Random, count: int, edits_of: Edits, *, mends: bool = False) -> Desc:
    """A desc after so many edits of those that `edits_of` offers; mended after each where it is to be valid."""
    for _ in range(count):
        with suppress(DmlvizError):  # as some tell of what no desc can have
            offered = [*edits_of(desc, dice)]
            changed = desc.replace(dict(dice.choice(offered))) if offered else desc
            desc = (mended_desc(changed, dice) or desc) if mends else changed
    return desc


def mended_desc(desc: Desc, dice: random.Random | None = None) -> Desc | None:
    """The desc where it is valid, else with a fix that mends all of it; None where there is none."""
    if (report := check(desc)).ok is not False:
        return desc
    fixes = [fix.desc for error in report.errors for fix in error.fixes if fix.mends_all and not fix.turned]
    return None if not fixes else fixes[0] if dice is None else dice.choice(fixes)


def edits(desc: Desc, dice: random.Random, *, breaks: bool = False) -> Iterator[Changes]:
    """Changes of one number or size, or of how many tensors an array has; outputs are inferred anew where they can be.

    One changes a size wherever it stands along the same axis. With `breaks` they are likely to break a rule: types and
    DimensionCounts are changed, too, and outputs stay as they are.
    """
    counts = {field.name: None for field in desc.COUNTS}
    rank = max((part.tensor.dimension_count for part in desc.parts), default=1)
    given = {part.field.name: desc.get(part.field.name) for part in desc.outputs} if breaks else desc.inferable
    for number in desc.ATTRIBUTES:
        member = desc.get(number.name)
        small = number.small(rank, LONGEST - 1)
        others = [*number.exchanged(member, (lambda n: (-1, n + 1, max(0, n - 1))) if breaks else small)]
        others = [dice.choice(left)] if (left := [other for other in others if other != member]) else []
        if breaks and number.is_list and member:
            others.append(member[1:])
        yield from ({**given, number.name: other, **counts} for other in others)
    for field in desc.TENSORS:
        if not (member := desc.get(field.name)):
            continue
        tensors = list(member) if field.many else [member]
        at = dice.randrange(len(tensors))
        sizes = tensors[at].sizes or (1,)
        axis = dice.randrange(len(sizes))
        size = max(0, sizes[axis] + dice.choice((-1, 1))) if breaks else dice.randint(1, LONGEST)
        arrays: list[Any] = [put(tensors, at, tensors[at].resized(put(sizes, axis, size)))]
        if breaks:
            arrays += [put(tensors, at, tensors[at].resized((1, *sizes)))]
            if field.role in (Role.DATA, Role.OUTPUT):
                arrays += [put(tensors, at, tensors[at].changed(data_type=DataType.FLOAT16))]
        elif field.many:
            arrays.append([*tensors, tensors[-1]])
            if len(tensors) > 2:
                arrays.append([*tensors[:at], *tensors[at + 1 :]])
        yield from ({**given, field.name: other if field.many else other[0], **counts} for other in arrays)
    if not desc.parts:
        return
    shape = dice.choice(desc.parts).tensor.sizes
    axis = dice.randrange(max(1, len(shape)))
    new = dice.randint(2, LONGEST)

    def anew(tensor: TensorDesc) -> TensorDesc:
        is_same = len(tensor.sizes) == len(shape) > axis and tensor.sizes[axis] == shape[axis]
        return tensor.resized(put(tensor.sizes, axis, new)) if is_same else tensor

    members = {field: desc.get(field.name) for field in desc.TENSORS if desc.get(field.name)}
    whole = {field.name: [*map(anew, has)] if field.many else anew(has) for field, has in members.items()}
    yield {**whole, **given}


def experiment_with_values(
    base: Experiment, desc: Desc, dice: random.Random, *, outside: bool = False
) -> Experiment | None:
    """An experiment of a desc with data that all differ, and random indices or lengths; None for an invalid one.

    With `outside` it may be invalid, and one of the indices or lengths may lie outside their range.
    """
    operator = operator_of(desc)
    values: dict[str, ValueSource] = {}
    start = 1
    changes: dict[str, Any] = {}
    for k, part in enumerate(desc.inputs):
        if part.is_data:
            values[part.path] = Iota(start, 1)
            start += part.tensor.element_count if part.tensor.can_exist else 0
            continue
        if outside and not (part.tensor.can_exist and part.tensor.element_count <= MOST_ELEMENTS):
            continue
        bound = operator.bound(desc, k) or 1
        has_signs = part.field.role is Role.INDICES and dice.random() < SIGNED
        least = -bound if has_signs else 0
        if has_signs:
            changes[part.field.name] = part.tensor.changed(data_type=DataType.INT32)
        flat = [dice.randrange(least, bound) for _ in range(part.tensor.element_count)]
        if outside and dice.random() < 0.5:
            beyond = (-bound - 1, -1, bound, bound + 1) if has_signs else (0, bound, bound + 1)
            flat[dice.randrange(len(flat))] = dice.choice(beyond)
        values[part.path] = parse_source(np.array(flat).reshape(part.tensor.sizes).tolist(), f"values.{part.path}")
    experiment = Experiment(base.name, desc.replace(changes) if changes else desc, NEWEST, values)
    return experiment if outside or experiment.check().ok is not False else None
