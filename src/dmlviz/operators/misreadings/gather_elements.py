"""Wrong rules that people hold about GATHER_ELEMENTS."""

from __future__ import annotations

import numpy as np

from ...desc.values import Array
from ..gather_elements import GatherElements
from ..picking import resolve
from ..wrong_rules import MOST_MADE, Misreading, by_arrays
from .gather import from_1, size


def _whole_slices(desc: GatherElements, x: Array, indices: Array) -> Array | None:
    made = x.size // size(desc) * indices.size
    return np.take(x, resolve(indices, size(desc))[0], desc.axis) if made <= MOST_MADE else None


def _whole_rows(desc: GatherElements, x: Array, indices: Array) -> Array:
    """The first index of each slice along Axis picks all of it."""
    first = indices[tuple(slice(None if d == desc.axis else 1) for d in range(indices.ndim))]
    picked = resolve(first, size(desc))[0]
    return np.take_along_axis(x, np.broadcast_to(picked, indices.shape), desc.axis)


MISREADINGS: tuple[Misreading[GatherElements], ...] = (
    Misreading(
        id="E1",
        name="it is GATHER",
        feedback="That would be np.take, whole slices; this is np.take_along_axis, an element for each index.",
        lights=("OutputTensor.Sizes", "IndicesTensor"),
        outputs=by_arrays(_whole_slices),
    ),
    Misreading(
        id="E2",
        name="the first index picks for all",
        feedback="Each index picks one element, for its own place of OutputTensor and for no other.",
        lights=("formula", "IndicesTensor"),
        outputs=by_arrays(_whole_rows),
    ),
    Misreading(
        id="G4",
        name="indices from 1",
        feedback="Indices count from 0, as in Python: index 1 is the second of {n} elements along Axis {Axis}.",
        lights=("ruler", "IndicesTensor"),
        outputs=by_arrays(lambda desc, x, indices: np.take_along_axis(x, from_1(indices, size(desc)), desc.axis)),
    ),
)
