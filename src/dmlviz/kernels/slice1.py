"""SLICE1: runs that lie a step apart along each axis; a step may be negative, and a run may be a single element.

data   |.a.b.c..|.......|.d.e.f..|     the innermost axis, and the one before it, are walked in one loop: along the
out    |a b c|d e f|                   rows, or down the columns of a block of rows where these have a few runs only.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numba

from .lib.blocks import claim, rows, stream, turned
from .lib.compiled import compiled
from .lib.plan import BLOCK, SEGMENT, STREAMED, ceil, in_order, shared
from .lib.primitives import address, each_word, number, scratch, told


@numba.njit  # type: ignore[untyped-decorator]
def textbook(out: Any, data: Any, numbers: Any) -> None:
    """The textbook loop: an element's index along an axis, times the axis' step, is how far its source is from `start`.

    Elements of a run lie together; the axes of `out` before them, the last one changing fastest, are of `counts`.
    """
    run, start, counts, steps = numbers[0], numbers[1], numbers[2::2], numbers[3::2] // data.itemsize
    run, start = run // data.itemsize, start // data.itemsize
    for at in range(len(out)):
        rest, source = at // run, start + at % run
        for d in range(len(counts) - 1, -1, -1):
            source += rest % counts[d] * steps[d]
            rest //= counts[d]
        out[at] = data[source]


SHORT = 8
"""Runs of a row up to which a loop goes down its columns."""
NEAR = 2048
"""Bytes of output that such loops pass over before the next are begun."""
LONG = 1024
"""Bytes of a run that is copied by itself."""


class Numbers(NamedTuple):
    """The numbers of `run`. Behind them are a count and a step in bytes for each axis before the last two."""

    units: int
    step: int
    run: int  # bytes of a run
    start: int  # where the first run begins
    outer: int  # axes before the last two
    rows: int  # rows of runs in all
    high: int  # rows of a unit
    inside: int  # rows one behind the other along the axis before the last
    down: int  # bytes from one of them to the next
    wide: int  # runs of a row
    along: int  # bytes from one of them to the next
    pieces: int  # units of a row
    piece: int  # runs of such a unit; bytes of one where a row is one run
    height: int  # rows that a loop goes down at a time; 0 where loops go along the rows
    long: int  # 1 where each run is copied by itself
    streams: int


AXES = len(Numbers._fields)


def plan(run: int, start: int, *axes: int) -> list[int]:
    """The numbers of `run`, for runs of `run` bytes, and a count and a step in bytes for each axis, outermost first."""
    pairs = list(zip(axes[::2], axes[1::2], strict=True))
    if run >= SEGMENT:
        pairs.append((1, run))  # every run is a row of its own, cut into pieces
    pairs = [(1, 0)] * (2 - len(pairs)) + pairs
    *before, (inside, down), (wide, along) = pairs
    outer, rows, row = len(before), prod(count for count, _ in pairs[:-1]), wide * run
    if run >= SEGMENT:
        high, pieces, piece = 1, ceil(run, SEGMENT), SEGMENT
    elif row >= BLOCK:
        piece = max(1, BLOCK // run)
        high, pieces = 1, ceil(wide, piece)
    else:
        high, pieces, piece = BLOCK // row, 1, wide
    height = max(1, NEAR // row) if wide <= SHORT < inside and row < NEAR else 0
    units, step = shared(ceil(rows, high) * pieces, rows * row, min(run, 64))
    long, streams = int(run >= LONG), int(2 * rows * row >= STREAMED)
    return [*in_order(Numbers, locals()), *(n for pair in before for n in pair)]


@compiled
def run(arrays: Any, numbers: Any, turn: int) -> None:
    p = told(numbers, Numbers)
    step, length, row = p.step if turn != 0 else p.units, p.run, p.wide * p.run
    out, data, near = address(arrays, 0), address(arrays, 1), scratch()
    first = claim(turn, step, p.units, -1)
    while first < p.units:
        for unit in range(first, min(first + step, p.units)):
            done, low = unit // p.pieces * p.high, unit % p.pieces * p.piece
            bottom, begin = min(done + p.high, p.rows), done * row + low * length
            runs, target = min(p.piece, p.wide - low), out
            if p.streams != 0 and p.long == 0:
                target = near - begin
            while done < bottom:
                # As many rows as follow each other along the axis before the last.
                rest, place, at = done // p.inside, done % p.inside, done * row + low * length
                count, start = min(p.inside - place, bottom - done), p.start + place * p.down
                for d in range(p.outer - 1, -1, -1):
                    start += rest % number(numbers, AXES + 2 * d) * number(numbers, AXES + 1 + 2 * d)
                    rest //= number(numbers, AXES + 2 * d)
                if p.wide == 1 and p.pieces > 1:
                    stream(out, done * row + low, data, start + low, min(p.piece, length - low), p.streams)
                elif p.long != 0:
                    for i in range(count):
                        for k in range(runs):
                            source = start + i * p.down + (low + k) * p.along
                            stream(out, at + i * row + k * length, data, source, length, p.streams)
                elif p.height != 0:
                    for upper in range(0, count, p.height):
                        lines, to = min(p.height, count - upper), at + upper * row
                        for k in range(p.wide):
                            source = start + upper * p.down + k * p.along
                            rows(target, to + k * length, row, data, source, p.down, length, lines)
                else:
                    for i in range(count):
                        to, source = at + i * row, start + i * p.down + low * p.along
                        if p.along == -length and (length == 4 or length == 8 or length == 2 or length == 1):
                            each_word(turned, length, target, to, data, source + (runs - 1) * p.along, runs)
                        else:
                            rows(target, to, length, data, source, p.along, length, runs)
                done += count
            if target != out:
                stream(out, begin, near, 0, bottom * row - begin if p.pieces == 1 else runs * length, 1)
        first = claim(turn, step, p.units, first)
