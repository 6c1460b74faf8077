"""How large a picture is drawn: from cells that the back of the room can read to blocks of colour."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct


class Zoom(Enum):
    """The sizes of a cell, largest first."""

    LARGE = "large"
    """Two to five lines high, as there is room."""
    VALUES = "values"
    """One line with its value, or one and a half."""
    BLOCKS = "blocks"
    """Two columns of colour, with a letter."""

    def further(self, by: int) -> Zoom:
        """The zoom `by` further down the list, round and round."""
        every = list(Zoom)
        return every[(every.index(self) + by) % len(every)]


class Pitch(Struct, frozen=True):
    """What stands between blocks of one zoom's cells, in columns and in lines."""

    block: int
    """Columns between two blocks of columns, besides the gap between two cells."""
    row_block: int
    """Lines between two blocks of rows, besides."""


PITCHES = {
    Zoom.LARGE: Pitch(3, 1),
    Zoom.VALUES: Pitch(2, 1),
    Zoom.BLOCKS: Pitch(1, 1),
}


class Spacing(Struct, frozen=True):
    """How high cells are, and how much air a picture has, from top to bottom."""

    lines: int
    """Of a cell; where no line is left between two rows, the outer ones are half air."""
    step: int
    """Lines from one row to the next."""
    ruled: bool
    """A line under each title."""
    between: int
    """Empty lines between two tensors."""

    @property
    def trailing(self) -> int:
        """Empty lines that a row would have below it, and the last one hasn't."""
        return self.step - self.lines


SPACINGS = {
    Zoom.LARGE: (
        Spacing(5, 6, True, 1),
        Spacing(5, 5, True, 1),
        Spacing(3, 4, True, 1),
        Spacing(3, 3, True, 1),
        Spacing(3, 3, False, 1),
        Spacing(3, 3, False, 0),
    ),
    Zoom.VALUES: (
        Spacing(2, 2, True, 1),
        Spacing(2, 2, False, 1),
        Spacing(1, 1, True, 1),
        Spacing(1, 1, False, 1),
        Spacing(1, 1, False, 0),
    ),
    Zoom.BLOCKS: (Spacing(1, 1, True, 1), Spacing(1, 1, False, 1), Spacing(1, 1, False, 0)),
}
"""Roomiest first: each needs no more lines than the one before."""
PAGE_SPACINGS = (
    Spacing(1, 2, True, 1),
    Spacing(1, 1, True, 1),
    Spacing(1, 1, False, 1),
    Spacing(1, 1, False, 0),
)
"""Of values on a page, which has no fills that could be higher than a line."""
MIDDLES = {1: 0, 2: 0, 3: 1, 5: 2}
"""The line that a value stands in, in cells of so many lines."""


class CellWidth(Struct, frozen=True):
    """One of the widths of a cell in a zoom."""

    more: int | None
    """Columns besides those that values need; None where `least` is all there is."""
    least: int
    gap: int
    """Columns between two cells."""
    tight: bool = False
    """Values stand without a blank before them."""

    def of(self, narrow: tuple[int, int]) -> int:
        """Columns of a cell, where values and letters need the first of `narrow`, or the second at a pinch."""
        return self.least if self.more is None else max(narrow[self.tight] + self.more, self.least)


CELL_WIDTHS = {
    Zoom.LARGE: (
        CellWidth(10, 15, 4),
        CellWidth(8, 13, 3),
        CellWidth(6, 11, 3),
        CellWidth(4, 9, 2),
        CellWidth(2, 7, 2),
        CellWidth(1, 6, 2),
        CellWidth(0, 5, 1),
        CellWidth(0, 1, 1, tight=True),
    ),
    Zoom.VALUES: (CellWidth(2, 7, 1), CellWidth(0, 5, 1), CellWidth(0, 1, 1), CellWidth(0, 1, 1, tight=True)),
    Zoom.BLOCKS: (CellWidth(None, 2, 0),),
}
"""Widest first; all tensors of a picture have the same one, each with the columns that its own values need."""
IN_PROPORTION = {(5, 6): range(4), (5, 5): range(5), (3, 4): range(1, 7), (3, 3): range(2, 8), (1, 1): range(1, 4)}
"""The widths that go with a height of (lines, step): neither towers nor planks."""


def lettered(zoom: Zoom) -> bool:
    """True where cells show values, and letters may stand beside rows or above columns."""
    return zoom in (Zoom.LARGE, Zoom.VALUES)
