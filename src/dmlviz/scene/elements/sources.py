"""Where output elements come from, by flat index."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from ...desc.indexing import ravel
from ...desc.values import Indices
from ...tracing import Trace


class FlatSources(Struct, frozen=True):
    """The sources of N output elements. All arrays are (N,) int64."""

    tensor: Indices
    flat: Indices
    """The flat index in that tensor."""
    via: Indices | None
    """The flat index of the index or length cell that sends each; None where there is none."""
    via_tensor: int
    flags: Indices | None


def flat_sources(trace: Trace, output: int, index: tuple[Indices, ...]) -> FlatSources:
    """The sources of elements of an output; `index` has one (N,) array an axis."""
    sources = trace.sources(output, index)
    sizes = [part.tensor.sizes for part in trace.inputs]
    flat = np.zeros(len(sources.tensor), np.int64)
    for number in np.flatnonzero(np.bincount(sources.tensor)).tolist():  # np.unique would import numpy.ma
        here = sources.tensor == number
        flat[here] = ravel([axis[here] for axis in sources.index], sizes[number])
    via = ravel(sources.via, sizes[sources.via_tensor]) if sources.via is not None else None
    return FlatSources(tensor=sources.tensor, flat=flat, via=via, via_tensor=sources.via_tensor, flags=sources.flags)
