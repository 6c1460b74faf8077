"""Wrong rules that people hold about SPLIT."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np

from ...desc.values import Array
from ..maps import Reader
from ..split import Split
from ..wrong_rules import Misreading, Sizes, by_arrays, by_sizes, lets_pass
from . import shared


def _parts(desc: Split) -> list[int]:
    return [t.sizes[desc.axis] for t in desc.output_tensors]


def _cut(desc: Split, x: Array, starts: Sequence[int], sizes: Sequence[int]) -> list[Array]:
    return [x.take(range(start, start + n), desc.axis) for start, n in zip(starts, sizes, strict=False)]


def _equal_parts(desc: Split, x: Array) -> list[Array]:
    """The last part takes the rest, and where nothing is left there are fewer."""
    whole = x.shape[desc.axis]
    size = -(-whole // len(desc.output_tensors))
    starts = range(0, whole, size)
    return _cut(desc, x, starts, [min(size, whole - start) for start in starts])


def _with_a_step(desc: Split, x: Array) -> list[Array]:
    count = len(desc.output_tensors)
    return [x.take(range(k, x.shape[desc.axis], count), desc.axis) for k in range(count)]


def _dealt(desc: Split, x: Array) -> list[Array] | None:
    """None unless slices dealt in turn make parts of just these sizes."""
    dealt = _with_a_step(desc, x)
    return dealt if [part.shape[desc.axis] for part in dealt] == _parts(desc) else None


def _dealt_until_full(desc: Split, x: Array) -> list[Array]:
    """A part that has its size is left out, as a full hand of cards is."""
    turns = sorted((turn, k) for k, size in enumerate(_parts(desc)) for turn in range(size))
    return [x.take([at for at, (_, own) in enumerate(turns) if own == k], desc.axis) for k in range(len(_parts(desc)))]


def _without_axis(desc: Split) -> list[Sizes]:
    axis = desc.axis
    sizes = (t.sizes for t in desc.output_tensors)
    return [s if s[axis] > 1 else (*s[:axis], *s[axis + 1 :]) for s in sizes]


def _memory_cut(desc: Split, x: Array) -> list[Array]:
    ends = list(accumulate(t.element_count for t in desc.output_tensors))
    pieces = zip(np.split(x.ravel(), ends[:-1]), desc.output_tensors, strict=True)
    return [piece.reshape(tensor.sizes) for piece, tensor in pieces]


def _can_be_compared(desc: Split) -> bool:
    """True if there are parts, all of InputTensor's DimensionCount, which Axis fits."""
    counts = {desc.input_tensor.dimension_count, *(t.dimension_count for t in desc.output_tensors)}
    return len(desc.output_tensors) > 0 and len(counts) == 1 and 0 <= desc.axis < min(counts)


def _valid_cut_points(desc: Split, read: Reader) -> bool | None:
    """By S1c two or more sizes may rise from above 0 to InputTensor's size, as cut points do."""
    if not _can_be_compared(desc) or len(desc.output_tensors) < 2:
        return None
    points = [0, *_parts(desc)]
    rise = points[-1] == desc.input_tensor.sizes[desc.axis] and all(a < b for a, b in pairwise(points))
    return lets_pass(desc, "sizes.sum") if rise else None


def _sum_is_enough(desc: Split, read: Reader) -> bool | None:
    if not _can_be_compared(desc) or min(_parts(desc)) >= 1 or min(desc.input_tensor.sizes) < 1:
        return None
    return lets_pass(desc, "sizes.positive")


def _leaves_a_rest(desc: Split, read: Reader) -> bool | None:
    if not _can_be_compared(desc) or sum(_parts(desc)) >= desc.input_tensor.sizes[desc.axis]:
        return None
    return lets_pass(desc, "sizes.sum")


MISREADINGS: tuple[Misreading[Split], ...] = (
    *shared.of_axis("OutputTensors"),
    Misreading(
        id="S1",
        name="begins at the size before",
        feedback="A part begins where all parts before it end, not only the last of them.",
        lights=("InputTensor",),
        outputs=by_arrays(lambda desc, x: _cut(desc, x, [0, *_parts(desc)], _parts(desc))),
    ),
    Misreading(
        id="S1c",
        name="sizes are cut points",
        feedback="np.split takes the positions of cuts; here are the distances between them, which add up to {n}.",
        lights=("sizes.sum",),
        accepts=_valid_cut_points,
        outputs=by_arrays(lambda desc, x: np.split(x, _parts(desc)[:-1], desc.axis)),
    ),
    Misreading(
        id="S2",
        name="equal parts",
        feedback="Equal parts would be np.split with a number; here parts have the sizes they were given.",
        lights=("OutputTensors",),
        outputs=by_arrays(_equal_parts),
        also=(by_arrays(lambda desc, x: np.array_split(x, len(desc.output_tensors), desc.axis)),),
    ),
    Misreading(
        id="S3",
        name="every part from 0",
        feedback="Parts follow one another along Axis {Axis}, each from where the one before ends; nothing is read "
        "twice.",
        lights=("InputTensor",),
        outputs=by_arrays(lambda desc, x: _cut(desc, x, [0] * len(_parts(desc)), _parts(desc))),
    ),
    Misreading(
        id="S4",
        name="dealt in turn",
        feedback="That would be x[k::K], slices with a step; here a part is one stretch along Axis {Axis}.",
        lights=("InputTensor",),
        outputs=by_arrays(_dealt),
        also=(by_arrays(_with_a_step), by_arrays(_dealt_until_full)),
    ),
    Misreading(
        id="S5",
        name="a size of 1 loses its axis",
        feedback="x[2] loses the axis, x[2:3] keeps it with size 1, and so does SPLIT: all tensors have one "
        "DimensionCount, {D}.",
        lights=("OutputTensors",),
        outputs=by_sizes(_without_axis),
    ),
    Misreading(
        id="S6",
        name="the sum is enough",
        feedback="Every part is checked, not their sum alone.",
        lights=("sizes.positive",),
        accepts=_sum_is_enough,
    ),
    Misreading(
        id="S7",
        name="a rest may be left",
        feedback="SPLIT leaves nothing over: sizes along Axis {Axis} make {n} together; a piece alone takes SLICE.",
        lights=("sizes.sum",),
        accepts=_leaves_a_rest,
        outputs=by_arrays(lambda desc, x: np.split(x, np.cumsum(_parts(desc)), desc.axis)[:-1]),
    ),
    Misreading(
        id="S8",
        name="memory is cut",
        feedback="Memory isn't cut: along an inner axis every row is, as x[..., a:b] does.",
        lights=("memory",),
        outputs=by_arrays(_memory_cut),
    ),
)
