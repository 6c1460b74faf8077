"""CROP, uncompiled."""

from __future__ import annotations

from typing import Any


def run(arrays: Any, numbers: Any, turn: int) -> None:
    out, data = arrays
    item, *rest = numbers.tolist()
    sizes, offsets, box = rest[::3], rest[1::3], rest[2::3]
    inside = tuple(slice(offset, offset + size) for offset, size in zip(offsets, box, strict=True))
    out.reshape(*box, item)[:] = data.reshape(*sizes, item)[inside]
