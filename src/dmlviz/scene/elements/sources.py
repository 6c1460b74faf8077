"""Where output elements come from, by flat index."""

from __future__ import annotations

from msgspec import Struct

from ...desc.indexing import ravel
from ...desc.values import Index, Indices
from ...tracing import Trace


class FlatSources(Struct, frozen=True):
    """The sources of N output elements. All arrays are (N,) int64."""

    tensor: Indices
    """NOWHERE (-1) where there is none."""
    flat: Indices
    """The flat index in that tensor; 0 where there is none."""
    via: Indices | None
    """The flat index of the index or length cell that sends each; None where there is none."""
    via_tensor: int
    flags: Indices | None


def flat_sources(trace: Trace, out: int, index: Index) -> FlatSources:
    """The sources of elements of an output; `index` has one (N,) array an axis."""
    sources = trace.sources(out, index)
    via = ravel(sources.via, trace.input_sizes[sources.via_tensor]) if sources.via is not None else None
    return FlatSources(
        tensor=sources.tensor,
        flat=sources.flat(trace.input_sizes),
        via=via,
        via_tensor=sources.via_tensor,
        flags=sources.flags,
    )
