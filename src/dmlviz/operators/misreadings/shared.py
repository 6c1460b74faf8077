"""Wrong rules about axes, coordinates, types and levels that people hold about several operators, written once.

What an operator's `MISREADINGS` begin with, one line each: `*of_axis(along, differs_along)` where it has an Axis,
`*of_any(shows)` where it has none. What differs between operators is asked of the operator, or of the functions that
its module hands in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from ...desc.base import Desc, Part
from ...desc.fields import Role
from ...desc.indexing import leading_ones, ravel, unravel
from ...desc.levels import LEVELS, FeatureLevel
from ...desc.tensors import braces
from ...desc.values import CHUNK, Indices
from ...stopping import checkpoint
from ..general_rules import anchor_of, evaluate
from ..level_rules import LEVEL_CHECKS, least_level, lowest_of_tensors
from ..maps import Place, Reader, Sources, tensors_among
from ..registry import operator_of
from ..scans import SCAN_LIMIT
from ..wrong_rules import FIRST_READ, Misreading, WrongOutputs, some_value, wrong_verdict
from .verdicts import broken_rules, is_valid, lets_pass

D = TypeVar("D", bound=Desc)
Shows = Callable[[Any, Reader], bool]
"""False where an output with the same size along its last two axes, above 1, is the same when they change places."""

# ---- what these rules are made of


def any_cell(read: Reader, count: int, name: str, holds: Callable[[Indices, NDArray[Any]], NDArray[np.bool_]]) -> bool:
    """True if `holds` of an index or length cell among the first `count`, and `SCAN_LIMIT`.

    It is asked of (N,) flat indices and raw values, up to the first hit; the reader keeps the answer by `name`.
    Pieces grow from `FIRST_READ` cells to `CHUNK`.
    """

    def look() -> bool:
        holds_somewhere, start, most = False, 0, min(count, SCAN_LIMIT)
        while start < most and not holds_somewhere:
            checkpoint()
            stop = min(most, start + min(CHUNK, start + FIRST_READ))
            flat = np.arange(start, stop, dtype=np.int64)
            holds_somewhere, start = bool(holds(flat, read(1, flat)).any()), stop
        return holds_somewhere

    return read.kept(f"any cell: {name}", look)


def none_of(desc: Desc, read: Reader, name: str, holds: Callable[[NDArray[Any]], NDArray[np.bool_]]) -> bool | None:
    """True if `holds` of no index or length value, by the name of a rule; None of broken descs, and of too many."""
    if not is_valid(desc) or desc.inputs[1].tensor.element_count > SCAN_LIMIT:
        return None
    return not some_value(read, name, holds)


def true_outputs(desc: Desc, read: Reader) -> WrongOutputs:
    """What the operator itself makes of `desc`, which is another reading of the desc in question."""
    operator = operator_of(desc)
    sizes = tuple(part.tensor.sizes for part in desc.outputs)
    return WrongOutputs(sizes, lambda output, index: operator.source(desc, output, index, read))


def _outputs_of(desc: Desc, reading: Desc, read: Reader) -> WrongOutputs:
    """What the operator makes of another reading; its index or length cells are told by where they are in the desc."""
    wrong, pairs = true_outputs(reading, read), list(zip(desc.inputs, reading.inputs, strict=True))
    if all(own.tensor.sizes == other.tensor.sizes for own, other in pairs):
        return wrong

    def source(output: int, index: tuple[Indices, ...]) -> Sources:
        assert wrong.source is not None
        sources = wrong.source(output, index)
        if sources.via is None:
            return sources
        own, other = pairs[sources.via_tensor]
        return replace(sources, via=unravel(ravel(sources.via, other.tensor.sizes), own.tensor.sizes))

    return WrongOutputs(wrong.sizes, source)


# ---- C1 to C3: another Axis


def _anchor_count(desc: Desc) -> int:
    """The DimensionCount that the others are held against."""
    anchor = anchor_of(operator_of(desc), desc)
    return anchor.tensor.dimension_count if anchor else 0


def _axis_numbers(desc: Any, read: Reader, place: Place, index: tuple[int, ...]) -> Mapping[str, Any]:
    count = _anchor_count(desc)
    return {"Axis": desc.axis, "D": count, "last": count - 1, "arrives": desc.axis % 2**32}


def _from_other_end(desc: Any) -> int:
    return len(desc.inputs[0].tensor.sizes) - 1 - int(desc.axis)


def _behind_ones(desc: Any) -> int:
    return int(desc.axis) + leading_ones(desc.inputs[0].tensor.sizes)


def _before_ones(desc: Any) -> int:
    sizes = desc.inputs[0].tensor.sizes
    ones = leading_ones(sizes)
    return int(desc.axis) - (ones if ones < len(sizes) else 0)


def _axis_rules(
    along: Callable[[D, int], D | None], differs_along: Callable[[D, Reader, int], bool]
) -> tuple[Misreading[D], ...]:
    """C1 to C3 of an operator. Their closed form: the other Axis is another, has a meaning, and `differs_along`."""

    def rule(axis_of: Callable[[D], int], **texts: Any) -> Misreading[D]:
        def reading(desc: D) -> D | None:
            axis = axis_of(desc)
            return along(desc, axis) if 0 <= axis < len(desc.inputs[0].tensor.sizes) else None

        def differs(desc: D, read: Reader) -> bool:
            axis = axis_of(desc)
            return axis != desc.get("Axis") and reading(desc) is not None and differs_along(desc, read, axis)

        def outputs(desc: D, read: Reader) -> WrongOutputs | None:
            other = reading(desc)
            return None if other is None else _outputs_of(desc, other, read)

        return Misreading(differs=differs, outputs=outputs, numbers=_axis_numbers, **texts)

    return (
        rule(
            _from_other_end,
            id="C1",
            axis=_from_other_end,
            name="axis from the other end",
            feedback="Axis {Axis} is x.shape[{Axis}]: the size at position {Axis} of Sizes, counted from 0 at the "
            "left.",
            look="the axes' names",
            lights=("Axis", "ruler"),
        ),
        rule(
            lambda desc: int(desc.get("Axis")) - 1,
            id="C2",
            axis=lambda desc: int(desc.get("Axis")) + 1,
            name="axes from 1",
            feedback="Axes count from 0, as in NumPy: the last of {D} is {last}.",
            look="the axes' names",
            lights=("Axis", "ruler"),
        ),
        rule(
            _behind_ones,
            id="C3",
            axis=_before_ones,
            name="leading 1s not counted",
            feedback="The padded 1s are axes too: Axis counts them.",
            look="Sizes in the title of the first input",
            lights=("Axis", "ruler"),
        ),
    )


# ---- C4 and C5: memory and coordinates


def _columns_first(index: tuple[Indices, ...], sizes: tuple[int, ...]) -> tuple[Indices, ...]:
    """Where an element of a picture comes from whose numbers were laid down along the first axis first."""
    return unravel(ravel(index[::-1], sizes[::-1]), sizes)


def _laid_down_columns_first(desc: Desc, read: Reader) -> WrongOutputs:
    """The operator's outputs, of data inputs whose numbers run down the columns."""
    operator, truth = operator_of(desc), true_outputs(desc, read)

    def source(output: int, index: tuple[Indices, ...]) -> Sources:
        sources = operator.source(desc, output, index, read)
        at = [axis.copy() for axis in sources.index]
        for k in tensors_among(sources.tensor):
            here = sources.tensor == k
            moved = _columns_first(tuple(axis[here] for axis in sources.index), desc.inputs[k].tensor.sizes)
            for axis, there in zip(at, moved, strict=True):
                axis[here] = there
        return Sources(sources.tensor, tuple(at), flags=sources.flags)

    return WrongOutputs(truth.sizes, source)


def _read_columns_first(desc: Desc, output: int, flat: Indices) -> tuple[Indices, ...]:
    return unravel(flat, desc.outputs[output].tensor.sizes[::-1])[::-1]


def _two_long_axes(sizes: tuple[int, ...]) -> bool:
    return sum(size > 1 for size in sizes) > 1


COLUMN_MAJOR = Misreading[Any](
    id="C4",
    name="column-major",
    feedback="As in NumPy, memory runs along the last axis first: numbers go along the rows, not down the columns.",
    look="m, memory",
    lights=("memory",),
    differs=lambda desc, read: any(_two_long_axes(p.tensor.sizes) for p in desc.inputs if p.field.role is Role.DATA),
    outputs=_laid_down_columns_first,
    order=_read_columns_first,
)
"""The picture that its holder draws: each data input's numbers laid down columns first, then the true operator."""


def _transposed(desc: Desc, read: Reader) -> WrongOutputs | None:
    sizes = [p.tensor.sizes for p in desc.outputs]
    if any(len(shape) < 2 for shape in sizes):
        return None
    operator = operator_of(desc)
    return WrongOutputs(
        tuple((*shape[:-2], shape[-1], shape[-2]) for shape in sizes),
        lambda output, index: operator.source(desc, output, (*index[:-2], index[-1], index[-2]), read),
    )


def _always(desc: Desc, read: Reader) -> bool:
    return True


def _column_before_row(shows: Shows) -> Misreading[Any]:
    """C5: the last two coordinates change places, and so do the sizes along them."""

    def differs(desc: Desc, read: Reader) -> bool:
        last = [p.tensor.sizes[-2:] for p in desc.outputs if len(p.tensor.sizes) > 1]
        return any(pair[0] != pair[1] for pair in last) or (any(max(pair) > 1 for pair in last) and shows(desc, read))

    return Misreading[Any](
        id="C5",
        name="[column, row]",
        feedback="As in x[row, column], the first number of a coordinate goes down, the last one across.",
        look="the cursor's coordinate in the formula line",
        lights=("formula",),
        differs=differs,
        outputs=_transposed,
    )


# ---- C6 to C8: verdicts


def _wrapped(desc: Any) -> Any:
    """The desc with a negative Axis counted from the end; None where Axis isn't negative, or too far."""
    count = _anchor_count(desc)
    return desc.replace({"Axis": desc.axis + count}) if -count <= desc.axis < 0 else None


def _valid_wrapped(desc: Any, read: Reader) -> bool | None:
    wrapped = _wrapped(desc)
    return None if wrapped is None else lets_pass(wrapped)


def _wrapped_outputs(desc: Any, read: Reader) -> WrongOutputs | None:
    wrapped = _wrapped(desc)
    return None if wrapped is None or not is_valid(wrapped) else true_outputs(wrapped, read)


NEGATIVE_AXIS = Misreading[Any](
    id="C6",
    name="Axis -1 is the last one",
    feedback="NumPy takes axis=-1; here Axis is an unsigned number: {Axis} arrives as {arrives}.",
    look="rule axis.range",
    lights=("Axis", "rules"),
    **wrong_verdict(True, _valid_wrapped),
    outputs=_wrapped_outputs,
    numbers=_axis_numbers,
)


def _padded(desc: Desc) -> Desc | None:
    """The desc with leading 1s put on wherever a tensor has fewer dimensions than another; None where none has."""
    counts = {part.tensor.dimension_count for part in desc.parts}
    anchor = anchor_of(operator_of(desc), desc)
    if len(counts) < 2 or anchor is None:
        return None
    most = max(counts)
    more = most - anchor.tensor.dimension_count
    changes: dict[str, Any] = {}
    for field in desc.TENSORS:
        if field.name not in desc.inferred:
            longer = [
                p.tensor.resized((1,) * (most - p.tensor.dimension_count) + p.tensor.sizes)
                for p in desc.parts
                if p.field.name == field.name
            ]
            changes[field.name] = longer if field.many else longer[0]
    for attribute, content in zip(desc.ATTRIBUTES, desc.attributes.values(), strict=True):
        if attribute.is_axis and content >= 0:
            changes[attribute.name] = content + more
        elif attribute.per_axis and attribute.neutral is not None:
            changes[attribute.name] = (attribute.neutral,) * more + tuple(content)
            changes |= {f.name: desc.get(f.name) + more for f in desc.COUNTS if attribute.name in f.arrays}
    return desc.replace(changes)


def _valid_padded(desc: Desc, read: Reader) -> bool | None:
    padded = _padded(desc)
    return None if padded is None else lets_pass(padded)


ONES_ARE_NOTHING = Misreading[Any](
    id="C7",
    name="leading 1s don't matter",
    feedback="Nothing is broadcast: the numbers are the same, the descs are not, and all tensors have one "
    "DimensionCount.",
    look="rule dimension_count.equal",
    lights=("rules",),
    **wrong_verdict(True, _valid_padded),
)


def _data_types(desc: Desc) -> set[Any]:
    return {p.tensor.data_type for p in desc.parts if p.field.role in (Role.DATA, Role.OUTPUT)}


def _valid_promoted(desc: Desc, read: Reader) -> bool | None:
    return lets_pass(desc, "dtype.equal") if len(_data_types(desc)) > 1 else None


TYPES_PROMOTE = Misreading[Any](
    id="C8",
    name="types promote",
    feedback="NumPy would convert; these operators move bits and convert nothing: a CAST has to come first.",
    look="rule dtype.equal",
    lights=("rules",),
    **wrong_verdict(True, _valid_promoted),
)

# ---- C9 and C10: the lowest level


def _lowest(desc: Desc, count_of: Callable[[Part], int]) -> FeatureLevel | None:
    """The lowest level of a desc that breaks no other rule, if its tensors had so many dimensions."""
    operator = operator_of(desc)
    least = least_level(operator, desc, evaluate(operator, desc, LEVELS[-1]))
    return lowest_of_tensors(desc, least, count_of)


def _dimension_count(part: Part) -> int:
    return part.tensor.dimension_count


def _largest_size(part: Part) -> int:
    return max(part.tensor.sizes, default=0)


def _others_hold(desc: Desc) -> bool:
    """True if no rule is broken but those that depend on the level."""
    return broken_rules(desc) <= LEVEL_CHECKS


def _level_numbers(desc: Desc, read: Reader, place: Place, index: tuple[int, ...]) -> Mapping[str, Any]:
    level = _lowest(desc, _dimension_count)
    none = "there is none for this one"
    return {"begins": none if level is None else f"this one begins at {level}"}


TAKEN_EVERYWHERE = Misreading[Any](
    id="C9",
    name="a type that exists is taken everywhere",
    feedback="Each operator has a row of types and dimensions for each level; {begins}.",
    look="v, the level table",
    lights=("levels",),
    differs=lambda desc, read: _lowest(desc, _dimension_count) is not FeatureLevel.L1_0 and _others_hold(desc),
    lowest_level=lambda desc: FeatureLevel.L1_0 if _others_hold(desc) else None,
    numbers=_level_numbers,
)
"""Whether it is valid at a level follows from `lowest_level`, as in truth."""


def _rank_numbers(desc: Desc, read: Reader, place: Place, index: tuple[int, ...]) -> Mapping[str, Any]:
    first = next(iter(desc.parts), None)
    sizes = first.tensor.sizes if first else ()
    return {"sizes": braces(sizes), "D": len(sizes)}


RANK_IS_A_SIZE = Misreading[Any](
    id="C10",
    name="rank is a size",
    feedback="DimensionCount is how many numbers Sizes has: {sizes} has {D}.",
    look="Sizes in the title",
    lights=("levels",),
    differs=lambda desc, read: (
        _lowest(desc, _dimension_count) is not _lowest(desc, _largest_size) and _others_hold(desc)
    ),
    lowest_level=lambda desc: _lowest(desc, _largest_size) if _others_hold(desc) else None,
    numbers=_rank_numbers,
)
"""It shows in the lowest level: the rows are asked for the largest size in the place of DimensionCount."""

# ---- what operators begin with


def of_any(shows: Shows) -> tuple[Misreading[Any], ...]:
    """The wrong rules about any operator that reads every element of its data inputs."""
    return (
        COLUMN_MAJOR,
        _column_before_row(shows),
        ONES_ARE_NOTHING,
        TYPES_PROMOTE,
        TAKEN_EVERYWHERE,
        RANK_IS_A_SIZE,
    )


def of_axis(
    along: Callable[[D, int], D | None],
    differs_along: Callable[[D, Reader, int], bool],
    shows: Shows = _always,
) -> tuple[Misreading[Any], ...]:
    """The wrong rules about any operator along an Axis that reads every element of its data inputs.

    `along` is the desc as somebody reads it who takes another axis for Axis, with its output inferred anew, or None
    where that has no meaning. Where it has one, `differs_along` tells whether its outputs are others, in closed form.
    """
    return (*_axis_rules(along, differs_along), *of_any(shows), NEGATIVE_AXIS)
