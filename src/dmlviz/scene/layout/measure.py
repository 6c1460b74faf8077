"""How many columns and lines tensors take, by arithmetic alone: layouts are compared before one is made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from msgspec import Struct

from ...desc.base import Part
from ...desc.fields import Role
from ...operators.maps import Place
from ...tracing import Trace
from .cell_widths import Narrow, Widths
from .directions import Axes, long_axes
from .margins import letter_columns, read_columns
from .zoom import CELL_WIDTHS, PITCHES, Spacing, Zoom, lettered

Side = Sequence[tuple[Place, Part]]


class Extent(NamedTuple):
    """What the room that one tensor takes follows from."""

    across: int
    """Cells from left to right."""
    across_blocks: int
    """Gaps between blocks of columns."""
    down: int
    """Cells from top to bottom."""
    down_blocks: int
    """Gaps between blocks of rows."""
    row_ruler: int
    """Columns of the indices before the rows."""
    head: int
    """Lines that say which slice is seen, and of the indices over the columns."""
    letters_beside: int
    """Columns of the letters before the rows."""
    letters_above: bool
    reads_beside: int
    """Columns behind the rows that say how often each is read."""
    reads_below: bool
    narrow: Narrow
    """Columns in which its values stand whole, at ease and at a pinch."""

    def cell(self, zoom: Zoom, breadth: int) -> int:
        """Columns of a cell, the widest at breadth 0."""
        return CELL_WIDTHS[zoom][breadth].of(self.narrow)

    def width(self, zoom: Zoom, cell: int, gap: int) -> int:
        """Columns of rulers, cells with `gap` behind each, and read counts."""
        width = self.across * (cell + gap) + self.across_blocks * PITCHES[zoom].block + self.row_ruler
        if lettered(zoom):
            width += self.letters_beside
        return width + self.reads_beside

    def height(self, zoom: Zoom, spacing: Spacing) -> int:
        """Lines from the title to the names of the axes."""
        return self.above(zoom, spacing) + self.below(zoom, spacing)

    def above(self, zoom: Zoom, spacing: Spacing) -> int:
        """Lines before the first row."""
        return self.head + 1 + spacing.ruled + (lettered(zoom) and self.letters_above)

    def below(self, zoom: Zoom, spacing: Spacing) -> int:
        """Lines from the first row on."""
        pitch = PITCHES[zoom]
        body = self.down * spacing.step + self.down_blocks * pitch.row_block - spacing.trailing
        return body + 1 + self.reads_below


class Bulk(Struct, frozen=True):
    """A tensor to be measured."""

    sizes: tuple[int, ...]
    identity: frozenset[int]
    """The axes longer than 1 along which identities lie."""
    counted: int
    """The axis along which "how often read" varies; -1 for none."""
    numbers: range
    """Of the tensors in their side that it stands for."""
    is_steering: bool = False
    """It holds indices or lengths."""


class Measure:
    """The tensors of both sides, to be measured under any directions of their axes."""

    def __init__(self, trace: Trace, sides: Sequence[Side], most: int) -> None:
        """Where a side has more than `most` tensors, the largest there could be stands for each of them."""
        self.axes: Axes = ()
        """Those that are longer than 1 in some tensor."""
        self.stand_for: list[int] = []
        """How many tensors each of a side's measured ones stands for."""
        self.sides: list[list[Bulk]] = []
        """What is measured of each side."""
        for side in sides:
            bulks = [_bulk(trace, place, part) for place, part in side]
            self.stand_for.append(1)
            if len(bulks) > most:
                self.stand_for[-1] = len(bulks)
                sizes = tuple(map(max, zip_longest(*(b.sizes for b in bulks), fillvalue=1)))
                identity = frozenset[int]().union(*(b.identity for b in bulks))
                bulks = [Bulk(sizes, identity, max(b.counted for b in bulks), range(len(bulks)))]
            self.sides.append(bulks)
        self.axes = long_axes(b.sizes for bulks in self.sides for b in bulks)
        self._letters, self._reads = letter_columns(trace), read_columns(trace)

    def under(self, down: Axes, across: Axes, sliced: Axes, widths: Widths) -> tuple[list[Extent], list[Extent]]:
        """The extents of both sides' tensors under (down, across, sliced) axes."""
        left, right = (
            [self._extent(b, down, across, sliced, _widest(narrow[n] for n in b.numbers)) for b in bulks]
            for bulks, narrow in zip(self.sides, widths, strict=True)
        )
        return left, right

    def _extent(self, bulk: Bulk, down: Axes, across: Axes, sliced: Axes, narrow: Narrow) -> Extent:
        sizes, rank = bulk.sizes, len(bulk.sizes)
        rows = [d for d in down if d < rank and sizes[d] > 1]
        columns = [d for d in across if d < rank and sizes[d] > 1]
        hidden = any(d < rank and sizes[d] > 1 for d in sliced)
        (high, high_blocks), (wide, wide_blocks) = (_cells([sizes[d] for d in axes]) for axes in (rows, columns))
        coloured = bulk.identity.difference(sliced)
        return Extent(
            across=wide,
            across_blocks=wide_blocks,
            down=high,
            down_blocks=high_blocks,
            row_ruler=sum(len(str(sizes[d] - 1)) + 1 for d in rows) + 1,
            head=max(1, len(columns)) + hidden,
            letters_beside=self._letters + 1 if coloured and coloured.issubset(rows) else 0,
            letters_above=bool(coloured) and coloured.issubset(columns),
            reads_beside=self._reads if bulk.counted in rows else 0,
            reads_below=bulk.counted in columns,
            narrow=narrow,
        )


def _widest(widths: Iterable[Narrow]) -> Narrow:
    """The largest of both kinds of widths."""
    airy, tight = zip(*widths, strict=True)
    return max(airy), max(tight)


def _cells(sizes: Sequence[int]) -> tuple[int, int]:
    """(cells, gaps between blocks) along a line of nested axes."""
    count, blocks = 1, 0
    for size in sizes:
        blocks += count - 1
        count *= size
    return count, blocks


def _bulk(trace: Trace, place: Place, part: Part) -> Bulk:
    """A tensor as it is measured."""
    operator, sizes = trace.operator, part.tensor.sizes
    axes = trace.colours.identity_axes(trace.desc, place)
    steering = part.field.role in (Role.INDICES, Role.LENGTHS)
    varied = operator.reads_vary and not place.is_output and part.field.role is Role.DATA
    counted = axes[0] if varied and len(axes) == 1 else -1
    return Bulk(
        sizes=sizes,
        identity=frozenset(d for d in axes if sizes[d] > 1),
        counted=counted,
        numbers=range(place.number, place.number + 1),
        is_steering=steering,
    )
