"""Colours that show where each element of the first input goes: the same one wherever it stands."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from ..desc.base import Desc
from ..desc.indexing import ravel
from ..desc.values import Indices
from .base import Operator
from .maps import NOWHERE, Place, Reader

D = TypeVar("D", bound=Desc)


class BySource(Operator[D]):
    """An operator of one input whose colours stand for its elements."""

    identity_of = "the source element"

    def identity(self, desc: D, place: Place, index: tuple[Indices, ...], read: Reader) -> Indices:
        sizes = desc.inputs[0].tensor.sizes
        if not place.is_output:
            return ravel(index, sizes)
        sources = self.source(desc, place.number, index, read)
        return np.where(sources.tensor == NOWHERE, -1, ravel(sources.index, sizes))

    def identity_count(self, desc: D) -> int:
        return desc.inputs[0].tensor.element_count

    def identity_axes(self, desc: D, place: Place) -> tuple[int, ...]:
        sizes = zip(desc.inputs[0].tensor.sizes, desc.outputs[0].tensor.sizes, strict=True)
        ends = bool(self.constant_path)  # where something else begins, along an axis of one element too
        return tuple(d for d, (n, there) in enumerate(sizes) if n > 1 or (ends and there > n))


def by_source(kind: type[Operator[D]]) -> Operator[Any]:
    """An operator of this kind with such colours."""
    coloured: Operator[Any] = type(f"{kind.__name__}BySource", (BySource, kind), {})()
    return coloured
