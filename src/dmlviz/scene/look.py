"""What a picture shows besides the tensors: the cursor, the present step, and what a broken rule concerns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from ..desc.values import Indices
from ..operators.maps import Place
from .changes import Changes
from .elements.cursor import Cursor
from .elements.known import EVERYTHING, Known


class BrokenCells(Struct, frozen=True):
    """Cells that a broken rule concerns: slices of one tensor, or its indices or lengths that lie outside."""

    path: str
    axis: int | None = None
    """The axis along which slices `start` to `stop` are too many; there are none where it is too short."""
    start: int = 0
    stop: int = 0


class EntryKind(Enum):
    """What an entry is: how its cell is drawn."""

    ASKED = "asked"
    """What the cell holds is asked for; the text is `?`, or what is typed so far."""
    WAITS = "waits"
    """The same of a cell that is filled before that, or after it."""
    ABOUT = "about"
    """The question is about this element, whose value is known."""
    MARK = "mark"
    RIGHT = "right"
    WRONG = "wrong"
    """The user was wrong about it; the text is what they said."""
    MISSED = "missed"

    @property
    def is_open(self) -> bool:
        """True while the question is open, so that nothing of the truth is told."""
        return self in (EntryKind.ASKED, EntryKind.WAITS, EntryKind.ABOUT, EntryKind.MARK)


class Entry(Struct, frozen=True):
    """What a user has written into a cell, or said of it."""

    kind: EntryKind
    text: str = ""


class Look(Struct, frozen=True):
    """What a picture shows besides the tensors: the cursor, and how far the steps have come."""

    cursor: Cursor | None = None
    written: Known = EVERYTHING
    """The output elements that are written; nothing that is drawn gives away where others come from."""
    stale: bool = False
    broken_axes: frozenset[tuple[str, int]] = frozenset()
    """(path, axis) of sizes that broken rules name; axis -1 for a tensor as a whole."""
    broken_cells: frozenset[BrokenCells] = frozenset()
    named_axes: frozenset[tuple[str, int]] = frozenset()
    """(path, axis) of sizes that a sentence speaks of, of which none is broken; axis -1 for a tensor as a whole."""
    lit: Callable[[Place, Indices], NDArray[np.bool_]] | None = None
    """Which elements of a tensor, by flat index, the present step moves; None for none."""
    changes: Changes | None = None
    entries: Mapping[Place, Mapping[int, Entry]] = field(default_factory=dict)
    """What a user has said of cells, by tensor and flat index. It stands in cells that show their values."""
