"""What belongs to an element on both sides: its source, what sent it, and what reads it."""

from __future__ import annotations

from msgspec import Struct

from ...desc.indexing import arrays_of, ravel
from ...operators.maps import NOWHERE
from ...tracing import Trace
from .cursor import Cursor
from .known import EVERYTHING, Known
from .sources import flat_sources


class Partners(Struct, frozen=True):
    """The elements that belong to the cursor's, by flat index: what is marked, tensor by tensor."""

    output: tuple[int, int] | None = None
    source: tuple[int, int] | None = None
    via: tuple[int, int] | None = None
    reads: tuple[int, int] | None = None
    """An input element whose readers are marked: (tensor, flat)."""
    identity: int = -1

    @property
    def wires(self) -> list[tuple[int, int]]:
        """(tensor, flat) of the input elements from which wires lead to the output's: what sends it, its source."""
        return [element for element in (self.via, self.source) if element is not None]


def partners(trace: Trace, cursor: Cursor | None, known: Known = EVERYTHING) -> Partners:
    """What belongs to the cursor's element, on both sides, as far as it is known."""
    if cursor is None:
        return Partners()
    k = cursor.place.number
    at = arrays_of(cursor.index)
    identity = known.identity(trace, cursor)
    if not cursor.place.is_output:
        flat = int(ravel(at, trace.inputs[k].tensor.sizes)[0])
        return Partners(reads=(k, flat), identity=identity)
    out = k, int(ravel(at, trace.outputs[k].tensor.sizes)[0])
    if not known.tells(cursor):
        return Partners(out)
    sources = flat_sources(trace, k, at)
    tensor = int(sources.tensor[0])
    return Partners(
        output=out,
        source=(tensor, int(sources.flat[0])) if tensor != NOWHERE else None,
        via=(sources.via_tensor, int(sources.via[0])) if sources.via is not None else None,
        identity=identity,
    )
