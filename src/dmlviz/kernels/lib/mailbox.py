"""Handing a part of a call to threads that look out for it, without a step of Python's in between.

Each helper has a mailbox of two cache lines. Its first INT64 is its state: FREE, WRITING, or the address of a turn (a
multiple of 64) with POSTED or SERVING on top. The address tells an order from every other: who withdraws it takes back
no one else's.

caller  FREE -> WRITING  ...order...  -> POSTED                             POSTED -> FREE (withdrawn)
helper                                      POSTED -> SERVING ...kernel... -> FREE, and ENDED in the turn
"""

from __future__ import annotations

from typing import Any

from numba import types

from .compiled import native
from .primitives import HELD, INT, call, exchange, fence, identity, peek, poke, put, read

FREE, WRITING, POSTED, SERVING = 0, 1, 2, 3
CODE, ARRAYS, NUMBERS, ASLEEP = 8, 16, 24, 64
"""The places in a mailbox of a kernel's machine code and its arguments, and of whether its helper has gone to sleep."""
TRIED, ENDED = 24, 32
"""The places in a turn of what `blocks.claim` begins with, and of 1 from when nobody works on it any more."""
LINE, BOX = 64, 128


@native(types.void, INT, INT)
def serve(box: int, looks: int) -> None:
    """Does what is posted in the mailbox at address `box`, until nothing has been for `looks` looks."""
    poke(box + ASLEEP, 0)
    left = looks
    while left > 0:
        state = peek(box)
        if state & 3 == POSTED and exchange(box, state, state + 1) != 0:
            turn = state - POSTED
            call(read(box, CODE, 8), read(box, ARRAYS, 8), read(box, NUMBERS, 8), turn)
            fence()  # stores past the caches keep an order of their own
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


@native(INT, INT, INT, INT, INT)
def finish(boxes: int, count: int, turns: int, looks: int) -> int:
    """Withdraws what no one has begun; returns 1 if nobody works on any of the turns, 0 if that takes longer than
    `looks` looks.
    """
    for k in range(count):
        turn = turns + k * LINE
        if peek(turn + ENDED) == 0 and exchange(boxes + k * BOX, turn + POSTED, FREE) != 0:
            poke(turn + ENDED, 1)
        while peek(turn + ENDED) == 0:
            looks -= 1
            if looks < 0:
                return 0
    return 1


@native(INT, INT, INT, INT, INT, INT, HELD, HELD, INT, INT)
def share(
    boxes: int, count: int, turns: int, looks: int, code: int, arrays: Any, numbers: Any, own: int, asks: int
) -> int:
    """Asks each helper whose mailbox is free, but number `own`, whose turn it takes itself; returns what `finish` does.

    Where one that was asked sleeps it returns -1, and is called again to go on, with an `asks` of 0. Turns lie behind
    each other at `turns`, and behind them their counters, see `blocks.claim`.
    """
    asleep = 0
    for k in range(count * asks):
        put(turns + (count + k) * LINE, 0, 0, 8)
        put(turns + k * LINE, TRIED, 0, 8)
    for k in range(count * asks):
        box, turn = boxes + k * BOX, turns + k * LINE
        if k != own and exchange(box, FREE, WRITING) != 0:
            poke(turn + ENDED, 0)
            put(box, CODE, code, 8)
            put(box, ARRAYS, identity(arrays), 8)
            put(box, NUMBERS, identity(numbers), 8)
            poke(box, turn + POSTED)
            fence()
            asleep += peek(box + ASLEEP)
    if asleep != 0:
        return -1
    call(code, identity(arrays), identity(numbers), turns + own * LINE)
    over: int = finish(boxes, count, turns, looks)
    return over
