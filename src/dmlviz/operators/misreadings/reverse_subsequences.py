"""Wrong rules that people hold about REVERSE_SUBSEQUENCES."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...desc.indexing import put, ravel
from ...desc.tensors import braces
from ...desc.values import Indices
from ..maps import Place, Reader, Sources
from ..reverse_subsequences import ReverseSubsequences
from ..wrong_rules import Misreading, Sizes, WrongOutputs, moved, nowhere, some_value, wrong_verdict
from . import shared

Along = Callable[[Indices, Indices, int], Indices]
"""(places along Axis, acting lengths, the size of Axis) to the places of the sources; all but the size (N,)."""


def _size(desc: ReverseSubsequences) -> int:
    """The size of Axis."""
    return desc.input_tensor.sizes[desc.axis]


def _read(desc: ReverseSubsequences, cell: tuple[Indices, ...], most: int, read: Reader) -> Indices:
    """(N,) the lengths in cells, at most `most` each."""
    raw = read(1, ravel(cell, desc.sequence_lengths_tensor.sizes))
    lengths: Indices = np.minimum(raw, most).astype(np.int64)
    return lengths


def _acting(desc: ReverseSubsequences, index: tuple[Indices, ...], read: Reader) -> Indices:
    """(N,) the acting length of each element's sequence."""
    return _read(desc, put(index, desc.axis, np.zeros_like(index[0])), _size(desc), read)


def _along(rule: Along) -> Callable[[ReverseSubsequences, Reader], WrongOutputs]:
    """Outputs whose elements come from other places along Axis."""

    def outputs(desc: ReverseSubsequences, read: Reader) -> WrongOutputs:
        def at(index: tuple[Indices, ...]) -> tuple[Indices, ...]:
            return put(index, desc.axis, rule(index[desc.axis], _acting(desc, index, read), _size(desc)))

        return moved(desc.input_tensor.sizes, at)

    return outputs


def _some(
    id_: str, holds: Callable[[Indices, int], NDArray[np.bool_]], least: int = 1
) -> Callable[[ReverseSubsequences, Reader], bool]:
    """True where `holds` is true of an acting length and the size of Axis, which is `least` or more."""

    def differs(desc: ReverseSubsequences, read: Reader) -> bool:
        n = _size(desc)
        return n >= least and some_value(read, id_, lambda raw: holds(np.minimum(raw, n).astype(np.int64), n))

    return differs


def _turned(k: Indices, length: Indices) -> Indices:
    return np.where(k < length, length - 1 - k, k)


def _stretches(k: Indices, length: Indices, n: int) -> Indices:
    """Each stretch of L turned round; the last one, which may be shorter, in itself."""
    step = np.maximum(length, 1)
    start = k // step * step
    return start + np.minimum(start + step, n) - 1 - k


def _cleared(desc: ReverseSubsequences, read: Reader) -> WrongOutputs:
    def source(output: int, index: tuple[Indices, ...]) -> Sources:
        k, length = index[desc.axis], _acting(desc, index, read)
        return nowhere(Sources(np.zeros_like(k), put(index, desc.axis, _turned(k, length))), k >= length)

    return WrongOutputs((desc.input_tensor.sizes,), source)


def _other(desc: ReverseSubsequences) -> int | None:
    """The axis that a holder of R4 turns: the last one besides Axis that is longer than 1, as Axis is."""
    others = [d for d, size in enumerate(desc.input_tensor.sizes) if d != desc.axis and size > 1]
    return others[-1] if others and _size(desc) > 1 else None


def _across(desc: ReverseSubsequences, read: Reader) -> WrongOutputs | None:
    """Elements move along another axis; the length at a place along Axis is the last one where they have run out."""
    across = _other(desc)
    if across is None:
        return None
    count = desc.input_tensor.sizes[across]

    def source(output: int, index: tuple[Indices, ...]) -> Sources:
        k, zero = index[across], np.zeros_like(index[0])
        cell = put(put(index, desc.axis, zero), across, np.minimum(index[desc.axis], count - 1))
        positions = _turned(k, _read(desc, cell, count, read))
        return Sources(zero, put(index, across, positions), cell, 1)

    return WrongOutputs((desc.input_tensor.sizes,), source)


def _moves_across(desc: ReverseSubsequences, read: Reader) -> bool:
    """One of the two maps moves something, which the other leaves: the two axes are never the same."""
    return _other(desc) is not None and some_value(read, "R4", lambda raw: raw > 1)


def _accepts_in_range(desc: ReverseSubsequences, read: Reader) -> bool | None:
    return shared.none_of(desc, read, "R7", lambda raw: raw > _size(desc))


def _a_length_a_position(desc: ReverseSubsequences, tensor: int) -> Sizes | None:
    sizes = desc.input_tensor.sizes
    if tensor != 1 or not 0 <= desc.axis < len(sizes):
        return None
    return put((1,) * len(sizes), desc.axis, sizes[desc.axis])


def _length_here(desc: ReverseSubsequences, read: Reader, place: Place, at: tuple[int, ...]) -> Mapping[str, Any]:
    n = _size(desc)
    length = int(_acting(desc, tuple(np.array([i], np.int64) for i in at), read)[0])
    places = "no place" if not length else "place 0"
    if length > 1:
        places = f"places 0 to {length - 1}"
    turns = "nothing turns"
    if length > 1 and length == n:
        turns = f"all {length} elements turn"
    elif length > 1:
        turns = f"only the first {length} elements turn"
    return {"L": length, "n": n, "places": places, "turns": turns}


def _axis_size(desc: ReverseSubsequences, read: Reader, place: Place, at: tuple[int, ...]) -> Mapping[str, Any]:
    return {"axis": desc.axis, "n": _size(desc)}


def _lengths_sizes(desc: ReverseSubsequences, read: Reader, place: Place, at: tuple[int, ...]) -> Mapping[str, Any]:
    return {"axis": desc.axis, "sizes": braces(put(desc.input_tensor.sizes, desc.axis, 1))}


def _on_axis(desc: ReverseSubsequences, axis: int) -> ReverseSubsequences | None:
    """The lengths are read in their order; None unless there are as many of them as sequences along `axis`."""
    sizes = desc.input_tensor.sizes
    if sizes[axis] != sizes[desc.axis]:
        return None
    lengths = desc.sequence_lengths_tensor.resized(put(sizes, axis, 1))
    return desc.replace({"SequenceLengthsTensor": lengths, "Axis": axis, "OutputTensor": None})


def _differs_on_axis(desc: ReverseSubsequences, read: Reader, axis: int) -> bool:
    """Wherever anything moves: it moves along another axis then."""
    return desc.input_tensor.sizes[axis] > 1 and some_value(read, "longer than 1", lambda lengths: lengths > 1)


MISREADINGS: tuple[Misreading[ReverseSubsequences], ...] = (
    *shared.of_axis(_on_axis, _differs_on_axis),
    Misreading[ReverseSubsequences](
        id="R1",
        name="the whole axis",
        feedback="np.flip would turn the whole axis; with length {L}, {turns}, and what lies behind is copied.",
        look="SequenceLengthsTensor's cell",
        lights=("SequenceLengthsTensor",),
        differs=_some("R1", lambda length, n: length < n, least=2),
        outputs=_along(lambda k, length, n: n - 1 - k),
        numbers=_length_here,
    ),
    Misreading[ReverseSubsequences](
        id="R3",
        name="the length is an index",
        feedback="A length is a count, as in x[:{L}], not the last index: length {L} means {places}.",
        look="the formula line",
        lights=("formula", "SequenceLengthsTensor"),
        differs=_some("R3", lambda length, n: (length > 0) & (length < n)),
        outputs=_along(lambda k, length, n: _turned(k, np.where(length < n, length + 1, length))),
        numbers=_length_here,
    ),
    Misreading[ReverseSubsequences](
        id="R2",
        name="counted from the end",
        feedback="Lengths count from the beginning of a sequence, as in x[:{L}]: length {L} means {places}.",
        look="SequenceLengthsTensor's cell",
        lights=("SequenceLengthsTensor",),
        differs=_some("R2", lambda length, n: (length > 1) & (length < n)),
        outputs=_along(lambda k, length, n: np.where(k >= n - length, 2 * n - length - 1 - k, k)),
        numbers=_length_here,
    ),
    Misreading[ReverseSubsequences](
        id="R4",
        name="lengths lie along Axis",
        feedback="Elements move along Axis {axis}; the lengths stand beside the sequences, one for each.",
        look="the axes' names, '= Axis, size 1'",
        lights=("ruler", "Axis", "SequenceLengthsTensor"),
        differs=_moves_across,
        outputs=_across,
        numbers=_axis_size,
    ),
    Misreading[ReverseSubsequences](
        id="R8",
        name="the rest is cleared",
        feedback="With length {L}, {turns}; what lies behind is copied, not cleared.",
        look="read counts, all ×1",
        lights=("InputTensor",),
        differs=_some("R8", lambda length, n: length < n),
        outputs=_cleared,
        numbers=_length_here,
    ),
    Misreading[ReverseSubsequences](
        id="R6",
        name="0 means all",
        feedback="x[:0] is empty, so length 0 turns nothing: all {n} elements are copied as they stand.",
        look="SequenceLengthsTensor's cell",
        lights=("SequenceLengthsTensor",),
        differs=_some("R6", lambda length, n: length == 0, least=2),
        outputs=_along(lambda k, length, n: _turned(k, np.where(length == 0, n, length))),
        numbers=_axis_size,
    ),
    Misreading[ReverseSubsequences](
        id="R5",
        name="rotated",
        feedback="Moving on by {L} would be np.roll; length {L} turns the order of {places} round.",
        look="step by element",
        lights=("formula",),
        differs=_some("R5", lambda length, n: length > 0, least=2),
        outputs=_along(lambda k, length, n: (k + length) % n),
        numbers=_length_here,
    ),
    Misreading[ReverseSubsequences](
        id="R9",
        name="every stretch of the length",
        feedback="One subsequence in each sequence: length {L} means {places}; the rest is copied.",
        look="SequenceLengthsTensor's cell",
        lights=("SequenceLengthsTensor",),
        differs=_some("R9", lambda length, n: (length > 1) & (length < n - 1)),
        outputs=_along(_stretches),
        numbers=_length_here,
    ),
    Misreading[ReverseSubsequences](
        id="R7",
        name="too long is an error",
        feedback="A length above {n}, the size of Axis, acts as {n}, as a slice in Python would: a warning, no error.",
        look="rule values.length_clamped",
        lights=("rules", "SequenceLengthsTensor"),
        **wrong_verdict(False, _accepts_in_range),
        numbers=_axis_size,
    ),
    Misreading[ReverseSubsequences](
        id="R10",
        name="one length a position",
        feedback="Lengths have InputTensor's sizes with 1 at Axis {axis}, {sizes}: one for each sequence.",
        look="rule lengths.sizes",
        lights=("SequenceLengthsTensor.Sizes", "Axis", "rules"),
        differs=lambda desc, read: 0 <= desc.axis < len(desc.input_tensor.sizes) and max(desc.input_tensor.sizes) > 1,
        input_sizes=_a_length_a_position,
        numbers=_lengths_sizes,
    ),
)
