"""Small descs like a given one: what practice and diagnosis ask about when the session's own have been asked about."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..desc.base import Changes, Desc
from ..desc.fields import Role, TensorField
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
LONGEST = 4
"""The largest size; a fifth of them are one larger."""
SIGNED = 0.3
"""How many descs have indices that may be negative."""
TRIES = 40


def varied(base: Experiment, dice: random.Random) -> Experiment | None:
    """A valid experiment of the same operator with other sizes, numbers and values; None where none was found.

    All its data values differ, so that each tells where it comes from. What is not promised may be among its elements.
    """
    for _ in range(TRIES):
        desc = _another_desc(base.desc, dice)
        if desc is None or any(part.tensor.element_count > MOST_ELEMENTS for part in desc.parts):
            continue
        experiment = experiment_with_values(base, desc, dice)
        if experiment is not None:
            return experiment
    return None


def broken(base: Experiment, dice: random.Random) -> Experiment | None:
    """An experiment that breaks a rule by one number, one type or one DimensionCount; None where none was found."""
    for _ in range(TRIES):
        start = varied(base, dice)
        edits = list(likely_faults(start.desc, dice)) if start is not None else []
        if start is None or not edits:
            continue
        try:
            desc = start.desc.replace(outputs_as_given(start.desc) | dict(dice.choice(edits)))
        except DmlvizError:
            continue
        if check(desc).ok is False:
            return replace(start, desc=desc)
    return None


def outputs_as_given(desc: Desc) -> dict[str, Any]:
    """The outputs' fields as they are, so that an edit of something else doesn't move them."""
    return {part.field.name: desc.get(part.field.name) for part in desc.outputs}


def _another_desc(desc: Desc, dice: random.Random) -> Desc | None:
    """A valid desc about a tensor of random sizes, with some of its numbers changed; None where that wasn't one."""
    rank = dice.choice((1, 2, 2, 2, 3, 3, 4))
    sizes = tuple(dice.randint(1, LONGEST + (dice.random() < 0.2)) for _ in range(rank))
    if rank > 1 and dice.random() < 0.25:
        sizes = (1, *sizes[1:])
    axis = dice.randrange(rank)
    data = next((field for field in desc.TENSORS if field.role is Role.DATA), None)
    if data is None or math.prod(sizes) > MOST_ELEMENTS:
        return None
    tensor = TensorDesc(DataType.FLOAT32, sizes)
    another = operator_of(desc).about(tensor, axis)
    if another is None:
        changes: dict[str, Any] = {**desc.inferable, **no_counts(desc)}
        changes[data.name] = [tensor] * dice.randint(2, 3) if data.many else tensor
        changes |= {field.name: axis for field in desc.ATTRIBUTES if field.is_axis}
        another = mended_desc(desc.replace(changes))
    arrays = sum(field.is_list for field in desc.ATTRIBUTES)  # a window's offsets, sizes and strides change each
    for _ in range(dice.choice((0, 1, 1, 2, 3)) * max(1, arrays)):
        edits = list(changed_numbers(another, dice)) if another is not None else []
        if not edits or another is None:
            break
        try:
            changed = another.replace(dict(dice.choice(edits)))
        except DmlvizError:
            continue
        another = mended_desc(changed, dice) or another
    return another if another is not None and check(another).ok is not False else None


def mended_desc(desc: Desc, dice: random.Random | None = None) -> Desc | None:
    """The desc where it is valid, else with a fix that mends all of it; None where there is none."""
    report = check(desc)
    if report.ok is not False:
        return desc
    fixes = [fix.desc for error in report.errors for fix in error.fixes if fix.mends_all and not fix.turned]
    if not fixes:
        return None
    return dice.choice(fixes) if dice is not None else fixes[0]


def changed_numbers(desc: Desc, dice: random.Random) -> Iterator[Changes]:
    """Changes that give a desc other numbers; outputs are inferred anew where they can be."""
    outputs = desc.inferable
    rank = max((part.tensor.dimension_count for part in desc.parts), default=1)
    for field in desc.FIELDS:
        member = desc.get(field.name)
        if field in desc.ATTRIBUTES:
            others = [other for other in field.exchanged(member, field.small(rank, LONGEST - 1)) if other != member]
            yield from ({**outputs, field.name: other} for other in dice.sample(others, min(1, len(others))))
        elif isinstance(field, TensorField) and field.many and member:
            tensors = list(member)
            at, size = dice.randrange(len(tensors)), dice.randint(1, LONGEST)
            sizes = tensors[at].sizes
            # Tensors of an array may differ along Axis.
            named = desc.named_axes
            axis = named[0] if named and 0 <= named[0] < len(sizes) else dice.randrange(len(sizes))
            tensors[at] = tensors[at].resized(put(sizes, axis, size))
            yield {**outputs, field.name: tensors, **no_counts(desc)}
            yield {**outputs, field.name: [*member, member[-1]], **no_counts(desc)}
        elif isinstance(field, TensorField) and field.role in (Role.INDICES, Role.LENGTHS) and member is not None:
            another = put(member.sizes, dice.randrange(member.dimension_count), dice.randint(1, LONGEST))
            yield {**outputs, field.name: member.resized(another)}


def no_counts(desc: Desc) -> dict[str, None]:
    """Changes that leave all counts to be inferred."""
    return {field.name: None for field in desc.COUNTS}


def likely_faults(desc: Desc, dice: random.Random) -> Iterator[Changes]:
    """Changes that are likely to break a rule."""
    for field in desc.FIELDS:
        member = desc.get(field.name)
        if field in desc.ATTRIBUTES:
            others = [*field.exchanged(member, lambda number: (-1, number + 1, max(0, number - 1)))]
            yield from ({field.name: other} for other in dice.sample(others, min(1, len(others))))
            if field.is_list and member:
                yield {field.name: member[1:], **no_counts(desc)}
        elif isinstance(field, TensorField) and member:
            tensors = list(member) if field.many else [member]
            at = dice.randrange(len(tensors))
            sizes = tensors[at].sizes
            axis = dice.randrange(len(sizes))
            for other in (
                tensors[at].resized(put(sizes, axis, max(0, sizes[axis] + dice.choice((-1, 1))))),
                tensors[at].resized((1, *sizes)),
                tensors[at].changed(data_type=DataType.FLOAT16) if field.role in (Role.DATA, Role.OUTPUT) else None,
            ):
                if other is not None:
                    yield {field.name: put(tensors, at, other) if field.many else other}


def experiment_with_values(
    base: Experiment, desc: Desc, dice: random.Random, *, outside: bool = False, signed: float = SIGNED
) -> Experiment | None:
    """An experiment of a desc with data that all differ, and random indices or lengths; None for an invalid one.

    How many have indices that may be negative is `signed`, from 0 to 1. With `outside` it may be invalid, and one of
    the indices or lengths may lie outside their range.
    """
    operator = operator_of(desc)
    values: dict[str, ValueSource] = {}
    start = 1
    changes: dict[str, Any] = {}
    for k, part in enumerate(desc.inputs):
        if part.field.role is Role.DATA:
            values[part.path] = Iota(start, 1)
            start += part.tensor.element_count if part.tensor.can_exist else 0
            continue
        if outside and not (part.tensor.can_exist and part.tensor.element_count <= MOST_ELEMENTS):
            continue
        bound = operator.bound(desc, k) or 1
        has_signs = part.field.role is Role.INDICES and dice.random() < signed
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
