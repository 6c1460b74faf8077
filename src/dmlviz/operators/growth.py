"""Larger descs like a given one: what the growth chart times."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..desc.base import Changes, Desc
from ..desc.fields import Role
from ..desc.indexing import put
from ..desc.tensors import TensorDesc

STEERING = (Role.INDICES, Role.LENGTHS)


def longer(desc: Desc, factor: int) -> Iterator[Changes]:
    """Changes that make all tensors `factor` times longer along one axis, the outermost first.

    An index or length tensor that has that axis elsewhere is longer along another of its axes, or not at all. Outputs
    follow from the rest. Many of the changes make no valid desc.
    """
    parts = desc.parts
    steered = any(p.field.role in STEERING for p in parts)
    count = min((p.tensor.dimension_count for p in parts), default=0)
    for axis in range(count):
        others: list[int | None] = [axis, None, *(a for a in range(count) if a != axis)] if steered else [None]
        for other in others:
            yield _longer(desc, axis, other, factor)


def lengthened(tensor: TensorDesc, axis: int | None, factor: int) -> TensorDesc:
    """`tensor`, `factor` times as long along an axis; as it is where that is None."""
    return tensor if axis is None else tensor.plain().resized(put(tensor.sizes, axis, tensor.sizes[axis] * factor))


def _longer(desc: Desc, axis: int, other: int | None, factor: int) -> Changes:
    """The change that makes tensors longer along `axis`, but indices and lengths along `other`."""
    changes: dict[str, Any] = {}
    for field in desc.TENSORS:
        content = desc.get(field.name)
        if field.many:
            changes[field.name] = [lengthened(tensor, axis, factor) for tensor in content]
        elif field.role is Role.OUTPUT:
            changes[field.name] = None  # follows from the rest
        else:
            changes[field.name] = lengthened(content, other if field.role in STEERING else axis, factor)
    return changes
