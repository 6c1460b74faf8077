"""One direction of a layout: axes nested along a line of positions, with gaps between the blocks of outer axes."""

from __future__ import annotations

import math
from bisect import bisect_right
from functools import cached_property

from msgspec import Struct


class Track(Struct, frozen=True, dict=True):
    """Axes of `sizes`, outer to inner, laid along a line: each cell takes `unit`, each outer block ends in `gap`."""

    sizes: tuple[int, ...]
    unit: int
    gap: int

    @cached_property
    def pitches(self) -> tuple[int, ...]:
        """How far one step along each axis goes."""
        pitches, pitch = [], self.unit
        for size in reversed(self.sizes):
            pitches.append(pitch)
            pitch = size * pitch + self.gap
        return tuple(reversed(pitches))

    @cached_property
    def count(self) -> int:
        """How many cells there are."""
        return math.prod(self.sizes)

    @cached_property
    def length(self) -> int:
        """Positions to the end of the last cell, with its spacing."""
        return self._end(self.count - 1)

    def split(self, number: int) -> tuple[int, ...]:
        """The index along each axis of cell `number`, row-major."""
        index = []
        for size in reversed(self.sizes):
            number, at = divmod(number, size)
            index.append(at)
        return tuple(reversed(index))

    def number(self, index: tuple[int, ...]) -> int:
        """The number of the cell at an index along each axis, row-major."""
        flat = 0
        for at, size in zip(index, self.sizes, strict=True):
            flat = flat * size + at
        return flat

    def position(self, number: int) -> int:
        """Where cell `number` begins."""
        return sum(at * pitch for at, pitch in zip(self.split(number), self.pitches, strict=True))

    def _end(self, number: int) -> int:
        return self.position(number) + self.unit

    def at(self, position: int) -> int | None:
        """The cell that covers `position`; None in a gap or outside."""
        n = self.first_at_or_after(position)
        return n if position >= 0 and n < self.count and self.position(n) <= position else None

    def first_at_or_after(self, position: int) -> int:
        """The first cell that ends after `position`; `count` where there is none."""
        return bisect_right(range(self.count), position, key=self._end)

    def whole_from(self, position: int) -> int:
        """Where the first cell begins that begins at `position` or behind it; the last one's where none does."""
        return self.position(min(self.first_at_or_after(position + self.unit - 1), self.count - 1))

    def visible(self, start: int, stop: int) -> list[tuple[int, int]]:
        """(cell, position) of each cell that touches [start, stop)."""
        cells = []
        for n in range(self.first_at_or_after(start), self.count):
            position = self.position(n)
            if position >= stop:
                break
            cells.append((n, position))
        return cells
