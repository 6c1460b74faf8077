"""Feature levels."""

from __future__ import annotations

import enum

from ..errors import DmlvizError, quote


class FeatureLevel(enum.StrEnum):
    """`DML_FEATURE_LEVEL_*`, equal to its name: "5_0". Ordered as text is, each promises all that lower ones do."""

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
    def of(cls, written: FeatureLevel | str) -> FeatureLevel:
        """The level called `written`, such as "5_0". Raises DmlvizError for anything else."""
        if isinstance(written, FeatureLevel):
            return written
        try:
            return cls(str(written).removeprefix("DML_FEATURE_LEVEL_"))
        except ValueError:
            known = ", ".join(cls)
            raise DmlvizError(f"feature level is {quote(written)}, expected one of {known}.") from None


LEVELS: tuple[FeatureLevel, ...] = tuple(FeatureLevel)
NEWEST = LEVELS[-1]
