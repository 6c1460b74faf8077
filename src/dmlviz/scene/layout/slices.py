"""Which slice of each tensor belongs to an element: the one that holds it, its source, or what reads it."""

from __future__ import annotations

from collections.abc import Iterator

from ...operators.maps import Place
from ...tracing import Trace
from ..elements.cursor import Cursor


def beside(trace: Trace, cursor: Cursor) -> Iterator[Cursor]:
    """The elements whose slices are seen with the cursor's, one a tensor at most; other tensors stay as they are.

    Of an output element: its source and the cell that sent it. Of an input element: the first output element that reads
    it, with that one's source and cell.
    """
    yield cursor
    place = cursor.place
    output, index = place.number, cursor.index
    if not place.is_output:
        readers = trace.destinations(place.number, cursor.index)
        if not readers.counted or not len(readers):
            return
        output, index = readers[0].output, readers[0].index
        yield Cursor(Place(True, output), index)
    found = trace.source(output, index)
    links = [Cursor(Place(False, found.tensor), found.index)]
    if found.via is not None:
        links.append(Cursor(Place(False, found.via.tensor), found.via.index))
    yield from (each for each in links if each.place != place)
