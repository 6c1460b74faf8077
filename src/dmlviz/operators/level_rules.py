"""Rules that depend on the feature level: the operator's own, DataTypes and DimensionCounts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from ..desc.base import Desc, Part
from ..desc.fields import TensorField
from ..desc.levels import LEVELS, FeatureLevel
from .base import Operator
from .registry import operator_of
from .report import Check, Kind, Recorder, Severity, root_of
from .rules import dimensions_of

LEVEL_CHECKS = frozenset({"level.operator", "dtype.supported", "dimension_count.supported"})
"""The checks whose answer depends on the feature level."""


@cache
def first_level(operator: Operator[Any]) -> FeatureLevel:
    """The level that introduced the operator."""
    return max(f.support.rows[0].since for f in operator.desc.FIELDS if isinstance(f, TensorField))


def lowest_level(operator: Operator[Any], desc: Desc, record: Recorder) -> FeatureLevel | None:
    """The lowest level at which `desc` has no error; None where an error remains at every level."""
    if any(not c.ok and c.severity is Severity.ERROR and c.id not in LEVEL_CHECKS for c in record.checks):
        return None
    first = first_level(operator)
    alike = {(p.field.name, p.tensor.data_type, p.tensor.dimension_count): p for p in desc.parts}
    for level in LEVELS:
        if level >= first and all(_has_type(p, level) and _has_dimensions(p, level) for p in alike.values()):
            return level
    return None


def may_hold(operator: Operator[Any], desc: Desc, broken: Check, level: FeatureLevel) -> bool:
    """False where one of the `LEVEL_CHECKS` that is broken fails or waits at `level` too."""
    if level < first_level(operator):
        return False
    part = next((p for p in desc.parts if p.path == root_of(broken.field)), None)
    if part is None:
        return True
    return _has_type(part, level) if broken.id == "dtype.supported" else _has_dimensions(part, level)


def _has_type(part: Part, level: FeatureLevel) -> bool:
    row = part.field.support.at(level)
    return row is not None and part.tensor.data_type in row.types


def _has_dimensions(part: Part, level: FeatureLevel) -> bool:
    row = part.field.support.at(level)
    return row is not None and row.lowest <= part.tensor.dimension_count <= row.highest


def refusals(desc: Desc, level: FeatureLevel) -> list[Check]:
    """The checks that `desc` fails because `level` doesn't know its operator, a DataType or a DimensionCount.

    Tensors of one field that are alike in both are held against it once.
    """
    operator = operator_of(desc)
    alike = {(p.field.name, p.tensor.data_type, p.tensor.dimension_count): p for p in reversed(desc.parts)}
    record = Recorder(operator.page)
    level_rules(operator, list(reversed(alike.values())), level, record)
    return [c for c in record.checks if not c.ok]


def level_rules(operator: Operator[Any], parts: Sequence[Part], level: FeatureLevel, record: Recorder) -> None:
    first = first_level(operator)
    exists = record.expect(
        "level.operator",
        level >= first,
        "FeatureLevel",
        f">= {first}",
        level.value,
        f"FeatureLevel is {level}, expected {first} or higher, the level that introduced {operator.name}."
        if level < first
        else f"{operator.name} exists from feature level {first} on.",
        where="Availability",
    )
    for part in parts:
        tensor, row = part.tensor, part.field.support.at(level)
        if not exists or row is None:
            record.wait("dtype.supported", part.path, "level.operator")
            record.wait("dimension_count.supported", part.path, "level.operator")
            continue
        name, known = tensor.data_type.name, tensor.data_type in row.types
        record.expect(
            "dtype.supported",
            known,
            f"{part.path}.DataType",
            list(row.names),
            name,
            f"{part.path}.DataType is {name}, expected {_one_of_text(row.names)} at feature level {level}."
            if not known
            else f"{part.path}.DataType {name} is supported at feature level {level}.",
            where=f"Tensor support from {row.since}",
            kinds=(Kind.SET, Kind.VALUE),
        )
        count = tensor.dimension_count
        fits = row.lowest <= count <= row.highest
        record.expect(
            "dimension_count.supported",
            fits,
            f"{part.path}.DimensionCount",
            [row.lowest, row.highest],
            count,
            f"{dimensions_of(part.tensor, part.path, '.')} is {count}, expected {row.dimensions} at feature level "
            f"{level}."
            if not fits
            else f"{part.path}.DimensionCount {count} is supported at feature level {level}.",
            where=f"Tensor support from {row.since}",
            kinds=(Kind.RANGE, Kind.VALUE),
        )


def _one_of_text(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
