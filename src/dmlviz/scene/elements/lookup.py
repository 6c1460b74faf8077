"""One element at a time: its value, its identity, its partner on the other side, and how often it is read."""

from __future__ import annotations

from ...desc.fields import Role
from ...desc.indexing import arrays_of, ravel
from ...formats.page_text import short_number
from ...operators.maps import COUNTING, Place
from ...tracing import Trace
from .cursor import Cursor
from .known import EVERYTHING, Known


def reads_text(count: int) -> str:
    """How often something is read, in words: `×2`, "counting…" or "not counted"."""
    if count < 0:
        return "counting…" if count == COUNTING else "not counted"
    return f"×{count:,}"


def value_of(trace: Trace, cursor: Cursor) -> tuple[str, int]:
    """The value of an element as text, and its identity, -1 for none."""
    place = cursor.place
    at = arrays_of(cursor.index)
    if place.is_output:
        value = trace.window(place.number, at)[0]
    else:
        value = trace.read(place.number, ravel(at, trace.inputs[place.number].tensor.sizes))[0]
    return short_number(value), int(trace.identity(place, at)[0])


FEW = 4096
"""Elements of an output up to which a clamped one is looked for: a fraction of a millisecond."""


def source_of(trace: Trace, cursor: Cursor) -> Cursor | None:
    """The input element that an output element takes; None for one that comes from nowhere."""
    source = trace.source(cursor.place.number, cursor.index)
    return Cursor(Place(False, source.tensor), source.index) if not source.nowhere else None


def filled_by(trace: Trace, out: int = 0) -> str:
    """The field whose constant stands in elements of an output that come from nowhere; "" where all have a source."""
    path = trace.operator.constant_path
    return path if path and trace.constant(out) is not None else ""


def is_from_nowhere(trace: Trace, cursor: Cursor, known: Known = EVERYTHING) -> bool:
    """True for an output element that holds a constant, as far as that is known."""
    if not cursor.place.is_output or not filled_by(trace, cursor.place.number) or not known.tells(cursor):
        return False
    return trace.source(cursor.place.number, cursor.index).nowhere


def some_moved(trace: Trace) -> Cursor | None:
    """An output element that has a source, near the end of what is read; None where no input's element is read."""
    for k, part in reversed([*enumerate(trace.inputs)]):
        if part.field.role is Role.DATA:
            readers = trace.destinations(k, tuple(n - 1 for n in part.tensor.sizes))
            if readers.counted and len(readers):
                return Cursor(Place(True, readers[-1].output), readers[-1].index)
    moved = trace.operator.moved_element(trace.desc)
    return None if moved is None else Cursor(Place(True, moved[0]), moved[1])


def first_reader_of(trace: Trace, cursor: Cursor, known: Known = EVERYTHING) -> Cursor | None:
    """The first known output element that reads an input element; None where none does, or they are not counted."""
    if not known.whole:
        return next(iter(known.readers(trace, cursor) or ()), None)
    readers = trace.destinations(cursor.place.number, cursor.index)
    if not readers.counted or not len(readers):
        return None
    return Cursor(Place(True, readers[0].output), readers[0].index)
