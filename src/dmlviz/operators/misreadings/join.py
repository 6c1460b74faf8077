"""Wrong rules that people hold about JOIN."""

from __future__ import annotations

import math

import numpy as np

from ...desc.indexing import put
from ...desc.values import Array
from ..join import Join
from ..maps import NOWHERE, Reader
from ..parts_of_whole import starts_of
from ..wrong_rules import MOST_MADE, Misreading, Sizes, by_arrays, by_sizes, lets_pass
from . import shared


def _along(desc: Join) -> list[int]:
    return [t.sizes[desc.axis] for t in desc.input_tensors]


def _dealt(desc: Join, *xs: Array) -> Array | None:
    """Slices are dealt in turn; None unless that ends evenly: each tensor has its turn until all are out of slices."""
    along, count = _along(desc), len(xs)
    if along != [-((k - sum(along)) // count) for k in range(count)]:
        return None
    j = np.arange(sum(along))
    starts = np.array(starts_of(desc.input_tensors, desc.axis))
    return np.concatenate(xs, desc.axis).take(starts[j % count] + j // count, desc.axis)


def _on_diagonal(desc: Join, *xs: Array) -> Array | None:
    """Axis grows, and so do all with a size above 1, for 1s are overlooked."""
    grows = [d == desc.axis or n > 1 for d, n in enumerate(xs[0].shape)]
    sizes = [sum(x.shape[d] for x in xs) if grown else 1 for d, grown in enumerate(grows)]
    if math.prod(sizes) > MOST_MADE:
        return None
    made = np.full(sizes, NOWHERE)
    at = np.zeros(len(sizes), int)
    for x in xs:
        made[tuple(slice(i, i + n) for i, n in zip(at, x.shape, strict=True))] = x
        at += np.array(x.shape) * grows
    return made


def _times_first(desc: Join) -> list[Sizes]:
    return [put(desc.outputs[0].tensor.sizes, desc.axis, len(desc.input_tensors) * _along(desc)[0])]


def _without_start(desc: Join, *xs: Array) -> Array:
    """The start isn't taken off the position, which wraps where it leaves its tensor."""
    starts = starts_of(desc.input_tensors, desc.axis)
    rows = (start + np.arange(start, start + n) % n for start, n in zip(starts, _along(desc), strict=False))
    return np.concatenate(xs, desc.axis).take(np.concatenate([*rows]), desc.axis)


def _padded_with_zeros(desc: Join, *xs: Array) -> Array:
    most = np.max([x.shape for x in xs], axis=0)
    gaps = ([(0, 0 if d == desc.axis else most[d] - n) for d, n in enumerate(x.shape)] for x in xs)
    return np.concatenate([np.pad(x, gap, constant_values=NOWHERE) for x, gap in zip(xs, gaps, strict=True)], desc.axis)


def _off_axis(desc: Join) -> int:
    """How many sizes the inputs have off Axis; 0 unless they are two or more of one DimensionCount, which Axis fits."""
    counts = {t.dimension_count for t in desc.input_tensors}
    if len(desc.input_tensors) < 2 or len(counts) > 1 or not 0 <= desc.axis < min(counts):
        return 0
    return len({put(t.sizes, desc.axis, 0) for t in desc.input_tensors})


def _equal_at_axis(desc: Join, read: Reader) -> bool | None:
    different = _off_axis(desc)
    if not different or not lets_pass(desc, *["sizes.match"][: different - 1]):
        return None
    return len({*_along(desc)}) == 1


def _padded(desc: Join, read: Reader) -> bool | None:
    return lets_pass(desc, "sizes.match") if _off_axis(desc) > 1 else None


MISREADINGS: tuple[Misreading[Join], ...] = (
    *shared.of_axis(),
    Misreading(
        id="J1",
        name="stack",
        feedback="A new axis would be np.stack; JOIN is np.concatenate: the size at Axis grows.",
        lights=("OutputTensor.Sizes",),
        outputs=by_arrays(lambda desc, *xs: np.stack(xs, desc.axis) if len({*_along(desc)}) == 1 else None),
    ),
    Misreading(
        id="J2",
        name="dealt in turn",
        feedback="Tensors aren't dealt in turn: along Axis {Axis} each comes in one piece.",
        lights=("OutputTensor",),
        outputs=by_arrays(_dealt),
    ),
    Misreading(
        id="J3",
        name="every axis grows",
        feedback="JOIN is np.concatenate: only Axis grows; elsewhere the sizes must agree already.",
        lights=("OutputTensor.Sizes",),
        outputs=by_arrays(_on_diagonal),
    ),
    Misreading(
        id="J4",
        name="as many times the first",
        feedback="Sizes along Axis {Axis} are added, which makes {OutputTensor}.",
        lights=("sizes.sum", "OutputTensor.Sizes"),
        outputs=by_sizes(_times_first),
    ),
    Misreading(
        id="J5",
        name="memory is appended",
        feedback="np.concatenate appends rows, not memory: along an inner axis every row takes its piece of each "
        "tensor.",
        lights=("memory",),
        outputs=by_arrays(lambda desc, *xs: np.hstack([x.ravel() for x in xs]).reshape(desc.outputs[0].tensor.sizes)),
    ),
    Misreading(
        id="J6",
        name="the tensors before forgotten",
        feedback="A tensor begins where those before it end along Axis {Axis}: that is taken off first.",
        lights=("formula",),
        outputs=by_arrays(_without_start),
    ),
    Misreading(
        id="J7",
        name="equal at Axis",
        feedback="As in np.concatenate, sizes may differ at Axis; they must agree everywhere else.",
        lights=("sizes.match",),
        accepts=_equal_at_axis,
    ),
    Misreading(
        id="J8",
        name="the smaller one is padded",
        feedback="JOIN fills no gaps: tensors with other sizes off Axis {Axis} can't be joined.",
        lights=("sizes.match",),
        accepts=_padded,
        outputs=by_arrays(_padded_with_zeros),
    ),
)
