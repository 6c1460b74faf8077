"""Wrong rules that people hold about SPLIT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ...desc.values import Array
from ..maps import Place, Reader
from ..parts_of_whole import starts_of
from ..split import Split
from ..wrong_rules import Misreading, Sizes, by_arrays, by_sizes, lets_pass
from . import shared


def _parts(desc: Split) -> list[int]:
    """The parts' sizes along Axis."""
    return [t.sizes[desc.axis] for t in desc.output_tensors]


def _cut(desc: Split, x: Array, starts: Sequence[int], sizes: Sequence[int]) -> list[Array]:
    """Parts that begin there along Axis, and are so long."""
    return [x.take(range(start, start + n), desc.axis) for start, n in zip(starts, sizes, strict=False)]


def _numbers(desc: Split, read: Reader, place: Place, index: tuple[int, ...]) -> Mapping[str, Any]:
    """What sentences say: of part `k`, which an element is of, or goes to, and of sizes.

    Parts 0 and 1 show nothing where three are needed, nor does part 0: the last one stands for them.
    """
    parts, k, starts = _parts(desc), place.number, starts_of(desc.output_tensors, desc.axis)
    if not place.is_output:
        at = index[desc.axis] if index else 0
        k = max((k for k in range(len(parts)) if k == 0 or starts[k] <= at), default=0)
    k = k if k > 1 else len(parts) - 1
    return {
        "k": k,
        "start": starts[k],
        "sizes": ", ".join([*map(str, parts[:8]), *["…"] * (len(parts) > 8)]),
        "sum": sum(parts),
        "n": desc.input_tensor.sizes[desc.axis],
        "D": desc.input_tensor.dimension_count,
    }


def _equal_parts(desc: Split, x: Array) -> list[Array]:
    """The last part takes the rest, and where nothing is left there are fewer."""
    whole = x.shape[desc.axis]
    size = -(-whole // len(desc.output_tensors))
    starts = range(0, whole, size)
    return _cut(desc, x, starts, [min(size, whole - start) for start in starts])


def _dealt(desc: Split, x: Array) -> list[Array] | None:
    """None unless slices dealt in turn make parts of just these sizes."""
    count, whole = len(desc.output_tensors), x.shape[desc.axis]
    dealt = [x.take(range(k, whole, count), desc.axis) for k in range(count)]
    return dealt if [part.shape[desc.axis] for part in dealt] == _parts(desc) else None


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
    """By S6 a part may have any size along Axis, if only the sum is right."""
    if not _can_be_compared(desc) or min(_parts(desc)) >= 1 or min(desc.input_tensor.sizes) < 1:
        return None
    return lets_pass(desc, "sizes.positive")


def _leaves_a_rest(desc: Split, read: Reader) -> bool | None:
    """By S7 the parts needn't reach the end."""
    if not _can_be_compared(desc) or sum(_parts(desc)) >= desc.input_tensor.sizes[desc.axis]:
        return None
    return lets_pass(desc, "sizes.sum")


rule = partial(Misreading[Split], numbers=_numbers)
MISREADINGS: tuple[Misreading[Split], ...] = (
    *shared.of_axis("OutputTensors"),
    rule(
        id="S1",
        name="begins at the size before",
        feedback="Part {k} begins where all parts before it end: {start}.",
        lights=("InputTensor",),
        outputs=by_arrays(lambda desc, x: _cut(desc, x, [0, *_parts(desc)], _parts(desc))),
    ),
    rule(
        id="S1c",
        name="sizes are cut points",
        feedback="np.split takes the places of cuts; here stand the distances between them, and these make {sum}, not "
        "{n}.",
        lights=("sizes.sum",),
        accepts=_valid_cut_points,
        outputs=by_arrays(lambda desc, x: np.split(x, _parts(desc)[:-1], desc.axis)),
    ),
    rule(
        id="S2",
        name="equal parts",
        feedback="Equal parts would be np.split with a number; here parts have the sizes they were given: {sizes}.",
        lights=("OutputTensors",),
        outputs=by_arrays(_equal_parts),
    ),
    rule(
        id="S3",
        name="every part from 0",
        feedback="Parts follow one another, part {k} from {start} on; nothing is read twice.",
        lights=("InputTensor",),
        outputs=by_arrays(lambda desc, x: _cut(desc, x, [0] * len(_parts(desc)), _parts(desc))),
    ),
    rule(
        id="S4",
        name="dealt in turn",
        feedback="That would be x[k::K], slices with a step; here a part is one stretch along Axis: part {k} begins at "
        "{start}.",
        lights=("InputTensor",),
        outputs=by_arrays(_dealt),
    ),
    rule(
        id="S5",
        name="a size of 1 loses its axis",
        feedback="x[2] loses the axis, x[2:3] keeps it with size 1, and so does SPLIT: all tensors have one "
        "DimensionCount, {D}.",
        lights=("OutputTensors",),
        outputs=by_sizes(_without_axis),
    ),
    rule(
        id="S6",
        name="the sum is enough",
        feedback="Every part is checked, not their sum alone.",
        lights=("sizes.positive",),
        accepts=_sum_is_enough,
    ),
    rule(
        id="S7",
        name="a rest may be left",
        feedback="SPLIT leaves nothing over, and {sum} is less than {n}; a piece alone takes SLICE.",
        lights=("sizes.sum",),
        accepts=_leaves_a_rest,
        outputs=by_arrays(lambda desc, x: np.split(x, np.cumsum(_parts(desc)), desc.axis)[:-1]),
    ),
    rule(
        id="S8",
        name="memory is cut",
        feedback="Memory isn't cut: along an inner axis every row is, as x[..., a:b] does.",
        lights=("memory",),
        outputs=by_arrays(_memory_cut),
    ),
)
