"""Wrong rules that people hold about GATHER_ELEMENTS."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from ...desc.indexing import put, unravel
from ...desc.tensors import MAX_ELEMENTS
from ...desc.values import Array, Indices
from ..gather_elements import GatherElements
from ..maps import Place, Reader
from ..picking import resolve
from ..wrong_rules import Misreading, Sizes, WrongOutputs, moved
from . import shared
from .gather import MISREADINGS as GATHER_MISREADINGS
from .gather import from_1, raw_indices, said_of_index, size

Cell = tuple[Indices, ...]


def _sizes(desc: GatherElements) -> Sizes:
    """OutputTensor's true sizes, which are those of the indices."""
    return desc.indices_tensor.sizes


def _truth(desc: GatherElements, cell: Cell, read: Reader) -> Cell:
    return put(cell, desc.axis, resolve(raw_indices(desc, cell, read), size(desc))[0])


def _whole_rows(desc: GatherElements, cell: Cell, read: Reader) -> Cell:
    """The first index of each slice along Axis picks all of it."""
    first = tuple(axis if d == desc.axis else np.zeros_like(axis) for d, axis in enumerate(cell))
    return put(cell, desc.axis, _truth(desc, first, read)[desc.axis])


def _picks_otherwise(desc: GatherElements, read: Reader) -> bool:
    """True where the first index of a slice picks another element than an index behind it."""

    def moves(flat: Indices, raw: Array) -> NDArray[np.bool_]:
        cell = unravel(flat, _sizes(desc))
        pairs = zip(_whole_rows(desc, cell, read), _truth(desc, cell, read), strict=True)
        moved: NDArray[np.bool_] = np.any([one != other for one, other in pairs], axis=0)
        return moved

    return shared.any_cell(read, desc.indices_tensor.element_count, "E2", moves)


def _from_1(desc: GatherElements, cell: Cell, read: Reader) -> Cell:
    return put(cell, desc.axis, from_1(raw_indices(desc, cell, read), size(desc)))


def _taken_sizes(desc: GatherElements) -> Sizes:
    """Those that GATHER makes: all sizes of the indices in the place of Axis."""
    sizes = desc.input_tensor.sizes
    return (*sizes[: desc.axis], *_sizes(desc), *sizes[desc.axis + 1 :])


def _taken(desc: GatherElements, read: Reader) -> WrongOutputs | None:
    shape, axis, count = _taken_sizes(desc), desc.axis, len(_sizes(desc))
    if math.prod(shape) > MAX_ELEMENTS:
        return None

    def at(index: Cell) -> Cell:
        picked = resolve(raw_indices(desc, index[axis : axis + count], read), size(desc))[0]
        return (*index[:axis], picked, *index[axis + count :])

    return moved(shape, at)


def _numbers(desc: GatherElements, read: Reader, place: Place, at: tuple[int, ...]) -> Mapping[str, Any]:
    """What sentences say; of the index that sent an element of the output, or stands in a cell, else of the first."""
    sizes = _sizes(desc)
    steered = (place.is_output or place.number == 1) and len(at) == len(sizes)
    cell = tuple(np.array([i], np.int64) for i in (at if steered else (0,) * len(sizes)))
    return {"axis": desc.axis, **said_of_index(desc, cell, read)}


_FROM_1: Misreading[Any] = next(rule for rule in GATHER_MISREADINGS if rule.id == "G4")

MISREADINGS: tuple[Misreading[GatherElements], ...] = (
    Misreading[GatherElements](
        id="E1",
        name="it is GATHER",
        feedback="That would be np.take, whole slices; this is np.take_along_axis, an element for each index.",
        look="OutputTensor's Sizes",
        lights=("OutputTensor.Sizes", "IndicesTensor"),
        differs=lambda desc, read: len(_sizes(desc)) > 1 and math.prod(_taken_sizes(desc)) <= MAX_ELEMENTS,
        outputs=_taken,
    ),
    Misreading[GatherElements](
        id="E2",
        name="the first index picks for all",
        feedback="Each index picks one element: that of OutputTensor{cell} is {raw}, at IndicesTensor{cell}.",
        look="the formula line",
        lights=("formula", "IndicesTensor"),
        differs=_picks_otherwise,
        outputs=lambda desc, read: moved(_sizes(desc), lambda index: _whole_rows(desc, index, read)),
        numbers=_numbers,
    ),
    replace(
        _FROM_1,
        feedback="Indices count from 0, as in Python: index {i} is the {nth} of {n} elements along Axis {axis}.",
        look="the letters in InputTensor",
        outputs=lambda desc, read: moved(_sizes(desc), lambda index: _from_1(desc, index, read)),
        numbers=_numbers,
    ),
)
