"""How large a picture is drawn: from cells that the back of the room can read to blocks of colour."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from ..digits import HIGH, PITCH
from .headings import Words


class Zoom(Enum):
    """The sizes of a cell, largest first."""

    LARGE = "large"
    """Three or five lines high, of which the outer ones are half air."""
    VALUES = "values"
    """One line with its value, or one and a half."""
    BLOCKS = "blocks"
    """Two columns of colour, with a letter."""

    def further(self, by: int) -> Zoom:
        """The zoom `by` further down the list, round and round."""
        every = list(Zoom)
        return every[(every.index(self) + by) % len(every)]

    @property
    def block(self) -> int:
        """Columns between two blocks of columns, besides the gap between two cells."""
        return {Zoom.LARGE: 3, Zoom.VALUES: 2, Zoom.BLOCKS: 1}[self]


def lettered(zoom: Zoom) -> bool:
    """True where cells show values, and letters may stand beside rows or above columns."""
    return zoom is not Zoom.BLOCKS


class Width(Struct, frozen=True):
    """How wide cells are."""

    more: int | None
    """Columns besides those that values need; None where `least` is all there is."""
    least: int
    gap: int
    tight: tuple[bool, bool] = (False, False)
    """Values of inputs, and those of outputs, stand without a blank before them."""


ROOMY, BROAD, WIDE, EASY = Width(8, 13, 3), Width(6, 11, 2), Width(4, 9, 2), Width(2, 7, 2)
FAIR, CLOSE, SNUG, SLIM = Width(2, 5, 1), Width(0, 5, 1), Width(0, 3, 1), Width(-1, 4, 1)
HALF, THIN = Width(0, 3, 1, tight=(True, False)), Width(0, 2, 1, tight=(True, False))
TIGHT = Width(0, 3, 1, tight=(True, True))
BLOCK = Width(None, 2, 0)


class Size(Struct, frozen=True):
    """How large cells are drawn; all tensors of a picture have one size, each with the columns its own values need."""

    zoom: Zoom
    lines: int
    width: Width

    @property
    def words(self) -> Words:
        """The fewest that titles have with such cells; with fewer, other cells are better."""
        if self.lines > HIGH:
            return Words.TYPED
        return Words.NAMED if self.width is THIN else Words.LEAST

    def cell(self, narrow: tuple[int, int], more: int = 0, *, is_output: bool) -> int:
        """Columns of a cell, where values and letters need the first of `narrow`, or the second at a pinch.

        `more` are those of what stands beside a value, in digits of one line.
        """
        width = self.width
        if width.more is None:
            return width.least
        if self.lines > HIGH:  # for digits that are as high, with a blank at either side
            return max(PITCH * (narrow[1] - 1) + width.more - 3, narrow[0] + more, width.least)
        return max(narrow[width.tight[is_output]] + more + width.more, width.least)


SIZES = (
    *(Size(Zoom.LARGE, 5, width) for width in (ROOMY, BROAD, WIDE)),
    *(Size(Zoom.LARGE, 3, width) for width in (WIDE, EASY, FAIR, CLOSE, SNUG, HALF, THIN, TIGHT)),
    *(Size(Zoom.VALUES, 2, width) for width in (EASY, FAIR, CLOSE, SNUG, SLIM, HALF, THIN, TIGHT)),
    *(Size(Zoom.VALUES, 1, width) for width in (CLOSE, SNUG, SLIM, HALF, THIN, TIGHT)),
    Size(Zoom.BLOCKS, 1, BLOCK),
)
"""Largest first; those of one zoom are neither towers nor planks."""
