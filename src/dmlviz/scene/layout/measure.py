"""How many columns and lines the tensors of both sides take, under many assignments of axes at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from ...desc.base import Part
from ...desc.fields import Role
from ...operators.maps import Place
from ...tracing import Trace
from .margins import letter_columns, read_columns
from .ways import Bits, Ways
from .zoom import PITCHES, Spacing, Zoom, lettered, trailing

Side = Sequence[tuple[Place, Part]]


class Measure:
    """The T tensors of both sides as arrays; a set of axes is a number whose bits are axes, the first the lowest."""

    def __init__(self, trace: Trace, sides: Sequence[Side], most: int) -> None:
        self.axes: tuple[int, ...] = ()
        """Those that are longer than 1 in some tensor."""
        self.counts: list[int] = []
        """How many tensors are measured of each side."""
        self.stand_for: list[int] = []
        """How many tensors each of them stands for."""
        rows: list[tuple[int, ...]] = []
        self._identity: list[int] = []
        self._counted: list[int] = []
        for side in sides:
            sizes, identity, counted = _side(trace, side)
            self.stand_for.append(1)
            if len(side) > most:
                # They can't all be seen, so the largest there could be stands for each.
                self.stand_for[-1] = len(side)
                sizes = [tuple(map(max, zip_longest(*sizes, fillvalue=1)))]
                identity, counted = [max(identity)], [max(counted)]
            self.counts.append(len(sizes))
            rows += sizes
            self._identity += identity
            self._counted += counted
        columns = list(zip_longest(*rows, fillvalue=1))
        self.axes = tuple(d for d, column in enumerate(columns) if max(column) > 1)
        self._sizes = [columns[d] for d in self.axes]
        self._letters, self._reads = letter_columns(trace), read_columns(trace)

    def under(self, ways: Ways) -> Extents:
        """What follows from each of M ways to assign the axes."""
        tensors = sum(self.counts)
        count = np.ones((1, tensors), np.int64)
        blocks, digits, rulers = np.zeros((3, 1, tensors), np.int64)
        several = np.zeros(tensors, np.int64)
        for i, column in enumerate(self._sizes):
            # One axis more, inside of those there are: each cell becomes a block of `size` cells.
            size = np.array(column, np.int64)
            longer = size > 1
            blocks = np.concatenate([blocks, blocks + (count - 1) * longer])
            count = np.concatenate([count, count * size])
            digits = np.concatenate([digits, digits + longer * [len(str(n - 1)) + 1 for n in column]])
            rulers = np.concatenate([rulers, rulers + longer])
            several |= longer << i
        identity, counted = self._bits(self._identity), self._bits(self._counted) & several
        down, across, sliced = (each[:, None] for each in (ways.down, ways.across, ways.sliced))
        coloured = identity & ~sliced
        has_colour = coloured != 0
        return Extents(
            split=self.counts[0],
            stand_for=(self.stand_for[0], self.stand_for[1]),
            across=count[ways.across],
            across_blocks=blocks[ways.across],
            down=count[ways.down],
            down_blocks=blocks[ways.down],
            row_ruler=digits[ways.down] + 1,
            head=np.maximum(1, rulers[ways.across]) + ((several & sliced) != 0),
            letters_beside=(has_colour & (coloured & ~down == 0)) * (self._letters + 1),
            letters_above=has_colour & (coloured & down == 0),
            reads_beside=((counted & down) != 0) * self._reads,
            reads_below=(counted & across) != 0,
        )

    def _bits(self, found: Sequence[int]) -> Bits:
        """Bits of all axes as bits of those that are measured."""
        return np.array([sum((bits >> d & 1) << i for i, d in enumerate(self.axes)) for bits in found], np.int64)


def _side(trace: Trace, side: Side) -> tuple[list[tuple[int, ...]], list[int], list[int]]:
    """The sizes of the tensors of one side; as bits the axes that identities lie along, and those that counts do."""
    operator, desc = trace.operator, trace.desc
    sizes, identity, counted = [], [], []
    for place, part in side:
        own, axes = part.tensor.sizes, operator.identity_axes(desc, place)
        varied = operator.reads_vary and not place.is_output and part.field.role is Role.DATA
        sizes.append(own)
        identity.append(sum(1 << d for d in axes if own[d] > 1))
        counted.append(1 << axes[0] if varied and len(axes) == 1 else 0)
    return sizes, identity, counted


@dataclass(frozen=True)
class Extents:
    """What the room that tensors take follows from: (M, T), for each of M ways and T tensors."""

    split: int
    """How many of the tensors are those of the first side."""
    stand_for: tuple[int, int]
    """How many tensors each tensor of a side stands for."""
    across: Bits
    """Cells from left to right."""
    across_blocks: Bits
    """Gaps between blocks of columns."""
    down: Bits
    """Cells from top to bottom."""
    down_blocks: Bits
    """Gaps between blocks of rows."""
    row_ruler: Bits
    """Columns of the indices before the rows."""
    head: Bits
    """Lines that say which slice is seen, and of the indices over the columns."""
    letters_beside: Bits
    """Columns of the letters before the rows."""
    letters_above: NDArray[np.bool_]
    reads_beside: Bits
    """Columns behind the rows that say how often each is read."""
    reads_below: NDArray[np.bool_]

    def widths(self, zoom: Zoom, cell: int) -> Bits:
        """(M,) columns of both sides: the rulers and cells of the widest tensor of each."""
        pitch = PITCHES[zoom]
        width = self.across * (cell + pitch.gap) + self.across_blocks * pitch.block + self.row_ruler
        if lettered(zoom):
            width += self.letters_beside
        if zoom is not Zoom.OVERVIEW:
            width += self.reads_beside
        both: Bits = width[:, : self.split].max(axis=1) + width[:, self.split :].max(axis=1)
        return both

    def heights(self, zoom: Zoom, spacing: Spacing) -> Bits:
        """(M,) lines of the taller side, its tensors one below the other."""
        tall = self._each(zoom, spacing) + spacing.between
        left, right = (
            side.sum(axis=1) * count
            for side, count in zip((tall[:, : self.split], tall[:, self.split :]), self.stand_for, strict=True)
        )
        taller: Bits = np.maximum(left, right) - spacing.between
        return taller

    def tallest(self, zoom: Zoom, spacing: Spacing) -> Bits:
        """(M,) lines of the tallest tensor."""
        tallest: Bits = self._each(zoom, spacing).max(axis=1)
        return tallest

    def _each(self, zoom: Zoom, spacing: Spacing) -> Bits:
        """(M, T) lines of each tensor."""
        pitch = PITCHES[zoom]
        body = self.down * spacing.step + self.down_blocks * pitch.row_block - trailing(zoom, spacing.step)
        if pitch.per_line > 1:
            body = -(-body // pitch.per_line)
        height = body + self.head + (2 + spacing.ruled)  # the title, and the names of the axes
        if lettered(zoom):
            height += self.letters_above
        if zoom is not Zoom.OVERVIEW:
            height += self.reads_below
        return height
