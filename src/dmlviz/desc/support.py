"""Support tables: which DataTypes and DimensionCounts a tensor may have from which feature level on."""

from __future__ import annotations

from msgspec import Struct

from .levels import FeatureLevel
from .tensors import DataType

# The sets of SPEC section 2, in the order in which the pages print them.
_D = DataType
F2 = (_D.FLOAT32, _D.FLOAT16)
T6 = (*F2, _D.INT32, _D.INT16, _D.UINT32, _D.UINT16)
T8 = (*F2, _D.INT32, _D.INT16, _D.INT8, _D.UINT32, _D.UINT16, _D.UINT8)
T10 = (*F2, _D.INT64, _D.INT32, _D.INT16, _D.INT8, _D.UINT64, _D.UINT32, _D.UINT16, _D.UINT8)
T11 = (_D.FLOAT64, *T10)


class Row(Struct, frozen=True):
    """One row of a page's support table: from `since` up, until the next row."""

    since: FeatureLevel
    lowest: int
    highest: int
    types: tuple[DataType, ...]

    @property
    def dimensions(self) -> str:
        return str(self.lowest) if self.lowest == self.highest else f"{self.lowest} to {self.highest}"


class Support(Struct, frozen=True):
    rows: tuple[Row, ...]

    def at(self, level: FeatureLevel) -> Row | None:
        """The row that holds at `level`; None below the first one."""
        return next((row for row in reversed(self.rows) if row.since <= level), None)


def support(*rows: tuple[str, int, int, tuple[DataType, ...]]) -> Support:
    """A table from (level, fewest dimensions, most dimensions, types), oldest first."""
    return Support(tuple(Row(FeatureLevel.of(since), low, high, types) for since, low, high, types in rows))
