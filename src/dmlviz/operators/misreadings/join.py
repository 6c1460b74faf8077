"""Wrong rules that people hold about JOIN."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from ...desc.indexing import put
from ...desc.values import Array
from ..join import Join
from ..maps import NOWHERE, Place, Reader
from ..parts_of_whole import starts_of
from ..wrong_rules import MOST_MADE, Misreading, Sizes, by_arrays, by_sizes, lets_pass
from . import shared


def _along(desc: Join) -> list[int]:
    """The inputs' sizes along Axis."""
    return [t.sizes[desc.axis] for t in desc.input_tensors]


def _numbers(desc: Join, read: Reader, place: Place, index: tuple[int, ...]) -> Mapping[str, Any]:
    """What sentences say: of tensor `k`, which an output's element comes from, or an input's is of; and of sizes.

    The last tensor stands for the first, which begins at 0 by any rule. `low` and `high` differ off Axis if any do.
    """
    along, tensors, k = _along(desc), desc.input_tensors, place.number
    starts = starts_of(tensors, desc.axis)
    if place.is_output:
        at = index[desc.axis] if index else 0
        k = max(k for k in range(len(tensors)) if k == 0 or starts[k] <= at)
    k = k or len(tensors) - 1
    terms = " + ".join(map(str, along)) if len(along) <= 8 else f"{along[0]} + … + {along[-1]}"
    off_axis = (
        sorted(set(sizes)) for d, sizes in enumerate(zip(*(t.sizes for t in tensors), strict=False)) if d != desc.axis
    )
    differing = next((sizes for sizes in off_axis if len(sizes) > 1), [2, 3])
    return {
        "k": k,
        "start": starts[k],
        "sum": f"{terms} = {sum(along)}" if len(along) > 1 else terms,
        "low": differing[0],
        "high": differing[-1],
    }


def _dealt(desc: Join, *xs: Array) -> Array | None:
    """Slices are dealt in turn; None unless that ends evenly: each tensor has its turn until all are out of slices."""
    along, count = _along(desc), len(xs)
    if along != [-((k - sum(along)) // count) for k in range(count)]:
        return None
    j, starts = np.arange(sum(along)), np.array(starts_of(desc.input_tensors, desc.axis))
    return np.concatenate(xs, desc.axis).take(starts[j % count] + j // count, desc.axis)


def _on_diagonal(desc: Join, *xs: Array) -> Array | None:
    """Axis grows, and so do all with a size above 1, for 1s are overlooked."""
    grows = [d == desc.axis or n > 1 for d, n in enumerate(xs[0].shape)]
    sizes = [sum(x.shape[d] for x in xs) if grown else 1 for d, grown in enumerate(grows)]
    if math.prod(sizes) > MOST_MADE:
        return None
    made, at = np.full(sizes, NOWHERE), np.zeros(len(sizes), int)
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
    """By J7 the sizes at Axis agree, and those elsewhere needn't."""
    different = _off_axis(desc)
    if not different or not lets_pass(desc, *["sizes.match"][: different - 1]):
        return None
    return len({*_along(desc)}) == 1


def _padded(desc: Join, read: Reader) -> bool | None:
    """By J8 sizes off Axis may differ."""
    return lets_pass(desc, "sizes.match") if _off_axis(desc) > 1 else None


rule = partial(Misreading[Join], numbers=_numbers)
MISREADINGS: tuple[Misreading[Join], ...] = (
    *shared.of_axis(),
    rule(
        id="J1",
        name="stack",
        feedback="A new axis would be np.stack; JOIN is np.concatenate: the size at Axis grows.",
        lights=("OutputTensor.Sizes",),
        outputs=by_arrays(lambda desc, *xs: np.stack(xs, desc.axis) if len({*_along(desc)}) == 1 else None),
    ),
    rule(
        id="J2",
        name="dealt in turn",
        feedback="Tensors aren't dealt in turn: InputTensors[{k}] comes in one piece, from {start} on.",
        lights=("OutputTensor",),
        outputs=by_arrays(_dealt),
    ),
    rule(
        id="J3",
        name="every axis grows",
        feedback="JOIN is np.concatenate: only Axis grows; elsewhere the sizes must agree already.",
        lights=("OutputTensor.Sizes",),
        outputs=by_arrays(_on_diagonal),
    ),
    rule(
        id="J4",
        name="as many times the first",
        feedback="Sizes along Axis are added: {sum}.",
        lights=("sizes.sum", "OutputTensor.Sizes"),
        outputs=by_sizes(_times_first),
    ),
    rule(
        id="J5",
        name="memory is appended",
        feedback="np.concatenate appends rows, not memory: along an inner axis every row takes its piece of each "
        "tensor.",
        lights=("memory",),
        outputs=by_arrays(lambda desc, *xs: np.hstack([x.ravel() for x in xs]).reshape(desc.outputs[0].tensor.sizes)),
    ),
    rule(
        id="J6",
        name="the tensors before forgotten",
        feedback="InputTensors[{k}] begins at {start} along Axis: that is taken off first.",
        lights=("formula",),
        outputs=by_arrays(_without_start),
    ),
    rule(
        id="J7",
        name="equal at Axis",
        feedback="As in np.concatenate, sizes may differ at Axis; they must agree everywhere else.",
        lights=("sizes.match",),
        accepts=_equal_at_axis,
    ),
    rule(
        id="J8",
        name="the smaller one is padded",
        feedback="JOIN fills no gaps: sizes {low} and {high} can't lie side by side.",
        lights=("sizes.match",),
        accepts=_padded,
        outputs=by_arrays(_padded_with_zeros),
    ),
)
