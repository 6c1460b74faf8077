"""Wrong rules that people hold about GATHER_ELEMENTS, those about indices as they hold them about GATHER."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from ...desc.indexing import put, ravel, unravel
from ...desc.tensors import MAX_ELEMENTS, braces
from ...desc.values import CHUNK, Array, Indices
from ..gather_elements import GatherElements
from ..maps import Place, Reader, Sources
from ..picking import resolve
from ..scans import SCAN_LIMIT
from ..wrong_rules import Misreading, Sizes, WrongOutputs, moved, nowhere, wrong_verdict
from . import shared
from .gather import MISREADINGS as GATHER_MISREADINGS
from .gather import NOBODY, clamped, from_1, raw_indices, said_of_index, size
from .verdicts import is_valid, lets_pass

Cell = tuple[Indices, ...]
Rule = Callable[[GatherElements, Cell, Reader], Cell]
"""The elements that index cells would pick; as arrays, an axis each, both of them."""


def _sizes(desc: GatherElements) -> Sizes:
    """OutputTensor's true sizes, which are those of the indices."""
    return desc.indices_tensor.sizes


def _truth(desc: GatherElements, cell: Cell, read: Reader) -> Cell:
    return put(cell, desc.axis, resolve(raw_indices(desc, cell, read), size(desc))[0])


def _outputs(rule: Rule) -> Callable[[GatherElements, Reader], WrongOutputs]:
    """Outputs of the true sizes, whose elements `rule` picks."""

    return lambda desc, read: moved(_sizes(desc), lambda index: rule(desc, index, read))


def _somewhere(name: str, rule: Rule) -> Callable[[GatherElements, Reader], bool]:
    """True where an index picks another element by `rule`."""

    def differs(desc: GatherElements, read: Reader) -> bool:
        def moves(flat: Indices, raw: Array) -> NDArray[np.bool_]:
            cell = unravel(flat, _sizes(desc))
            pairs = zip(rule(desc, cell, read), _truth(desc, cell, read), strict=True)
            moved: NDArray[np.bool_] = np.any([one != other for one, other in pairs], axis=0)
            return moved

        return shared.any_cell(read, 1, desc.indices_tensor.element_count, name, moves)

    return differs


# ---- an element by another index, or along another axis


def _with(rule: Callable[[Array, int], Indices]) -> Rule:
    return lambda desc, cell, read: put(cell, desc.axis, rule(raw_indices(desc, cell, read), size(desc)))


def _whole_rows(desc: GatherElements, cell: Cell, read: Reader) -> Cell:
    """The first index of each slice along Axis picks all of it."""
    first = tuple(axis if d == desc.axis else np.zeros_like(axis) for d, axis in enumerate(cell))
    return put(cell, desc.axis, _truth(desc, first, read)[desc.axis])


def _of_all(desc: GatherElements, cell: Cell, read: Reader) -> Cell:
    data = desc.input_tensor
    return unravel(resolve(raw_indices(desc, cell, read), data.element_count)[0], data.sizes)


def _laid_down(desc: GatherElements, cell: Cell, read: Reader) -> Cell:
    """What stands in the place of the true element where the numbers were laid down along the first axis first."""
    sizes = desc.input_tensor.sizes
    return unravel(ravel(_truth(desc, cell, read)[::-1], sizes[::-1]), sizes)


def _along(desc: GatherElements, axis: int) -> GatherElements | None:
    """None unless IndicesTensor fits InputTensor off that axis, too."""
    reading = desc.replace({"Axis": axis, "OutputTensor": None})
    return reading if is_valid(reading) else None


def _differs_along(desc: GatherElements, read: Reader, axis: int) -> bool:
    """Where an index isn't its own place along both axes."""

    def other(desc: GatherElements, cell: Cell, read: Reader) -> Cell:
        return put(cell, axis, resolve(raw_indices(desc, cell, read), desc.input_tensor.sizes[axis])[0])

    return _somewhere(f"an element elsewhere along {axis}", other)(desc, read)


# ---- whole slices, and scatter


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


def _senders(desc: GatherElements, read: Reader) -> tuple[Array, Array]:
    """For each place of the output the position along Axis of the last index that names it, of those that have an
    element to send, NOBODY where none does; and what the place's own index picks. The reader keeps both."""

    def make() -> tuple[Array, Array]:
        sizes, axis, n = _sizes(desc), desc.axis, size(desc)
        count = math.prod(sizes)
        senders, picks = np.full(count, NOBODY, np.int64), np.empty(count, np.int64)
        for start in range(0, count, CHUNK):
            cell = unravel(np.arange(start, min(start + CHUNK, count), dtype=np.int64), sizes)
            picked = picks[start : start + CHUNK] = _truth(desc, cell, read)[axis]
            sends = (picked < sizes[axis]) & (cell[axis] < n)
            to = ravel(put(cell, axis, picked), sizes)[sends]
            np.maximum.at(senders, to, cell[axis][sends])  # of equal indices the last one stays
        return senders, picks

    return read.kept("misreadings: senders", make)


def _scattered(desc: GatherElements, read: Reader) -> WrongOutputs | None:
    if desc.indices_tensor.element_count > SCAN_LIMIT:
        return None

    def source(output: int, index: Cell) -> Sources:
        sender = _senders(desc, read)[0][ravel(index, _sizes(desc))]
        return nowhere(Sources(np.zeros_like(sender), put(index, desc.axis, sender)), sender == NOBODY)

    return WrongOutputs((_sizes(desc),), source)


def _is_no_swap(desc: GatherElements, read: Reader) -> bool:
    """True unless whatever an index sends somewhere comes from there."""
    if desc.indices_tensor.element_count > SCAN_LIMIT:
        return False
    senders, picks = _senders(desc, read)
    return bool((senders != picks).any())


# ---- verdicts


def _passes_shorter(desc: GatherElements, read: Reader) -> bool | None:
    """Who takes torch.gather's rule lets indices pass that are nowhere longer than InputTensor, off Axis."""
    data, indices = desc.input_tensor.sizes, _sizes(desc)
    if len(data) != len(indices) or not 0 <= desc.axis < len(data):
        return None
    off = [(one, most) for d, (one, most) in enumerate(zip(indices, data, strict=True)) if d != desc.axis]
    is_shorter = all(one <= most for one, most in off) and any(one < most for one, most in off)
    return lets_pass(desc, "gather_elements.indices") if is_shorter else None


# ---- numbers


def _numbers(desc: GatherElements, read: Reader, place: Place, at: tuple[int, ...]) -> Mapping[str, Any]:
    """What sentences say; of the index that sent an element of the output, or stands in a cell, else of the first."""
    sizes = _sizes(desc)
    steered = (place.is_output or place.number == 1) and len(at) == len(sizes)
    cell = tuple(np.array([i], np.int64) for i in (at if steered else (0,) * len(sizes)))
    verdict = _verdict_numbers(desc, read, place, at)
    return {**verdict, "last": size(desc) - 1, **said_of_index(desc, cell, read)}


def _verdict_numbers(desc: GatherElements, read: Reader, place: Place, at: tuple[int, ...]) -> Mapping[str, Any]:
    return {"axis": desc.axis, "data": braces(desc.input_tensor.sizes), "sizes": braces(_sizes(desc))}


def _shared_rules() -> tuple[Misreading[Any], ...]:
    """Those of operators along an axis; what isn't read at all doesn't show in which order numbers were laid down."""
    differs = _somewhere("an element elsewhere in column-major order", _laid_down)
    rules = shared.of_axis(_along, _differs_along)
    return tuple(replace(rule, differs=differs) if rule.id == shared.COLUMN_MAJOR.id else rule for rule in rules)


_OF_GATHER = {rule.id: rule for rule in GATHER_MISREADINGS}


def _as_of_gather(id_: str, **told: Any) -> Misreading[Any]:
    """GATHER's wrong rule of this id, as far as nothing else is told here."""
    return replace(_OF_GATHER[id_], numbers=_numbers, **told)


MISREADINGS: tuple[Misreading[GatherElements], ...] = (
    *_shared_rules(),
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
        differs=_somewhere("E2", _whole_rows),
        outputs=_outputs(_whole_rows),
        numbers=_numbers,
    ),
    _as_of_gather(
        "G3",
        feedback="That would be SCATTER: index {raw} at IndicesTensor{cell} says where its element comes from.",
        differs=_is_no_swap,
        outputs=_scattered,
    ),
    _as_of_gather(
        "G4",
        feedback="Indices count from 0, as in Python: index {i} is the {nth} of {n} elements along Axis {axis}.",
        look="the letters in InputTensor",
        outputs=_outputs(_with(from_1)),
    ),
    _as_of_gather(
        "G2",
        feedback="That would be x.flat[idx]; here an index counts from 0 to {last} along Axis {axis}, in its own line.",
        differs=_somewhere("G2", _of_all),
        outputs=_outputs(_of_all),
    ),
    _as_of_gather(
        "G10",
        feedback="There is an element for each index: OutputTensor has IndicesTensor's sizes, {sizes}.",
        look="rule gather_elements.sizes",
    ),
    _as_of_gather("G5", outputs=_outputs(_with(clamped))),
    Misreading[GatherElements](
        id="E3",
        name="indices may be shorter",
        feedback="torch.gather takes {sizes}; here only Axis {axis} may differ from InputTensor's {data}.",
        look="rule gather_elements.indices",
        lights=("IndicesTensor.Sizes", "rules"),
        **wrong_verdict(True, _passes_shorter),
        numbers=_verdict_numbers,
    ),
    _as_of_gather(
        "G6",
        feedback="NumPy raises an IndexError above {last}; here it is a warning: such cells are marked !, and clamped.",
    ),
)
