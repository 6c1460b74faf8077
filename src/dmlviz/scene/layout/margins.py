"""Columns beside the cells: letters, and how often something is read."""

from __future__ import annotations

from ...desc.fields import Role
from ...tracing import Trace

MOST_PLACES = 1000
"""Elements of the longest sequence whose cells say where in it they are."""


def letter_columns(trace: Trace) -> int:
    """Columns of the longest letter."""
    n, columns = trace.colours.identity_count(trace.desc), 0
    while n > 0:
        n, columns = (n - 1) // 26, columns + 1
    return columns


def place_columns(trace: Trace) -> int:
    """Columns of the largest place in a sequence that may stand behind a value; 0 where the order stays as it is.

    Long sequences have no places in their cells: five small digits in each would hide what they are about.
    """
    size = trace.colours.sequence_size(trace.desc)
    return len(str(size - 1)) if 0 < size <= MOST_PLACES else 0


def read_columns(trace: Trace) -> int:
    """Columns of the largest "×N" that may stand behind a row, and of the gap before it."""
    others = [p.tensor.element_count for p in trace.inputs if p.field.role is not Role.DATA]
    return max(4, len(f"{max(others, default=1):,}") + 2)
