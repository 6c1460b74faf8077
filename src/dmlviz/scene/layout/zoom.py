"""How large a picture is drawn: from cells that the back of the room can read to one element in half a character."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Zoom(Enum):
    """The sizes of a cell, largest first."""

    LARGE = "large"
    """Three lines high."""
    VALUES = "values"
    """One line, with its value."""
    BLOCKS = "blocks"
    """Two columns of colour, with a letter."""
    OVERVIEW = "overview"
    """Half a character."""

    def turned(self, by: int) -> Zoom:
        """The zoom that many further, round and round."""
        every = list(Zoom)
        return every[(every.index(self) + by) % len(every)]


@dataclass(frozen=True)
class Pitch:
    """What stands between the cells of one zoom, in columns and in lines (half lines in the overview)."""

    gap: int
    """Columns between two cells."""
    block: int
    """Columns between two blocks of columns, besides."""
    row_block: int
    """Lines between two blocks of rows, besides."""
    per_line: int
    """Rows that one line of the screen can hold."""


PITCHES = {
    Zoom.LARGE: Pitch(2, 3, 1, 1),
    Zoom.VALUES: Pitch(1, 2, 1, 1),
    Zoom.BLOCKS: Pitch(0, 1, 1, 1),
    Zoom.OVERVIEW: Pitch(0, 1, 1, 2),
}
LARGE_LINES = 3
"""Of a large cell; the first and the last are half air where no line is left between the rows."""


@dataclass(frozen=True)
class Spacing:
    """How much air a picture has, from top to bottom."""

    step: int
    """Lines from one row to the next (half lines in the overview)."""
    ruled: bool
    """A line under each title."""
    between: int
    """Empty lines between two tensors."""


SPACINGS = {
    Zoom.LARGE: (Spacing(4, True, 1), Spacing(3, True, 1), Spacing(3, False, 1), Spacing(3, False, 0)),
    Zoom.VALUES: (Spacing(2, True, 1), Spacing(1, True, 1), Spacing(1, False, 1), Spacing(1, False, 0)),
    Zoom.BLOCKS: (Spacing(1, True, 1), Spacing(1, False, 1), Spacing(1, False, 0)),
    Zoom.OVERVIEW: (Spacing(1, True, 1), Spacing(1, False, 1), Spacing(1, False, 0)),
}
"""Roomiest first: each needs no more lines than the one before."""


def trailing(zoom: Zoom, step: int) -> int:
    """Empty lines that a row would have below it, and the last one hasn't."""
    if zoom is Zoom.LARGE:
        return step - LARGE_LINES
    return step - 1 if zoom is Zoom.VALUES else 0


def cell_choices(zoom: Zoom, narrow: tuple[int, int]) -> tuple[int, ...]:
    """Widths of a cell, widest first, where values and letters need the first of `narrow`, or the second at a pinch.

    There are as many for each tensor of a zoom.
    """
    airy, tight = narrow
    if zoom is Zoom.LARGE:
        return max(airy + 4, 9), max(airy + 2, 7), max(airy, 6)
    if zoom is Zoom.VALUES:
        return max(airy, 5), airy, tight
    return (2,) if zoom is Zoom.BLOCKS else (1,)


def lettered(zoom: Zoom) -> bool:
    """True where letters may stand beside rows or above columns, and not in the cells alone."""
    return zoom in (Zoom.LARGE, Zoom.VALUES)
