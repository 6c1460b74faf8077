"""Descs that make a level's goal with fewer numbers changed than its par says: a short search, which proves no par."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...desc.fields import Role, TensorField
from ...desc.indexing import put
from ...desc.value_sources import Listed
from ...operators.registry import operator_of
from ...session.experiments import Experiment
from ..questions.goals import with_lists
from .level import Level

MOST_TRIED = 500
"""Descs that are tried."""


def nearer(level: Level) -> Experiment | None:
    """A try that wins with fewer numbers changed than par, none put in or out; None among the first."""
    shorter = (tried for tried in near(level, level.par - 1) if level.numbers_changed(tried) < level.par)
    return next(filter(level.wins, shorter), None)


def near(level: Level, changes: int, most: int = MOST_TRIED) -> Iterator[Experiment]:
    """Tries with 1 to `changes` numbers changed from the start, nearest first; fewer than `most`."""
    start = with_lists(level.start)
    some, seen = [start], {key_of(start)}
    for _ in range(changes):
        further = []
        for base in some:
            for tried in edits(level, base):
                if (key := key_of(tried)) in seen:
                    continue
                seen.add(key)
                if len(seen) > most:
                    return
                yield tried
                further.append(tried)
        some = further


def key_of(experiment: Experiment) -> tuple[object, ...]:
    """A key that experiments of the same desc with the same values share."""
    return experiment.desc, *sorted((path, str(source)) for path, source in experiment.values.items())


def edits(level: Level, experiment: Experiment) -> Iterator[Experiment]:
    """Experiments with one number of the desc, or one index or length, changed, of fields that may be changed."""
    desc = experiment.desc
    rank = max((part.tensor.dimension_count for part in desc.parts), default=1)
    largest = max((n for sizes, _ in level.goal.outputs for n in sizes), default=1)
    axes = desc.named_axes
    for field in desc.FIELDS:
        if not level.allows(field.name):
            continue
        member = desc.get(field.name)
        if field in desc.ATTRIBUTES:
            for other in field.exchanged(member, field.small(rank, largest)):
                yield replace(experiment, desc=desc.replace({field.name: other}))
        elif isinstance(field, TensorField) and field.role is Role.OUTPUT and field.many and axes:
            for k, tensor in enumerate(member):
                for number in range(1, largest + 1) if 0 <= axes[0] < len(tensor.sizes) else ():
                    tensors = put(member, k, tensor.resized(put(tensor.sizes, axes[0], number)))
                    yield replace(experiment, desc=desc.replace({field.name: tensors}))
    for k, part in enumerate(desc.inputs):
        source = experiment.values.get(part.path)
        if part.field.role is not Role.DATA and level.allows(part.path) and isinstance(source, Listed):
            bound = operator_of(desc).bound(desc, k) or 1
            for at in range(len(source.items)):
                for number in range(bound):
                    items = Listed(put(source.items, at, number), source.shape)
                    yield replace(experiment, values={**experiment.values, part.path: items})
