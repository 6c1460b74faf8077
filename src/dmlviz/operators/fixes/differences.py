"""The differences between two descs: what one line says of them, how many numbers change, and what data is lost."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import groupby, zip_longest
from typing import Any

import numpy as np

from ...desc.base import Desc, Part
from ...desc.fields import TensorField
from ...desc.levels import NEWEST, FeatureLevel
from ...desc.tensors import TensorDesc, braces
from ..desc_edits import with_data_type
from ..registry import operator_of
from ..report import Change, listed


def changes_between(old: Desc, new: Desc, old_level: FeatureLevel, new_level: FeatureLevel) -> list[Change]:
    """What changes, as one line can say it: `Axis 4 → 3, OutputTensor {3, 2} → {2, 2}`."""
    changes = [Change("feature level", str(old_level), str(new_level))] if old_level is not new_level else []
    if old.TYPE != new.TYPE:
        changes.append(Change("operator", operator_of(old).name, operator_of(new).name))
        here, there = ({name: str(content) for name, content in desc.given().items()} for desc in (old, new))
        return changes + [
            Change(name, here.get(name, ""), there.get(name, ""))
            for name in {**here, **there}
            if here.get(name) != there.get(name)
        ]
    kinds = [{p.tensor.data_type for p in d.parts if p.is_moved} for d in (old, new)]
    if kinds[0] != kinds[1] and len(kinds[0]) == len(kinds[1]) == 1:
        (one,), (other,) = kinds
        if with_data_type(old, other) == new:
            return [*changes, Change("DataType", str(one), str(other)), *_larger(old, new)]
    for field in old.FIELDS:
        before, after = old.get(field.name), new.get(field.name)
        if before == after or field.name in old.inferred:
            continue
        if isinstance(field, TensorField):
            changes += _tensor_changes(field, before, after)
        else:
            changes.append(Change(field.name, field.shown(before), field.shown(after)))
    return [*changes, *_larger(old, new)]


def _larger(old: Desc, new: Desc) -> Iterator[Change]:
    """The bytes of tensors that grow, where a number was given that was right: it has to be written anew."""
    after = {part.path: part.tensor.total_bytes for part in new.parts}
    for part in old.parts:
        before, told = part.tensor.total_bytes, part.tensor.given - part.tensor.members.keys()
        if "TotalTensorSizeInBytes" in told and before < after.get(part.path, 0):
            yield Change(f"{part.path}.TotalTensorSizeInBytes", str(before), str(after[part.path]))


def _pairs(field: TensorField, before: Any, after: Any) -> Iterator[tuple[TensorDesc | None, TensorDesc | None]]:
    return zip_longest(before, after) if field.many else iter([(before, after)])


def _tensor_changes(field: TensorField, before: Any, after: Any) -> Iterator[Change]:
    for (one, other), run in groupby(enumerate(_pairs(field, before, after)), key=lambda row: row[1]):
        name = listed([f"{field.name}[{i}]" if field.many else field.name for i, _ in run])
        if one is None or other is None:
            yield Change(name, str(one or ""), str(other or ""))
        elif one != other:
            retyped = one.data_type is not other.data_type
            resized = one.listed_sizes != other.listed_sizes
            shown = []
            for tensor in (one, other):
                kind = str(tensor.data_type) if retyped else ""
                sizes = braces(tensor.listed_sizes) if resized else ""
                shown.append(f"{kind} {sizes}".strip())
            if any(shown):
                yield Change(name, *shown)
            yield from _member_changes(name, one, other)


def _member_changes(name: str, before: TensorDesc, after: TensorDesc) -> Iterator[Change]:
    told = [tensor.members for tensor in (before, after)]
    for member in {**told[0], **told[1]}:
        shown = [_shown(t, member, given.get(member)) for t, given in zip((before, after), told, strict=True)]
        if shown[0] != shown[1]:
            yield Change(f"{name}.{member}", *shown)


def _shown(tensor: TensorDesc, member: str, content: Any) -> str:
    implied = {"DimensionCount": tensor.dimension_count, "TotalTensorSizeInBytes": tensor.total_bytes}
    said = implied.get(member, "") if content is None else content
    return braces(said) if isinstance(said, tuple) else str(said)


def edits_between(old: Desc, new: Desc) -> int:
    """How many numbers and words differ in what `changes_between` says; what was inferred follows by itself."""
    told = changes_between(old, new, NEWEST, NEWEST)
    rows = (zip_longest(*(re.findall(r"[\w.+-]+", text) for text in change[1:])) for change in told)
    return sum(one != other for row in rows for one, other in row)


def loss_between(old: Desc, new: Desc) -> str:
    """What of `old` has no place in `new`: `3 of 6 elements of IndicesTensor`; empty where nothing is lost.

    Elements and values of inputs are held against each other; outputs that go, and their layouts, are lost as well.
    """
    after = {part.path: part.tensor for part in new.parts}
    lost: dict[str, tuple[int, int]] = {}
    narrow: dict[str, None] = {}
    for part in old.inputs:
        count, other = _elements(part.tensor), after.get(part.path)
        if other is not None and _has_its_bits(part, other):
            continue
        left = _elements(other) if other is not None else 0
        if left < count:
            lost[part.path] = count - left, count
        if other is not None and not np.can_cast(part.tensor.data_type.dtype, other.data_type.dtype):
            same = part.is_data and part.tensor.data_type.item_size == other.data_type.item_size
            narrow |= {} if same else {other.data_type.name: None}
    losses = []
    if lost:
        gone, of = (sum(numbers) for numbers in zip(*lost.values(), strict=True))
        where = next(iter(lost)) if len(lost) == 1 else f"{len(lost):,} tensors"
        losses.append(f"{gone:,} of {of:,} elements of {where}")
    losses += [part.path for part in old.outputs if part.path not in after]
    strided = [p.path for p in old.parts if "Strides" in p.tensor.members and p.path in after]
    losses += [f"the layout of {path} in memory" for path in strided if "Strides" not in after[path].members]
    losses += [f"values that {name} can't hold" for name in narrow]
    return " and ".join(losses)


def keeps_bits(old: Desc, new: Desc) -> bool:
    """True if inputs get another DataType, and have the same bits as elements of that."""
    after = {part.path: part.tensor for part in new.parts}
    pairs = [(part, after[part.path]) for part in old.inputs if part.path in after]
    retyped = [_has_its_bits(part, other) for part, other in pairs if other.data_type is not part.tensor.data_type]
    return bool(retyped) and all(retyped)


def _has_its_bits(part: Part, other: TensorDesc) -> bool:
    before = part.tensor
    same = before.data_type is other.data_type or part.is_data  # an index is a number
    return same and _elements(before) * before.data_type.item_size == _elements(other) * other.data_type.item_size


def _elements(tensor: TensorDesc) -> int:
    return math.prod(max(0, size) for size in tensor.sizes)
