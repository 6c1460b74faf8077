"""Scans of index and length values: their limits, and what long ones found."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import numpy as np

from ..desc.indexing import unravel
from ..desc.tensors import TensorDesc, brackets
from ..desc.values import Array, Indices, Values
from .report import Recorder

T = TypeVar("T")
SCAN_LIMIT = 2**24
"""Index or length tensors with more elements are not scanned."""
COUNT_LIMIT = 2**22
"""With more index cells, or more elements of a chain, nobody counts who reads an element: "not counted"."""
MANY = 2**16
"""A scan of more elements takes longer than a frame."""
SCAN = "a scan of all values"
"""What a check waits for until somebody makes the scan."""
MOST_SCANS = 16
_SCANS: dict[Hashable, Any] = {}
"""What long scans found, the latest last."""


class Found:
    def __init__(self) -> None:
        self.count, self.first, self.value = 0, -1, 0

    def add(self, at: Indices, start: int, chunk: Array) -> None:
        """Adds those at (N,) places of a chunk that begins at flat index `start`."""
        if len(at) and not self.count:
            self.first = start + int(at[0])
            self.value = int(chunk[at[0]])
        self.count += len(at)

    def where(self, tensor: TensorDesc) -> str:
        return brackets(int(i[0]) for i in unravel(np.array([self.first]), tensor.sizes))


def scanned_along(
    record: Recorder, id_: str, desc: Any, values: Values | None, scan: Callable[[Values, int], T]
) -> T | None:
    """What `scan` finds in the second input's values, which are held against the size of the first along Axis.

    None without values, for too many of them, and where the check waits: for what is broken, or for a long scan. Where
    equal values can be told by their key, they are scanned once.
    """
    if values is None or values.tensor.element_count > SCAN_LIMIT:
        return None
    data, cells = (part.tensor for part in desc.inputs)
    on = record.failed("axis.range")
    if not on and not (data.can_exist and cells.can_exist):
        on = record.failed("sizes.positive", "sizes.element_count", "dimension_count.supported") or "level.operator"
    if not on and cells.data_type.is_float:
        on = "dtype.supported"  # a NaN picks nothing
    n = 0 if on else data.sizes[desc.axis]
    many = values.tensor.element_count > MANY
    key = (id_, n, values.key) if many and values.key is not None else None
    if not on and many and not record.patient and key not in _SCANS:
        on = SCAN
    if on:
        record.wait(id_, desc.inputs[1].path, on)
        return None
    found: T = _SCANS[key] if key in _SCANS else scan(values, n)
    if key is not None:
        while len(_SCANS) >= MOST_SCANS:
            _SCANS.pop(next(iter(_SCANS)), None)
        _SCANS[key] = found
    return found
