"""The strip beside the form: which feature levels accept a desc."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from ...desc.base import Desc
from ...desc.fields import Role
from ...desc.levels import FeatureLevel
from ...operators.level_rules import refusals
from ...operators.registry import operator_of
from ...operators.report import Check, Report, name_of
from ...session.experiments import Experiment
from .columns import Column, accepts, columns, dimension_counts


class Mark(Struct, frozen=True):
    """One level of the strip."""

    level: FeatureLevel
    dimensions: str
    """4D, or 1-8; empty where the operator isn't there."""
    accepted: bool
    here: bool


class LevelStrip(Struct, frozen=True):
    """The levels at which something changes, and the present one, with one sentence about the desc as it stands."""

    marks: tuple[Mark, ...]
    sentence: str
    refusal: str = ""
    """In few words what the present level refuses, where a higher one accepts the desc; else empty."""


def level_strip(one: Experiment, report: Report) -> LevelStrip:
    """The strip of an experiment; `report` is that of its desc, at whatever level."""
    kind, here = type(one.desc), one.feature_level
    parted = columns(kind, here, *filter(None, [report.lowest_level]))
    marks = tuple(
        Mark(c.first, _short_range(dimension_counts(kind, c.first)), accepts(report, c.first), c.first is here)
        for c in parted
    )
    return LevelStrip(marks, _short_sentence(one, report, parted), _refusal(one, report))


def _short_range(counts: range) -> str:
    """`4D` or `1-8D`; "" for none."""
    if not counts:
        return ""
    return f"{counts[0]}D" if len(counts) == 1 else f"{counts[0]}-{counts[-1]}D"


def _short_sentence(one: Experiment, report: Report, parted: Sequence[Column]) -> str:
    """In few words: the lowest level that accepts the desc, what a lower one refuses, or that all or none accept it."""
    lowest = report.lowest_level
    if lowest is None:
        return "no feature level accepts this desc"
    if one.feature_level < lowest:
        return f"the lowest level that accepts it is {lowest}"
    refusing = [c.first for c in parted if c.first < lowest]
    if not refusing:
        return "every feature level accepts this desc"
    broken = refusals(one.desc, refusing[-1])
    return short_refusal(one.desc, refusing[-1], broken[0]) if broken else ""


def _refusal(one: Experiment, report: Report) -> str:
    """In few words what the present level refuses, as `no FLOAT64`; "" where it accepts the desc, or no level does."""
    level, lowest = one.feature_level, report.lowest_level
    broken = refusals(one.desc, level) if lowest is not None and level < lowest else []
    if not broken:
        return ""
    first = broken[0]
    if first.id == "level.operator":
        return "no such operator"
    if first.id == "dimension_count.supported":
        low, high = first.expected
        return f"only {low if low == high else f'{low} to {high}'} dimensions"
    return f"no such {name_of(first.field)}" if first.since is not None else f"no {first.found}"


def short_refusal(desc: Desc, level: FeatureLevel, broken: Check) -> str:
    """A failed check of the level, in a few words."""
    if broken.id == "level.operator":
        return f"{level} has no {operator_of(desc).name}"
    path = broken.field.split(".", 1)[0]
    if broken.id == "dimension_count.supported":
        low, high = broken.expected
        return f"{level} refuses: DimensionCount must be {low if low == high else f'{low} to {high}'}"
    if broken.since is not None:
        return f"{level} refuses this {path}"
    own = next((p.field for p in desc.parts if p.path == path), None)
    if own is None:
        return f"{level} refuses {path} {broken.found}"
    shared = own.role in (Role.DATA, Role.OUTPUT)
    return f"{level} refuses {'DataType' if shared else path} {broken.found}"
