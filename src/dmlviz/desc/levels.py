"""Feature levels, and support rows: which DataTypes and DimensionCounts a tensor may have from which level on."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from ..errors import DmlvizError, quote
from .tensors import DataType


class FeatureLevel(enum.StrEnum):
    """`DML_FEATURE_LEVEL_*`, equal to its name without the prefix: "5_0".

    Ordered as text is, which is right because no level has two digits; each promises all that the ones below promise.
    """

    L1_0 = "1_0"
    L2_0 = "2_0"
    L2_1 = "2_1"
    L3_0 = "3_0"
    L3_1 = "3_1"
    L4_0 = "4_0"
    L4_1 = "4_1"
    L5_0 = "5_0"
    L5_1 = "5_1"
    L5_2 = "5_2"
    L6_0 = "6_0"
    L6_1 = "6_1"
    L6_2 = "6_2"
    L6_3 = "6_3"
    L6_4 = "6_4"

    @classmethod
    def of(cls, found: FeatureLevel | str) -> FeatureLevel:
        """The level called `found`, such as "5_0". Raises DmlvizError for anything else."""
        if isinstance(found, FeatureLevel):
            return found
        if isinstance(found, str):
            name = found.removeprefix("DML_FEATURE_LEVEL_")
            for level in cls:
                if level.value == name:
                    return level
        raise DmlvizError(f"feature level is {quote(found)}, expected one of {', '.join(x.value for x in cls)}.")


LEVELS: tuple[FeatureLevel, ...] = tuple(FeatureLevel)
NEWEST = LEVELS[-1]

# The sets of SPEC section 2, in the order in which the pages print them.
_D = DataType
F2 = (_D.FLOAT32, _D.FLOAT16)
T6 = (*F2, _D.INT32, _D.INT16, _D.UINT32, _D.UINT16)
T8 = (*F2, _D.INT32, _D.INT16, _D.INT8, _D.UINT32, _D.UINT16, _D.UINT8)
T10 = (*F2, _D.INT64, _D.INT32, _D.INT16, _D.INT8, _D.UINT64, _D.UINT32, _D.UINT16, _D.UINT8)
T11 = (_D.FLOAT64, *T10)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a page's support table: from `since` up, until the next row."""

    since: FeatureLevel
    lowest: int
    highest: int
    types: tuple[DataType, ...]

    @property
    def dimensions(self) -> str:
        return str(self.lowest) if self.lowest == self.highest else f"{self.lowest} to {self.highest}"


@dataclass(frozen=True, slots=True)
class Support:
    """A tensor's support table, oldest row first."""

    rows: tuple[Row, ...]

    def at(self, level: FeatureLevel) -> Row | None:
        """The row that holds at `level`; None below the first one."""
        found = None
        for row in self.rows:
            if row.since <= level:
                found = row
        return found


def support(*rows: tuple[str, int, int, tuple[DataType, ...]]) -> Support:
    """A table from (level, fewest dimensions, most dimensions, types), oldest first."""
    return Support(tuple(Row(FeatureLevel.of(since), low, high, types) for since, low, high, types in rows))
