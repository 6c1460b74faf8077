"""How a kernel's work is cut into units: what stays in a cache, and what threads can share."""

from __future__ import annotations

BLOCK = 32768
"""Bytes of output of a unit of short rows: it stays in the nearest cache while several passes go over it."""
NEAR = 2048
"""Bytes of output over which several passes of short runs go before the next bytes are begun."""
LONG_RUN = 256
"""Bytes of a run from which on rows are written one after the other, each of them whole."""
SEGMENT = 1 << 17
"""Bytes of a unit of a long row."""
SHARED = 1 << 20
"""Bytes of output from which on threads share the work; below, waking one costs more than it takes over."""
SHARE = 1 << 18
"""Bytes of output that a thread takes at a time."""


def ceil(a: int, b: int) -> int:
    return -(-a // b)


def shared(units: int, bytes_written: int, cost: int = 1) -> tuple[int, int]:
    """(units, units a thread takes at a time); the two are equal where threads aren't worth waking.

    `cost` is how many times longer a byte takes than in a plain copy.
    """
    work = bytes_written * cost
    if work < SHARED:
        return units, max(units, 1)
    return units, max(1, units * SHARE // work)
