"""How wide a cell has to be, from a sample of the values: each tensor's cells for themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ...desc.base import Part
from ...desc.fields import Role
from ...desc.indexing import sample_indices
from ...desc.values import Array
from ...formats.page_text import shorts
from ...operators.maps import Place
from ...tracing import Trace
from .margins import letter_columns, place_columns

READ_FOR_WIDTH = 2048
"""Values that are looked at to find out how wide a cell has to be."""
MANY = 64
"""Tensors of which each has a width of its own; more of them share one."""
Narrow = tuple[int, int]
"""Columns of a cell in which values stand whole, with a letter where need be: with and without a blank before."""
Widths = tuple[Sequence[Narrow], Sequence[Narrow]]
"""Those of the inputs, and those of the outputs."""


def cell_width(samples: Iterable[Array]) -> int:
    """Columns that a cell needs so that sampled values fit, 14 at most."""
    return min(max((len(text) for array in samples for text in shorts(array)), default=1), 12) + 2


def cell_widths(trace: Trace) -> Widths:
    """Widths of all cells: a tensor's follow from its own values, an output's from the data that it is made of.

    What an output holds has no part in it, so that its width doesn't tell what isn't written yet.
    """
    widths = _sampled_widths(trace)
    data_width = max(widths[k] for k, part in enumerate(trace.inputs) if part.field.role is Role.DATA)
    made = [max(data_width, width) for width in _constant_widths(trace)]
    name, most = letter_columns(trace), place_columns(trace)
    sides: tuple[list[Narrow], list[Narrow]] = [], []
    for is_output, parts, columns in ((False, trace.inputs, widths), (True, trace.outputs, made)):
        for k, (part, width) in enumerate(zip(parts, columns, strict=True)):
            width += most if part.field.role in (Role.DATA, Role.OUTPUT) else 0
            named = name if _may_have_letters(trace, part, Place(is_output, k)) else 0
            sides[is_output].append((width + (named + 1 if named else 0), max(2 + is_output, width - 1 + named)))
    return sides


def _may_have_letters(trace: Trace, part: Part, place: Place) -> bool:
    """True if letters may have to stand in the cells, because identity changes along several axes."""
    return sum(part.tensor.sizes[d] > 1 for d in trace.colours.identity_axes(trace.desc, place)) > 1


def _sampled_widths(trace: Trace) -> list[int]:
    """Columns of a cell with each input's values, without letters; a trace keeps them."""
    if "cells" not in trace.kept:
        count = len(trace.inputs)
        most = max(4, min(256, READ_FOR_WIDTH // count))
        some = range(0, count, max(1, count // 256))
        samples = [trace.read(k, sample_indices(trace.inputs[k].tensor.element_count, most)) for k in some]
        widths = [cell_width([sample]) for sample in samples]
        trace.kept["cells"] = widths if count <= MANY else [max(widths)] * count
    kept: list[int] = trace.kept["cells"]
    return kept


def _constant_widths(trace: Trace) -> list[int]:
    """Columns of a cell with each output's constant, without letters; 0 where it has none. They follow from the desc.

    Where no letter stands in the cells, the sign of what comes from nowhere takes one of the blanks.
    """
    if not trace.operator.constant_path:
        return [0] * len(trace.outputs)
    constants = [trace.constant(k) for k in range(len(trace.outputs))]
    return [cell_width([np.array([constant])]) if constant is not None else 0 for constant in constants]


def value_width(trace: Trace, is_data: bool) -> int:
    """Columns of a cell that holds data, or of one that holds an index or a length."""
    parts = zip(trace.inputs, _sampled_widths(trace), strict=True)
    widths = [width for part, width in parts if (part.field.role is Role.DATA) == is_data]
    return max(*widths, *(_constant_widths(trace) if is_data else ()), 0)
