"""REVERSE_SUBSEQUENCES: row k of a sequence comes from row length - 1 - k, or from row k itself from length on.

lengths      3 3 0 1          A block has `n` rows along Axis with `inner` lanes each, one a sequence.
row 0 from   2 2 0 0          One lane: its bytes lie side by side and are turned round in words.
row 1 from   1 1 1 1          All lanes of a group alike: whole rows are copied, from the last one back.
row 2 from   0 0 2 2          Else every element of a strip of lanes is picked from the row its own length says.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from .lib.blocks import OPTIONS, claim, copy, rows, stream, turned
from .lib.compiled import compiled
from .lib.plan import BLOCK, SHARED, STREAMED, ceil, in_order, shared, work
from .lib.primitives import address, each_word, move, put, read, scratch, told, turn


@numba.njit  # type: ignore[untyped-decorator]
def textbook(out: Any, data: Any, lengths: Any, numbers: Any) -> None:
    """The textbook loop: `out[block, k, lane] = data[block, length - 1 - k, lane]`, or row k itself from `length` on.

    A block is all that lies behind one position of the axes before Axis. Each of its lanes is a sequence and has a
    length; longer ones act as the whole sequence.
    """
    blocks, n, lanes = numbers[0], numbers[1], numbers[2]
    out, data = out.reshape(blocks, n, lanes), data.reshape(blocks, n, lanes)
    for block in range(blocks):
        for k in range(n):
            for lane in range(lanes):
                length = n if lengths[block * lanes + lane] >= n else np.int64(lengths[block * lanes + lane])
                row = length - 1 - k if k < length else k
                out[block, k, lane] = data[block, row, lane]


GROUP = 512
"""Lanes at most that are copied together where their lengths are equal."""
STRIP = 64
"""Bytes of a row that are picked at a time: a cache line."""
SHORT = 16
"""Rows of a single lane up to which they are picked one by one; turning them in words has yet to begin to pay."""
UNITS = 16
"""Units wanted where threads share a work of few sequences."""
BACK = 64 * 8
"""Where in `scratch` the places begin that lanes are read back from, behind their lengths."""


class Numbers(NamedTuple):
    """The numbers of `run`."""

    units: int
    step: int
    outer: int  # blocks
    n: int  # rows of a block
    inner: int  # lanes of a row
    item: int  # bytes of an item
    size: int  # bytes of a length
    height: int  # blocks of a unit; 0 where several units share a block of many lanes
    lanes: int  # lanes of a unit
    pieces: int  # units that the rows of a unit's lanes are divided among
    piece: int  # rows of each of them
    strip: int  # lanes that are picked together
    streams: int  # 1 where the output of single lanes goes past the caches


def plan(outer: int, n: int, inner: int, item: int, size: int) -> list[int]:
    """The numbers of `run`, for `outer` blocks of `n` rows with `inner` lanes of `item` bytes each."""
    total, block = outer * n * inner * item, n * inner * item
    height, lanes, pieces, strip = 1, inner, 1, min(inner, STRIP // item)
    if block <= BLOCK:
        height = BLOCK // block
    elif inner == 1:
        pieces = ceil(block, BLOCK)
    else:
        shares = work(total, item) >= SHARED
        height, lanes = 0, min(inner, GROUP, ceil(ceil(inner * outer, UNITS), strip) * strip if shares else GROUP)
        pieces = min(n, ceil(UNITS, outer * ceil(inner, lanes))) if shares else 1
    units = ceil(outer, max(1, height)) * ceil(inner, lanes) * pieces
    units, step = shared(units, total, item if inner > 1 else 64)
    piece, streams = ceil(n, pieces), int(2 * total >= STREAMED)
    return in_order(Numbers, locals())


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def length_of(lengths: int, at: int, size: int, n: int) -> int:
    """Length `at`, of `size` bytes; longer ones act as `n`."""
    length = read(lengths, at * 8, 8) if size == 8 else read(lengths, at * 4, 4)
    return n if length < 0 or length > n else length  # negative: 2^63 or more


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def alike(lengths: int, at: int, size: int, count: int) -> int:
    """1 if `count` lengths from `at` on are the same, else 0: each word of 4 bytes is what stands a length before it.

    It looks at 64 of them at a time, some at once.
    """
    low, done, every = at * size, size // 4, count * size // 4  # in words
    while done < every:
        differ, end = 0, min(done + 64, every)
        for k in range(done, end):
            differ |= read(lengths, low + k * 4, 4) ^ read(lengths, low + k * 4 - size, 4)
        if differ != 0:
            return 0
        done = end
    return 1


@numba.njit(**OPTIONS, forceinline=True)  # type: ignore[untyped-decorator]
def picked(item: int, out: int, data: int, at: int, row: int, near: int, lanes: int, top: int, bottom: int) -> None:
    """Writes rows `top` to `bottom`, `row` bytes apart, of `lanes` neighbouring sequences that begin at `at` and whose
    lengths are INT64 at `near`.
    """
    for lane in range(lanes):
        put(near, BACK + lane * 8, at + (read(near, lane * 8, 8) - 1) * row + lane * item, 8)
    for k in range(top, bottom):
        for lane in range(lanes):
            back, onwards = read(near, BACK + lane * 8, 8) - k * row, at + k * row + lane * item
            move(out, onwards, data, back if k < read(near, lane * 8, 8) else onwards, item)


@numba.njit(**OPTIONS, forceinline=True)  # type: ignore[untyped-decorator]
def backwards(item: int, out: int, data: int, lengths: int, size: int, length: int, low: int, high: int) -> None:
    """Writes sequences `high` - 1 down to `low` + 1, of `length` bytes each, which is one of TURNED.

    straight |a b c d e f|         The reversed word is written so far to the left that its end, the first items turned
    reversed   |f e d|c b a|       round, is where it belongs; what that spoils belongs to the sequence before, which is
    length 3         |c b a d e f| written next. (One item after another takes 4 times as long.)
    """
    for block in range(high - 1, low, -1):
        at = block * length
        move(out, at, data, at, length)
        turn(out, at - length + length_of(lengths, block, size, length // item) * item, data, at, length, item)


@numba.njit(**OPTIONS, forceinline=True)  # type: ignore[untyped-decorator]
def short(item: int, out: int, data: int, at: int, n: int, length: int) -> None:
    """Writes one sequence of a few items that lie side by side."""
    for k in range(n):
        move(out, at + k * item, data, at + (length - 1 - k if k < length else k) * item, item)


@compiled
def run(arrays: Any, numbers: Any, turn: int) -> None:
    p = told(numbers, Numbers)
    step, n, item, size = p.step if turn != 0 else p.units, p.n, p.item, p.size
    out, data, lengths, near = address(arrays, 0), address(arrays, 1), address(arrays, 2), scratch()
    groups, row = (p.inner + p.lanes - 1) // p.lanes, p.inner * item
    first = claim(turn, step, p.units, -1)
    while first < p.units:
        for unit in range(first, min(first + step, p.units)):
            whole, top = unit // p.pieces, unit % p.pieces * p.piece
            bottom = min(top + p.piece, n)
            if p.inner == 1:
                low, high = whole * p.height, min(whole * p.height + p.height, p.outer)
                begin, end, target = (low * n + top) * item, ((high - 1) * n + bottom) * item, out
                if p.streams != 0:
                    target = near - begin
                stop = low + 1  # the sequence that `backwards` leaves
                if row * n == 64:
                    each_word(backwards, item, target, data, lengths, size, 64, low, high)
                elif row * n == 32:
                    each_word(backwards, item, target, data, lengths, size, 32, low, high)
                elif row * n == 16:
                    each_word(backwards, item, target, data, lengths, size, 16, low, high)
                else:
                    stop = high
                block = low
                while block < stop:
                    length, base, block = length_of(lengths, block, size, n), block * n * item, block + 1
                    if length <= 1 and p.pieces == 1:
                        # Neighbours that stay as they are, too: one copy.
                        while block < stop and length_of(lengths, block, size, n) <= 1:
                            block += 1
                        copy(target, base, data, base, block * n * item - base)
                    elif n <= SHORT:
                        each_word(short, item, target, data, base, n, length)
                    else:
                        middle = min(max(length, top), bottom)
                        turns = middle - top
                        each_word(turned, item, target, base + top * item, data, base + (length - middle) * item, turns)
                        copy(target, base + middle * item, data, base + middle * item, (bottom - middle) * item)
                if p.streams != 0:
                    stream(out, begin, near, 0, end - begin, 1)
                continue
            begin, end, low, high = whole * p.height, min(whole * p.height + p.height, p.outer), 0, p.inner
            if p.height == 0:
                begin, low = whole // groups, whole % groups * p.lanes
                end, high = begin + 1, min(low + p.lanes, p.inner)
            for block in range(begin, end):
                at, own, across = block * n * row + low * item, block * p.inner + low, (high - low) * item
                if alike(lengths, own, size, high - low) != 0:
                    length = length_of(lengths, own, size, n)
                    middle = min(max(length if length > 1 else 0, top), bottom)
                    rows(out, at + top * row, row, data, at + (length - 1 - top) * row, -row, across, middle - top)
                    rows(out, at + middle * row, row, data, at + middle * row, row, across, bottom - middle)
                    continue
                for left in range(0, high - low, p.strip):
                    count = min(p.strip, high - low - left)
                    for lane in range(count):
                        put(near, lane * 8, length_of(lengths, own + left + lane, size, n), 8)
                    each_word(picked, item, out, data, at + left * item, row, near, count, top, bottom)
        first = claim(turn, step, p.units, first)
