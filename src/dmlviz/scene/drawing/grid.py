"""The visible cells of a figure: which rows and columns they stand in, and what they hold."""

from __future__ import annotations

import numpy as np
from msgspec import Struct, field

from ...desc.values import Indices
from ..cells.cells import Cell
from ..cells.contents import Contents, contents_of
from ..layout.figure import Figure
from ..layout.zoom import lettered
from ..spans import Line, Style

KEPT = 4
"""Windows of a figure that are kept: as all is known, and as steps show it, are two."""


class Grid(Struct, frozen=True, kw_only=True):
    """The visible cells of a figure: R rows by C columns."""

    rows: list[tuple[int, int]]
    """(number, position) of each row."""
    columns: list[tuple[int, int]]
    """(number, position) of each column."""
    contents: Contents
    """Of its R * C cells, row-major."""
    lines_seen: tuple[int, int]
    """The lines of the body that are seen: (first, behind the last)."""
    columns_seen: tuple[int, int]
    """The columns of the body that are seen, alike."""
    lines: dict[tuple[int, tuple[Cell, ...], tuple[Style, ...], bool], Line] = field(default_factory=dict)
    """Lines of the body that were drawn last, by what they show: cells, indices, and whether something is counted."""

    def cells(self, row: int) -> slice:
        """Where the cells of a row stand in `contents`."""
        across = len(self.columns)
        return slice(row * across, (row + 1) * across)


def grid_of(figure: Figure, rows: tuple[int, int], columns: tuple[int, int]) -> Grid:
    """The cells that touch lines `rows` and columns `columns` of the body; the last few windows are kept."""
    key = rows, columns, figure.trace.prepared  # what was still being counted is asked again
    if key not in figure.drawn:
        if len(figure.drawn) >= KEPT:
            figure.drawn.clear()
        # The rulers above ask for a row too where none is in sight.
        seen = figure.rows.visible(*rows) or [(0, 0)], figure.columns.visible(*columns)
        held = looked_up(figure, *([n for n, _ in side] for side in seen))
        figure.drawn[key] = Grid(rows=seen[0], columns=seen[1], contents=held, lines_seen=rows, columns_seen=columns)
    grid: Grid = figure.drawn[key]
    return grid


def looked_up(figure: Figure, rows: list[int], columns: list[int]) -> Contents:
    """What the cells in some rows and columns of the slice that is shown hold, row-major."""
    sizes = figure.part.tensor.sizes
    down = np.array(rows, np.int64).repeat(len(columns))
    across = np.tile(np.array(columns, np.int64), len(rows))
    index: list[Indices] = [np.full(len(down), start, np.int64) for start in figure.base]
    for axes, numbers in ((figure.down, down), (figure.across, across)):
        for d in reversed(axes):
            index[d] = numbers % sizes[d]
            numbers = numbers // sizes[d]
    worded = lettered(figure.zoom)
    return contents_of(figure.trace, figure.place, tuple(index), worded=worded, shaded=not figure.paged)
