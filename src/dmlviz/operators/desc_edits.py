"""Edits that change several tensors of a desc together: their DataType or their DimensionCount."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..desc.base import Changes, Desc, Part
from ..desc.fields import Role
from ..desc.tensors import DataType, TensorDesc
from .general_rules import anchor_of
from .registry import operator_of
from .report import Check


def with_data_type(desc: Desc, kind: DataType) -> Desc:
    return desc.replace(with_types(desc, kind))


def with_types(desc: Desc, kind: DataType) -> Changes:
    """The change that gives every data and output tensor one type."""
    return _every(desc, lambda p: p.tensor.changed(data_type=kind), (Role.DATA, Role.OUTPUT))


def with_tensor(desc: Desc, part: Part, tensor: TensorDesc) -> Changes:
    return with_tensors(desc, {part.path: tensor})


def with_tensors(desc: Desc, tensors: Mapping[str, TensorDesc]) -> Changes:
    changes: dict[str, Any] = {}
    fields = {part.field.name: part.field.many for part in desc.parts if part.path in tensors}
    for name, many in fields.items():
        own = [tensors.get(part.path, part.tensor) for part in desc.parts if part.field.name == name]
        changes[name] = own if many else own[0]
    return changes


def halves(desc: Desc, broken: Check) -> Iterator[Changes]:
    """Where all types of one size are refused: twice as many elements of half that size, which have the same bits.

    For operators that move neighbours along the last axis together.
    """
    if broken.id != "dtype.supported":
        return
    data = [p.tensor for p in desc.parts if p.is_moved]
    alike = all(tensor.data_type.name == broken.found and "Strides" not in tensor.members for tensor in data)
    sizes = [DataType[name].item_size for name in (broken.found, *broken.expected)]
    halved = [DataType[name] for name in broken.expected if 2 * DataType[name].item_size == sizes[0]]
    if alike and halved and sizes[0] not in sizes[1:]:
        kind = min(halved, key=lambda type_: "uif".index(type_.dtype.kind))

        def halved_part(part: Part) -> TensorDesc:
            sizes = part.tensor.sizes
            return part.tensor.resized((*sizes[:-1], *(2 * n for n in sizes[-1:]))).changed(data_type=kind)

        yield _every(desc, halved_part, (Role.DATA, Role.OUTPUT))


def with_dimensions(desc: Desc, count: int) -> Desc | None:
    """A copy with `count` dimensions: every tensor gets or loses leading 1s, and Axis moves along.

    None where sizes other than leading 1s would have to go.
    """
    anchor = anchor_of(operator_of(desc), desc)
    if anchor is None:
        return None
    for changes in dimension_changes(desc, count - anchor.tensor.dimension_count):
        changed = desc.replace(changes)
        follow = {name: changed.get(name) for name in changed.inferred - desc.inferred}  # what was given stays given
        return changed.replace(follow)
    return None


def fit_dimensions(sizes: tuple[int, ...], count: int, neutral: int = 1) -> tuple[int, ...] | None:
    """`sizes` with leading 1s put on or taken off until there are `count`; None where other sizes would have to go.

    `neutral` stands for the 1s in an array that is no sizes.
    """
    if count >= len(sizes):
        return (neutral,) * (count - len(sizes)) + sizes
    extra = len(sizes) - count
    return sizes[extra:] if all(size == neutral for size in sizes[:extra]) else None


def dimension_changes(desc: Desc, more: int) -> Iterator[Changes]:
    """The change that gives every tensor `more` leading 1s (takes them, where negative) and moves Axis along.

    Arrays of one entry an axis get their neutral entries; there is no change where one of them has none.
    """
    changes: dict[str, Any] = {}
    for field in desc.ATTRIBUTES:
        number = desc.get(field.name)
        if field.is_axis:
            changes[field.name] = number + more
        elif field.per_axis:
            fitted = None if field.neutral is None else fit_dimensions(number, len(number) + more, field.neutral)
            if fitted is None:
                return
            changes[field.name] = fitted
    fits = [fit_dimensions(p.tensor.sizes, p.tensor.dimension_count + more) for p in desc.parts]
    axes = [n for n in changes.values() if isinstance(n, int)]
    if None in fits or min(axes, default=0) < 0:
        return
    paths = {p.path: fit or () for p, fit in zip(desc.parts, fits, strict=True)}
    changes |= _every(desc, lambda p: p.tensor.resized(paths[p.path]))
    counts = {f.name: None for f in desc.COUNTS if changes.keys() & {*f.arrays}}
    yield {**changes, **counts}


def _every(desc: Desc, change: Callable[[Part], TensorDesc], roles: Sequence[Role] = tuple(Role)) -> Changes:
    given = (part for part in desc.parts if part.field.role in roles and part.field.name not in desc.inferred)
    return with_tensors(desc, {part.path: change(part) for part in given})
