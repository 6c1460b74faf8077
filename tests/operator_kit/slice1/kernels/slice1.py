"""SLICE1: one strided copy; it isn't compiled, so its arrays come as flat bytes."""

from __future__ import annotations

from typing import Any


def run(arrays: Any, numbers: Any, turn: int) -> None:
    out, data = arrays
    item, *rest = numbers.tolist()
    axes = [rest[at : at + 4] for at in range(0, len(rest), 4)]
    whole = data.reshape(*(size for size, _, _, _ in axes), item)
    picked = []
    for _, start, stride, count in axes:
        end = start + stride * count
        picked.append(slice(start, None if end < 0 else end, stride))
    out.reshape(*(count for *_, count in axes), item)[:] = whole[tuple(picked)]
