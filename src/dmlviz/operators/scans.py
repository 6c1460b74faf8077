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
    """How many cells of an index or length tensor were found, and the first of them."""

    def __init__(self) -> None:
        self.count, self.first, self.value = 0, -1, 0

    def add(self, at: Indices, start: int, chunk: Array) -> None:
        """Those at (N,) places of a chunk that begins at flat index `start`."""
        if len(at) and not self.count:
            self.first, self.value = start + int(at[0]), int(chunk[at[0]])
        self.count += len(at)

    def where(self, tensor: TensorDesc) -> str:
        return brackets(int(i[0]) for i in unravel(np.array([self.first]), tensor.sizes))


def scanned(record: Recorder, id_: str, path: str, values: Values, bound: int, scan: Callable[[], T]) -> T | None:
    """What `scan` finds in `values` held against `bound`; None where check `id_` waits for that, because it's long.

    Where equal values can be told by their key, they are scanned once.
    """
    many = values.tensor.element_count > MANY
    key = (id_, bound, values.key) if many and values.key is not None else None
    if key in _SCANS:
        kept: T = _SCANS[key]
        return kept
    if many and not record.patient:
        record.wait(id_, path, SCAN)
        return None
    kept = scan()
    if key is not None:
        while len(_SCANS) >= MOST_SCANS:
            _SCANS.pop(next(iter(_SCANS)), None)
        _SCANS[key] = kept
    return kept
