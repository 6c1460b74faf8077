"""Feature levels parted where an operator's support changes, and what each part takes."""

from __future__ import annotations

from msgspec import Struct

from ...desc.base import Desc
from ...desc.levels import LEVELS, FeatureLevel
from ...desc.support import T11, Row
from ...operators.level_rules import first_level
from ...operators.registry import operators
from ...operators.report import Report

TYPES = T11
"""In the order of SPEC section 2, wide ones first within a kind."""


class Column(Struct, frozen=True):
    """Levels that take the same, from `first` to `last`."""

    first: FeatureLevel
    last: FeatureLevel

    @property
    def label(self) -> str:
        """`2_1`, or `2_1–3_0` for several levels."""
        return self.first.value if self.first is self.last else f"{self.first}–{self.last}"

    def holds(self, level: FeatureLevel) -> bool:
        return self.first <= level <= self.last


def columns(kind: type[Desc], *more: FeatureLevel) -> tuple[Column, ...]:
    """The levels of an operator's desc class, parted where something changes, and at `more`."""
    starts = {LEVELS[0], *more}
    for field in kind.TENSORS:
        starts |= {row.since for row in field.support.rows}
    for attribute in kind.ATTRIBUTES:
        starts |= {choice.since for choice in attribute.choices() if choice.since is not None}
    firsts = sorted(starts)
    ends = [LEVELS[LEVELS.index(first) - 1] for first in firsts[1:]] + [LEVELS[-1]]
    return tuple(Column(first, last) for first, last in zip(firsts, ends, strict=True))


def rows_at(kind: type[Desc], level: FeatureLevel) -> dict[str, Row]:
    """The row of each tensor field at `level`; empty where the operator isn't there."""
    if level < first_level(operators()[kind.TYPE]):
        return {}
    support = {f.name: f.support.at(level) for f in kind.TENSORS}
    return {name: row for name, row in support.items() if row is not None}


def accepts(report: Report, level: FeatureLevel) -> bool:
    """True if the desc of the report has no error at `level`: each level promises all that the ones below promise."""
    return report.lowest_level is not None and level >= report.lowest_level
