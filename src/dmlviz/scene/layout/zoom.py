"""How large a picture is drawn: from cells that the back of the room can read to blocks of colour."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct


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
    tight: bool = False
    """Values stand without a blank before them."""


ROOMY, EASY, CLOSE = Width(8, 13, 3), Width(2, 7, 2), Width(0, 5, 1)
SNUG, TIGHT = Width(0, 5, 1, tight=True), Width(0, 1, 1, tight=True)
BLOCK = Width(None, 2, 0)


class Size(Struct, frozen=True):
    """How large cells are drawn; all tensors of a picture have one size, each with the columns its own values need."""

    zoom: Zoom
    lines: int
    width: Width
    ruled: bool = True

    def cell(self, narrow: tuple[int, int]) -> int:
        """Columns of a cell, where values and letters need the first of `narrow`, or the second at a pinch."""
        width = self.width
        return width.least if width.more is None else max(narrow[width.tight] + width.more, width.least)


SCROLLED = Size(Zoom.VALUES, 1, CLOSE, ruled=False)
"""That of a picture that doesn't fit, a blank before its values: at an edge, scrolling would cut a digit off."""
SIZES = (
    Size(Zoom.LARGE, 5, ROOMY),
    Size(Zoom.LARGE, 5, EASY),
    Size(Zoom.LARGE, 3, EASY),
    Size(Zoom.LARGE, 3, CLOSE),
    Size(Zoom.LARGE, 3, TIGHT),
    Size(Zoom.LARGE, 3, CLOSE, ruled=False),
    Size(Zoom.VALUES, 2, EASY),
    Size(Zoom.VALUES, 2, CLOSE),
    Size(Zoom.VALUES, 2, SNUG),
    Size(Zoom.LARGE, 3, TIGHT, ruled=False),
    Size(Zoom.VALUES, 2, TIGHT),
    Size(Zoom.VALUES, 2, SNUG, ruled=False),
    Size(Zoom.VALUES, 2, TIGHT, ruled=False),
    Size(Zoom.VALUES, 1, CLOSE),
    SCROLLED,
    Size(Zoom.VALUES, 1, TIGHT),
    Size(Zoom.VALUES, 1, TIGHT, ruled=False),
    Size(Zoom.BLOCKS, 1, BLOCK),
    Size(Zoom.BLOCKS, 1, BLOCK, ruled=False),
)
"""Largest first; those of one zoom are neither towers nor planks."""
