"""Wrong rules that people hold about GATHER_ELEMENTS."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from ...desc.values import Array
from ..gather_elements import GatherElements
from ..maps import Place, Reader
from ..picking import resolve
from ..wrong_rules import MOST_MADE, Misreading, by_arrays
from .gather import from_1, said_of_index, size


def _whole_slices(desc: GatherElements, x: Array, indices: Array) -> Array | None:
    """What GATHER makes: all sizes of the indices in the place of Axis."""
    made = x.size // size(desc) * indices.size
    return np.take(x, resolve(indices, size(desc))[0], desc.axis) if made <= MOST_MADE else None


def _whole_rows(desc: GatherElements, x: Array, indices: Array) -> Array:
    """The first index of each slice along Axis picks all of it."""
    first = indices[tuple(slice(None if d == desc.axis else 1) for d in range(indices.ndim))]
    picked = resolve(first, size(desc))[0]
    return np.take_along_axis(x, np.broadcast_to(picked, indices.shape), desc.axis)


def _numbers(desc: GatherElements, read: Reader, place: Place, at: tuple[int, ...]) -> Mapping[str, Any]:
    """What sentences say; of the index that sent an element of the output, or stands in a cell, else of the first."""
    count = desc.indices_tensor.dimension_count
    steered = (place.is_output or place.number == 1) and len(at) == count
    return said_of_index(desc, at if steered else (0,) * count, read)


rule = partial(Misreading[GatherElements], numbers=_numbers)
MISREADINGS: tuple[Misreading[GatherElements], ...] = (
    rule(
        id="E1",
        name="it is GATHER",
        feedback="That would be np.take, whole slices; this is np.take_along_axis, an element for each index.",
        lights=("OutputTensor.Sizes", "IndicesTensor"),
        outputs=by_arrays(_whole_slices),
    ),
    rule(
        id="E2",
        name="the first index picks for all",
        feedback="Each index picks one element: that of OutputTensor{cell} is {raw}, at IndicesTensor{cell}.",
        lights=("formula", "IndicesTensor"),
        outputs=by_arrays(_whole_rows),
    ),
    rule(
        id="G4",
        name="indices from 1",
        feedback="Indices count from 0, as in Python: index {i} is the {nth} of {n} elements along Axis {axis}.",
        lights=("ruler", "IndicesTensor"),
        outputs=by_arrays(lambda desc, x, indices: np.take_along_axis(x, from_1(indices, size(desc)), desc.axis)),
    ),
)
