"""Memory for large outputs, used again.

The first touch of a fresh page costs a fault. The system takes outputs beyond some 32 MiB back whenever they are freed,
and the faults then cost several times what a kernel does. The memory of a large output that nobody holds any more is
kept for the next one. An array made of it lives as any other: views of it, and whatever else shares its memory, keep it
from being used again.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import threading
import weakref
from collections.abc import Sequence
from math import prod

import numpy as np

from ..desc.values import Array

LARGE = 16 << 20
"""Bytes from which on an array's memory is kept; the C library itself keeps what is smaller."""
PAGE = 2 << 20
"""Bytes of a large page, to which arrays are aligned."""
KEPT = 1 << 30
"""Bytes that are kept at most."""

_lock = threading.RLock()  # a collection, and so `_give_back`, may begin while it is held
_kept: list[mmap.mmap] = []
"""What is free, the one given back last at the end."""


def empty(sizes: Sequence[int], dtype: np.dtype[np.generic]) -> Array:
    """An array like `np.empty`'s. Raises MemoryError."""
    count = prod(sizes)
    if count * dtype.itemsize < LARGE:
        return np.empty(sizes, dtype)
    mapping = _take_mapping(count * dtype.itemsize + PAGE - 1)
    start = -np.frombuffer(mapping, np.uint8, 1).ctypes.data % PAGE
    array: Array = np.frombuffer(mapping, dtype, count, start).reshape(sizes)
    # NumPy hands `base` on from view to view: it is this one that all of them keep.
    owner = array.base
    assert isinstance(owner, np.ndarray)
    weakref.finalize(owner, _give_back, mapping).atexit = False
    return array


def kept() -> int:
    """Bytes that are kept for the next outputs."""
    with _lock:
        return sum(len(mapping) for mapping in _kept)


def release() -> None:
    """Gives all that is kept back to the system."""
    with _lock:
        _kept.clear()


def _take_mapping(count: int) -> mmap.mmap:
    with _lock:
        # One that is not much larger than needed; what was used last is the likeliest to be in a cache.
        for k in range(len(_kept) - 1, -1, -1):
            if count <= len(_kept[k]) <= count + count // 8:
                return _kept.pop(k)
    try:
        mapping = _new_mapping(count)
    except (OSError, OverflowError, ValueError):
        release()
        try:
            mapping = _new_mapping(count)
        except (OSError, OverflowError, ValueError):
            raise MemoryError from None
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):
            mapping.madvise(mmap.MADV_HUGEPAGE)
    return mapping


def _new_mapping(count: int) -> mmap.mmap:
    if hasattr(mmap, "MAP_PRIVATE"):  # not shared with a process that is forked
        return mmap.mmap(-1, count, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return mmap.mmap(-1, count)


def _give_back(mapping: mmap.mmap) -> None:
    with _lock:
        _kept.append(mapping)
        while sum(len(mapping) for mapping in _kept) > KEPT:
            del _kept[0]


if hasattr(os, "register_at_fork"):
    # Another thread may have held the lock.
    def _forget() -> None:
        global _lock
        _lock = threading.RLock()

    os.register_at_fork(after_in_child=_forget)
