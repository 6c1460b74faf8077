"""The order of steps: after step n, the first n output elements are written. A step follows from its number."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from ..checks import Place, unravel
from ..tracing import Trace
from .figure import Cursor


@dataclass(frozen=True)
class Steps:
    """One step for each output element, output by output, row-major."""

    trace: Trace

    @property
    def starts(self) -> list[int]:
        """The number of steps before each output, and all of them last."""
        return list(accumulate((p.tensor.element_count for p in self.trace.outputs), initial=0))

    @property
    def count(self) -> int:
        return self.starts[-1]

    def element(self, step: int) -> Cursor | None:
        """The element that step `step` (from 1) writes; None before the first step."""
        if step < 1:
            return None
        starts = self.starts
        output = min(bisect_right(starts, step - 1), len(starts) - 1) - 1
        sizes = self.trace.outputs[output].tensor.sizes
        index = unravel(np.array([step - 1 - starts[output]], np.int64), sizes)
        return Cursor(Place(True, output), tuple(int(i[0]) for i in index))
