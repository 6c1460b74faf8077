"""The differences between two descs, as one line can say them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, zip_longest
from typing import Any, NamedTuple

from ...desc.base import Desc
from ...desc.fields import Field, Role, TensorField
from ...desc.levels import FeatureLevel
from ...desc.tensors import DataType, TensorDesc, braces
from ..desc_edits import with_data_type, with_halves
from ..registry import operator_of
from ..report import Change, listed

FEW = 3
"""Tensors up to which an edit of all of them is told one by one."""


def changes_between(old: Desc, new: Desc, old_level: FeatureLevel, new_level: FeatureLevel) -> list[Change]:
    """What changes, as one line can say it: `Axis 4 → 3, OutputTensor {3, 2} → {2, 2}`."""
    changes = [Change("feature level", str(old_level), str(new_level))] if old_level is not new_level else []
    if old.TYPE != new.TYPE:
        changes.append(Change("operator", operator_of(old).name, operator_of(new).name))
        here, there = ({name: str(content) for name, content in desc.given().items()} for desc in (old, new))
        names = [name for name in {**here, **there} if here.get(name) != there.get(name)]
        return [*changes, *(Change(name, here.get(name, ""), there.get(name, "")) for name in names)]
    before_types, after_types = _types(old), _types(new)
    if len(before_types) == len(after_types) == 1 and before_types != after_types:
        (one,), (other,) = before_types, after_types
        if with_data_type(old, other) == new:
            return [*changes, Change("DataType", str(one), str(other))]
        halved = len(old.parts) > FEW and one.item_size == 2 * other.item_size
        if halved and old.replace(with_halves(old, other)) == new:
            return [*changes, Change("DataType", str(one), str(other)), Change("every last size", "n", "2n")]
    for field, before, after in _changed(old, new):
        if isinstance(field, TensorField):
            if field.name not in old.inferred or field.many:  # else it follows the rest without being edited
                changes += _tensor_changes(field, *_listed(field, before, after))
        elif field.name not in new.inferred or field.name not in old.inferred:
            changes.append(Change(field.name, field.shown(before), field.shown(after)))
    return changes


def _changed(old: Desc, new: Desc) -> Iterator[tuple[Field, Any, Any]]:
    """The fields whose contents differ, with both."""
    rows = ((field, old.get(field.name), new.get(field.name)) for field in old.FIELDS)
    return (row for row in rows if row[1] != row[2])


def _listed(field: TensorField, before: Any, after: Any) -> tuple[Sequence[Any], Sequence[Any]]:
    return (before, after) if field.many else ((before,), (after,))


class Edits(NamedTuple):
    """How much of what was given changes from one desc to another."""

    numbers: int
    """Numbers and types that change."""
    axes: int
    """Of these, numbers that name an axis."""
    outputs: int
    """Of these, sizes of outputs."""
    agreeing: int
    """How many tensors more have the sizes that changed as they are then, than as they were."""


def edits_between(old: Desc, new: Desc) -> Edits:
    """What changes of the fields that were given; what is inferred in both follows by itself."""
    if old.TYPE != new.TYPE:
        here, there = old.given(), new.given()
        return Edits(1 + sum(here.get(name) != there.get(name) for name in {**here, **there}), 0, 0, 0)
    numbers = axes = outputs = agreeing = 0
    sizes: dict[int, Counter[int]] = {}  # how many tensors have each size on an axis, where that is asked
    for field, before, after in _changed(old, new):
        if field.name in old.inferred and field.name in new.inferred:
            continue
        if isinstance(field, TensorField):
            befores, afters = _listed(field, before, after)
            edits = sum(_edited_numbers(one, other) for one, other in zip_longest(befores, afters))
            if field.name in old.inferred or (field.name in new.inferred and not befores):
                edits = 0
            if field.role is Role.OUTPUT and edits:
                outputs += edits - sum(_changed_types(one, other) for one, other in zip(befores, afters, strict=False))
            agreeing += sum(_agreeing(old, sizes, one, other) for one, other in zip(befores, afters, strict=False))
        else:
            edits = field.edits(before, after)
            axes += field.is_axis
        numbers += edits
    return Edits(numbers, axes, outputs, agreeing)


def _edited_numbers(before: TensorDesc | None, after: TensorDesc | None) -> int:
    if before is None or after is None:
        return max(tensor.dimension_count + 1 if tensor is not None else 0 for tensor in (before, after))
    sizes = zip_longest(before.listed_sizes, after.listed_sizes)
    members = sum(1 for _ in _member_changes("", before, after))
    return sum(1 for one, other in sizes if one != other) + _changed_types(before, after) + members


def _changed_types(before: TensorDesc | None, after: TensorDesc | None) -> int:
    return int(before is not None and after is not None and before.data_type is not after.data_type)


def _agreeing(desc: Desc, sizes: dict[int, Counter[int]], before: TensorDesc | None, after: TensorDesc | None) -> int:
    """How many tensors of `desc` have the sizes that a tensor gets, less those that have the ones it had."""
    if before is None or after is None or before.dimension_count != after.dimension_count:
        return 0
    length = 0
    for d, (one, other) in enumerate(zip(before.sizes, after.sizes, strict=True)):
        if one != other:
            if d not in sizes:
                sizes[d] = Counter(p.tensor.sizes[d] for p in desc.parts if d < p.tensor.dimension_count)
            length += sizes[d][other] - sizes[d][one] + 1
    return length


def _types(desc: Desc) -> set[DataType]:
    """The types of data and output tensors."""
    return {p.tensor.data_type for p in desc.parts if p.field.role in (Role.DATA, Role.OUTPUT)}


def _tensor_changes(
    field: TensorField, befores: Sequence[TensorDesc | None], afters: Sequence[TensorDesc | None]
) -> Iterator[Change]:
    pairs = enumerate(zip_longest(befores, afters))
    for (before, after), run in groupby(pairs, key=lambda pair: pair[1]):
        if before == after:
            continue
        numbers = [i for i, _ in run]
        yield from _alike([f"{field.name}[{i}]" if field.many else field.name for i in numbers], before, after)


def _alike(names: Sequence[str], before: TensorDesc | None, after: TensorDesc | None) -> Iterator[Change]:
    """The changes of tensors beside each other that change alike: named together where they are more than two."""
    for name in [listed(names)] if len(names) > 2 else names:
        if before is None or after is None:
            yield Change(name, str(before or ""), str(after or ""))
            continue
        sizes, other = before.listed_sizes, after.listed_sizes
        if before.data_type is not after.data_type and sizes != other:
            yield Change(name, f"{before.data_type} {braces(sizes)}", f"{after.data_type} {braces(other)}")
        elif before.data_type is not after.data_type:
            yield Change(name, str(before.data_type), str(after.data_type))
        elif sizes != other:
            yield Change(name, braces(sizes), braces(other))
        yield from _member_changes(name, before, after)


def _member_changes(name: str, before: TensorDesc, after: TensorDesc) -> Iterator[Change]:
    """What changes of the other members, where one of the two says something that isn't implied."""
    if before.members == after.members:
        return
    olds, news = before.told_members(), after.told_members()
    for member in {**olds, **news}:
        old, new = (
            implied(tensor, member) if member not in told else told[member]
            for tensor, told in ((before, olds), (after, news))
        )
        if old != new:
            yield Change(f"{name}.{member}", _text_of(old), _text_of(new))


def implied(tensor: TensorDesc, member: str) -> Any:
    """What a member of a tensor desc says where it is left out, by DirectML's name; None for one that says nothing."""
    counted = {"DimensionCount": tensor.dimension_count, "TotalTensorSizeInBytes": tensor.total_bytes}
    return counted.get(member)


def _text_of(content: Any) -> str:
    return "" if content is None else braces(content) if isinstance(content, tuple) else str(content)
