"""Rows that parts lie side by side in: JOIN puts them there, and SPLIT takes them out.

row 0   whole |[part 0][ part 1 ][part 2]|     contiguous: a run of each part, `length` bytes from `start` on
row 1   whole |[part 0][ part 1 ][part 2]|     strided: the rows of the whole, `stride` bytes apart
              |<-------- stride ------->|      A block of short rows stays in the nearest cache while each part passes
                                               over it; a long row is cut into segments instead.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any, NamedTuple

from .blocks import claim, lines, part, rows, stream
from .compiled import compiled
from .plan import BLOCK, SEGMENT, STREAMED, ceil, in_order, shared
from .primitives import PARTS, WORDS, address, number, scratch, told, unweave, weave

NEAR = 2048
"""Bytes over which several passes of runs of a few bytes go before the next are begun."""
ROWS = 8
"""The same in rows, where runs have half a cache line on average; twice or half of either costs up to 1.7 times."""
ABREAST, ABREAST_NEAR = 32, 128
"""Bytes of the shortest run from which on rows are written whole, one after the other: passing over them once for each
part takes 1.3 to 1.9 times as long. The second is for what the nearest caches hold all of, where it matters more what a
run costs."""
FAR = 4 << 20
"""Bytes read and written that are more than those hold."""


class Numbers(NamedTuple):
    """The numbers of `run`. Behind them are a start in the whole's row and a length for each part, in bytes."""

    units: int
    step: int  # units that a thread takes at a time
    outer: int  # rows
    stride: int  # bytes of a row
    parts: int
    high: int  # rows of a unit
    height: int  # rows that each pass goes over; 0 where rows are written whole
    segments: int  # units of a row
    segment: int  # bytes of a unit of a row; 0 where a unit has whole rows
    alike: int  # bytes of every part where all are words that are woven, else 0
    streams: int  # 1 where output goes past the caches
    joins: int  # 1 for JOIN, 0 for SPLIT


EACH = len(Numbers._fields)


def plan_rows(joins: int, outer: int, stride: int, *lengths: int) -> list[int]:
    """The numbers of `run`, for `outer` rows of `stride` bytes, `lengths` of them of each part."""
    high, segments, segment = (BLOCK // stride, 1, 0) if stride < BLOCK else (1, ceil(stride, SEGMENT), SEGMENT)
    mean, both = stride / len(lengths), 2 * outer * stride
    whole = min(lengths) >= (ABREAST if both >= FAR else ABREAST_NEAR)
    height = 0 if whole else ROWS if mean >= 32 else max(1, NEAR // stride)
    same = lengths[0] if len(set(lengths)) == 1 and lengths[0] in WORDS else 0
    parts, streams = len(lengths), int(both >= STREAMED)
    alike = same if parts in PARTS else 0
    units, step = shared(ceil(outer, high) * segments, outer * stride, 64 if same else min(64, mean))
    pairs = zip(accumulate(lengths, initial=0), lengths, strict=False)
    return [*in_order(Numbers, locals()), *(n for pair in pairs for n in pair)]


@compiled
def run(arrays: Any, numbers: Any, turn: int) -> None:
    p = told(numbers, Numbers)
    step, joins = p.step if turn != 0 else p.units, p.joins
    whole, near, lanes = address(arrays, 0 if joins != 0 else p.parts), scratch(), 64 // max(1, p.alike)
    height = p.height if joins != 0 or p.streams == 0 else p.high
    first = claim(turn, step, p.units, -1)
    while first < p.units:
        for unit in range(first, min(first + step, p.units)):
            top = unit // p.segments * p.high
            begin, bottom, low, target = top * p.stride, min(top + p.high, p.outer), 0, whole
            if p.segment != 0:
                low = unit % p.segments * p.segment
                for k in range(p.parts):
                    start, length = number(numbers, EACH + 2 * k), number(numbers, EACH + 1 + 2 * k)
                    each, a, b = address(arrays, k + joins), max(start, low), min(start + length, low + p.segment)
                    to, data, at, of = whole, each, begin + a, top * length + a - start
                    if joins == 0:
                        to, data, at, of = data, to, of, at
                    if a < b:
                        stream(to, at, data, of, b - a, p.streams)
                continue
            if p.streams != 0 and joins != 0:
                target = near - begin
            while p.alike != 0 and top + lanes <= bottom:
                if joins != 0:
                    weave(target, top * p.stride, arrays, top * p.alike, p.parts, p.alike)
                else:
                    unweave(arrays, top * p.alike, whole, top * p.stride, p.parts, p.alike)
                top += lanes
            while height == 0 and top < bottom:
                start = top * p.stride
                for k in range(p.parts):
                    each, length = address(arrays, k + joins), number(numbers, EACH + 1 + 2 * k)
                    to, data, at, of = target, each, start, top * length
                    if joins == 0:
                        to, data, at, of = data, to, of, at
                    if length < 64:
                        part(32, length - 32, to, at, data, of)
                    else:
                        lines(to, at, data, of, length)
                    start += length
                top += 1
            while top < bottom:
                count = min(height, bottom - top)
                for k in range(p.parts):
                    start, length = number(numbers, EACH + 2 * k), number(numbers, EACH + 1 + 2 * k)
                    each, at, of = address(arrays, k + joins), top * p.stride + start, top * length
                    if joins != 0:
                        rows(target, at, p.stride, each, of, length, length, count)
                    elif p.streams == 0:
                        rows(each, of, length, whole, at, p.stride, length, count)
                    else:
                        rows(near, 0, length, whole, at, p.stride, length, count)
                        stream(each, of, near, 0, length * count, 1)
                top += height
            if target != whole:
                stream(whole, begin, near, 0, bottom * p.stride - begin, 1)
        first = claim(turn, step, p.units, first)
