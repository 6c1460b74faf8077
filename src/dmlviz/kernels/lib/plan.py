"""How a kernel's work is cut into units: what stays in a cache, and what threads can share."""

from __future__ import annotations

from typing import NamedTuple

from .primitives import STRINGS

BLOCK = 32768
"""Bytes of output of a unit of short rows: it stays in the nearest cache while several passes go over it."""
NEAR = 2048
"""Bytes of output over which several passes of runs of a few bytes go before the next are begun."""
ROWS = 8
"""The same in rows, where runs have half a cache line on average; twice or half of either costs up to 1.7 times."""
ABREAST, ABREAST_NEAR = 32, 128
"""Bytes of the shortest run from which on rows are written whole, one after the other. The second is for what the
nearest caches hold all of, where it matters more what a run costs."""
SEGMENT = 1 << 17
"""Bytes of a unit of a long row."""
SHARED = 8_000
"""Nanoseconds of work from which on threads share it; below, handing it over costs more than it saves."""
SHARE = 2_000
"""Nanoseconds of work that a thread takes at a time."""
BYTES, MOVE = 48, 0.35
"""Bytes that are copied in a nanosecond, and the nanoseconds of moving one run, on a machine of 2023. A factor of two
matters little here."""
STREAMED = 48 << 20
"""Bytes read and written from which on output goes past the caches, which couldn't hold both. Two threads copy 1.4 to
1.7 times as fast then. They lose as much below, where the caches hold both."""

FAR = 4 << 20
"""Bytes read and written that are more than the nearest caches hold."""


class RowNumbers(NamedTuple):
    """The numbers of JOIN and of SPLIT. They end with a start and a length for each part, the first ones named here.

    `units`, `step`, `streams` and `far` mean the same in every kernel, and so does `PLACE`.
    """

    units: int
    step: int
    """Units that a thread takes at a time."""
    outer: int
    """Rows."""
    stride: int
    """Bytes of a row; what follows in bytes or rows is of a unit."""
    parts: int
    high: int
    """Rows of a unit."""
    height: int
    """Rows that each pass goes over; 0 where rows are written whole."""
    segments: int
    """Units of a row."""
    segment: int
    """Bytes of a unit of a row; 0 where a unit has whole rows."""
    alike: int
    """Bytes of every part where all are words of one width, else 0."""
    streams: int
    """1 where output goes past the caches."""
    far: int
    """1 where arrays lie beyond the nearest caches and the processor copies well by itself."""
    start: int = 0
    """Where the first part begins in a row; part k's stands `2 * k` places further on."""
    length: int = 0
    """Bytes of the first part; likewise."""


ROW_PLACE = RowNumbers(*range(len(RowNumbers._fields)))
"""Where each of them stands: `number(numbers, ROW_PLACE.outer)`. Numba takes it for the constants it consists of."""


def ceil(a: int, b: int) -> int:
    return -(-a // b)


def work(bytes_written: int, run: float) -> float:
    """About how many nanoseconds it takes one thread to write so many bytes in runs of `run` bytes."""
    return bytes_written / BYTES + bytes_written / run * MOVE


def shared(units: int, bytes_written: int, run: float) -> tuple[int, int]:
    """(units, units a thread takes at a time); the two are equal where threads aren't worth waking."""
    ns = work(bytes_written, run)
    if ns < SHARED:
        return units, max(units, 1)
    return units, max(1, int(units * SHARE / ns))


def past_caches(both: int) -> tuple[int, int]:
    """(`streams`, `far`) of a kernel that reads and writes so many bytes."""
    return int(both >= STREAMED), int(FAR <= both < STREAMED) * int(STRINGS)


def plan_rows(outer: int, stride: int, *lengths: int) -> list[int]:
    """The numbers of JOIN and of SPLIT: `outer` rows of `stride` bytes, `lengths` of them of each part."""
    high, segments, segment = (BLOCK // stride, 1, 0) if stride < BLOCK else (1, ceil(stride, SEGMENT), SEGMENT)
    mean, both = stride / len(lengths), 2 * outer * stride
    whole = min(lengths) >= (ABREAST if both >= FAR else ABREAST_NEAR)
    height = 0 if whole else ROWS if mean >= 32 else max(1, NEAR // stride)
    alike = lengths[0] if len(set(lengths)) == 1 and lengths[0] in (1, 2, 4, 8) else 0
    parts, start = [], 0
    for length in lengths:
        parts += [start, length]
        start += length
    streams, far = past_caches(both)
    units, step = shared(ceil(outer, high) * segments, outer * stride, 64 if alike else min(64, mean))
    numbers = RowNumbers(
        units=units,
        step=step,
        outer=outer,
        stride=stride,
        parts=len(lengths),
        high=high,
        height=height,
        segments=segments,
        segment=segment,
        alike=alike,
        streams=streams,
        far=far,
    )
    return [*numbers[: ROW_PLACE.start], *parts]
