"""Arrays as the lists that an experiment's values are."""

from __future__ import annotations

import math

from ...desc.value_sources import Listed
from ...desc.values import Array


def listed(array: Array) -> Listed:
    """An array as the list that a session file holds; what a NaN carries besides is lost."""
    items = array.reshape(-1).tolist()
    if array.dtype.kind == "f":
        items = [x if math.isfinite(x) else "nan" if x != x else "inf" if x > 0 else "-inf" for x in items]
    return Listed(tuple(items), array.shape)
