"""The strip beside the form: which feature levels accept a desc."""

from __future__ import annotations

from msgspec import Struct

from ...desc.base import Desc
from ...desc.fields import Role
from ...desc.levels import FeatureLevel
from ...operators.level_rules import refusals
from ...operators.registry import operator_of
from ...operators.report import Check, Report
from ...session.experiments import Experiment
from .columns import accepts, columns


class Mark(Struct, frozen=True):
    """One level of the strip."""

    level: FeatureLevel
    accepted: bool
    here: bool


class LevelStrip(Struct, frozen=True):
    """The levels at which something changes, and the present one, with one sentence about the desc as it stands."""

    marks: tuple[Mark, ...]
    sentence: str


def level_strip(one: Experiment, report: Report) -> LevelStrip:
    """The strip of an experiment; `report` is that of its desc, at whatever level."""
    here, lowest = one.feature_level, report.lowest_level
    firsts = [column.first for column in columns(type(one.desc), here, *filter(None, [lowest]))]
    marks = tuple(Mark(first, accepts(report, first), first is here) for first in firsts)
    if lowest is None:
        return LevelStrip(marks, "no feature level accepts it")
    if here < lowest:
        return LevelStrip(marks, f"accepted from {lowest} on")
    refusing = [first for first in firsts if first < lowest]
    broken = refusals(one.desc, refusing[-1]) if refusing else []
    said = _short_refusal(one.desc, refusing[-1], broken[0]) if broken else "every level accepts this desc"
    return LevelStrip(marks, said)


def _short_refusal(desc: Desc, level: FeatureLevel, broken: Check) -> str:
    """A failed check of the level, in a few words."""
    if broken.id == "level.operator":
        return f"{level} has no {operator_of(desc).name}"
    path = broken.field.split(".", 1)[0]
    if broken.id == "dimension_count.supported":
        low, high = broken.expected
        return f"{level} needs DimensionCount {low if low == high else f'{low}–{high}'}"
    if broken.since is not None:
        return f"{level} rejects this {path}"
    own = next((p.field for p in desc.parts if p.path == path), None)
    is_shared = own is not None and own.role in (Role.DATA, Role.OUTPUT)
    return f"{level} rejects {'DataType' if is_shared else path} {broken.found}"
