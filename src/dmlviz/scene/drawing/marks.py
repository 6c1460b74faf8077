"""What stands on the visible cells besides their values: brackets, dots, signs of pins, and what a rule concerns."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ...desc.fields import Role
from ...desc.indexing import unravel
from ...operators.maps import CLAMPED
from ..elements.partners import Partners
from ..layout.figure import Figure
from ..look import Entry, Look
from .grid import Grid
from .previous import PreviousCells, previous_of


class Marks(Struct, frozen=True):
    """What stands on the cells of a grid besides their values: all (R * C,), row-major."""

    marked: NDArray[np.bool_]
    """They belong to the cursor's element, or the present step moves them."""
    known: NDArray[np.bool_] | None
    """Of an output they are written, of an input their identity may be told; None for all."""
    signs: list[str] | None
    """The signs of the pins that they belong to; None for no pins."""
    broken: NDArray[np.bool_] | None = None
    """A broken rule concerns them; None for none."""
    previous: PreviousCells | None = None
    """What they were before an edit; None where that isn't shown."""
    entries: list[Entry | None] | None = None
    """What a user has said of them; None for nothing."""

    def is_known(self, at: int) -> bool:
        return self.known is None or bool(self.known[at])

    def is_broken(self, at: int) -> bool:
        return self.broken is not None and bool(self.broken[at])

    def entry(self, at: int) -> Entry | None:
        """What a user has said of a cell."""
        return self.entries[at] if self.entries is not None else None

    def was(self, at: int) -> PreviousCells | None:
        """What the cells were, for one that has changed and says so; None for others."""
        return self.previous if self.previous is not None and self.previous.changed(at) else None

    def key(self, cells: slice) -> object:
        """What tells one state of some cells from another."""
        known = self.known[cells].tobytes() if self.known is not None else b""
        signs = tuple(self.signs[cells]) if self.signs is not None else ()
        broken = self.broken[cells].tobytes() if self.broken is not None else b""
        previous = self.previous.key(cells) if self.previous is not None else None
        said = tuple(self.entries[cells]) if self.entries is not None else ()
        return self.marked[cells].tobytes(), known, signs, broken, previous, said


def marks_of(figure: Figure, grid: Grid, known: NDArray[np.bool_] | None, look: Look, partners: Partners) -> Marks:
    """What stands on the cells of a grid at this cursor and step; `known` are those of which all may be told."""
    marked = _belonging(figure, grid, partners)
    if look.lit is not None:
        marked |= look.lit(figure.place, grid.flat)
    signs, broken = _signs(figure, grid, look), _broken(figure, grid, look)
    entries = look.entries.get(figure.place)
    said = [entries.get(flat) for flat in grid.flat.tolist()] if entries else None
    return Marks(
        marked=marked, known=known, signs=signs, broken=broken, previous=previous_of(figure, grid, look), entries=said
    )


def _belonging(figure: Figure, grid: Grid, partners: Partners) -> NDArray[np.bool_]:
    """Which cells of the grid belong to the element that `partners` are of."""
    k, inputs = figure.place.number, figure.trace.inputs
    marked = np.zeros(len(grid.flat), bool)
    if figure.place.is_output:
        if partners.output is not None and partners.output[0] == k:
            marked |= grid.flat == partners.output[1]
        if partners.reads is not None and grid.source is not None:
            tensor, flat = partners.reads
            if inputs[tensor].field.role is Role.DATA:
                marked |= (grid.source[0] == tensor) & (grid.source[1] == flat)
            elif grid.via is not None:
                marked |= grid.via == flat
        return marked
    for found in (partners.source, partners.via, partners.reads):
        if found is not None and found[0] == k:
            marked |= grid.flat == found[1]
    if partners.reads is not None and partners.reads[0] != k:
        # Three ways: an index or length cell and the elements it sends share one identity.
        roles = {figure.part.field.role, inputs[partners.reads[0]].field.role}
        if len(roles) == 2 and partners.identity >= 0:
            marked |= grid.identity == partners.identity
    return marked


def _signs(figure: Figure, grid: Grid, look: Look) -> list[str] | None:
    """The signs of the pins that each cell belongs to; None where there are none."""
    found = [(sign, _belonging(figure, grid, links)) for sign, links in look.pins]
    if not any(mark.any() for _, mark in found):
        return None
    return ["".join(sign for sign, mark in found if mark[i]) for i in range(len(grid.flat))]


def _broken(figure: Figure, grid: Grid, look: Look) -> NDArray[np.bool_] | None:
    """Which cells a broken rule concerns; None for none."""
    sizes, found = figure.part.tensor.sizes, None
    for cells in look.broken_cells:
        if cells.path != figure.part.path:
            continue
        here: NDArray[np.bool_] | None = None
        if cells.axis is None:
            here = (grid.flags & CLAMPED) > 0 if grid.flags is not None else None
        elif cells.axis < len(sizes):
            along = unravel(grid.flat, sizes)[cells.axis]
            start = min(cells.start, sizes[cells.axis] - 1)
            here = (along >= start) & (along < max(cells.stop, start + 1))
        if here is not None:
            found = here if found is None else found | here
    return found
