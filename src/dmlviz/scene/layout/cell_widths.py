"""How wide a cell has to be, from a sample of the values."""

from __future__ import annotations

from collections.abc import Iterable

from ...desc.fields import Role
from ...desc.indexing import sample_indices
from ...desc.values import Array
from ...formats.page_text import shorts
from ...operators.maps import Place
from ...tracing import Trace
from .margins import letter_columns

READ_FOR_WIDTH = 2048
"""Values that are looked at to find out how wide a cell has to be."""


def cell_width(samples: Iterable[Array]) -> int:
    """Columns that a cell needs so that sampled values fit, 14 at most."""
    return min(max((len(text) for array in samples for text in shorts(array)), default=1), 12) + 2


def cell_widths(trace: Trace) -> tuple[int, int]:
    """Columns of a cell in which values stand whole, with a letter where need be: with and without a blank before."""
    narrow = _cell(trace)
    several = False
    for is_output, parts in ((False, trace.inputs), (True, trace.outputs)):
        for k, part in enumerate(parts):
            axes = trace.operator.identity_axes(trace.desc, Place(is_output, k))
            several |= sum(part.tensor.sizes[d] > 1 for d in axes) > 1
    name = letter_columns(trace) if several else 0
    return narrow + (name + 1 if several else 0), narrow + name - 1


def _cell(trace: Trace) -> int:
    """One width for every cell of the picture, so that both sides line up; a trace keeps it."""
    if "cell" not in trace.read.cache:
        most = max(4, min(256, READ_FOR_WIDTH // len(trace.inputs)))
        step = max(1, len(trace.inputs) // 256)
        every = range(0, len(trace.inputs), step)
        samples = (trace.read(k, sample_indices(trace.inputs[k].tensor.element_count, most)) for k in every)
        trace.read.cache["cell"] = cell_width(samples)
    width: int = trace.read.cache["cell"]
    return width


def value_width(trace: Trace, is_data: bool) -> int:
    """Columns of a cell that holds data, or of one that holds an index or a length; a trace keeps it."""
    key = f"cell {is_data}"
    if key not in trace.read.cache:
        parts = [k for k, part in enumerate(trace.inputs) if (part.field.role is Role.DATA) == is_data]
        samples = [trace.read(k, sample_indices(trace.inputs[k].tensor.element_count)) for k in parts[:8]]
        trace.read.cache[key] = cell_width(samples)
    width: int = trace.read.cache[key]
    return width
