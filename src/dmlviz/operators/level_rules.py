"""Rules that depend on the feature level: the operator's own, DataTypes and DimensionCounts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from ..desc.base import Desc, Part
from ..desc.fields import Field
from ..desc.levels import LEVELS, FeatureLevel
from .base import Operator
from .registry import operator_of
from .report import Check, Kind, Recorder, Severity
from .rules import dimensions_of

LEVEL_CHECKS = frozenset({"level.operator", "dtype.supported", "dimension_count.supported", "value.supported"})
"""The checks whose answer depends on the feature level, whatever the operator. Its own have a `Check.since`."""


def is_of_level(check: Check) -> bool:
    """True for a check that a higher level may not break."""
    return check.id in LEVEL_CHECKS or check.since is not None


@cache
def first_level(op: Operator[Any]) -> FeatureLevel:
    desc: type[Desc] = op.desc
    return max(field.support.rows[0].since for field in desc.TENSORS)


def least_level(op: Operator[Any], desc: Desc, record: Recorder) -> FeatureLevel:
    """The lowest level that has the operator, what `desc` chooses, and the relations between its fields."""
    chosen = (field.needs(desc.get(field.name)) for field in desc.ATTRIBUTES)
    related = (check.since for check in record.checks if check.severity is Severity.ERROR)
    return max([first_level(op), *filter(None, chosen), *filter(None, related)])


def lowest_level(op: Operator[Any], desc: Desc, record: Recorder) -> FeatureLevel | None:
    """The lowest level at which `desc` has no error; None where an error remains at every level."""
    if any(not c.ok and c.severity is Severity.ERROR and not is_of_level(c) for c in record.checks):
        return None
    return lowest_of_tensors(desc, least_level(op, desc, record), lambda part: part.tensor.dimension_count)


def lowest_of_tensors(desc: Desc, least: FeatureLevel, count_of: Callable[[Part], int]) -> FeatureLevel | None:
    """The lowest level from `least` on that takes all DataTypes, and as many dimensions as `count_of` says."""
    alike = {(p.field.name, p.tensor.data_type, count_of(p)): p for p in desc.parts}

    def takes(part: Part, count: int, level: FeatureLevel) -> bool:
        row = part.field.support.at(level)
        return row is not None and part.tensor.data_type in row.types and row.lowest <= count <= row.highest

    for level in LEVELS:
        if level >= least and all(takes(part, count, level) for (_, _, count), part in alike.items()):
            return level
    return None


def refusals(desc: Desc, level: FeatureLevel) -> list[Check]:
    """The checks that `desc` fails because `level` doesn't know its operator, a DataType, a DimensionCount, a choice.

    Tensors of one field that are alike in both are held against it once. Where all of those hold, the operator's own
    that a higher level gives up.
    """
    op = operator_of(desc)
    alike = {(p.field.name, p.tensor.data_type, p.tensor.dimension_count): p for p in reversed(desc.parts)}
    record = Recorder(op.page, level)
    level_rules(op, desc, list(reversed(alike.values())), record)
    refused = [c for c in record.checks if not c.ok and c.id in LEVEL_CHECKS]
    if refused:
        return refused
    op.rules(desc, record)
    return [c for c in record.checks if not c.ok and c.since is not None]


def level_rules(op: Operator[Any], desc: Desc, parts: Sequence[Part], record: Recorder) -> None:
    first, level = first_level(op), record.level
    fault = f"FeatureLevel is {level}, expected {first} or higher, the level that introduced {op.name}."
    holds = f"{op.name} exists from feature level {first} on."
    since = f">= {first}"
    exists = level >= first
    record.expect("level.operator", exists, "FeatureLevel", since, level.value, fault, holds, where="Availability")
    for part in parts:
        tensor, row = part.tensor, part.field.support.at(level)
        if not exists or row is None:
            record.wait("dtype.supported", part.path, "level.operator")
            record.wait("dimension_count.supported", part.path, "level.operator")
            continue
        where = f"Tensor support from {row.since}"
        _one_of(
            record,
            "dtype.supported",
            f"{part.path}.DataType",
            tensor.data_type.name,
            [kind.name for kind in row.types],
            where,
        )
        count = tensor.dimension_count
        path = f"{part.path}.DimensionCount"
        fits = row.lowest <= count <= row.highest
        bounds = [row.lowest, row.highest]
        called = dimensions_of(tensor, part.path, ".")
        fault = f"{called} is {count}, expected {row.dimensions} at feature level {level}."
        holds = f"{path} {count} is supported at feature level {level}."
        kinds = (Kind.RANGE, Kind.VALUE)
        record.expect("dimension_count.supported", fits, path, bounds, count, fault, holds, where=where, kinds=kinds)
    for field in desc.ATTRIBUTES:
        if field.choices():
            _choice_rules(field, desc.get(field.name), exists, record)


def _one_of(record: Recorder, id_: str, path: str, content: Any, names: Sequence[str], where: str) -> None:
    *others, last = names or ["nothing"]
    told = f"{', '.join(others)} or {last}" if others else last
    fault = f"{path} is {content}, expected {told} at feature level {record.level}."
    holds = f"{path} {content} is supported at feature level {record.level}."
    kinds = Kind.SET, Kind.VALUE
    record.expect(id_, content in names, path, list(names), content, fault, holds, where=where, kinds=kinds)


def _choice_rules(field: Field, content: Any, exists: bool, record: Recorder) -> None:
    every, names = ([choice.name for choice in field.choices(at)] for at in (None, record.level))
    name = field.name
    fault = f"{name} is {content}, expected {', '.join(every[:-1])} or {every[-1]}."
    holds = f"{name} {content} is one of its choices."
    known = record.expect("value.known", content in every, name, every, content, fault, holds, where=name)
    if exists and known:
        _one_of(record, "value.supported", name, content, names, name)
    else:
        record.wait("value.supported", name, "value.known" if exists else "level.operator")
