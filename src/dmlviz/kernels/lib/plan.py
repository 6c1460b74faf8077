"""How a kernel's work is cut into units: what stays in a cache, and what threads can share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

BLOCK = 32768
"""Bytes of output of a unit of short rows: it stays in the nearest cache while several passes go over it."""
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


def in_order(table: Any, values: Mapping[str, int]) -> list[int]:
    """The values that a kernel's table of numbers names, in its order."""
    return [values[name] for name in table._fields]


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
