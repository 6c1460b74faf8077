"""REVERSE_SUBSEQUENCES: row k of a sequence comes from row length - 1 - k, or from row k itself from length on.

lengths      3 3 0 1          A block has `n` rows along Axis with `inner` lanes each, one a sequence.
row 0 from   2 2 0 0          One lane: its bytes lie side by side and are turned round in words.
row 1 from   1 1 1 1          All lanes of a group alike: whole rows are copied, from the last one back.
row 2 from   0 0 2 2          Else a strip of lanes is laid close together first; there, near and in few lines, every
                              element is picked from the row its own length says.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from .lib.blocks import OPTIONS, claim, copy, rows, stream, turned
from .lib.compiled import compiled
from .lib.plan import BLOCK, SHARED, STREAMED, ceil, shared, work
from .lib.primitives import (
    SCRATCH,
    address,
    fence,
    int64,
    move1,
    move2,
    move4,
    move8,
    move16,
    move32,
    move64,
    number,
    put64,
    scratch,
    turn,
    uint32,
)
from .lib.textbook import Arrays, words


@numba.njit  # type: ignore[untyped-decorator]
def textbook(out: Any, data: Any, lengths: Any) -> None:
    """The textbook loop: `out[block, k, lane] = data[block, length - 1 - k, lane]`, or row k itself from `length` on.

    A block is all that lies behind one position of the axes before Axis. Each of its lanes is a sequence and has a
    length; longer ones act as the whole sequence.
    """
    blocks, n, lanes = data.shape
    for block in range(blocks):
        for k in range(n):
            for lane in range(lanes):
                length = n if lengths[block, lane] >= n else np.int64(lengths[block, lane])
                row = length - 1 - k if k < length else k
                out[block, k, lane] = data[block, row, lane]


def textbook_arguments(
    outputs: Arrays, inputs: Arrays, outer: int, n: int, inner: int, item: int, length_size: int
) -> list[Any]:
    """The arguments of `textbook`; numbers are as `plan` takes them."""
    (out,), (data, lengths) = outputs, inputs
    return [(words(out, outer, n, inner), words(data, outer, n, inner), lengths.reshape(outer, inner))]


GROUP = 512
"""Lanes at most that are copied together where their lengths are equal."""
WHOLE = 8192
"""Lanes of a block up to which every unit of it looks at all their lengths."""
STRIP = 64
"""Bytes of a row that are laid close together at a time: a cache line."""
SHORT = 16
"""Rows of a single lane up to which they are picked one by one; turning them in words has yet to begin to pay."""
UNITS = 16
"""Units wanted where threads share a work of few sequences."""
BACK, HELD = 64 * 8, 2 * 64 * 8
"""The beginnings in `scratch` of the places that lanes are read back from, behind their lengths, and of the strip."""


class Numbers(NamedTuple):
    """The numbers of `run`."""

    units: int
    step: int
    outer: int
    """Blocks."""
    n: int
    """Rows of a block."""
    inner: int
    """Lanes of a row."""
    item: int
    """Bytes of an item."""
    length_size: int
    """Bytes of a length."""
    height: int
    """Blocks of a unit; 0 where several units share a block of many lanes."""
    lanes: int
    """Lanes of a unit."""
    pieces: int
    """Units that the rows of a unit's lanes are divided among."""
    piece: int
    """Rows of each of them."""
    wide: int
    """Lanes of a strip; negative where it is not laid close together first."""
    streams: int
    """1 where the output of single lanes goes past the caches."""


PLACE = Numbers(*range(len(Numbers._fields)))


def plan(outer: int, n: int, inner: int, item: int, length_size: int) -> list[int]:
    """The numbers of `run`, for `outer` blocks of `n` rows with `inner` lanes of `item` bytes each."""
    total, row = outer * n * inner * item, inner * item
    lanes, wide = 1, 1
    if inner == 1 and n * item < BLOCK:
        height, pieces = BLOCK // (n * item), 1
        units = ceil(outer, height)
    elif inner == 1:
        height, pieces = 1, ceil(n * item, BLOCK)
        units = outer * pieces
    else:
        near, block = STRIP, n * row
        while near > item and n * near > SCRATCH - HELD:
            near //= 2
        close = row > STRIP and n * near <= SCRATCH - HELD
        wide = near // item if close else min(inner, STRIP // item)
        if block <= BLOCK:
            height, lanes, pieces = BLOCK // block, inner, 1
            units = ceil(outer, height)
        else:
            few = ceil(ceil(inner * outer, UNITS), wide) * wide if work(total, item) >= SHARED else GROUP
            height, lanes = 0, min(inner, GROUP, few)
            groups = outer * ceil(inner, lanes)
            pieces = min(n, ceil(UNITS, groups)) if work(total, item) >= SHARED else 1
            units = groups * pieces
        wide = wide if close else -wide
    units, step = shared(units, total, item if inner > 1 else 64)
    piece, streams = ceil(n, pieces), int(2 * total >= STREAMED)
    return [
        *Numbers(
            units=units,
            step=step,
            outer=outer,
            n=n,
            inner=inner,
            item=item,
            length_size=length_size,
            height=height,
            lanes=lanes,
            pieces=pieces,
            piece=piece,
            wide=wide,
            streams=streams,
        )
    ]


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def length_of(lengths: int, at: int, size: int, n: int) -> int:
    """Length `at`, of `size` bytes; longer ones act as `n`."""
    length = int64(lengths, at * 8) if size == 8 else uint32(lengths, at * 4)
    return n if length < 0 or length > n else length  # negative: 2^63 or more


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def alike(lengths: int, at: int, size: int, count: int) -> int:
    """1 if `count` lengths from `at` on are the same, else 0. It looks at 64 at a time, some of them at once."""
    k = 0
    while k < count:
        differ, end = 0, min(k + 64, count)
        if size == 8:
            for i in range(k, end):
                differ |= int64(lengths, (at + i) * 8) ^ int64(lengths, at * 8)
        else:
            for i in range(k, end):
                differ |= uint32(lengths, (at + i) * 4) ^ uint32(lengths, at * 4)
        if differ != 0:
            return 0
        k = end
    return 1


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def picked(
    out: int, at: int, out_step: int, data: int, start: int, data_step: int,
    near: int, item: int, lanes: int, top: int, bottom: int,
) -> None:  # fmt: skip
    """Writes rows `top` to `bottom` of `lanes` neighbouring sequences, whose lengths are INT64 at `held`."""
    for lane in range(lanes):
        put64(near, BACK + lane * 8, start + (int64(near, lane * 8) - 1) * data_step + lane * item)
    if item == 4:
        for k in range(top, bottom):
            to, ahead = at + k * out_step, k * data_step
            for lane in range(lanes):
                back, onwards = int64(near, BACK + lane * 8) - ahead, start + ahead + lane * 4
                move4(out, to + lane * 4, data, back if k < int64(near, lane * 8) else onwards)
    elif item == 8:
        for k in range(top, bottom):
            to, ahead = at + k * out_step, k * data_step
            for lane in range(lanes):
                back, onwards = int64(near, BACK + lane * 8) - ahead, start + ahead + lane * 8
                move8(out, to + lane * 8, data, back if k < int64(near, lane * 8) else onwards)
    elif item == 2:
        for k in range(top, bottom):
            to, ahead = at + k * out_step, k * data_step
            for lane in range(lanes):
                back, onwards = int64(near, BACK + lane * 8) - ahead, start + ahead + lane * 2
                move2(out, to + lane * 2, data, back if k < int64(near, lane * 8) else onwards)
    else:
        for k in range(top, bottom):
            to, ahead = at + k * out_step, k * data_step
            for lane in range(lanes):
                back, onwards = int64(near, BACK + lane * 8) - ahead, start + ahead + lane * 1
                move1(out, to + lane * 1, data, back if k < int64(near, lane * 8) else onwards)


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def strips(
    out: int, data: int, lengths: int, near: int, base: int, own: int, size: int,
    item: int, n: int, row: int, wide: int, lanes: int, top: int, bottom: int,
) -> None:  # fmt: skip
    """Writes rows `top` to `bottom` of the `lanes` sequences that begin at `base`, whose lengths begin at `own`."""
    strip = abs(wide)
    for left in range(0, lanes, strip):
        count, at = min(strip, lanes - left), base + left * item
        for lane in range(count):
            put64(near, lane * 8, length_of(lengths, own + left + lane, size, n))
        if wide > 0:
            across = count * item
            rows(near, HELD, across, data, at, row, across, n)
            picked(out, at, row, near, HELD, across, near, item, count, top, bottom)
        else:
            picked(out, at, row, data, at, row, near, item, count, top, bottom)


@numba.njit(**OPTIONS, inline="always")  # type: ignore[untyped-decorator]
def backwards_in(
    out: int, data: int, lengths: int, size: int, n: int, low: int, high: int, length: int, item: int
) -> None:  # fmt: skip
    """Does as `backwards`; `length` and `item` are literals, so that each pair of them is a loop of its own."""
    for block in range(high - 1, low, -1):
        at, turned_ = block * length, length_of(lengths, block, size, n)
        if length == 64:
            move64(out, at, data, at)
        elif length == 32:
            move32(out, at, data, at)
        else:
            move16(out, at, data, at)
        turn(out, at - length + turned_ * item, data, at, length, item)


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def backwards(out: int, data: int, lengths: int, size: int, item: int, n: int, low: int, high: int) -> int:
    """Writes sequences `high` - 1 down to `low` + 1 of a word's length each; returns the sequence it stopped at.

    straight |a b c d e f|         The reversed word is written so far to the left that its end, the first `length`
    reversed   |f e d|c b a|       items turned round, is where it belongs; what that spoils belongs to the sequence
    length 3         |c b a d e f| before, which is written next. (One item after another takes 4 times as long.)
    """
    length = n * item
    if length == 64 and item == 4:
        backwards_in(out, data, lengths, size, n, low, high, 64, 4)
    elif length == 64 and item == 2:
        backwards_in(out, data, lengths, size, n, low, high, 64, 2)
    elif length == 64 and item == 8:
        backwards_in(out, data, lengths, size, n, low, high, 64, 8)
    elif length == 64 and item == 1:
        backwards_in(out, data, lengths, size, n, low, high, 64, 1)
    elif length == 32 and item == 4:
        backwards_in(out, data, lengths, size, n, low, high, 32, 4)
    elif length == 32 and item == 2:
        backwards_in(out, data, lengths, size, n, low, high, 32, 2)
    elif length == 32 and item == 8:
        backwards_in(out, data, lengths, size, n, low, high, 32, 8)
    elif length == 32 and item == 1:
        backwards_in(out, data, lengths, size, n, low, high, 32, 1)
    elif length == 16 and item == 4:
        backwards_in(out, data, lengths, size, n, low, high, 16, 4)
    elif length == 16 and item == 2:
        backwards_in(out, data, lengths, size, n, low, high, 16, 2)
    elif length == 16 and item == 8:
        backwards_in(out, data, lengths, size, n, low, high, 16, 8)
    elif length == 16 and item == 1:
        backwards_in(out, data, lengths, size, n, low, high, 16, 1)
    else:
        return high - 1
    return low


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def short(out: int, data: int, at: int, item: int, n: int, length: int) -> None:
    """Writes one sequence of a few items that lie side by side."""
    if item == 4:
        for k in range(n):
            move4(out, at + k * 4, data, at + (length - 1 - k if k < length else k) * 4)
    elif item == 8:
        for k in range(n):
            move8(out, at + k * 8, data, at + (length - 1 - k if k < length else k) * 8)
    elif item == 2:
        for k in range(n):
            move2(out, at + k * 2, data, at + (length - 1 - k if k < length else k) * 2)
    else:
        for k in range(n):
            move1(out, at + k, data, at + (length - 1 - k if k < length else k))


@compiled
def run(arrays: Any, numbers: Any, turn: int) -> None:
    units = number(numbers, PLACE.units)
    step = number(numbers, PLACE.step) if turn != 0 else units
    outer, n, inner = number(numbers, PLACE.outer), number(numbers, PLACE.n), number(numbers, PLACE.inner)
    item, size = number(numbers, PLACE.item), number(numbers, PLACE.length_size)
    height, lanes = number(numbers, PLACE.height), number(numbers, PLACE.lanes)
    pieces, piece = number(numbers, PLACE.pieces), number(numbers, PLACE.piece)
    wide, streams = number(numbers, PLACE.wide), number(numbers, PLACE.streams)
    out, data, lengths, near = address(arrays, 0), address(arrays, 1), address(arrays, 2), scratch()
    groups, row = (inner + lanes - 1) // lanes, inner * item
    first = claim(turn, step, units, -1)
    while first < units:
        for unit in range(first, min(first + step, units)):
            whole, top = unit // pieces, unit % pieces * piece
            bottom = min(top + piece, n)
            if inner == 1:
                low, high = whole * height, min(whole * height + height, outer)
                begin, end, target = low * n * item + top * item, (high - 1) * n * item + bottom * item, out
                if streams != 0:
                    target = near - begin
                if n * item <= 64:
                    high = backwards(target, data, lengths, size, item, n, low, high) + 1
                block = low
                while block < high:
                    length, base, block = length_of(lengths, block, size, n), block * n * item, block + 1
                    if length <= 1 and pieces == 1:
                        # Neighbours that stay as they are, too: one copy.
                        while block < high and length_of(lengths, block, size, n) <= 1:
                            block += 1
                        copy(target, base, data, base, block * n * item - base)
                    elif n <= SHORT:
                        short(target, data, base, item, n, length)
                    else:
                        middle = min(max(length, top), bottom)
                        turned(target, base + top * item, data, base + (length - middle) * item, item, middle - top)
                        copy(target, base + middle * item, data, base + middle * item, (bottom - middle) * item)
                if streams != 0:
                    stream(out, begin, near, 0, end - begin)
            else:
                begin, end, low, high, same = whole * height, min(whole * height + height, outer), 0, inner, 0
                if height == 0:
                    begin, low = whole // groups, whole % groups * lanes
                    end, high = begin + 1, min(low + lanes, inner)
                    same = alike(lengths, begin * inner, size, inner) if inner <= WHOLE else 0
                    if same != 0:
                        # Units of the block are shares of its rows then, and not of its lanes.
                        shares = groups * pieces
                        low, high = 0, inner
                        top, bottom = unit % shares * n // shares, (unit % shares + 1) * n // shares
                for block in range(begin, end):
                    at, own = block * n * row + low * item, block * inner + low
                    if same != 0 or alike(lengths, own, size, high - low) != 0:
                        length, across = length_of(lengths, own, size, n), (high - low) * item
                        middle = min(max(length if length > 1 else 0, top), bottom)
                        rows(out, at + top * row, row, data, at + (length - 1 - top) * row, -row, across, middle - top)
                        rows(out, at + middle * row, row, data, at + middle * row, row, across, bottom - middle)
                    else:
                        strips(out, data, lengths, near, at, own, size, item, n, row, wide, high - low, top, bottom)
        first = claim(turn, step, units, first)
    if streams != 0:
        fence()
