"""An element that is looked at: which tensor it lies in, and where."""

from __future__ import annotations

from msgspec import Struct

from ...desc.base import Part
from ...desc.indexing import flat_in
from ...operators.maps import Place
from ...tracing import Trace


class Cursor(Struct, frozen=True):
    """An element that is looked at."""

    place: Place
    index: tuple[int, ...]


def is_inside(trace: Trace, cursor: Cursor) -> bool:
    """True if the element exists in the trace's tensors."""
    parts = trace.outputs if cursor.place.is_output else trace.inputs
    if cursor.place.number >= len(parts):
        return False
    sizes = parts[cursor.place.number].tensor.sizes
    return len(sizes) == len(cursor.index) and all(i < n for i, n in zip(cursor.index, sizes, strict=True))


def part_of(trace: Trace, place: Place) -> Part:
    """The tensor of a place, with its name."""
    return (trace.outputs if place.is_output else trace.inputs)[place.number]


def flat_of(trace: Trace, cursor: Cursor) -> int:
    """The row-major flat index of an element."""
    return flat_in(cursor.index, part_of(trace, cursor.place).tensor.sizes)
