"""Descs that differ from another in what a task writes down: solutions and traps, and what is asked "what if"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...desc.base import Desc
from ...desc.fields import Role, TensorField
from ...desc.tensors import TensorDesc
from ...desc.value_sources import Listed, parse_source
from ...errors import TaskError, quote
from ...session.experiments import Experiment
from ...session.reading import parse_desc
from ...session.writing import dump_desc
from ..questions.goals import MOST_ELEMENTS, flowed
from .refusing import errors_naming, refused

Items = tuple[Any, ...]


def changed(start: Experiment, changes: Mapping[str, Any], field: str) -> Experiment:
    """`start` with the desc and values that `changes` has, `{"desc": {…}, "values": {…}}`, instead of its own.

    With `type` it is a desc of another operator, whose own start is under `start`. Raises TaskError, naming `field`.
    """
    own = _object(changes, "start", field)
    kind = changes.get("type", start.desc.TYPE)
    if not isinstance(kind, str):
        raise refused(f"{field}.type", kind, f"text such as {quote(start.desc.TYPE)}")
    before = _object(own, "desc", f"{field}.start") if own else dump_desc(start.desc) if kind == start.desc.TYPE else {}
    with errors_naming(field):
        desc = parse_desc(kind, {**before, **_object(changes, "desc", field)})
        steering = _steering_in(
            desc, {**_object(own, "values", f"{field}.start"), **_object(changes, "values", field)}, field
        )
        end = flowed(start, desc, steering)
    if isinstance(end, str):
        raise TaskError(f"{field}: {end}")
    return end


def what_if(experiment: Experiment, changes: Mapping[str, Any], field: str) -> Experiment:
    """An experiment with the fields and values of `{"desc": {…}, "values": {…}}` instead of its own.

    A field that is null is inferred anew; other values stay. Raises TaskError, naming `field`.
    """
    members = {**dump_desc(experiment.desc), **_object(changes, "desc", field)}
    values = _object(changes, "values", field)
    with errors_naming(field):
        desc = parse_desc(experiment.desc.TYPE, {name: value for name, value in members.items() if value is not None})
        paths = [part.path for part in desc.inputs]
        for path in values:
            if path not in paths:
                raise TaskError(f"{field}.values has {quote(path)}, expected only {', '.join(paths)}.")
        sources = {path: source for path, source in experiment.values.items() if path in paths}
        sources |= {path: parse_source(entry, f"values.{path}") for path, entry in values.items()}
        changed_one = replace(experiment, desc=desc, values=sources)
        changed_one.sources()
    return changed_one


def _object(changes: Mapping[str, Any], key: str, field: str) -> Mapping[str, Any]:
    """The object under a key of a task's changes; {} where there is none. Raises TaskError for anything else."""
    part = changes.get(key, {})
    if not isinstance(part, dict):
        raise refused(f"{field}.{key}", part, "an object")
    return part


def _steering_in(desc: Desc, values: Mapping[str, Any], field: str) -> dict[str, Sequence[Any]]:
    """The index and length values by path, from JSON; data are given, and left out. Raises TaskError for no list."""
    steering: dict[str, Sequence[Any]] = {}
    for part in desc.inputs:
        if part.field.role is not Role.DATA and part.path in values:
            source = parse_source(values[part.path], f"values.{part.path}")
            if not isinstance(source, Listed):
                raise refused(f"{field}.values.{part.path}", values[part.path], "a list of integers")
            steering[part.path] = source.items
    return steering


def steering_of(experiment: Experiment) -> dict[str, Items]:
    """Index and length values by path, at most `MOST_ELEMENTS`; where they don't fit their sizes, those shown."""
    sources, _ = experiment.sources_or_defaults()
    steering: dict[str, Items] = {}
    for part, values in zip(experiment.desc.inputs, sources, strict=True):
        fits = part.tensor.can_exist and part.tensor.element_count <= MOST_ELEMENTS
        if part.field.role is not Role.DATA and fits:
            steering[part.path] = tuple(values.array().reshape(-1).tolist())
    return steering


def numbers_between(start: Experiment, end: Experiment) -> int:
    """How many numbers are changed, put in or taken out on the way: the Levenshtein distance of the two descs.

    What follows by itself is free: a single output, lengths' sizes, counts, and sizes of parts off Axis. Data is given.
    Another operator counts as one change, and then every number of its desc.
    """
    other = start.desc.TYPE != end.desc.TYPE
    before, after = {} if other else written_numbers(start), written_numbers(end)
    return other + sum(distance(before.get(path, ()), after.get(path, ())) for path in {**before, **after})


def written_numbers(experiment: Experiment) -> dict[str, Items]:
    """The numbers and choices that somebody writes down, by field or tensor."""
    desc = experiment.desc
    numbers = steering_of(experiment)
    for field in desc.FIELDS:
        if field in desc.ATTRIBUTES:
            numbers[field.name] = tuple(desc.get(field.name)) if field.is_list else (desc.get(field.name),)
        elif isinstance(field, TensorField) and field.role is Role.OUTPUT and field.many:
            numbers[field.name] = _sizes_along_axis(desc, desc.get(field.name))
    for part in desc.inputs:
        if part.field.role is not Role.LENGTHS:
            numbers[f"{part.path}.Sizes"] = part.tensor.listed_sizes
    return numbers


def _sizes_along_axis(desc: Desc, tensors: Sequence[TensorDesc]) -> Items:
    """The tensors' sizes along Axis, which tell the other sizes; all sizes where there is no such axis."""
    axes = desc.named_axes
    fits = bool(axes) and all(0 <= axes[0] < len(tensor.sizes) for tensor in tensors)
    return tuple(n for tensor in tensors for n in ((tensor.sizes[axes[0]],) if fits else tensor.sizes))


def distance(before: Items, after: Items) -> int:
    """The Levenshtein distance of two sequences."""
    row = list(range(len(after) + 1))
    for i, one in enumerate(before, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(after, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + ((one,) != (other,)))
    return row[-1]


def start_of_solution(start: Experiment, changes: Mapping[str, Any], field: str) -> Experiment:
    """Where a solution by another operator begins: the desc under its `start`."""
    return replace(changed(start, {**changes, "desc": {}, "values": {}}, field), name=start.name)
