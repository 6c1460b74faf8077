"""The differences between two descs, as one line can say them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..desc.base import Desc
from ..desc.fields import CountField, NumbersField, Role, TensorField
from ..desc.levels import FeatureLevel
from ..desc.tensors import DataType, TensorDesc, braces
from .desc_edits import with_data_type
from .report import Change


def changes_between(old: Desc, new: Desc, old_level: FeatureLevel, new_level: FeatureLevel) -> list[Change]:
    """What changes, as one line can say it: `Axis 4 → 3, OutputTensor {3, 2} → {2, 2}`."""
    said = [Change("feature level", str(old_level), str(new_level))] if old_level is not new_level else []
    before_types, after_types = _types(old), _types(new)
    if len(before_types) == len(after_types) == 1 and before_types != after_types:
        (one,), (other,) = before_types, after_types
        if with_data_type(old, other) == new:
            return [*said, Change("DataType", str(one), str(other))]
    for field in old.FIELDS:
        before, after = old.get(field.name), new.get(field.name)
        if before == after or (
            isinstance(field, CountField) and field.name in new.inferred and field.name in old.inferred
        ):
            continue
        if isinstance(field, TensorField):
            if field.name in old.inferred and not field.many:
                continue  # it follows the rest without being edited
            befores, afters = (before, after) if field.many else ((before,), (after,))
            said += _tensor_changes(field, befores, afters)
        elif isinstance(field, NumbersField):
            said.append(Change(field.name, braces(before), braces(after)))
        else:
            said.append(Change(field.name, str(before), str(after)))
    return said


def _types(desc: Desc) -> set[DataType]:
    """The types of data and output tensors."""
    return {p.tensor.data_type for p in desc.parts if p.field.role in (Role.DATA, Role.OUTPUT)}


def _tensor_changes(
    field: TensorField, befores: Sequence[TensorDesc | None], afters: Sequence[TensorDesc | None]
) -> Iterator[Change]:
    for i in range(max(len(befores), len(afters))):
        before = befores[i] if i < len(befores) else None
        after = afters[i] if i < len(afters) else None
        if before == after:
            continue
        name = f"{field.name}[{i}]" if field.many else field.name
        if before is None or after is None:
            yield Change(name, str(before or ""), str(after or ""))
        elif before.data_type is after.data_type:
            yield Change(name, braces(before.sizes), braces(after.sizes))
        elif before.sizes == after.sizes:
            yield Change(name, str(before.data_type), str(after.data_type))
        else:
            yield Change(name, str(before), str(after))
