"""Rules that depend on the feature level: the operator's own, DataTypes and DimensionCounts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from ..desc.base import Desc, Part
from ..desc.fields import Field
from ..desc.levels import LEVELS, FeatureLevel
from ..errors import quote
from .base import Operator
from .registry import operator_of
from .report import Check, Kind, Recorder, Severity, root_of
from .rules import dimensions_of

LEVEL_CHECKS = frozenset({"level.operator", "dtype.supported", "dimension_count.supported", "value.supported"})
"""The checks whose answer depends on the feature level, whatever the operator. Its own have a `Check.since`."""


def is_of_level(check: Check) -> bool:
    """True for a check that a higher level may not break."""
    return check.id in LEVEL_CHECKS or check.since is not None


@cache
def first_level(operator: Operator[Any]) -> FeatureLevel:
    """The level that introduced the operator."""
    desc: type[Desc] = operator.desc
    return max(field.support.rows[0].since for field in desc.TENSORS)


def least_level(operator: Operator[Any], desc: Desc, record: Recorder) -> FeatureLevel:
    """The lowest level that has the operator, what `desc` chooses, and the relations between its fields."""
    chosen = (field.needs(desc.get(field.name)) for field in desc.ATTRIBUTES)
    related = (check.since for check in record.checks if check.severity is Severity.ERROR)
    return max([first_level(operator), *filter(None, chosen), *filter(None, related)])


def lowest_level(operator: Operator[Any], desc: Desc, record: Recorder) -> FeatureLevel | None:
    """The lowest level at which `desc` has no error; None where an error remains at every level."""
    if any(not c.ok and c.severity is Severity.ERROR and not is_of_level(c) for c in record.checks):
        return None
    return lowest_of_tensors(desc, least_level(operator, desc, record), lambda part: part.tensor.dimension_count)


def lowest_of_tensors(desc: Desc, least: FeatureLevel, count_of: Callable[[Part], int]) -> FeatureLevel | None:
    """The lowest level from `least` on that takes all DataTypes, and as many dimensions as `count_of` says."""
    alike = {(p.field.name, p.tensor.data_type, count_of(p)): p for p in desc.parts}
    for level in LEVELS:
        if level >= least and all(_has_type(p, level) and _takes(p, n, level) for (_, _, n), p in alike.items()):
            return level
    return None


def may_hold(operator: Operator[Any], desc: Desc, broken: Check, level: FeatureLevel) -> bool:
    """False where a check that is broken, one that `is_of_level`, fails or waits at `level` too."""
    if level < first_level(operator) or (broken.since is not None and level < broken.since):
        return False
    if broken.id == "value.supported":
        return all(f.name != broken.field or level >= (f.needs(desc.get(f.name)) or level) for f in desc.ATTRIBUTES)
    part = next((p for p in desc.parts if p.path == root_of(broken.field)), None)
    if part is None:
        return True
    if broken.id == "dtype.supported":
        return _has_type(part, level)
    return _takes(part, part.tensor.dimension_count, level)


def _has_type(part: Part, level: FeatureLevel) -> bool:
    row = part.field.support.at(level)
    return row is not None and part.tensor.data_type in row.types


def _takes(part: Part, count: int, level: FeatureLevel) -> bool:
    row = part.field.support.at(level)
    return row is not None and row.lowest <= count <= row.highest


def refusals(desc: Desc, level: FeatureLevel) -> list[Check]:
    """The checks that `desc` fails because `level` doesn't know its operator, a DataType, a DimensionCount, a choice.

    Tensors of one field that are alike in both are held against it once. Where all of those hold, the operator's own
    that a higher level gives up.
    """
    operator = operator_of(desc)
    alike = {(p.field.name, p.tensor.data_type, p.tensor.dimension_count): p for p in reversed(desc.parts)}
    record = Recorder(operator.page, level)
    level_rules(operator, desc, list(reversed(alike.values())), record)
    refused = [c for c in record.checks if not c.ok and c.id in LEVEL_CHECKS]
    if refused:
        return refused
    operator.rules(desc, record)
    return [c for c in record.checks if not c.ok and c.since is not None]


def level_rules(operator: Operator[Any], desc: Desc, parts: Sequence[Part], record: Recorder) -> None:
    first, level = first_level(operator), record.level
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

    for field in desc.ATTRIBUTES:
        if field.choices():
            _choice_rules(field, desc.get(field.name), exists, record)


def _choice_rules(field: Field, content: Any, exists: bool, record: Recorder) -> None:
    """`value.known`, and `value.supported` if the operator `exists` at the level."""
    level, shown = record.level, field.shown(content)
    every, names = ([choice.name for choice in field.choices(at)] for at in (None, level))
    known = record.expect(
        "value.known",
        content in every,
        field.name,
        every,
        content,
        f"{field.name} is {quote(content, 40)}, expected {_one_of_text(every)}.",
        holds=f"{field.name} {shown} is one of its choices.",
        where=field.name,
        kinds=(Kind.SET, Kind.VALUE),
    )
    on = record.failed("level.operator") if not exists else None if known else "value.known"
    if on:
        record.wait("value.supported", field.name, on)
        return
    record.expect(
        "value.supported",
        content in names,
        field.name,
        names,
        content,
        f"{field.name} is {shown}, expected {_one_of_text(names)} at feature level {level}.",
        holds=f"{field.name} {shown} is supported at feature level {level}.",
        where=field.name,
        kinds=(Kind.SET, Kind.VALUE),
    )


def _one_of_text(names: Sequence[str]) -> str:
    if not names:
        return "nothing"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
