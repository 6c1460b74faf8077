"""What an edit of a desc loses of the data: operators move bits, so that a type of the same size loses none."""

from __future__ import annotations

import math

import numpy as np

from ...desc.base import Desc, Part
from ...desc.fields import Role
from ...desc.tensors import TensorDesc


def loss_between(old: Desc, new: Desc) -> str:
    """What of `old` has no place in `new`: `3 of 6 elements of IndicesTensor`; empty where nothing is lost.

    Elements and values of inputs are held against each other, and outputs that go.
    """
    after = {part.path: part.tensor for part in new.parts}
    narrow: dict[str, None] = {}
    lost, of = 0, 0
    where: list[str] = []
    for part in old.inputs:
        before, count = part.tensor, _elements(part.tensor)
        other = after.get(part.path)
        if other is not None and (other == before or _has_its_bits(part, other)):
            continue
        left = min(count, _elements(other) if other is not None else 0)
        if left < count:
            lost, of, where = lost + count - left, of + count, [*where, part.path]
        if other is not None and not _holds(part, other):
            narrow[other.data_type.name] = None
    losses = []
    if lost:
        losses.append(f"{lost:,} of {of:,} elements of {where[0] if len(where) == 1 else f'{len(where):,} tensors'}")
    losses += [part.path for part in old.outputs if part.path not in after]
    strided = (part for part in old.parts if part.tensor.members.strides is not None)
    packed = [part.path for part in strided if part.path in after and after[part.path].members.strides is None]
    losses += [f"the layout of {path} in memory" for path in packed]
    losses += [f"values that {name} can't hold" for name in narrow]
    return " and ".join(losses)


def grows(old: Desc, new: Desc) -> bool:
    """True if an input has more elements in `new`, which somebody has to know."""
    after = {part.path: part.tensor for part in new.parts}
    pairs = ((part, after.get(part.path, part.tensor)) for part in old.inputs)
    return any(_elements(other) > _elements(part.tensor) and not _has_its_bits(part, other) for part, other in pairs)


def keeps_bits(old: Desc, new: Desc) -> bool:
    """True if inputs get another DataType, and have the same bits as elements of that."""
    after = {part.path: part.tensor for part in new.parts}
    pairs = [(part, after.get(part.path)) for part in old.inputs]
    retyped = [(part, other) for part, other in pairs if other and other.data_type is not part.tensor.data_type]
    return bool(retyped) and all(_has_its_bits(part, other) for part, other in retyped)


def _has_its_bits(part: Part, other: TensorDesc) -> bool:
    """True if `other` holds as many bytes as the part does now, and they are data."""
    before = part.tensor
    same = before.data_type is other.data_type or part.field.role is Role.DATA  # an index is a number
    return same and _elements(before) * before.data_type.item_size == _elements(other) * other.data_type.item_size


def _holds(part: Part, other: TensorDesc) -> bool:
    """True if elements of `other` can have every value that is moved, or every bit of it."""
    one, two = part.tensor.data_type, other.data_type
    moved = part.field.role is Role.DATA and one.item_size == two.item_size
    return moved or np.can_cast(one.dtype, two.dtype)


def _elements(tensor: TensorDesc) -> int:
    return math.prod(max(0, size) for size in tensor.sizes)
