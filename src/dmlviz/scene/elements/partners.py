"""What belongs to an element on both sides: its source, what sent it, and what reads it."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from ...desc.indexing import ravel
from ...tracing import Trace
from .cursor import Cursor
from .known import EVERYTHING, Known


class Partners(Struct, frozen=True):
    """The elements that belong to the cursor's, by flat index: what is marked, tensor by tensor."""

    output: tuple[int, int] | None = None
    source: tuple[int, int] | None = None
    via: tuple[int, int] | None = None
    reads: tuple[int, int] | None = None
    """An input element whose readers are marked: (tensor, flat)."""
    identity: int = -1


def partners(trace: Trace, cursor: Cursor | None, known: Known = EVERYTHING) -> Partners:
    """What belongs to the cursor's element, on both sides, as far as it is known."""
    if cursor is None:
        return Partners()
    k = cursor.place.number
    at = tuple(np.array([i], np.int64) for i in cursor.index)
    identity = known.identity(trace, cursor)
    if not cursor.place.is_output:
        flat = int(ravel(at, trace.inputs[k].tensor.sizes)[0])
        return Partners(reads=(k, flat), identity=identity)
    output = k, int(ravel(at, trace.outputs[k].tensor.sizes)[0])
    if not known.tells(cursor):
        return Partners(output)
    found = trace.sources(k, at)
    tensor = int(found.tensor[0])
    source = int(ravel(found.index, trace.inputs[tensor].tensor.sizes)[0])
    via = None
    if found.via is not None:
        via = found.via_tensor, int(ravel(found.via, trace.inputs[found.via_tensor].tensor.sizes)[0])
    return Partners(output=output, source=(tensor, source), via=via, reads=None, identity=identity)
