"""What one step writes: boxes of elements, and where each of them comes from."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from msgspec import Struct

from ...desc.indexing import ravel, unravel
from ...desc.values import Index, Indices
from ...operators.maps import NOWHERE, Place
from ...tracing import Trace
from ..elements.cursor import Cursor
from ..elements.sources import flat_sources


class Box(Struct, frozen=True):
    """Some elements of one output: a range of positions along each axis."""

    output: int
    ranges: tuple[range, ...]

    @property
    def count(self) -> int:
        return math.prod(map(len, self.ranges))

    @property
    def corners(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Its first element and its last, row-major."""
        return tuple(r.start for r in self.ranges), tuple(r[-1] for r in self.ranges)

    def window(self, start: int, stop: int) -> Index:
        """Elements start to stop, row-major, as one (N,) array an axis."""
        at = unravel(np.arange(start, min(stop, self.count), dtype=np.int64), [len(r) for r in self.ranges])
        return tuple(r.start + i for r, i in zip(self.ranges, at, strict=True))


class Links(Struct, frozen=True):
    """N elements of a group: where they are, and where they come from. All arrays are (N,) int64."""

    output: Indices
    flat: Indices
    tensor: Indices
    source: Indices
    via: Indices | None
    """The flat index of the index or length cell that sends each; None where there is none."""
    via_tensor: int = -1


class Group(Struct, frozen=True, dict=True):
    """What one step writes. Nothing is held of it but its corners."""

    trace: Trace
    boxes: tuple[Box, ...]

    @cached_property
    def count(self) -> int:
        """How many output elements it has."""
        return sum(box.count for box in self.boxes)

    @property
    def moves(self) -> bool:
        """True if its first element has a source; what comes from nowhere is filled."""
        return bool((self.links(0, 1).tensor != NOWHERE).all())

    def elements(self, start: int, stop: int) -> list[Cursor]:
        """Elements start to stop of the group, in the order of steps by element."""
        cursors: list[Cursor] = []
        for box, at in self._parts_of_boxes(start, stop):
            rows = zip(*(axis.tolist() for axis in at), strict=True)
            cursors += (Cursor(Place(True, box.output), index) for index in rows)
        return cursors

    def links(self, start: int, stop: int) -> Links:
        """Elements start to stop and their sources."""
        rows: list[tuple[Indices, Indices, Indices, Indices]] = []
        vias, via_tensor = [], -1
        for box, at in self._parts_of_boxes(start, stop):
            sources = flat_sources(self.trace, box.output, at)
            flat = ravel(at, self.trace.outputs[box.output].tensor.sizes)
            rows.append((np.full_like(flat, box.output), flat, sources.tensor, sources.flat))
            if sources.via is not None:
                via_tensor = sources.via_tensor
                vias.append(sources.via)
        out, flat, tensor, source = (
            np.concatenate([np.zeros(0, np.int64), *(row[i] for row in rows)]) for i in range(4)
        )
        return Links(
            output=out,
            flat=flat,
            tensor=tensor,
            source=source,
            via=np.concatenate(vias) if vias else None,
            via_tensor=via_tensor,
        )

    def _parts_of_boxes(self, start: int, stop: int) -> list[tuple[Box, Index]]:
        windows = []
        for box in self.boxes:
            if start < box.count and stop > 0:
                windows.append((box, box.window(max(start, 0), stop)))
            start, stop = start - box.count, stop - box.count
            if stop <= 0:
                break
        return windows
