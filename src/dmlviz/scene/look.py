"""What a picture shows besides the tensors: the cursor, the present step, pins, and what a broken rule concerns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..desc.values import Indices
from ..operators.maps import Place
from .changes import Changes
from .elements.cursor import Cursor
from .elements.known import EVERYTHING, Known
from .elements.partners import Partners


@dataclass(frozen=True)
class BrokenCells:
    """Cells that a broken rule concerns: slices of one tensor, or its indices or lengths that lie outside."""

    path: str
    axis: int | None = None
    """The axis along which slices `start` to `stop` are lit, the last one where there are none of them."""
    start: int = 0
    stop: int = 0


@dataclass(frozen=True)
class Look:
    """What a picture shows besides the tensors: the cursor, and how far the steps have come."""

    cursor: Cursor | None = None
    written: Known = EVERYTHING
    """The output elements that are written; nothing that is drawn gives away where others come from."""
    stale: bool = False
    """The picture is not of the desc as it stands: colours are left out."""
    broken_axes: frozenset[tuple[str, int]] = frozenset()
    """(path, axis) of sizes that broken rules name; axis -1 for a tensor as a whole."""
    broken_cells: frozenset[BrokenCells] = frozenset()
    lit: Callable[[Place, Indices], NDArray[np.bool_]] | None = None
    """Which elements of a tensor, by flat index, the present step moves; None for none."""
    pins: tuple[tuple[str, Partners], ...] = ()
    """The sign of each pin, and what is marked with it."""
    previous: Changes | None = None
    """What the outputs were before an edit, which is shown beside what they are; None where it isn't."""
