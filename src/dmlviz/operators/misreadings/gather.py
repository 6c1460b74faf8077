"""Wrong rules that people hold about GATHER."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...desc.indexing import put, ravel, unravel
from ...desc.tensors import braces, brackets
from ...desc.values import Array, Indices
from ..gather import Gather
from ..maps import CLAMPED, Place, Reader, Sources
from ..picking import Picks, resolve
from ..scans import SCAN_LIMIT
from ..wrong_rules import Misreading, Sizes, WrongOutputs, moved, nowhere, some_value, wrong_verdict
from . import shared

NOBODY = -1
"""No index names this place."""
Outputs = Callable[[Gather, Reader], WrongOutputs | None]


def size(desc: Picks) -> int:
    """The size of Axis."""
    return desc.input_tensor.sizes[desc.axis]


def _number(desc: Gather) -> int:
    """How many indices there are."""
    return math.prod(desc.index_sizes)


def _sizes(desc: Gather) -> Sizes:
    """OutputTensor's true sizes."""
    return desc.outputs[0].tensor.sizes


def _before(desc: Gather) -> Sizes:
    """InputTensor's sizes before Axis, without those that are left out of the output."""
    return desc.input_tensor.sizes[max(0, desc.drop) : desc.axis]


def _sizes_behind_axis(desc: Gather) -> Sizes:
    return desc.input_tensor.sizes[desc.axis + 1 :]


def _split(desc: Gather, index: tuple[Indices, ...]) -> tuple[tuple[Indices, ...], ...]:
    """Output coordinates in three: before Axis (as many as InputTensor has there), of the index, behind Axis."""
    zero = np.zeros_like(index[0])
    full = index[1:] if desc.index_dimensions == 0 else (zero,) * desc.drop + index
    first, last = desc.axis, desc.axis + desc.index_dimensions
    return full[:first], full[first:last], full[last:]


def _with_dropped_axes(desc: Gather, before: tuple[Indices, ...], like: Indices) -> tuple[Indices, ...]:
    """Coordinates before Axis with those of the sizes left out, which are 1."""
    return (np.zeros_like(like),) * (desc.axis - len(before)) + before


def _cell(desc: Gather, index: tuple[Indices, ...], like: Indices) -> tuple[Indices, ...]:
    """A cell of IndicesTensor by its last coordinates."""
    return (np.zeros_like(like),) * (desc.indices_tensor.dimension_count - len(index)) + index


def raw_indices(desc: Picks, cell: tuple[Indices, ...], read: Reader) -> Array:
    return read(1, ravel(cell, desc.indices_tensor.sizes))


def _picking(rule: Callable[[Array, int], Indices]) -> Outputs:
    """Outputs whose indices pick other slices: by a rule of (raw indices, the size of Axis)."""

    def outputs(desc: Gather, read: Reader) -> WrongOutputs:
        def at(index: tuple[Indices, ...]) -> tuple[Indices, ...]:
            before, own, behind = _split(desc, index)
            return (*before, rule(raw_indices(desc, _cell(desc, own, index[0]), read), size(desc)), *behind)

        return moved(_sizes(desc), at)

    return outputs


def from_1(raw: Array, n: int) -> Indices:
    """An index that counts from the beginning is one less, at least 0; one from the end stands."""
    acting, _ = resolve(raw, n)
    less: Indices = np.where((raw >= 1) & (raw < n), acting - 1, acting)
    return less


def clamped(raw: Array, n: int) -> Indices:
    """A negative index is 0; the others are as they are."""
    return np.where(raw < 0, 0, resolve(raw, n)[0])


def _all_inside(desc: Picks, read: Reader) -> bool | None:
    """Who has indices wrap around instead differs only where no value is promised, and nothing is asked there."""
    return shared.none_of(desc, read, "G6", lambda raw: resolve(raw, size(desc))[1] & CLAMPED != 0)


def _each_picks(
    desc: Gather, read: Reader, most: int, at: Callable[[tuple[Indices, ...], Indices], tuple[Indices, ...]]
) -> WrongOutputs:
    """An output of the indices' sizes: each of them picks an element, `at` the index' own place and what it says."""

    def source(output: int, index: tuple[Indices, ...]) -> Sources:
        picked, flags = resolve(raw_indices(desc, index, read), most)
        return Sources(np.zeros_like(picked), at(index, picked), via=index, via_tensor=1, flags=flags)

    return WrongOutputs((desc.indices_tensor.sizes,), source)


def _each_cell(desc: Gather, read: Reader) -> WrongOutputs | None:
    """GATHER_ELEMENTS: it asks for indices that are nowhere longer than InputTensor, off Axis."""
    if not _fits_elements(desc):
        return None
    return _each_picks(desc, read, size(desc), lambda index, picked: put(index, desc.axis, picked))


def _fits_elements(desc: Gather) -> bool:
    pairs = zip(desc.indices_tensor.sizes, desc.input_tensor.sizes, strict=True)
    return all(own <= most for d, (own, most) in enumerate(pairs) if d != desc.axis)


def _more_than_a_row(desc: Gather) -> bool:
    """True but where InputTensor runs along Axis alone, and the indices' sizes stay where they stand."""
    others = desc.input_tensor.element_count > size(desc)
    return others or (_number(desc) > 1 and desc.axis < desc.input_tensor.dimension_count - 1)


def _elements_of_all(desc: Gather, read: Reader) -> WrongOutputs:
    data = desc.input_tensor
    return _each_picks(desc, read, data.element_count, lambda index, picked: unravel(picked, data.sizes))


def _index_first(desc: Gather, read: Reader) -> WrongOutputs | None:
    if desc.index_dimensions == 0:
        return None
    before, own = len(_before(desc)), desc.index_dimensions

    def at(index: tuple[Indices, ...]) -> tuple[Indices, ...]:
        raw = raw_indices(desc, _cell(desc, index[:own], index[0]), read)
        lead = _with_dropped_axes(desc, index[own : own + before], index[0])
        return (*lead, resolve(raw, size(desc))[0], *index[own + before :])

    return moved((*desc.index_sizes, *_before(desc), *_sizes_behind_axis(desc)), at)


def _from_the_front(desc: Gather, read: Reader) -> WrongOutputs:
    count, own = desc.indices_tensor.dimension_count, desc.index_dimensions
    before, behind = _before(desc), _sizes_behind_axis(desc)
    front = desc.indices_tensor.sizes[:own]
    one = (1,) if own == 0 else ()

    def source(output: int, index: tuple[Indices, ...]) -> Sources:
        lead, mine, rest = _split(desc, index)
        cell = (*mine, *(np.zeros_like(index[0]),) * (count - own))
        picked, flags = resolve(raw_indices(desc, cell, read), size(desc))
        return Sources(tensor=np.zeros_like(picked), index=(*lead, picked, *rest), via=cell, via_tensor=1, flags=flags)

    return WrongOutputs(((*one, *before, *front, *behind),), source)


def _axis_stays(desc: Gather, read: Reader) -> WrongOutputs | None:
    if desc.index_dimensions:
        return None

    def at(index: tuple[Indices, ...]) -> tuple[Indices, ...]:
        return put(index, desc.axis, resolve(raw_indices(desc, _cell(desc, (), index[0]), read), size(desc))[0])

    return moved(put(desc.input_tensor.sizes, desc.axis, 1), at)


def _sizes_stay(desc: Gather, read: Reader) -> WrongOutputs:
    return WrongOutputs((desc.input_tensor.sizes,))


# Rules that take all indices together.


def _acting(desc: Gather, read: Reader) -> Iterator[tuple[int, Indices]]:
    """(start, the slices that indices pick), chunk by chunk; who may not read them all learns it before the first."""
    n = size(desc)
    return ((start, resolve(chunk, n)[0]) for start, chunk in read.values[1].chunks())  # sizes that don't count are 1


def _senders(desc: Gather, read: Reader) -> Array:
    """For each place the last index that names it, of those that have a slice to send; NOBODY where none does."""

    def make() -> Array:
        count, n, acting = _number(desc), size(desc), _acting(desc, read)
        writers = np.full(count, NOBODY, np.int32)
        for start, picked in acting:
            j = np.arange(start, start + len(picked), dtype=np.int32)
            sends = (picked < count) & (j < n)
            writers[picked[sends]] = j[sends]  # of equal indices the last one stays
        return writers

    return read.kept("misreadings: senders", make)


def _scattered(desc: Gather, read: Reader) -> WrongOutputs | None:
    if _number(desc) > SCAN_LIMIT:
        return None

    def source(output: int, index: tuple[Indices, ...]) -> Sources:
        before, own, behind = _split(desc, index)
        place = ravel(own, desc.index_sizes) if own else np.zeros_like(index[0])
        sender = _senders(desc, read)[place].astype(np.int64)
        return nowhere(Sources(np.zeros_like(sender), (*before, sender, *behind)), sender == NOBODY)

    return WrongOutputs((_sizes(desc),), source)


def _is_no_swap(desc: Gather, read: Reader) -> bool:
    """True unless the m indices are a permutation of 0 to m - 1 that undoes itself."""
    count = _number(desc)
    if count > SCAN_LIMIT:
        return False
    acting = _acting(desc, read)
    all_ = np.empty(count, np.int32)  # there can be 2^24
    for start, picked in acting:
        if (picked >= count).any():
            return True
        all_[start : start + len(picked)] = picked
    return bool((all_[all_] != np.arange(count)).any())


def _selected(desc: Gather, read: Reader) -> Array:
    """The slices that are picked at all, ascending."""
    picks = (np.unique(picked) for _, picked in _acting(desc, read))
    return read.kept("misreadings: selected", lambda: np.unique(np.concatenate([*picks])))


def _rises(desc: Gather, read: Reader) -> bool:
    """True if each index picks a slice behind the one before it."""
    last = -1
    for _, picked in _acting(desc, read):
        if picked[0] <= last or (picked[1:] <= picked[:-1]).any():
            return False
        last = int(picked[-1])
    return True


def _selection(desc: Gather, read: Reader) -> WrongOutputs | None:
    """A row of indices may get shorter; a table of them, and a single one, keep their sizes or have no meaning."""
    if _number(desc) > SCAN_LIMIT:
        return None
    ascending = _selected(desc, read)
    sizes = desc.index_sizes
    if len(ascending) < _number(desc):
        if desc.index_dimensions != 1:
            return None
        sizes = (len(ascending),)
    one = (1,) if desc.index_dimensions == 0 else ()

    def at(index: tuple[Indices, ...]) -> tuple[Indices, ...]:
        before, own, behind = _split(desc, index)
        return (*before, ascending[ravel(own, sizes) if own else np.zeros_like(index[0])], *behind)

    return moved((*one, *_before(desc), *sizes, *_sizes_behind_axis(desc)), at)


def _is_no_selection(desc: Gather, read: Reader) -> bool:
    if _number(desc) > SCAN_LIMIT or _rises(desc, read):
        return False
    return desc.index_dimensions == 1 or len(_selected(desc, read)) == _number(desc)


def _some(id_: str, holds: Callable[[Array, int], NDArray[np.bool_]]) -> Callable[[Picks, Reader], bool]:
    """True where `holds` is true of a raw index and the size of Axis."""
    return lambda desc, read: some_value(read, id_, lambda raw: holds(raw, size(desc)))


def _index_numbers(desc: Gather, read: Reader, place: Place, at: tuple[int, ...]) -> Mapping[str, Any]:
    n = size(desc)
    return {"axis": desc.axis, "n": n, "last": n - 1, "D": desc.input_tensor.dimension_count}


def _sizes_numbers(desc: Gather, read: Reader, place: Place, at: tuple[int, ...]) -> Mapping[str, Any]:
    m = _number(desc)
    return {
        "axis": desc.axis,
        "ID": desc.index_dimensions,
        "counted": braces(desc.index_sizes),
        "sizes": braces(desc.output_sizes()),
        "n": size(desc),
        "m": m,
        "indices": "1 index" if m == 1 else f"{m:,} indices",
        "slices": "1 slice" if m == 1 else f"{m:,} slices",
    }


def _index_there(desc: Gather, read: Reader, place: Place, at: tuple[int, ...]) -> Mapping[str, Any]:
    """The index that has sent an element of the output, or that stands in a cell; else the first one."""
    where = tuple(np.array([i], np.int64) for i in at)
    cell = _cell(desc, (), np.zeros(1, np.int64))
    if place.is_output and len(at) == len(_sizes(desc)):
        cell = _cell(desc, _split(desc, where)[1], where[0])
    elif not place.is_output and place.number == 1:
        cell = where
    return said_of_index(desc, cell, read)


def said_of_index(desc: Picks, cell: tuple[Indices, ...], read: Reader) -> dict[str, Any]:
    """What sentences say of the index in a cell, whose coordinates are arrays of one; or in the last that is there."""
    cell = tuple(np.minimum(i, n - 1) for i, n in zip(cell, desc.indices_tensor.sizes, strict=True))
    raw, n = raw_indices(desc, cell, read), size(desc)
    i, counted = int(resolve(raw, n)[0][0]), int(raw[0])
    return {
        "cell": brackets(int(c[0]) for c in cell),
        "raw": counted,
        "i": i,
        "nth": ordinal(i + 1),
        "n": n,
        "negative": counted if -n <= counted < 0 else -1,
        "acts": counted + n if -n <= counted < 0 else n - 1,
    }


def ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    key = "th" if number % 100 in (11, 12, 13) else ending
    return f"{number:,}{key}"


def _on_axis(desc: Gather, axis: int) -> Gather | None:
    """None where the result doesn't fit DimensionCount, or would be too large; indices that are outside are clamped."""
    reading = desc.replace({"Axis": axis, "OutputTensor": None})
    output = reading.output_tensor
    return reading if output is not None and output.can_exist else None


def _differs_on_axis(desc: Gather, read: Reader, axis: int) -> bool:
    """Wherever the sizes differ. Else both axes are as long: with one index dimension, where an index isn't its place.

    With more index dimensions, or none, axes as long change places, which shows unless all of them have size 1, and
    several indices don't pass what lies between.
    """
    reading, n = _on_axis(desc, axis), desc.input_tensor.sizes[axis]
    if reading is None or reading.output_sizes() != desc.output_sizes():
        return reading is not None
    if desc.index_dimensions != 1:
        first, last = sorted((desc.axis, axis))
        return n > 1 or (_number(desc) > 1 and any(size > 1 for size in desc.input_tensor.sizes[first:last]))
    name = f"an index of {n} elsewhere"
    return shared.any_cell(read, _number(desc), name, lambda flat, indices: resolve(indices, n)[0] != flat)


def _shows_order(desc: Gather, read: Reader) -> bool:
    """True unless both last axes are the indices' own, and these are the same when transposed."""
    n, cell = size(desc), desc.index_sizes
    if desc.axis != desc.input_tensor.dimension_count - 1 or len(cell) < 2:
        return True

    def moves(flat: Indices, indices: Array) -> NDArray[np.bool_]:
        *before, row, column = unravel(flat, cell)
        moved: NDArray[np.bool_] = resolve(indices, n)[0] != resolve(read(1, ravel((*before, column, row), cell)), n)[0]
        return moved

    return shared.any_cell(read, _number(desc), "an index elsewhere when transposed", moves)


MISREADINGS: tuple[Misreading[Gather], ...] = (
    *shared.of_axis(_on_axis, _differs_on_axis, _shows_order),
    Misreading[Gather](
        id="G3",
        name="scatter",
        feedback="That would be y[idx] = x; GATHER is x[idx]: index {raw} at IndicesTensor{cell} says which slice is "
        "read.",
        look="the index cell's partner in OutputTensor",
        lights=("IndicesTensor", "formula"),
        differs=_is_no_swap,
        outputs=_scattered,
        numbers=_index_there,
    ),
    Misreading[Gather](
        id="G4",
        name="indices from 1",
        feedback="Indices count from 0, as in Python: index {i} is the {nth} of {n} slices.",
        look="the letters beside InputTensor",
        lights=("ruler", "IndicesTensor"),
        differs=_some("G4", lambda raw, n: (raw >= 1) & (raw < n)),
        outputs=_picking(from_1),
        numbers=_index_there,
    ),
    Misreading[Gather](
        id="G11",
        name="a selection",
        feedback="x[idx], no mask: each of {indices} picks a slice, in their order, and twice is twice.",
        look="the read counts",
        lights=("InputTensor", "IndicesTensor"),
        differs=_is_no_selection,
        outputs=_selection,
        numbers=_sizes_numbers,
    ),
    Misreading[Gather](
        id="G1",
        name="each cell its own index",
        feedback="That would be np.take_along_axis; GATHER is np.take: an index picks a whole slice along Axis {axis}.",
        look="the formula line",
        lights=("formula", "IndicesTensor"),
        differs=lambda desc, read: _fits_elements(desc) and _more_than_a_row(desc),
        outputs=_each_cell,
        numbers=_index_numbers,
    ),
    Misreading[Gather](
        id="G2",
        name="the i-th element of all",
        feedback="That would be np.take without axis; x[idx] along Axis {axis} counts from 0 to {last} and picks whole "
        "slices.",
        look="the axes' names, '= Axis'",
        lights=("ruler", "Axis"),
        differs=lambda desc, read: _more_than_a_row(desc),
        outputs=_elements_of_all,
        numbers=_index_numbers,
    ),
    Misreading[Gather](
        id="G10",
        name="sizes stay",
        feedback="x[idx] has as many slices as idx has indices, {m}; the size of Axis, {n}, goes: {sizes}.",
        look="rule gather.sizes",
        lights=("OutputTensor.Sizes", "IndicesTensor.Sizes", "rules"),
        differs=lambda desc, read: _sizes(desc) != desc.input_tensor.sizes,
        outputs=_sizes_stay,
        numbers=_sizes_numbers,
    ),
    Misreading[Gather](
        id="G7",
        name="index sizes first",
        feedback="The sizes before Axis {axis}, the indices' {counted}, those behind Axis, in this order: {sizes}.",
        look="OutputTensor's ruler, '= indices'",
        lights=("ruler", "OutputTensor.Sizes"),
        differs=lambda desc, read: (
            desc.index_dimensions > 0 and len(_before(desc)) > 0 and max(_before(desc) + desc.index_sizes) > 1
        ),
        outputs=_index_first,
        numbers=_sizes_numbers,
    ),
    Misreading[Gather](
        id="G8",
        name="IndexDimensions from the front",
        feedback="IndexDimensions {ID} counts IndicesTensor's sizes from the last one on: {counted}.",
        look="IndicesTensor's Sizes",
        lights=("IndicesTensor.Sizes", "IndexDimensions"),
        differs=lambda desc, read: desc.indices_tensor.sizes[: desc.index_dimensions] != desc.index_sizes,
        outputs=_from_the_front,
        numbers=_sizes_numbers,
    ),
    Misreading[Gather](
        id="G9",
        name="a scalar keeps its axis",
        feedback="IndexDimensions 0 is x[i], which takes Axis {axis} away; DimensionCount {D} then wants a 1 in front.",
        look="OutputTensor's Sizes",
        lights=("OutputTensor.Sizes", "IndexDimensions"),
        differs=lambda desc, read: desc.index_dimensions == 0 and math.prod(desc.input_tensor.sizes[: desc.axis]) > 1,
        outputs=_axis_stays,
        numbers=_index_numbers,
    ),
    Misreading[Gather](
        id="G5",
        name="a negative index is clamped to 0",
        feedback="As in Python, a negative index of a signed type counts from the end of Axis: {negative} is {acts}.",
        look="note.negative_index",
        lights=("IndicesTensor", "formula"),
        differs=_some("G5", lambda raw, n: (raw < 0) & (raw > -n)),
        outputs=_picking(clamped),
        numbers=_index_there,
    ),
    Misreading[Gather](
        id="G6",
        name="out of range is an error",
        feedback="NumPy raises an IndexError above {last}; here it is no error, but promises no value: such cells are "
        "marked !.",
        look="warning values.index_range",
        lights=("rules", "IndicesTensor"),
        **wrong_verdict(False, _all_inside),
        numbers=_index_numbers,
    ),
)
