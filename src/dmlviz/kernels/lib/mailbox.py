"""Handing a part of a call to threads that look out for it, without a step of Python's in between.

A mailbox is two lines of eight INT64 that one helper looks at. Its first INT64 is its state: FREE, WRITING, or the
address of a turn (a multiple of 64) with POSTED or SERVING on top. The address tells an order from every other: who
withdraws it takes back no one else's.

caller  FREE -> WRITING  ...order...  -> POSTED                             POSTED -> FREE (withdrawn)
helper                                      POSTED -> SERVING ...kernel... -> FREE, and ENDED in the turn
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import types

from .blocks import OPTIONS
from .cache import kept, only_version
from .primitives import HELD, call, exchange, fence, identity, int64, peek, pointer, poke, put64

FREE, WRITING, POSTED, SERVING = 0, 1, 2, 3
CODE, ARRAYS, NUMBERS, ASLEEP = 8, 16, 24, 64
"""The places in a mailbox of a kernel's machine code and its arguments, and of whether its helper has gone to sleep."""
COUNTERS, TRIED, ENDED = 0, 24, 32
"""The places in a turn of what `blocks.claim` reads, and of 1 from when nobody works on it any more."""
LINE = 64
INT = types.int64


def native(result: Any, *kinds: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compiles a function, which then holds no lock of Python's, and keeps the machine code on disk."""

    def make(function: Callable[..., Any]) -> Any:
        return kept(function, lambda cache: numba.njit(result(*kinds), cache=cache, **OPTIONS)(function))

    return make


def entry(function: Any) -> Callable[..., int]:
    """What to call for a function that is `native`: its machine code itself."""
    code: Callable[..., int] = only_version(function).entry_point
    return code


@native(types.void, INT, INT)
def serve(box: int, looks: int) -> None:
    """Does what is posted in the mailbox at address `box`, until nothing has been for `looks` looks."""
    poke(box + ASLEEP, 0)
    left = looks
    while left > 0:
        state = peek(box)
        if state & 3 == POSTED and exchange(box, state, state + 1) != 0:
            turn = state - POSTED
            call(int64(box, CODE), pointer(int64(box, ARRAYS)), pointer(int64(box, NUMBERS)), turn)
            poke(box, FREE)
            poke(turn + ENDED, 1)  # the last that is touched of the caller's
            left = looks
        left -= 1
        if left == 0:
            poke(box + ASLEEP, 1)
            fence()
            # Whoever posts now sees that; who has posted before is seen here.
            if peek(box) & 3 == POSTED:
                poke(box + ASLEEP, 0)
                left = looks


@native(INT, INT, INT, INT, HELD, HELD, INT)
def post(boxes: int, helpers: int, code: int, arrays: Any, numbers: Any, turns: int) -> int:
    """Asks each of the `helpers` whose mailbox is free; returns how many of them sleep. Addresses lie at `boxes`."""
    counters, asleep = int64(turns, COUNTERS), 0
    for k in range(helpers + 1):
        put64(counters + k * LINE, 0, 0)
        put64(turns + k * LINE, TRIED, 0)
    for k in range(helpers):
        box, turn = int64(boxes, k * 8), turns + (k + 1) * LINE
        if exchange(box, FREE, WRITING) != 0:
            poke(turn + ENDED, 0)
            put64(box, CODE, code)
            put64(box, ARRAYS, identity(arrays))
            put64(box, NUMBERS, identity(numbers))
            poke(box, turn + POSTED)
            fence()
            asleep += peek(box + ASLEEP)
    return asleep


@native(INT, INT, INT, INT, INT)
def finish(boxes: int, helpers: int, turns: int, looks: int) -> int:
    """Withdraws what no one has begun; returns 1 if nobody works on any of the turns, 0 if that takes longer than
    `looks` looks.
    """
    for k in range(helpers):
        turn = turns + (k + 1) * LINE
        if peek(turn + ENDED) == 0 and exchange(int64(boxes, k * 8), turn + POSTED, FREE) != 0:
            poke(turn + ENDED, 1)
        while peek(turn + ENDED) == 0:
            looks -= 1
            if looks < 0:
                return 0
    return 1


@native(INT, INT, INT, INT, HELD, HELD, INT, INT)
def work(boxes: int, helpers: int, code: int, arrays: Any, numbers: Any, turns: int, looks: int) -> int:
    """Calls the kernel at `code` here, whose turn is the first of those at `turns`, and returns what `finish` does."""
    call(code, arrays, numbers, turns)
    over: int = finish(boxes, helpers, turns, looks)
    return over


@native(INT, INT, INT, INT, HELD, HELD, INT, INT)
def together(boxes: int, helpers: int, code: int, arrays: Any, numbers: Any, turns: int, looks: int) -> int:
    """`post` and `work`; but where someone who was asked sleeps only the first of them, and then it returns -1."""
    if post(boxes, helpers, code, arrays, numbers, turns) != 0:
        return -1
    over: int = work(boxes, helpers, code, arrays, numbers, turns, looks)
    return over
