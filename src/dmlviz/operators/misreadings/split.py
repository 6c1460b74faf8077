"""Wrong rules that people hold about SPLIT."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ...desc.indexing import put, ravel, unravel
from ...desc.values import Indices
from ..maps import Place, Reader, Sources
from ..parts_of_whole import starts_of
from ..split import Split
from ..wrong_rules import Misreading, WrongOutputs, wrong_verdict
from . import shared
from .verdicts import lets_pass

Along = Callable[[Indices, int], Indices]
"""(places along Axis (N,), output) to places of the sources along Axis (N,)."""


def _parts(desc: Split) -> list[int]:
    """The parts' sizes along Axis."""
    return [t.sizes[desc.axis] for t in desc.output_tensors]


def _cut(desc: Split, sizes: Sequence[int], along: Along | None) -> WrongOutputs:
    """Outputs that are so long along Axis, and whose elements come from there."""
    whole, axis = desc.input_tensor.sizes, desc.axis
    shapes = tuple(put(whole, axis, size) for size in sizes)
    if along is None:
        return WrongOutputs(shapes)

    def source(output: int, index: tuple[Indices, ...]) -> Sources:
        return Sources(np.zeros_like(index[axis]), put(index, axis, along(index[axis], output)))

    return WrongOutputs(shapes, source)


def _part_here(desc: Split, read: Reader, place: Place, index: tuple[int, ...]) -> Mapping[str, Any]:
    """The part that an element is of, or that an input's element goes to, and where it begins.

    Parts 0 and 1 show nothing where three are needed, nor does part 0: the last one stands for them.
    """
    k, starts = place.number, starts_of(desc.output_tensors, desc.axis)
    if not place.is_output:
        at = index[desc.axis] if index else 0
        k = max((k for k in range(len(desc.output_tensors)) if k == 0 or starts[k] <= at), default=0)
    k = k if k > 1 else len(desc.output_tensors) - 1
    return {"k": k, "start": starts[k]}


def _sizes_here(desc: Split, read: Reader, place: Place, index: tuple[int, ...]) -> Mapping[str, Any]:
    shown = [*map(str, _parts(desc)[:8]), *["…"] * (len(desc.output_tensors) > 8)]
    return {"sizes": ", ".join(shown)}


# ---- outputs of valid descs


def _from_size_before(desc: Split, read: Reader) -> WrongOutputs:
    parts = _parts(desc)
    return _cut(desc, parts, lambda at, k: at + (parts[k - 1] if k else 0))


def _equal(desc: Split) -> tuple[int, list[int]]:
    """A part's size, and those of all: the last takes the rest, and where nothing is left there are fewer."""
    whole, count = desc.input_tensor.sizes[desc.axis], len(desc.output_tensors)
    size = -(-whole // count)
    return size, [min(size, whole - start) for start in range(0, whole, size)]


def _equal_parts(desc: Split, read: Reader) -> WrongOutputs:
    size, sizes = _equal(desc)
    return _cut(desc, sizes, lambda at, k: at + k * size)


def _is_dealt(desc: Split) -> bool:
    """True if slices dealt in turn make parts of just these sizes."""
    count, whole = len(desc.output_tensors), desc.input_tensor.sizes[desc.axis]
    return _parts(desc) == [-((k - whole) // count) for k in range(count)]


def _dealt(desc: Split, read: Reader) -> WrongOutputs | None:
    count = len(desc.output_tensors)
    return _cut(desc, _parts(desc), lambda at, k: at * count + k) if _is_dealt(desc) else None


def _without_axis(desc: Split, read: Reader) -> WrongOutputs:
    axis = desc.axis
    sizes = (t.sizes for t in desc.output_tensors)
    return WrongOutputs(tuple(s if s[axis] > 1 else (*s[:axis], *s[axis + 1 :]) for s in sizes))


def _memory_cut(desc: Split, read: Reader) -> WrongOutputs:
    sizes = tuple(t.sizes for t in desc.output_tensors)
    starts = [0, *accumulate(math.prod(shape) for shape in sizes)]

    def source(output: int, index: tuple[Indices, ...]) -> Sources:
        flat = ravel(index, sizes[output]) + starts[output]
        return Sources(np.zeros_like(flat), unravel(flat, desc.input_tensor.sizes))

    return WrongOutputs(sizes, source)


# ---- verdicts


def _can_be_compared(desc: Split) -> bool:
    """True if there are parts, all of InputTensor's DimensionCount, which Axis fits."""
    counts = {desc.input_tensor.dimension_count, *(t.dimension_count for t in desc.output_tensors)}
    return len(desc.output_tensors) > 0 and len(counts) == 1 and 0 <= desc.axis < min(counts)


def _are_cut_points(desc: Split) -> bool:
    """True if two or more sizes rise from above 0 to InputTensor's size, as cut points do."""
    if not _can_be_compared(desc) or len(desc.output_tensors) < 2:
        return False
    points = [0, *_parts(desc)]
    return points[-1] == desc.input_tensor.sizes[desc.axis] and all(a < b for a, b in pairwise(points))


def _valid_cut_points(desc: Split, read: Reader) -> bool | None:
    return lets_pass(desc, "sizes.sum") if _are_cut_points(desc) else None


def _between_cut_points(desc: Split, read: Reader) -> WrongOutputs | None:
    if not _valid_cut_points(desc, read):
        return None
    points = [0, *_parts(desc)]
    return _cut(desc, [b - a for a, b in pairwise(points)], lambda at, k: at + points[k])


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


def _without_rest(desc: Split, read: Reader) -> WrongOutputs | None:
    if not _leaves_a_rest(desc, read):
        return None
    starts = starts_of(desc.output_tensors, desc.axis)
    return _cut(desc, _parts(desc), lambda at, k: at + starts[k])


def _count_here(desc: Split, read: Reader, place: Place, index: tuple[int, ...]) -> Mapping[str, Any]:
    return {"D": desc.input_tensor.dimension_count}


def _sum_here(desc: Split, read: Reader, place: Place, index: tuple[int, ...]) -> Mapping[str, Any]:
    there = 0 <= desc.axis < min(t.dimension_count for t in (desc.input_tensor, *desc.output_tensors))
    return {
        "sum": sum(_parts(desc)) if there else 0,
        "n": desc.input_tensor.sizes[desc.axis] if there else 0,
    }


def _on_axis(desc: Split, axis: int) -> Split | None:
    """The parts' sizes along Axis are read as those along `axis`; None unless InputTensor is as long there."""
    whole = desc.input_tensor
    if whole.sizes[axis] != whole.sizes[desc.axis]:
        return None
    parts = [t.resized(put(whole.sizes, axis, t.sizes[desc.axis])) for t in desc.output_tensors]
    return desc.replace({"OutputTensors": parts, "Axis": axis})


def _differs_on_axis(desc: Split, read: Reader, axis: int) -> bool:
    """Wherever there are two parts: each is shorter than the whole, along another axis."""
    return len(desc.output_tensors) > 1


MISREADINGS: tuple[Misreading[Split], ...] = (
    *shared.of_axis(_on_axis, _differs_on_axis),
    Misreading[Split](
        id="S1",
        name="begins at the size before",
        feedback="Part {k} begins where all parts before it end: {start}.",
        look="colours of InputTensor",
        lights=("InputTensor",),
        differs=lambda desc, read: len(desc.output_tensors) > 2,
        outputs=_from_size_before,
        numbers=_part_here,
    ),
    Misreading[Split](
        id="S1c",
        name="sizes are cut points",
        feedback="np.split takes the places of cuts; here stand the distances between them, and these make {sum}, not "
        "{n}.",
        look="rule sizes.sum",
        lights=("rules",),
        **wrong_verdict(True, _valid_cut_points),
        outputs=_between_cut_points,
        numbers=_sum_here,
    ),
    Misreading[Split](
        id="S2",
        name="equal parts",
        feedback="Equal parts would be np.split with a number; here parts have the sizes they were given: {sizes}.",
        look="OutputTensors' Sizes",
        lights=("OutputTensors",),
        differs=lambda desc, read: _parts(desc) != _equal(desc)[1],
        outputs=_equal_parts,
        numbers=_sizes_here,
    ),
    Misreading[Split](
        id="S3",
        name="every part from 0",
        feedback="Parts follow one another, part {k} from {start} on; nothing is read twice.",
        look="the read counts, all ×1",
        lights=("InputTensor",),
        differs=lambda desc, read: len(desc.output_tensors) > 1,
        outputs=lambda desc, read: _cut(desc, _parts(desc), lambda at, k: at),
        numbers=_part_here,
    ),
    Misreading[Split](
        id="S4",
        name="dealt in turn",
        feedback="That would be x[k::K], slices with a step; here a part is one stretch along Axis: part {k} begins at "
        "{start}.",
        look="colours of InputTensor",
        lights=("InputTensor",),
        differs=lambda desc, read: len(desc.output_tensors) > 1 and _parts(desc)[0] > 1 and _is_dealt(desc),
        outputs=_dealt,
        numbers=_part_here,
    ),
    Misreading[Split](
        id="S5",
        name="a size of 1 loses its axis",
        feedback="x[2] loses the axis, x[2:3] keeps it with size 1, and so does SPLIT: all tensors have one "
        "DimensionCount, {D}.",
        look="OutputTensors' Sizes",
        lights=("OutputTensors",),
        differs=lambda desc, read: 1 in _parts(desc),
        outputs=_without_axis,
        numbers=_count_here,
    ),
    Misreading[Split](
        id="S6",
        name="the sum is enough",
        feedback="Every part is checked, not their sum alone.",
        look="rule sizes.positive",
        lights=("rules",),
        **wrong_verdict(True, _sum_is_enough),
    ),
    Misreading[Split](
        id="S7",
        name="a rest may be left",
        feedback="SPLIT leaves nothing over, and {sum} is less than {n}; a piece alone takes SLICE.",
        look="rule sizes.sum",
        lights=("rules",),
        **wrong_verdict(True, _leaves_a_rest),
        outputs=_without_rest,
        numbers=_sum_here,
    ),
    Misreading[Split](
        id="S8",
        name="memory is cut",
        feedback="Memory isn't cut: along an inner axis every row is, as x[..., a:b] does.",
        look="m, memory",
        lights=("memory",),
        differs=lambda desc, read: len(desc.output_tensors) > 1 and math.prod(desc.input_tensor.sizes[: desc.axis]) > 1,
        outputs=_memory_cut,
    ),
)
