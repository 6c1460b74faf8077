"""Which slice of each tensor belongs to an element: the one that holds it, its source, or what reads it."""

from __future__ import annotations

from collections.abc import Iterator

from ...operators.maps import Place
from ...tracing import Trace
from ..elements.cursor import Cursor
from ..elements.known import EVERYTHING, Known
from ..elements.lookup import first_reader_of


def seen_with(trace: Trace, cursor: Cursor, known: Known = EVERYTHING) -> Iterator[Cursor]:
    """The elements whose slices are seen with the cursor's, one a tensor at most; other tensors stay as they are.

    Only those that are known to belong to it.

    Of an output element: its source and the cell that sent it. Of an input element: the first output element that reads
    it, with that one's source and cell.
    """
    yield cursor
    place = cursor.place
    output, index = place.number, cursor.index
    if not place.is_output:
        reader = first_reader_of(trace, cursor, known)
        if reader is None:
            return
        output, index = reader.place.number, reader.index
        yield reader
    elif not known.tells(cursor):
        return
    source = trace.source(output, index)
    links = [] if source.nowhere else [Cursor(Place(False, source.tensor), source.index)]
    if source.via is not None:
        links.append(Cursor(Place(False, source.via.tensor), source.via.index))
    yield from (cursor for cursor in links if cursor.place != place)
