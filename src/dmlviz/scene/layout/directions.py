"""Which axes run down and which run across: it follows from the sizes alone, whatever the window."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from ...tracing import Trace

Axes = tuple[int, ...]


def long_axes(sizes: Iterable[Sequence[int]]) -> Axes:
    """The axes along which some tensor of a picture is longer than 1."""
    longest = (max(along) for along in zip_longest(*sizes, fillvalue=1))
    return tuple(d for d, n in enumerate(longest) if n > 1)


def directions(axes: Axes, *, turned: bool = False) -> tuple[Axes, Axes]:
    """(down, across) of a picture's long axes, outer to inner: the last runs across, and all before it run down.

    Rows are what NumPy prints as rows, and blocks of rows stand one below the other. Every tensor of the picture has
    the same directions. `turned` swaps rows and columns.
    """
    down, across = axes[:-1], axes[-1:]
    return (across, down) if turned else (down, across)


def across_of(trace: Trace) -> int:
    """The axis that runs across in an upright picture; -1 where every tensor is a single element."""
    if "across" not in trace.kept:
        axes = long_axes(part.tensor.sizes for part in (*trace.inputs, *trace.outputs))
        trace.kept["across"] = directions(axes)[1][-1] if axes else -1
    across: int = trace.kept["across"]
    return across
