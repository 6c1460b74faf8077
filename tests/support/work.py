"""How much work something is, counted: no clock is asked, so that a busy machine changes nothing."""

from __future__ import annotations

import math
import sys
from types import FrameType, TracebackType
from typing import Any, Self

import numpy as np


class Work:
    """Within it, what this thread does is counted: lines of Python that run, each turn of a loop among them, and the
    elements of every array in memory and the characters of every text that a function of Python returns.

    What C does within one call counts as one line; where it grows as a square, large input has no end. The same work
    counts nearly the same on each Python.
    """

    done = 0

    def __enter__(self) -> Self:
        self._before = sys.gettrace()
        sys.settrace(self._count)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        sys.settrace(self._before)

    def _count(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "line":
            self.done += 1
        elif event == "return":
            if isinstance(arg, np.ndarray):
                self.done += math.prod(n for n, step in zip(arg.shape, arg.strides, strict=True) if step)
            elif isinstance(arg, (str, bytes)):
                self.done += len(arg)
        return self._count
