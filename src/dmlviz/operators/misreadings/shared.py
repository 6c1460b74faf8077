"""Wrong rules about axes, coordinates, types and levels that people hold about several operators, written once.

What an operator's `MISREADINGS` begin with: `*of_axis()` where it has an Axis, `*OF_ANY` where it has none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec.structs import replace

from ...desc.base import Desc
from ...desc.indexing import leading_ones, put, ravel, unravel
from ...desc.levels import NEWEST, FeatureLevel
from ...desc.values import Index
from ..desc_edits import dimension_changes, fit_dimensions, with_tensors
from ..general_rules import anchor_of, evaluate
from ..level_rules import LEVEL_CHECKS, least_level, lowest_of_tensors
from ..maps import Reader, Sources, tensors_among
from ..registry import operator_of
from ..wrong_rules import Misreading, Sizes, WrongOutputs, broken_rules, is_valid, lets_pass, true_outputs


def _anchor_sizes(desc: Desc) -> Sizes:
    anchor = anchor_of(operator_of(desc), desc)
    return anchor.tensor.sizes if anchor else ()


def _along(axis_of: Callable[[Any], int], resized: str) -> Callable[[Any, Reader], WrongOutputs | None]:
    """Outputs of the desc as somebody reads it who takes another axis for Axis; None where that has no meaning.

    The tensors of the field `resized` have the first input's sizes apart from Axis, and are read so along the other.
    """

    def outputs(desc: Any, read: Reader) -> WrongOutputs | None:
        axis, whole = axis_of(desc), desc.inputs[0].tensor.sizes
        if not 0 <= axis < len(whole) or (resized and whole[axis] != whole[desc.axis]):
            return None
        own = (part for part in desc.parts if part.field.name == resized)
        tensors = {part.path: part.tensor.resized(put(whole, axis, part.tensor.sizes[desc.axis])) for part in own}
        reading = desc.replace({"Axis": axis, **desc.inferable, **with_tensors(desc, tensors)})

        def source(output: int, index: Index) -> Sources:
            sources = operator_of(desc).source(reading, output, index, read)
            if sources.via is None:
                return sources
            own, other = (each.inputs[sources.via_tensor].tensor.sizes for each in (desc, reading))
            return replace(sources, via=unravel(ravel(sources.via, other), own))  # the cell by where it is in the desc

        sizes = tuple(part.tensor.sizes for part in reading.outputs)
        return WrongOutputs(sizes, source) if is_valid(reading) else None

    return outputs


def _from_other_end(desc: Any) -> int:
    return len(desc.inputs[0].tensor.sizes) - 1 - int(desc.axis)


def _before_ones(desc: Any) -> int:
    sizes = desc.inputs[0].tensor.sizes
    ones = leading_ones(sizes)
    return int(desc.axis) - (ones if ones < len(sizes) else 0)


def _laid_down_columns_first(desc: Desc, read: Reader) -> WrongOutputs:
    op, truth = operator_of(desc), true_outputs(desc, read)

    def source(output: int, index: Index) -> Sources:
        sources = op.source(desc, output, index, read)
        at = [axis.copy() for axis in sources.index]
        for k in tensors_among(sources.tensor):
            here = sources.tensor == k
            sizes = desc.inputs[k].tensor.sizes
            moved = unravel(ravel([axis[here] for axis in reversed(sources.index)], sizes[::-1]), sizes)
            for axis, there in zip(at, moved, strict=True):
                axis[here] = there
        return Sources(sources.tensor, tuple(at), flags=sources.flags)

    return WrongOutputs(truth.sizes, source)


def _transposed(desc: Desc, read: Reader) -> WrongOutputs | None:
    op = operator_of(desc)
    sizes = [part.tensor.sizes for part in desc.outputs]
    if any(len(shape) < 2 for shape in sizes):
        return None
    return WrongOutputs(
        tuple((*shape[:-2], shape[-1], shape[-2]) for shape in sizes),
        lambda output, index: op.source(desc, output, (*index[:-2], index[-1], index[-2]), read),
    )


def _by_index(
    moved: Callable[[Index, Sizes], Index],
) -> Callable[[Desc, Reader], WrongOutputs | None]:
    """Outputs of the true sizes, whose elements stand elsewhere in the true ones: `moved` says where."""

    def outputs(desc: Desc, read: Reader) -> WrongOutputs | None:
        truth = true_outputs(desc, read)
        if truth.source is None or min(map(len, truth.sizes)) < 2:
            return None
        own = truth.source
        return WrongOutputs(truth.sizes, lambda output, index: own(output, moved(index, truth.sizes[output])))

    return outputs


def _swapped(index: Index, sizes: Sizes) -> Index:
    row, column = index[-2:]
    there = np.maximum(row, column) < min(sizes[-2:])
    return (*index[:-2], np.where(there, column, row), np.where(there, row, column))


def _wrapped(desc: Any) -> Any:
    """The desc with a negative Axis counted from the end; None where Axis isn't negative, or too far."""
    count = len(_anchor_sizes(desc))
    return desc.replace({"Axis": desc.axis + count}) if -count <= desc.axis < 0 else None


def _valid_wrapped(desc: Any, read: Reader) -> bool | None:
    wrapped = _wrapped(desc)
    return None if wrapped is None else lets_pass(wrapped)


def _valid_padded(desc: Desc, read: Reader) -> bool | None:
    """With leading 1s put on wherever a tensor has fewer dimensions than another."""
    counts = {part.tensor.dimension_count for part in desc.parts}
    if len(counts) < 2 or min(desc.named_axes, default=0) < 0 or "count.matches" in broken_rules(desc):
        return None
    for changes in dimension_changes(desc, max(counts) - len(_anchor_sizes(desc))):
        padded = desc.replace(changes)
        sizes = {part.path: fit_dimensions(part.tensor.sizes, max(counts)) for part in padded.parts}
        tensors = {
            p.path: p.tensor.resized(sizes[p.path] or ()) for p in padded.parts if p.field.name not in padded.inferred
        }
        return lets_pass(padded.replace(with_tensors(padded, tensors)))
    return None


def _valid_promoted(desc: Desc, read: Reader) -> bool | None:
    types = {part.tensor.data_type for part in desc.parts if part.is_moved}
    return lets_pass(desc, "dtype.equal") if len(types) > 1 else None


def _others_hold(desc: Desc) -> bool:
    return broken_rules(desc) <= LEVEL_CHECKS


def _lowest_by_size(desc: Desc) -> FeatureLevel | None:
    op = operator_of(desc)
    least = least_level(op, desc, evaluate(op, desc, NEWEST))
    return lowest_of_tensors(desc, least, lambda part: max(part.tensor.sizes, default=0))


OF_ANY: tuple[Misreading[Any], ...] = (
    Misreading(
        id="C4",
        name="column-major",
        feedback="As in NumPy, memory runs along the last axis first: numbers go along the rows, not down the columns.",
        lights=("memory",),
        outputs=_laid_down_columns_first,
        also=(_by_index(lambda index, sizes: unravel(ravel(index[::-1], sizes[::-1]), sizes)),),
        order=lambda desc, output, flat: unravel(flat, desc.outputs[output].tensor.sizes[::-1])[::-1],
    ),
    Misreading(
        id="C5",
        name="[column, row]",
        feedback="As in x[row, column], the first number of a coordinate goes down, the last one across.",
        lights=("formula",),
        outputs=_transposed,
        also=(_by_index(_swapped),),
    ),
    Misreading(
        id="C7",
        name="leading 1s don't matter",
        feedback="Nothing is broadcast: the numbers are the same, the descs are not, and all tensors have one "
        "DimensionCount.",
        lights=("dimension_count.equal",),
        accepts=_valid_padded,
    ),
    Misreading(
        id="C8",
        name="types promote",
        feedback="NumPy would convert; these operators move bits and convert nothing: a CAST has to come first.",
        lights=("dtype.equal",),
        accepts=_valid_promoted,
    ),
    Misreading(
        id="C9",
        name="a type that exists is taken everywhere",
        feedback="Each operator has a row of types and dimensions for each level.",
        lights=("levels",),
        lowest_level=lambda desc: FeatureLevel.L1_0 if _others_hold(desc) else None,
    ),
    Misreading(
        id="C10",
        name="rank is a size",
        feedback="DimensionCount is how many numbers Sizes has, {D} here, and no size itself.",
        lights=("levels",),
        lowest_level=lambda desc: _lowest_by_size(desc) if _others_hold(desc) else None,
    ),
)
"""The wrong rules about any operator that reads every element of its data inputs."""


def of_axis(resized: str = "") -> tuple[Misreading[Any], ...]:
    """The wrong rules about any operator along an Axis that reads every element of its data inputs.

    `resized` names the field of tensors, other than the first input, that have its sizes apart from Axis.
    """
    return (
        Misreading[Any](
            id="C1",
            name="axis from the other end",
            feedback="Axis {Axis} is x.shape[{Axis}]: the size at position {Axis} of Sizes, counted from 0 at the "
            "left.",
            lights=("ruler", "Axis"),
            axis=_from_other_end,
            outputs=_along(_from_other_end, resized),
        ),
        Misreading[Any](
            id="C2",
            name="axes from 1",
            feedback="Axes count from 0, as in NumPy: of {D} the first is Axis 0, the second Axis 1.",
            lights=("ruler", "Axis"),
            axis=lambda desc: desc.axis + 1,
            outputs=_along(lambda desc: int(desc.axis) - 1, resized),
        ),
        Misreading[Any](
            id="C3",
            name="leading 1s not counted",
            feedback="The padded 1s are axes too: Axis counts them.",
            lights=("Axis", "ruler"),
            axis=_before_ones,
            outputs=_along(lambda desc: int(desc.axis) + leading_ones(desc.inputs[0].tensor.sizes), resized),
        ),
        *OF_ANY,
        Misreading[Any](
            id="C6",
            name="Axis -1 is the last one",
            feedback="NumPy takes axis=-1; here Axis is an unsigned number: -1 arrives as 4294967295.",
            lights=("axis.range", "Axis"),
            accepts=_valid_wrapped,
            outputs=lambda desc, read: true_outputs(_wrapped(desc), read),
        ),
    )
