"""What steps may write while some output elements are asked about: nothing beside those, which would tell them."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...desc.indexing import unravel
from ...desc.values import Indices
from ..elements.known import LOOKED_THROUGH, Known
from .order import Steps


class Apart(Known, frozen=True, dict=True):
    """Knows the output elements that no step writes together with one that is asked, and that stand in no line with it.

    Both go on as what is asked does: who sees 9, ?, 11 reads off the 10.
    """

    steps: Steps
    output: int
    asked: frozenset[tuple[int, ...]]
    """Indices of the elements of output number `output` that are asked about."""

    @property
    def whole(self) -> bool:
        return False

    @cached_property
    def steps_asked(self) -> NDArray[np.int64]:
        """(M,) the steps that write what is asked."""
        index = tuple(np.array(axis, np.int64) for axis in zip(*self.asked, strict=True))
        return np.unique(self.steps.when(self.output, index)) if index else np.ones(1, np.int64)

    @cached_property
    def is_empty(self) -> bool:
        """True if no element is known among the first `LOOKED_THROUGH` of each output."""
        for k, part in enumerate(self.steps.trace.outputs):
            flat = np.arange(min(part.tensor.element_count, LOOKED_THROUGH), dtype=np.int64)
            if self(k, unravel(flat, part.tensor.sizes)).any():
                return False
        return True

    def __call__(self, output: int, index: tuple[Indices, ...]) -> NDArray[np.bool_]:
        """(N,) True for the elements that are apart from all that is asked."""
        known: NDArray[np.bool_] = ~np.isin(self.steps.when(output, index), self.steps_asked)
        for element in self.asked if output == self.output else ():
            apart = sum((axis != at for axis, at in zip(index, element, strict=True)), np.zeros(len(known), np.int64))
            known &= apart > 1
        return known
