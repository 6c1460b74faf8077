"""Wrong rules that people hold about GATHER."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...desc.indexing import put
from ...desc.values import Array, Indices
from ..gather import Gather
from ..maps import CLAMPED, NOWHERE, Reader
from ..picking import Picks, resolve
from ..wrong_rules import Misreading, WrongOutputs, by_arrays, by_sizes, steering_values
from . import shared


def size(desc: Picks) -> int:
    return desc.input_tensor.sizes[desc.axis]


def _taken(desc: Gather, x: Array, slices: Indices) -> Array:
    made = np.take(x, slices, desc.axis)
    return made.reshape(made.shape[slices.ndim - 1 :] if slices.ndim else (1, *made.shape))


def _counted(desc: Gather, indices: Array) -> Array:
    return indices.reshape(desc.index_sizes)


def _picking(rule: Callable[[Array, int], Indices]) -> Callable[[Gather, Reader], WrongOutputs | None]:
    """Outputs of the slices that a rule makes of (raw indices, the size of Axis)."""
    return by_arrays(lambda desc, x, indices: _taken(desc, x, rule(_counted(desc, indices), size(desc))))


def from_1(raw: Array, n: int) -> Indices:
    """An index that counts from the beginning is one less, at least 0; one from the end stands."""
    acting, _ = resolve(raw, n)
    less: Indices = np.where((raw >= 1) & (raw < n), acting - 1, acting)
    return less


def _clamped(raw: Array, n: int) -> Indices:
    return np.where(raw < 0, 0, resolve(raw, n)[0])


def _scattered(desc: Gather, x: Array, indices: Array) -> Array:
    """Slice j goes where index j says, the last one of equal indices; nothing else does."""
    picked = resolve(indices.ravel(), size(desc))[0]
    n = size(desc)
    j = np.arange(len(picked))
    slices = np.moveaxis(x, desc.axis, 0)
    sends = (picked < len(j)) & (j < n)
    made = np.full((len(j), *slices.shape[1:]), NOWHERE)
    made[picked[sends]] = slices[j[sends]]
    return _taken(desc, np.moveaxis(made, 0, desc.axis), _counted(desc, j))


def _selected(desc: Gather, x: Array, indices: Array) -> Array | None:
    """A row of indices may get shorter; a table of them, and a single one, keep their sizes or have no meaning."""
    slices = np.unique(resolve(indices, size(desc))[0])
    if len(slices) == indices.size:
        return _taken(desc, x, _counted(desc, slices))
    return _taken(desc, x, slices) if desc.index_dimensions == 1 else None


def _cells(indices: Array) -> Array:
    return np.arange(indices.size).reshape(indices.shape)


def _each_cell(desc: Gather, x: Array, indices: Array) -> tuple[Array, Array] | None:
    """GATHER_ELEMENTS: it asks for indices that are nowhere longer than InputTensor, off Axis."""
    off_axis = put(indices.shape, desc.axis, 1)
    if any(own > most for own, most in zip(off_axis, x.shape, strict=True)):
        return None
    part = x[tuple(slice(None if d == desc.axis else n) for d, n in enumerate(off_axis))]
    return np.take_along_axis(part, resolve(indices, size(desc))[0], desc.axis), _cells(indices)


def _index_first(desc: Gather, x: Array, indices: Array) -> Array | None:
    own, first = desc.index_dimensions, desc.axis - desc.drop
    made = _taken(desc, x, resolve(_counted(desc, indices), size(desc))[0])
    return np.moveaxis(made, range(first, first + own), range(own)) if own else None


def _from_the_front(desc: Gather, x: Array, indices: Array) -> tuple[Array, Array]:
    front = desc.indices_tensor.sizes[: desc.index_dimensions]
    around = (1,) * (x.ndim - 1 - desc.axis)
    made = _taken(desc, x, resolve(indices, size(desc))[0].reshape(*front, -1)[..., 0])
    cells = _cells(indices).reshape(*front, -1)[..., 0].reshape(1, *front, *around)
    return made, np.broadcast_to(cells if made.ndim >= cells.ndim else cells[0], made.shape)


def _axis_stays(desc: Gather, x: Array, indices: Array) -> Array | None:
    picked = resolve(indices.ravel(), size(desc))[0]
    return None if desc.index_dimensions else np.take(x, picked, desc.axis)


def _all_inside(desc: Gather, read: Reader) -> bool | None:
    """Who has indices wrap around instead differs only where no value is promised, and nothing is asked there."""
    raw = steering_values(desc, read)
    return None if raw is None else not (resolve(raw, size(desc))[1] & CLAMPED).any()


MISREADINGS: tuple[Misreading[Gather], ...] = (
    *shared.of_axis(),
    Misreading(
        id="G3",
        name="scatter",
        feedback="That would be y[idx] = x; GATHER is x[idx]: an index says which slice is read, not where one goes.",
        lights=("IndicesTensor", "formula"),
        outputs=by_arrays(_scattered),
    ),
    Misreading(
        id="G4",
        name="indices from 1",
        feedback="Indices count from 0, as in Python: index 1 is the second of {n} slices.",
        lights=("ruler", "IndicesTensor"),
        outputs=_picking(from_1),
    ),
    Misreading(
        id="G11",
        name="a selection",
        feedback="x[idx], no mask: each index picks a slice, in their order, and twice is twice.",
        lights=("InputTensor", "IndicesTensor"),
        outputs=by_arrays(_selected),
    ),
    Misreading(
        id="G1",
        name="each cell its own index",
        feedback="That would be np.take_along_axis; GATHER is np.take: an index picks a whole slice along Axis {Axis}.",
        lights=("formula", "IndicesTensor"),
        outputs=by_arrays(_each_cell),
    ),
    Misreading(
        id="G2",
        name="the i-th element of all",
        feedback="That would be np.take without axis; x[idx] picks whole slices along Axis {Axis}, of which there are "
        "{n}.",
        lights=("ruler", "Axis"),
        outputs=by_arrays(lambda desc, x, indices: (x.ravel()[resolve(indices, x.size)[0]], _cells(indices))),
    ),
    Misreading(
        id="G10",
        name="sizes stay",
        feedback="x[idx] has as many slices as idx has indices, and the size of Axis, {n}, goes: {OutputTensor}.",
        lights=("gather.sizes", "OutputTensor.Sizes", "IndicesTensor.Sizes"),
        outputs=by_sizes(lambda desc: [desc.input_tensor.sizes]),
    ),
    Misreading(
        id="G7",
        name="index sizes first",
        feedback="The sizes before Axis {Axis}, the indices', those after Axis, in this order: {OutputTensor}.",
        lights=("ruler", "OutputTensor.Sizes"),
        outputs=by_arrays(_index_first),
    ),
    Misreading(
        id="G8",
        name="IndexDimensions from the front",
        feedback="IndexDimensions {IndexDimensions} counts IndicesTensor's sizes {IndicesTensor} from the last one on.",
        lights=("IndicesTensor.Sizes", "IndexDimensions"),
        outputs=by_arrays(_from_the_front),
    ),
    Misreading(
        id="G9",
        name="a scalar keeps its axis",
        feedback="IndexDimensions 0 is x[i], which takes Axis {Axis} away; DimensionCount {D} then wants a 1 in front.",
        lights=("OutputTensor.Sizes", "IndexDimensions"),
        outputs=by_arrays(_axis_stays),
    ),
    Misreading(
        id="G5",
        name="a negative index is clamped to 0",
        feedback="As in Python, a negative index of a signed type counts from the end of Axis: -1 is the last of {n}.",
        lights=("note.negative_index", "IndicesTensor", "formula"),
        outputs=_picking(_clamped),
    ),
    Misreading(
        id="G6",
        name="out of range is an error",
        feedback="NumPy raises IndexError from {n} on; DirectML doesn't, and doesn't promise a value: "
        "those cells are marked !.",
        lights=("values.index_range", "IndicesTensor"),
        accepts=_all_inside,
    ),
)
