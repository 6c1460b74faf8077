"""TILE: the output is written front to back; whatever is complete is repeated in its place, and so on outwards.

data |ab|cd|, repeats 2 along both axes:
out  |ab| -> |ab ab| -> |ab ab|cd cd| -> |ab ab|cd cd|ab ab|cd cd|
"""

from __future__ import annotations

from typing import Any

import numba

from ._compiled import compiled
from ._memory import copy

BLOCK = 32768
"""Bytes that stay in the nearest cache while they are copied many times."""


@numba.njit(nogil=True, error_model="numpy", boundscheck=False)  # type: ignore[untyped-decorator]
def repeat(out: Any, at: int, length: int, times: int) -> int:
    """Repeats the `length` bytes at `at` until there are `times` of them; returns where they end.

    What is there already is copied, so that it doubles; beyond BLOCK whole repeats of it are laid down one by one.
    """
    total, there = length * times, length
    most = max(length, BLOCK // length * length)
    while there < total:
        step = min(there, most, total - there)
        copy(out, at + there, out, at, step)
        there += step
    return at + total


@compiled(inputs=1, numbers=18)
def run(
    out: Any, data: Any, item: int, dimensions: int,
    n0: int, r0: int, n1: int, r1: int, n2: int, r2: int, n3: int, r3: int,
    n4: int, r4: int, n5: int, r5: int, n6: int, r6: int, n7: int, r7: int,
) -> None:  # fmt: skip
    sizes, repeats = (n0, n1, n2, n3, n4, n5, n6, n7), (r0, r1, r2, r3, r4, r5, r6, r7)
    rows, last = 1, dimensions - 1
    for d in range(last):
        rows *= sizes[d]
    length = sizes[last] * item
    at = 0
    for row in range(rows):
        copy(out, at, data, row * length, length)
        at = repeat(out, at, length, repeats[last])
        # An odometer: where this was the last row of a dimension, all of it is there and is repeated.
        complete, block = row + 1, length * repeats[last]
        for d in range(last - 1, -1, -1):
            if complete % sizes[d] != 0:
                break
            complete //= sizes[d]
            block *= sizes[d]
            at = repeat(out, at - block, block, repeats[d])
            block *= repeats[d]
