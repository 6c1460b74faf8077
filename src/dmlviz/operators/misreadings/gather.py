"""Wrong rules that people hold about GATHER."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from ...desc.indexing import flat_in, put
from ...desc.tensors import braces, brackets
from ...desc.values import Array, Indices
from ..gather import Gather
from ..maps import CLAMPED, NOWHERE, Place, Reader
from ..picking import Picks, resolve
from ..registry import operator_of
from ..wrong_rules import Misreading, WrongOutputs, by_arrays, by_sizes, steering_values
from . import shared


def size(desc: Picks) -> int:
    """The size of Axis."""
    return desc.input_tensor.sizes[desc.axis]


def _taken(desc: Gather, x: Array, slices: Indices) -> Array:
    """np.take along Axis, with DirectML's number of sizes."""
    made = np.take(x, slices, desc.axis)
    return made.reshape(made.shape[slices.ndim - 1 :] if slices.ndim else (1, *made.shape))


def _counted(desc: Gather, indices: Array) -> Array:
    """The indices with the sizes that IndexDimensions counts."""
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
    """A negative index is 0; the others are as they are."""
    return np.where(raw < 0, 0, resolve(raw, n)[0])


def _scattered(desc: Gather, x: Array, indices: Array) -> Array:
    """Slice j goes where index j says, the last one of equal indices; nothing else does."""
    picked, n = resolve(indices.ravel(), size(desc))[0], size(desc)
    j, slices = np.arange(len(picked)), np.moveaxis(x, desc.axis, 0)
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
    """The number of each index."""
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
    front, around = desc.indices_tensor.sizes[: desc.index_dimensions], (1,) * (x.ndim - 1 - desc.axis)
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


def _numbers(desc: Gather, read: Reader, place: Place, at: tuple[int, ...]) -> Mapping[str, Any]:
    """Of the index that has sent an element of the output, or that stands in a cell, else the first one; and sizes."""
    count, m = desc.indices_tensor.dimension_count, math.prod(desc.index_sizes)
    cell = (0,) * count
    if place.is_output and len(at) == count:
        via = operator_of(desc).source(desc, 0, tuple(np.array([i], np.int64) for i in at), read).via
        cell = tuple(int(axis[0]) for axis in via or ())
    elif not place.is_output and place.number == 1:
        cell = at
    return {
        **said_of_index(desc, cell, read),
        "last": size(desc) - 1,
        "D": count,
        "ID": desc.index_dimensions,
        "counted": braces(desc.index_sizes),
        "sizes": braces(desc.output_sizes()),
        "m": m,
        "indices": "1 index" if m == 1 else f"{m:,} indices",
    }


def said_of_index(desc: Picks, cell: tuple[int, ...], read: Reader) -> dict[str, Any]:
    """What sentences say of the index in a cell."""
    n, counted = size(desc), read.one(1, flat_in(cell, desc.indices_tensor.sizes))
    acts = counted + n if -n <= counted < 0 else n - 1
    i = min(max(counted + n if counted < 0 else counted, 0), n - 1)
    return {
        "axis": desc.axis,
        "cell": brackets(cell),
        "raw": counted,
        "i": i,
        "nth": _ordinal(i + 1),
        "n": n,
        "negative": counted if -n <= counted < 0 else -1,
        "acts": acts,
    }


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{'th' if number % 100 in (11, 12, 13) else ending}"


rule = partial(Misreading[Gather], numbers=_numbers)
MISREADINGS: tuple[Misreading[Gather], ...] = (
    *shared.of_axis(),
    rule(
        id="G3",
        name="scatter",
        feedback="That would be y[idx] = x; GATHER is x[idx]: index {raw} at IndicesTensor{cell} says which slice is "
        "read.",
        lights=("IndicesTensor", "formula"),
        outputs=by_arrays(_scattered),
    ),
    rule(
        id="G4",
        name="indices from 1",
        feedback="Indices count from 0, as in Python: index {i} is the {nth} of {n} slices.",
        lights=("ruler", "IndicesTensor"),
        outputs=_picking(from_1),
    ),
    rule(
        id="G11",
        name="a selection",
        feedback="x[idx], no mask: each of {indices} picks a slice, in their order, and twice is twice.",
        lights=("InputTensor", "IndicesTensor"),
        outputs=by_arrays(_selected),
    ),
    rule(
        id="G1",
        name="each cell its own index",
        feedback="That would be np.take_along_axis; GATHER is np.take: an index picks a whole slice along Axis {axis}.",
        lights=("formula", "IndicesTensor"),
        outputs=by_arrays(_each_cell),
    ),
    rule(
        id="G2",
        name="the i-th element of all",
        feedback="That would be np.take without axis; x[idx] along Axis {axis} counts from 0 to {last} and picks whole "
        "slices.",
        lights=("ruler", "Axis"),
        outputs=by_arrays(lambda desc, x, indices: (x.ravel()[resolve(indices, x.size)[0]], _cells(indices))),
    ),
    rule(
        id="G10",
        name="sizes stay",
        feedback="x[idx] has as many slices as idx has indices, {m}; the size of Axis, {n}, goes: {sizes}.",
        lights=("gather.sizes", "OutputTensor.Sizes", "IndicesTensor.Sizes"),
        outputs=by_sizes(lambda desc: [desc.input_tensor.sizes]),
    ),
    rule(
        id="G7",
        name="index sizes first",
        feedback="The sizes before Axis {axis}, the indices' {counted}, those behind Axis, in this order: {sizes}.",
        lights=("ruler", "OutputTensor.Sizes"),
        outputs=by_arrays(_index_first),
    ),
    rule(
        id="G8",
        name="IndexDimensions from the front",
        feedback="IndexDimensions {ID} counts IndicesTensor's sizes from the last one on: {counted}.",
        lights=("IndicesTensor.Sizes", "IndexDimensions"),
        outputs=by_arrays(_from_the_front),
    ),
    rule(
        id="G9",
        name="a scalar keeps its axis",
        feedback="IndexDimensions 0 is x[i], which takes Axis {axis} away; DimensionCount {D} then wants a 1 in front.",
        lights=("OutputTensor.Sizes", "IndexDimensions"),
        outputs=by_arrays(_axis_stays),
    ),
    rule(
        id="G5",
        name="a negative index is clamped to 0",
        feedback="As in Python, a negative index of a signed type counts from the end of Axis: {negative} is {acts}.",
        lights=("note.negative_index", "IndicesTensor", "formula"),
        outputs=_picking(_clamped),
    ),
    rule(
        id="G6",
        name="out of range is an error",
        feedback="NumPy raises an IndexError above {last}; here it is no error, but promises no value: such cells are "
        "marked !.",
        lights=("values.index_range", "IndicesTensor"),
        accepts=_all_inside,
    ),
)
