"""TILE: a block is built once, where it stands first, and copied to all other places that hold the same.

data |ab|cd|, repeats 3 and 2         The axis that is cut is the outermost one of which a block fits into the nearest
block |ab ab|cd cd|                   cache: a few of its positions, or all of them, several times. Axes inside it are
out   |ab ab|cd cd|ab ab|cd cd|...    written out in full within the block; repeats of it and of the axes outside are
      |<- block ->|                   the places of the block.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numba

from .lib.blocks import FEW, claim, copy, doubled, repeated, stream
from .lib.compiled import compiled
from .lib.plan import SHARED, STREAMED, ceil, in_order, shared, work
from .lib.primitives import address, number, scratch, told


@numba.njit  # type: ignore[untyped-decorator]
def textbook(out: Any, data: Any, numbers: Any) -> None:
    """The textbook loop: an output element's index along an axis, modulo the axis' size, is that of the one it repeats.

    Both have the axes whose sizes and repeats the numbers tell, the last one changing fastest.
    """
    sizes, repeats = numbers[1::2], numbers[2::2]
    for at in range(len(out)):
        rest, source, stride = at, 0, 1
        for d in range(len(sizes) - 1, -1, -1):
            index = rest % (sizes[d] * repeats[d])
            rest //= sizes[d] * repeats[d]
            source += index % sizes[d] * stride
            stride *= sizes[d]
        out[at] = data[source]


BLOCK = 8192
"""Bytes of a block: it stays in the nearest cache while it is copied."""
UNITS = 16
"""Units wanted where threads share a work of few blocks."""


class Numbers(NamedTuple):
    """The numbers of `run`. Behind them are of each axis its size, its repeats and the bytes of output of a position;
    what is said of one position or of a block's is of the axis that is cut.
    """

    units: int
    step: int
    item: int
    last: int  # the last axis
    cut: int  # the axis that is cut
    height: int  # positions in a block
    chunks: int  # blocks that its size is cut into
    times: int  # repeats in a block
    places: int  # places of a block along that axis
    groups: int  # units that the places of a block are divided among
    per_group: int  # places of each of them
    all_places: int  # of a block
    one: int  # bytes of output of one position
    within: int  # bytes of data of it
    streams: int


SIZE, REPEAT, FULL = range(len(Numbers._fields), len(Numbers._fields) + 3)
"""Where axis 0's numbers stand; axis d's are `3 * d` places further on."""


def plan(item: int, *pairs: int) -> list[int]:
    """The numbers of `run`, for items of `item` bytes and a size and a repeat for each axis."""
    sizes, repeats = list(pairs[::2]), list(pairs[1::2])
    count, last = len(sizes), len(sizes) - 1
    full = [item] * (count + 1)  # bytes of output of one position of all axes before
    for d in range(count - 1, -1, -1):
        full[d] = full[d + 1] * sizes[d] * repeats[d]
    cut = next((d for d in range(count) if full[d + 1] <= BLOCK), count - 1)
    one = full[cut + 1]
    if sizes[cut] * one <= BLOCK:
        height, times = sizes[cut], max(1, min(repeats[cut], BLOCK // (sizes[cut] * one)))
    else:
        height, times = max(1, BLOCK // one), 1
    chunks, places = ceil(sizes[cut], height), ceil(repeats[cut], times)
    sources, all_places = prod(sizes[:cut]) * chunks, places * prod(repeats[:cut])
    wanted = min(all_places, ceil(UNITS, sources)) if work(full[0], 64) >= SHARED else 1
    per_group = ceil(all_places, wanted)
    groups = ceil(all_places, per_group)
    within = prod(sizes[cut + 1 :]) * item
    units, step = shared(sources * groups, full[0], 64)
    axes = [n for d in range(count) for n in (sizes[d], repeats[d], full[d + 1])]
    streams = int(full[0] + prod(sizes) * item >= STREAMED)
    return [*in_order(Numbers, locals()), *axes]


@compiled
def run(arrays: Any, numbers: Any, turn: int) -> None:
    p = told(numbers, Numbers)
    step = p.step if turn != 0 else p.units
    last, cut, one = p.last, p.cut, p.one
    size, repeat = number(numbers, SIZE + 3 * cut), number(numbers, REPEAT + 3 * cut)
    run, inner_repeat = number(numbers, SIZE + 3 * last) * p.item, number(numbers, REPEAT + 3 * last)
    out, data = address(arrays, 0), address(arrays, 1)
    block = scratch() if p.streams != 0 else out
    first = claim(turn, step, p.units, -1)
    while first < p.units:
        for unit in range(first, min(first + step, p.units)):
            source, group = unit // p.groups, unit % p.groups
            outside, top = source // p.chunks, source % p.chunks * p.height
            count = min(p.height, size - top)
            origin, rest = top * one, outside  # of the first place, in bytes
            for d in range(cut - 1, -1, -1):
                origin += rest % number(numbers, SIZE + 3 * d) * number(numbers, FULL + 3 * d)
                rest //= number(numbers, SIZE + 3 * d)
            whole_block = -1  # where a whole block stands
            for place in range(group * p.per_group, min(group * p.per_group + p.per_group, p.all_places)):
                along, rest = place % p.places * p.times, place // p.places
                at = origin + along * size * one
                for d in range(cut - 1, -1, -1):
                    wide = number(numbers, SIZE + 3 * d) * number(numbers, FULL + 3 * d)
                    at += rest % number(numbers, REPEAT + 3 * d) * wide
                    rest //= number(numbers, REPEAT + 3 * d)
                here = min(p.times, repeat - along)  # fewer at the end
                if whole_block >= 0:
                    stream(out, at, block, whole_block, count * one * here, p.streams)
                    continue
                start = (outside * size + top) * p.within
                if cut == last and count * p.item <= 8 and here >= FEW and p.streams == 0:
                    # A word is cheaper to write again and again than to read back.
                    repeated(out, at, data, start, count * p.item, here, 1)
                    continue
                base = 0 if p.streams != 0 else at
                if cut == last:
                    copy(block, base, data, start, count * p.item)
                else:
                    # An odometer: where this was the last row of an axis, all of it is there and is repeated.
                    high = count if last - 1 == cut else number(numbers, SIZE + 3 * (last - 1))
                    bands, end = count * p.within // (high * run), base
                    for band in range(bands):
                        repeated(block, end, data, start + band * high * run, run, inner_repeat, high)
                        done, length = band + 1, high * run * inner_repeat
                        end += length
                        for d in range(last - 1, cut, -1):
                            if d < last - 1:
                                if done % number(numbers, SIZE + 3 * d) != 0:
                                    break
                                done //= number(numbers, SIZE + 3 * d)
                                length *= number(numbers, SIZE + 3 * d)
                            again = number(numbers, REPEAT + 3 * d)
                            doubled(block, end - length, length, again)
                            end += length * (again - 1)
                            length *= again
                doubled(block, base, count * one, here)
                if here == p.times:
                    whole_block = base
                if p.streams != 0:
                    stream(out, at, block, 0, count * one * here, 1)
        first = claim(turn, step, p.units, first)
