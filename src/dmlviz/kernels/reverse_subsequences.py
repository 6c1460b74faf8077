"""REVERSE_SUBSEQUENCES: row k of a sequence comes from row length - 1 - k, or from row k itself from length on.

lengths      3 3 0 1          A block has `n` rows along Axis with `inner` lanes each, one a sequence.
row 0 from   2 2 0 0          One lane: its bytes lie side by side and are turned round in words.
row 1 from   1 1 1 1          All lanes of a group alike: whole rows are copied.
row 2 from   0 0 2 2          Else each lane is a strided run backwards and one onwards, a strip of a cache line at a
                              time, so that every line that was fetched serves all its lanes while it is near.
"""

from __future__ import annotations

from typing import Any

import numba

from ._blocks import OPTIONS, copy, rows, turned
from ._compiled import compiled
from ._memory import address, claim, int64, number, uint32
from ._plan import BLOCK, ceil, shared

GROUP = 512
"""Lanes that are copied together where their lengths are equal."""
STRIP = 64
"""Bytes of the lanes that are turned together: a cache line."""
HEIGHT = 256
"""Rows of a strip that are turned together: 16 KiB of output."""
PIECES = 16
"""Units wanted where threads share a work of few sequences."""


def plan(outer: int, n: int, inner: int, item: int, length_size: int) -> list[int]:
    """The numbers of `run`, for `outer` blocks of `n` rows with `inner` lanes of `item` bytes each."""
    total = outer * n * inner * item
    lanes = min(inner, GROUP)
    if inner == 1 and n * item < BLOCK:
        height, pieces = BLOCK // (n * item), 1
        units = ceil(outer, height)
    else:
        height, groups = 1, outer * ceil(inner, lanes)
        wanted = ceil(n * item, BLOCK) if inner == 1 else ceil(PIECES, groups)
        piece = max(ceil(n, wanted), 1)
        pieces = ceil(n, piece)
        units = groups * pieces
    return [*shared(units, total, 1), outer, n, inner, item, length_size, height, lanes, pieces, ceil(n, pieces)]


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def length_of(lengths: int, at: int, size: int, n: int) -> int:
    """Length `at`, of `size` bytes; longer ones act as `n`."""
    found = int64(lengths, at * 8) if size == 8 else uint32(lengths, at * 4)
    return n if found < 0 or found > n else found  # negative: 2^63 or more


@compiled
def run(arrays: Any, numbers: Any, counter: int) -> None:
    units = number(numbers, 0)
    step = number(numbers, 1) if counter != 0 else units
    outer, n, inner, item = number(numbers, 2), number(numbers, 3), number(numbers, 4), number(numbers, 5)
    size, height, lanes = number(numbers, 6), number(numbers, 7), number(numbers, 8)
    pieces, piece = number(numbers, 9), number(numbers, 10)
    out, data, lengths = address(arrays, 0), address(arrays, 1), address(arrays, 2)
    groups, row = (inner + lanes - 1) // lanes, inner * item
    first = claim(counter, step, 0)
    while first < units:
        for unit in range(first, min(first + step, units)):
            whole, top = unit // pieces, unit % pieces * piece
            bottom = min(top + piece, n)
            if inner == 1:
                for block in range(whole * height, min(whole * height + height, outer)):
                    length = length_of(lengths, block, size, n)
                    base, middle = block * n * item, min(max(length, top), bottom)
                    turned(out, base + top * item, data, base + (length - middle) * item, item, middle - top)
                    copy(out, base + middle * item, data, base + middle * item, (bottom - middle) * item)
            else:
                block, low = whole // groups, whole % groups * lanes
                high, base, own = min(low + lanes, inner), block * n * row, block * inner
                length = length_of(lengths, own + low, size, n)
                equal = 1
                for lane in range(low + 1, high):
                    if length_of(lengths, own + lane, size, n) != length:
                        equal = 0
                        break
                if equal:
                    middle, at = min(max(length, top), bottom), base + low * item
                    wide = (high - low) * item
                    rows(out, at + top * row, row, data, at + (length - 1 - top) * row, -row, wide, middle - top)
                    rows(out, at + middle * row, row, data, at + middle * row, row, wide, bottom - middle)
                else:
                    wide = max(1, STRIP // item)
                    for left in range(low, high, wide):
                        for upper in range(top, bottom, HEIGHT):
                            lower = min(upper + HEIGHT, bottom)
                            for lane in range(left, min(left + wide, high)):
                                length = length_of(lengths, own + lane, size, n)
                                middle, at = min(max(length, upper), lower), base + lane * item
                                back = at + (length - 1 - upper) * row
                                rows(out, at + upper * row, row, data, back, -row, item, middle - upper)
                                rows(out, at + middle * row, row, data, at + middle * row, row, item, lower - middle)
        first = claim(counter, step, units)
