"""TILE: a block is built once, where it stands first, and copied to all other places that hold the same.

data |ab|cd|, repeats 3 and 2         The axis that is cut is the outermost one of which a block fits into the nearest
block |ab ab|cd cd|                   cache: a few of its positions, or all of them, several times. Axes inside it are
out   |ab ab|cd cd|ab ab|cd cd|...    written out in full within the block; repeats of it and of the axes outside are
      |<- block ->|                   the places of the block.
"""

from __future__ import annotations

from math import prod
from typing import Any

from ._blocks import FEW, copy, doubled, repeated
from ._compiled import compiled
from ._memory import address, claim, number
from ._plan import SHARE, ceil, shared

BLOCK = 8192
"""Bytes of a block: it stays in the nearest cache while it is copied."""
UNITS = 16
"""Units wanted where threads share a work of few blocks."""
AXES = 18
"""Where the sizes begin among the numbers."""


def plan(item: int, *pairs: int) -> list[int]:
    """The numbers of `run`, for items of `item` bytes and a size and a repeat for each axis."""
    sizes, repeats = list(pairs[::2]), list(pairs[1::2])
    count = len(sizes)
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
    wanted = min(all_places, ceil(UNITS, sources)) if full[0] > SHARE else 1
    each = ceil(all_places, wanted)
    groups = ceil(all_places, each)
    within = prod(sizes[cut + 1 :]) * item  # bytes of data of one position of the axis that is cut
    numbers = [*shared(sources * groups, full[0]), item, count, cut, height, chunks, times, places, groups, each]
    numbers += [all_places, one, within]
    numbers += [0] * (AXES - len(numbers))
    return numbers + [n for d in range(count) for n in (sizes[d], repeats[d], full[d + 1])]


@compiled
def run(arrays: Any, numbers: Any, counter: int) -> None:
    units = number(numbers, 0)
    step = number(numbers, 1) if counter != 0 else units
    item, last, cut = number(numbers, 2), number(numbers, 3) - 1, number(numbers, 4)
    height, chunks, times, places = number(numbers, 5), number(numbers, 6), number(numbers, 7), number(numbers, 8)
    groups, each, all_places = number(numbers, 9), number(numbers, 10), number(numbers, 11)
    one, within = number(numbers, 12), number(numbers, 13)
    size, repeat = number(numbers, AXES + 3 * cut), number(numbers, AXES + 3 * cut + 1)
    inner_size, inner_repeat = number(numbers, AXES + 3 * last), number(numbers, AXES + 3 * last + 1)
    run, out, data = inner_size * item, address(arrays, 0), address(arrays, 1)
    first = claim(counter, step, 0)
    while first < units:
        for unit in range(first, min(first + step, units)):
            source, group = unit // groups, unit % groups
            outside, top = source // chunks, source % chunks * height
            count = min(height, size - top)
            base, rest = top * one, outside  # of the first place, in bytes
            for d in range(cut - 1, -1, -1):
                base += rest % number(numbers, AXES + 3 * d) * number(numbers, AXES + 3 * d + 2)
                rest //= number(numbers, AXES + 3 * d)
            built = -1  # where a whole block stands
            for place in range(group * each, min(group * each + each, all_places)):
                along, rest = place % places * times, place // places
                at = base + along * size * one
                for d in range(cut - 1, -1, -1):
                    wide = number(numbers, AXES + 3 * d) * number(numbers, AXES + 3 * d + 2)
                    at += rest % number(numbers, AXES + 3 * d + 1) * wide
                    rest //= number(numbers, AXES + 3 * d + 1)
                here = min(times, repeat - along)  # fewer at the end
                if built >= 0:
                    copy(out, at, out, built, count * one * here)
                    continue
                start = (outside * size + top) * within
                if cut == last and count * item <= 8 and here >= FEW:
                    # A word is cheaper to write again and again than to read back.
                    repeated(out, at, data, start, count * item, here, 1)
                    continue
                if cut == last:
                    copy(out, at, data, start, count * item)
                else:
                    # An odometer: where this was the last row of an axis, all of it is there and is repeated.
                    high = count if last - 1 == cut else number(numbers, AXES + 3 * (last - 1))
                    bands, end = count * within // (high * run), at
                    for band in range(bands):
                        repeated(out, end, data, start + band * high * run, run, inner_repeat, high)
                        done, block = band + 1, high * run * inner_repeat
                        end += block
                        for d in range(last - 1, cut, -1):
                            if d < last - 1:
                                if done % number(numbers, AXES + 3 * d) != 0:
                                    break
                                done //= number(numbers, AXES + 3 * d)
                                block *= number(numbers, AXES + 3 * d)
                            again = number(numbers, AXES + 3 * d + 1)
                            doubled(out, end - block, block, again)
                            end += block * (again - 1)
                            block *= again
                doubled(out, at, count * one, here)
                if here == times:
                    built = at
        first = claim(counter, step, units)
