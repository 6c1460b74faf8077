"""Wrong rules that people hold about JOIN."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import accumulate
from typing import Any

import numpy as np

from ...desc.indexing import put, ravel, unravel
from ...desc.values import Indices
from ..join import Join
from ..maps import Place, Reader, Sources
from ..parts_of_whole import part_at, starts_of
from ..wrong_rules import Misreading, Sizes, WrongOutputs, nowhere, wrong_verdict
from . import shared
from .verdicts import lets_pass


def _along(desc: Join) -> list[int]:
    """The inputs' sizes along Axis."""
    return [t.sizes[desc.axis] for t in desc.input_tensors]


def _starts(desc: Join) -> list[int]:
    return starts_of(desc.input_tensors, desc.axis)


def _true_sizes(desc: Join) -> Sizes:
    return put(desc.input_tensors[0].sizes, desc.axis, sum(_along(desc)))


def _tensor_here(desc: Join, read: Reader, place: Place, index: tuple[int, ...]) -> Mapping[str, Any]:
    """The tensor that an output's element comes from, or that an element is of, and where it begins.

    The last tensor stands for the first, which begins at 0 by any rule.
    """
    starts, k = _starts(desc), place.number
    if place.is_output:
        at = index[desc.axis] if index else 0
        k = max(k for k in range(len(desc.input_tensors)) if k == 0 or starts[k] <= at)
    k = k or len(desc.input_tensors) - 1
    return {"k": k, "start": starts[k]}


def _sum_here(desc: Join, read: Reader, place: Place, index: tuple[int, ...]) -> Mapping[str, Any]:
    along = _along(desc)
    terms = " + ".join(map(str, along)) if len(along) <= 8 else f"{along[0]} + … + {along[-1]}"
    return {"sum": f"{terms} = {sum(along)}" if len(along) > 1 else str(sum(along))}


# ---- J1 to J6: outputs


def _stacked(desc: Join, read: Reader) -> WrongOutputs | None:
    sizes, axis = desc.input_tensors[0].sizes, desc.axis
    if len({*_along(desc)}) > 1:
        return None
    return WrongOutputs(
        ((*sizes[:axis], len(desc.input_tensors), *sizes[axis:]),),
        lambda output, index: Sources(index[axis], (*index[:axis], *index[axis + 1 :])),
    )


def _is_dealt(desc: Join) -> bool:
    """True if dealing slices in turn ends evenly: each tensor has its turn until all are out of slices."""
    along = _along(desc)
    count, total = len(along), sum(along)
    return along == [-((k - total) // count) for k in range(count)]


def _dealt(desc: Join, read: Reader) -> WrongOutputs | None:
    if not _is_dealt(desc):
        return None
    axis, count = desc.axis, len(desc.input_tensors)
    return WrongOutputs(
        (_true_sizes(desc),),
        lambda output, index: Sources(index[axis] % count, put(index, axis, index[axis] // count)),
    )


def _growing(desc: Join) -> list[int]:
    """The axes that grow where every axis does: Axis, and those with a size above 1, for 1s are overlooked."""
    return [d for d, size in enumerate(desc.input_tensors[0].sizes) if d == desc.axis or size > 1]


def _on_diagonal(desc: Join, read: Reader) -> WrongOutputs:
    sizes, growing, count = desc.input_tensors[0].sizes, _growing(desc), len(desc.input_tensors)
    along = _along(desc)
    grown = [sum(along) if d == desc.axis else n * count if d in growing else n for d, n in enumerate(sizes)]

    def source(output: int, index: tuple[Indices, ...]) -> Sources:
        block, moved = part_at(desc.input_tensors, desc.axis, index)
        outside, at = np.zeros(len(block), np.bool_), list(moved)
        for d in growing:
            if d != desc.axis:
                outside |= index[d] // sizes[d] != block
                at[d] = index[d] % sizes[d]
        return nowhere(Sources(block, tuple(at)), outside)

    return WrongOutputs((tuple(grown),), source)


def _times_first(desc: Join) -> int:
    return len(desc.input_tensors) * desc.input_tensors[0].sizes[desc.axis]


def _appended(desc: Join, read: Reader) -> WrongOutputs:
    sizes, axis, along = _true_sizes(desc), desc.axis, _along(desc)

    def source(output: int, index: tuple[Indices, ...]) -> Sources:
        starts = np.array([0, *accumulate(t.element_count for t in desc.input_tensors)], np.int64)
        flat = ravel(index, sizes)
        tensor = np.searchsorted(starts, flat, side="right").astype(np.int64) - 1
        rest = flat - starts[tensor]
        n, inner = np.array(along, np.int64)[tensor], math.prod(sizes[axis + 1 :])
        row, last = rest // (n * inner), rest % inner
        before, behind = unravel(row, sizes[:axis]), unravel(last, sizes[axis + 1 :])
        return Sources(tensor, (*before, rest // inner % n, *behind))

    return WrongOutputs((sizes,), source)


def _without_start(desc: Join, read: Reader) -> WrongOutputs:
    """Outputs by J6: the start isn't taken off the position, which wraps where it leaves its tensor."""
    axis, along = desc.axis, _along(desc)

    def source(output: int, index: tuple[Indices, ...]) -> Sources:
        tensor, _ = part_at(desc.input_tensors, axis, index)
        return Sources(tensor, put(index, axis, index[axis] % np.array(along, np.int64)[tensor]))

    return WrongOutputs((_true_sizes(desc),), source)


# ---- J7 and J8: verdicts


def _can_be_compared(desc: Join) -> bool:
    """True for two or more inputs of one DimensionCount, which Axis fits."""
    counts = {t.dimension_count for t in desc.input_tensors}
    return len(desc.input_tensors) > 1 and len(counts) == 1 and 0 <= desc.axis < min(counts)


def _agree(desc: Join) -> bool:
    """True if the inputs' sizes agree off Axis."""
    return len({put(t.sizes, desc.axis, 0) for t in desc.input_tensors}) == 1


def _equal_at_axis(desc: Join, read: Reader) -> bool | None:
    """By J7 the sizes at Axis agree, and those elsewhere needn't."""
    if not _can_be_compared(desc) or not lets_pass(desc, *([] if _agree(desc) else ["sizes.match"])):
        return None
    return len({*_along(desc)}) == 1


def _padded(desc: Join, read: Reader) -> bool | None:
    """By J8 sizes off Axis may differ."""
    return lets_pass(desc, "sizes.match") if _can_be_compared(desc) and not _agree(desc) else None


def _padded_outputs(desc: Join, read: Reader) -> WrongOutputs | None:
    if not _padded(desc, read):
        return None
    axis = desc.axis
    largest = [max(t.sizes[d] for t in desc.input_tensors) for d in range(len(desc.input_tensors[0].sizes))]

    def source(output: int, index: tuple[Indices, ...]) -> Sources:
        tensor, at = part_at(desc.input_tensors, axis, index)
        outside = np.zeros(len(tensor), np.bool_)
        for d, there in enumerate(at):
            outside |= there >= np.array([t.sizes[d] for t in desc.input_tensors], np.int64)[tensor]
        return nowhere(Sources(tensor, at), outside)

    return WrongOutputs((put(largest, axis, sum(_along(desc))),), source)


def _differing(desc: Join, read: Reader, place: Place, index: tuple[int, ...]) -> Mapping[str, Any]:
    """Two sizes of the inputs that differ off Axis, or any sizes."""
    tensors = desc.input_tensors
    axes = range(min((t.dimension_count for t in tensors), default=0))
    sizes_off_axis = ({t.sizes[d] for t in tensors} for d in axes if d != desc.axis)
    differing = next((sorted(sizes) for sizes in sizes_off_axis if len(sizes) > 1), [2, 3])
    return {"low": differing[0], "high": differing[-1]}


def _on_axis(desc: Join, axis: int) -> Join | None:
    """None unless the sizes agree off that axis."""
    off = {put(t.sizes, axis, 0) for t in desc.input_tensors}
    return Join(desc.input_tensors, axis) if len(off) == 1 else None


def _differs_on_axis(desc: Join, read: Reader, axis: int) -> bool:
    """Wherever there are two inputs: K times the size at one axis isn't the size at the other's."""
    return len(desc.input_tensors) > 1


MISREADINGS: tuple[Misreading[Join], ...] = (
    *shared.of_axis(_on_axis, _differs_on_axis),
    Misreading[Join](
        id="J1",
        name="stack",
        feedback="A new axis would be np.stack; JOIN is np.concatenate: the size at Axis grows.",
        look="OutputTensor's Sizes",
        lights=("OutputTensor.Sizes",),
        differs=lambda desc, read: len({*_along(desc)}) == 1,
        outputs=_stacked,
    ),
    Misreading[Join](
        id="J2",
        name="dealt in turn",
        feedback="Tensors aren't dealt in turn: InputTensors[{k}] comes in one piece, from {start} on.",
        look="colours: one block a tensor",
        lights=("OutputTensor",),
        differs=lambda desc, read: len(desc.input_tensors) > 1 and _along(desc)[0] > 1 and _is_dealt(desc),
        outputs=_dealt,
        numbers=_tensor_here,
    ),
    Misreading[Join](
        id="J3",
        name="every axis grows",
        feedback="JOIN is np.concatenate: only Axis grows; elsewhere the sizes must agree already.",
        look="OutputTensor's Sizes",
        lights=("OutputTensor.Sizes",),
        differs=lambda desc, read: len(desc.input_tensors) > 1 and any(d != desc.axis for d in _growing(desc)),
        outputs=_on_diagonal,
    ),
    Misreading[Join](
        id="J4",
        name="as many times the first",
        feedback="Sizes along Axis are added: {sum}.",
        look="rule sizes.sum",
        lights=("OutputTensor.Sizes", "rules"),
        differs=lambda desc, read: sum(_along(desc)) != _times_first(desc),
        outputs=lambda desc, read: WrongOutputs((put(_true_sizes(desc), desc.axis, _times_first(desc)),)),
        numbers=_sum_here,
    ),
    Misreading[Join](
        id="J5",
        name="memory is appended",
        feedback="np.concatenate appends rows, not memory: along an inner axis every row takes its piece of each "
        "tensor.",
        look="m, memory; s to run",
        lights=("memory",),
        differs=lambda desc, read: (
            len(desc.input_tensors) > 1 and math.prod(desc.input_tensors[0].sizes[: desc.axis]) > 1
        ),
        outputs=_appended,
    ),
    Misreading[Join](
        id="J6",
        name="the tensors before forgotten",
        feedback="InputTensors[{k}] begins at {start} along Axis: that is taken off first.",
        look="the formula line",
        lights=("formula",),
        differs=lambda desc, read: any(start % n for start, n in zip(_starts(desc), _along(desc), strict=False)),
        outputs=_without_start,
        numbers=_tensor_here,
    ),
    Misreading[Join](
        id="J7",
        name="equal at Axis",
        feedback="As in np.concatenate, sizes may differ at Axis; they must agree everywhere else.",
        look="rule sizes.match",
        lights=("rules",),
        differs=lambda desc, read: (
            _equal_at_axis(desc, read) is not None and (len({*_along(desc)}) == 1) is not _agree(desc)
        ),
        accepts=_equal_at_axis,
    ),
    Misreading[Join](
        id="J8",
        name="the smaller one is padded",
        feedback="JOIN fills no gaps: sizes {low} and {high} can't lie side by side.",
        look="rule sizes.match",
        lights=("rules",),
        **wrong_verdict(True, _padded),
        outputs=_padded_outputs,
        numbers=_differing,
    ),
)
