"""One element at a time: its value, its identity, its partner on the other side, and how often it is read."""

from __future__ import annotations

import numpy as np

from ...desc.indexing import ravel
from ...formats.page_text import short_number
from ...operators.maps import COUNTING, Place
from ...tracing import Trace
from .cursor import Cursor
from .known import EVERYTHING, Known


def reads(count: int) -> str:
    """How often something is read: ×2."""
    if count < 0:
        return "counting…" if count == COUNTING else "not counted"
    return f"×{count:,}"


def value_of(trace: Trace, cursor: Cursor) -> tuple[str, int]:
    """The text and the identity of an element."""
    place = cursor.place
    at = tuple(np.array([i], np.int64) for i in cursor.index)
    if place.is_output:
        value = trace.window(place.number, at)[0]
    else:
        value = trace.read(place.number, ravel(at, trace.inputs[place.number].tensor.sizes))[0]
    return short_number(value), int(trace.identity(place, at)[0])


def source_of(trace: Trace, cursor: Cursor) -> Cursor:
    """The input element that an output element takes."""
    found = trace.source(cursor.place.number, cursor.index)
    return Cursor(Place(False, found.tensor), found.index)


def first_reader_of(trace: Trace, cursor: Cursor, known: Known = EVERYTHING) -> Cursor | None:
    """The first known output element that reads an input element; None where there is none, or they are not counted."""
    if not known.whole:
        return next(iter(known.readers(trace, cursor) or ()), None)
    readers = trace.destinations(cursor.place.number, cursor.index)
    if not readers.counted or not len(readers):
        return None
    return Cursor(Place(True, readers[0].output), readers[0].index)
