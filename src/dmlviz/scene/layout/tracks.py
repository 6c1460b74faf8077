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
    more: tuple[tuple[int, int], ...] = ()
    """(cell, positions that it takes besides), ascending, for those that take more than the others."""

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
        return self.position(self.count - 1) + self.taken(self.count - 1)

    def extra(self, number: int) -> int:
        """Positions that cell `number` takes besides those of every cell."""
        return next((more for cell, more in self.more if cell == number), 0)

    def taken(self, number: int) -> int:
        """Positions of cell `number`, with its spacing."""
        return self.unit + self.extra(number)

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
        start = sum(at * pitch for at, pitch in zip(self.split(number), self.pitches, strict=True))
        return start + sum(more for cell, more in self.more if cell < number)

    def at(self, position: int) -> int | None:
        """The cell that covers `position`; None in a gap or outside."""
        if position < 0:
            return None
        for cell, more in self.more[::-1]:
            over = position - self.position(cell) - self.unit
            if over >= 0:  # behind its own part of it, as if it took no more
                if over < more:
                    return cell
                position -= more
        number = 0
        for size, pitch in zip(self.sizes, self.pitches, strict=True):
            at = position // pitch
            if at >= size:
                return None
            position -= at * pitch
            number = number * size + at
        return number if position < self.unit else None

    def first_at_or_after(self, position: int) -> int:
        """The first cell that ends after `position`; `count` where there is none."""
        keys = _Ends(self)
        return bisect_right(keys, position, 0, self.count)

    def whole_from(self, position: int) -> int:
        """Where the first cell begins that begins at `position` or behind it; the last one's where none does."""
        return self.position(min(self.first_at_or_after(position + self.unit - 1), self.count - 1))

    def visible(self, start: int, stop: int) -> list[tuple[int, int]]:
        """(cell, position) of each cell that touches [start, stop)."""
        cells = []
        for number in range(self.first_at_or_after(start), self.count):
            position = self.position(number)
            if position >= stop:
                break
            cells.append((number, position))
        return cells


class _Ends:
    """The ends of a track's cells as a sequence, for bisect."""

    def __init__(self, track: Track) -> None:
        self._track = track

    def __len__(self) -> int:
        return self._track.count

    def __getitem__(self, number: int) -> int:
        """The position behind cell `number`."""
        return self._track.position(number) + self._track.taken(number)
