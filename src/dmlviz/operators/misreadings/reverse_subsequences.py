"""Wrong rules that people hold about REVERSE_SUBSEQUENCES."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...desc.indexing import put
from ...desc.values import Array
from ..maps import NOWHERE, Reader
from ..reverse_subsequences import ReverseSubsequences
from ..wrong_rules import Misreading, Sizes, WrongOutputs, by_arrays, steering_values
from . import shared


def _size(desc: ReverseSubsequences) -> int:
    return desc.input_tensor.sizes[desc.axis]


def _moved(x: Array, lengths: Array, axis: int, rule: Callable[[Array, Array, int], Array]) -> Array:
    """Elements from other places along an axis, or NOWHERE, by a rule of (own places, acting lengths, its size)."""
    n = x.shape[axis]
    places = np.arange(n).reshape(n, *(1,) * (x.ndim - 1 - axis))
    moved = rule(places, np.minimum(lengths, n).astype(np.int64), n)
    return np.where(moved == NOWHERE, NOWHERE, np.take_along_axis(x, np.broadcast_to(moved, x.shape), axis))


def _along(rule: Callable[[Array, Array, int], Array]) -> Callable[[ReverseSubsequences, Reader], WrongOutputs | None]:
    return by_arrays(lambda desc, x, lengths: _moved(x, lengths, desc.axis, rule))


def _turned(k: Array, length: Array, n: int = 0) -> Array:
    return np.where(k < length, length - 1 - k, k)


def _stretches(k: Array, length: Array, n: int) -> Array:
    """Each stretch of L turned round; the last one, which may be shorter, in itself."""
    step = np.maximum(length, 1)
    start = k // step * step
    turned: Array = start + np.minimum(start + step, n) - 1 - k
    return turned


def _across(desc: ReverseSubsequences, x: Array, lengths: Array) -> tuple[Array, Array] | None:
    """Elements move along the last other axis that is longer than 1, as Axis is.

    The length at a place along Axis is the last one where they have run out.
    """
    across = max((d for d, size in enumerate(x.shape) if d != desc.axis and size > 1), default=-1)
    if across < 0 or _size(desc) == 1:
        return None
    some = np.minimum(np.arange(_size(desc)), x.shape[across] - 1)
    cells = np.arange(lengths.size).reshape(lengths.shape).take(some, across).swapaxes(across, desc.axis)
    return _moved(x, lengths.ravel()[cells], across, _turned), np.broadcast_to(cells, x.shape)


def _accepts_in_range(desc: ReverseSubsequences, read: Reader) -> bool | None:
    lengths = steering_values(desc, read)
    return None if lengths is None else not (lengths > _size(desc)).any()


def _a_length_a_position(desc: ReverseSubsequences, tensor: int) -> Sizes | None:
    sizes = desc.input_tensor.sizes
    if tensor != 1 or not 0 <= desc.axis < len(sizes):
        return None
    return put((1,) * len(sizes), desc.axis, sizes[desc.axis])


MISREADINGS: tuple[Misreading[ReverseSubsequences], ...] = (
    *shared.of_axis("SequenceLengthsTensor"),
    Misreading(
        id="R1",
        name="the whole axis",
        feedback="np.flip would reverse the whole axis; a length reverses that many first elements, and the rest "
        "is copied.",
        lights=("SequenceLengthsTensor",),
        outputs=_along(lambda k, length, n: n - 1 - k),
    ),
    Misreading(
        id="R3",
        name="the length is an index",
        feedback="A length is a count, as in x[:2], not the last index: length 2 means places 0 and 1.",
        lights=("formula", "SequenceLengthsTensor"),
        outputs=_along(lambda k, length, n: _turned(k, np.where(length < n, length + 1, length))),
    ),
    Misreading(
        id="R2",
        name="counted from the end",
        feedback="Lengths count from the beginning of a sequence, as in x[:2]: length 2 means places 0 and 1.",
        lights=("SequenceLengthsTensor",),
        outputs=_along(lambda k, length, n: np.where(k >= n - length, 2 * n - length - 1 - k, k)),
    ),
    Misreading(
        id="R4",
        name="lengths are along Axis",
        feedback="Elements move along Axis {Axis}; there is one length for each sequence.",
        lights=("ruler", "Axis", "SequenceLengthsTensor"),
        outputs=by_arrays(_across),
    ),
    Misreading(
        id="R8",
        name="the rest is cleared",
        feedback="A length reverses that many first elements; the rest is copied, not cleared.",
        lights=("InputTensor",),
        outputs=_along(lambda k, length, n: np.where(k < length, length - 1 - k, NOWHERE)),
    ),
    Misreading(
        id="R6",
        name="0 means all",
        feedback="x[:0] is empty, so length 0 reverses nothing: all {n} elements are copied as they are.",
        lights=("SequenceLengthsTensor",),
        outputs=_along(lambda k, length, n: _turned(k, np.where(length == 0, n, length))),
    ),
    Misreading(
        id="R5",
        name="rotated",
        feedback="Moving on by 2 would be np.roll; length 2 turns the order of places 0 and 1 round.",
        lights=("formula",),
        outputs=_along(lambda k, length, n: (k + length) % n),
        also=(_along(lambda k, length, n: (k - length) % n),),
    ),
    Misreading(
        id="R9",
        name="every stretch of the length",
        feedback="One subsequence in each sequence: length 2 means places 0 and 1; the rest is copied.",
        lights=("SequenceLengthsTensor",),
        outputs=_along(_stretches),
    ),
    Misreading(
        id="R7",
        name="too long is an error",
        feedback="A length above {n}, the size of Axis, acts as {n}, as a slice in Python would: a warning, no error.",
        lights=("values.length_clamped", "SequenceLengthsTensor"),
        accepts=_accepts_in_range,
    ),
    Misreading(
        id="R10",
        name="one length a position",
        feedback="Lengths have InputTensor's sizes {InputTensor} with 1 at Axis {Axis}: one for each sequence.",
        lights=("lengths.sizes", "SequenceLengthsTensor.Sizes", "Axis"),
        input_sizes=_a_length_a_position,
    ),
)
