"""The visible cells of a figure, with all that is known of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from ...desc.fields import Role
from ...desc.indexing import ravel, unravel
from ...desc.values import Array, Indices
from ...formats.page_text import shorts
from ...formats.uncompared import Cache
from ..colour.palette import NO_SHADE, shades_of
from ..elements.known import Known
from ..layout.figure import Figure
from ..layout.margins import place_columns
from ..layout.zoom import lettered
from ..spans import Line

KEPT = 4
"""Windows of a figure that are kept, and ways to draw one: as all is known, and as steps show it, are two."""


class Grid(Struct, frozen=True, kw_only=True, dict=True):
    """The visible cells of a figure: R rows by C columns, all arrays (R * C,) in row-major order."""

    rows: list[tuple[int, int]]
    """(number, position) of each row."""
    columns: list[tuple[int, int]]
    """(number, position) of each column."""
    flat: Indices
    texts: list[str]
    """Values; empty where cells are too small for text."""
    identity: Indices
    counts: Indices | None
    """How often each is read; None for what is not data, and where that isn't to be told."""
    flags: Indices | None
    source: tuple[Indices, Indices] | None
    """(tensor, flat index) of an output's sources."""
    via: Indices | None
    """The flat index of the index or length cell that sends each."""
    shades: list[int] | None = None
    """Of the identity's colour: where each is in its sequence, from light to dark; None for no shades."""
    places: list[str] | None = None
    """Which of its sequence each is, or blanks; None where nothing says so."""
    _drawn: Cache = field(default_factory=Cache)

    @cached_property
    def row_at(self) -> Mapping[int, int]:
        """The row, counted in the window, that begins at each position."""
        return {position: row for row, (_, position) in enumerate(self.rows)}

    def cells(self, row: int) -> slice:
        """The cells of a row."""
        across = len(self.columns)
        return slice(row * across, (row + 1) * across)

    def lines(self, key: object) -> dict[object, Line]:
        """Lines that were drawn of it, to be added to; they are kept for the last few `key`s: steps go to and fro."""
        if key not in self._drawn:
            if len(self._drawn) >= KEPT:
                self._drawn.clear()
            self._drawn[key] = {}
        lines: dict[object, Line] = self._drawn[key]
        return lines


def known_of(figure: Figure, grid: Grid, known: Known) -> tuple[Grid, NDArray[np.bool_] | None]:
    """The grid without what would give away what isn't known, and (R * C,) whether each cell is; None for all.

    Of an output's cells that isn't known where they come from; of an input's, which identity their readers give them.
    Nothing is counted until everything is known.
    """
    if known.whole:
        return grid, None
    cells = known.names(figure.trace, figure.place, unravel(grid.flat, figure.part.tensor.sizes))
    identity, placed = np.where(cells, grid.identity, -1), cells
    if grid.shades is not None and grid.places is not None:
        at = unravel(grid.flat, figure.part.tensor.sizes)
        placed = known.places(figure.trace, figure.place, at)
        there = placed.tolist()
        grid = replace(
            grid,
            shades=[shade if is_there else NO_SHADE for shade, is_there in zip(grid.shades, there, strict=True)],
            places=[each if is_there else " " * len(each) for each, is_there in zip(grid.places, there, strict=True)],
        )
    if not figure.place.is_output:
        return replace(grid, identity=identity, counts=None), cells & placed
    flags, via, source = grid.flags, grid.via, grid.source
    return replace(
        grid,
        identity=identity,
        texts=[text if is_there else "·" for text, is_there in zip(grid.texts, cells.tolist(), strict=False)],
        flags=np.where(cells, flags, 0) if flags is not None else None,
        via=np.where(cells, via, -1) if via is not None else None,
        source=(np.where(cells, source[0], -1), source[1]) if source is not None else None,
    ), cells


def grid_of(figure: Figure, rows: tuple[int, int], columns: tuple[int, int]) -> Grid:
    """The cells that touch lines `rows` and columns `columns` of the body.

    Those of the last few windows are kept: steps go to and fro.
    """
    key = rows, columns, figure.trace.prepared  # what was still being counted is asked again
    if key not in figure.drawn:
        before: Grid | None = next((grid for asked, grid in figure.drawn.items() if asked[1:] == key[1:]), None)
        if len(figure.drawn) >= KEPT:
            figure.drawn.clear()
        # The rulers above ask for a row too where none is in sight.
        made = looked_up(figure, figure.rows.visible(*rows) or [(0, 0)], figure.columns.visible(*columns))
        if before is not None:
            made = replace(made, _drawn=before._drawn)  # rows that are scrolled stay as they are
        figure.drawn[key] = made
    found: Grid = figure.drawn[key]
    return found


def looked_up(figure: Figure, rows: list[tuple[int, int]], columns: list[tuple[int, int]]) -> Grid:
    """The cells in some rows and columns, each (number, position)."""
    tensor, trace, k = figure.part.tensor, figure.trace, figure.place.number
    r = np.array([n for n, _ in rows], np.int64).repeat(len(columns))
    c = np.tile(np.array([n for n, _ in columns], np.int64), len(rows))
    index: list[Indices] = [np.full(len(r), i, np.int64) for i in figure.base]
    for axes, numbers in ((figure.down, r), (figure.across, c)):
        for d in reversed(axes):
            index[d] = numbers % tensor.sizes[d]
            numbers = numbers // tensor.sizes[d]
    at = tuple(index)
    flat = ravel(at, tensor.sizes)
    counts = flags = via = source = None
    values: Array = np.zeros(0)
    worded, is_data = lettered(figure.zoom), figure.part.field.role is Role.DATA
    if figure.place.is_output:
        found = trace.sources(k, at)
        values = trace.window(k, at) if worded else values
        flags = found.flags
        sizes = [p.tensor.sizes for p in trace.inputs]
        where = np.zeros(len(flat), np.int64)
        for t in np.flatnonzero(np.bincount(found.tensor)).tolist():
            here = found.tensor == t
            where[here] = ravel([axis[here] for axis in found.index], sizes[t])
        source = found.tensor, where
        via = ravel(found.via, sizes[found.via_tensor]) if found.via is not None else None
    else:
        if worded or not is_data:
            values = trace.read(k, flat)
        if is_data:
            counts = trace.counts(k, at)
        else:
            flags = trace.operator.cell_flags(trace.desc, k, values)
    texts = shorts(values if worded else values[:0])
    shades = places = None
    if figure.shaded and (found_places := trace.sequence_places(figure.place, at)) is not None:
        shades, places = shades_of(*found_places), _places(found_places[0], place_columns(trace))
    identity = trace.identity(figure.place, at)
    return Grid(
        rows=rows,
        columns=columns,
        flat=flat,
        texts=texts,
        identity=identity,
        counts=counts,
        flags=flags,
        source=source,
        via=via,
        shades=shades,
        places=places,
    )


SMALL_DIGITS = "₀₁₂₃₄₅₆₇₈₉"
SUBSCRIPTS = str.maketrans("0123456789", SMALL_DIGITS)


def _places(place: Indices, columns: int) -> list[str]:
    """Which of its sequence an element is, in small digits; empty where there are no columns for them."""
    return (
        [""] * len(place)
        if not columns
        else [f"{k if k >= 0 else '':<{columns}}".translate(SUBSCRIPTS) for k in place.tolist()]
    )
