"""SLICE1: runs that lie a step apart along each axis; a step may be negative, and a run may be a single element.

data   |.a.b.c..|.......|.d.e.f..|     the innermost axis, and the one before it, are walked in one loop: along the
out    |a b c|d e f|                   rows, or down the columns of a block of rows where these have a few runs only.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numba
import numpy as np

from .lib.blocks import OPTIONS, STRING, claim, copy, long_run, rows, stream
from .lib.compiled import compiled
from .lib.plan import BLOCK, NEAR, SEGMENT, ceil, past_caches, shared
from .lib.primitives import address, fence, move1, move2, move4, move8, number, scratch, turn
from .lib.textbook import Arrays, words


@numba.njit  # type: ignore[untyped-decorator]
def textbook(out: Any, data: Any, start: int, counts: Any, steps: Any) -> None:
    """The textbook loop: an element's index along an axis, times the axis' step, is how far its source is from `start`.

    `out` and `data` are flat; `counts` and `steps` are of `out`'s axes, the last one changing fastest.
    """
    for at in range(len(out)):
        rest, source = at, start
        for d in range(len(counts) - 1, -1, -1):
            source += rest % counts[d] * steps[d]
            rest //= counts[d]
        out[at] = data[source]


def textbook_arguments(outputs: Arrays, inputs: Arrays, run: int, start: int, *axes: int) -> list[Any]:
    """The arguments of `textbook`; numbers are as `plan` takes them, in bytes."""
    item = inputs[0].itemsize
    counts = np.array([*axes[::2], run // item], np.int64)
    steps = np.array([*(step // item for step in axes[1::2]), 1], np.int64)
    return [(words(outputs[0]), words(inputs[0]), start // item, counts, steps)]


SHORT = 8
"""Runs of a row up to which a loop goes down its columns."""


class Numbers(NamedTuple):
    """The numbers of `run`. They end with two for each axis before the last, those of the outermost one named here."""

    units: int
    step: int
    run: int
    """Bytes of a run."""
    start: int
    """Where the first run begins."""
    outer: int
    """Axes before the last two."""
    rows: int
    """Rows of runs in all."""
    high: int
    """Rows of a unit."""
    inside: int
    """Rows one behind the other along the axis before the last."""
    down: int
    """Bytes from one of them to the next."""
    wide: int
    """Runs of a row."""
    along: int
    """Bytes from one of them to the next."""
    pieces: int
    """Units of a row."""
    piece: int
    """Runs of such a unit; bytes of one where a row is one run."""
    height: int
    """Rows that a loop goes down at a time; 0 where loops go along the rows."""
    streams: int
    far: int
    positions: int = 0
    """Of axis 0; axis d's stands `2 * d` places further on."""
    apart: int = 0
    """Bytes from one of them to the next; likewise."""


PLACE = Numbers(*range(len(Numbers._fields)))


def plan(run: int, start: int, *axes: int) -> list[int]:
    """The numbers of `run`, for runs of `run` bytes, and a count and a step in bytes for each axis, outermost first."""
    pairs = list(zip(axes[::2], axes[1::2], strict=True))
    if run >= SEGMENT:
        pairs.append((1, run))  # every run is a row of its own, cut into pieces
    pairs = [(1, 0)] * (2 - len(pairs)) + pairs
    *outer, (inside, down), (wide, along) = pairs
    all_rows, row = prod(count for count, _ in pairs[:-1]), wide * run
    if run >= SEGMENT:
        high, pieces, piece = 1, ceil(run, SEGMENT), SEGMENT
    elif row >= BLOCK:
        piece = max(1, BLOCK // run)
        high, pieces = 1, ceil(wide, piece)
    else:
        high, pieces, piece = BLOCK // row, 1, wide
    both = 2 * all_rows * row
    height = max(1, NEAR // row) if wide <= SHORT < inside and row < NEAR else 0
    units, step = shared(ceil(all_rows, high) * pieces, all_rows * row, min(run, 64))
    streams, far = past_caches(both)
    numbers = Numbers(
        units=units,
        step=step,
        run=run,
        start=start,
        outer=len(outer),
        rows=all_rows,
        high=high,
        inside=inside,
        down=down,
        wide=wide,
        along=along,
        pieces=pieces,
        piece=piece,
        height=height,
        streams=streams,
        far=far,
    )
    return [*numbers[: PLACE.positions], *(number for pair in outer for number in pair)]


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def row_of(out: int, at: int, data: int, start: int, along: int, run: int, count: int, far: int) -> None:
    """Copies a row of `count` runs that lie `along` bytes apart, one behind the other."""
    if along == -run and run <= 8:
        k, words_ = 0, 64 // run
        first = start + run - 64
        if run == 4:
            while k + words_ <= count:
                turn(out, at + k * 4, data, first - k * 4, 64, 4)
                k += words_
        elif run == 8:
            while k + words_ <= count:
                turn(out, at + k * 8, data, first - k * 8, 64, 8)
                k += words_
        elif run == 2:
            while k + words_ <= count:
                turn(out, at + k * 2, data, first - k * 2, 64, 2)
                k += words_
        else:
            while k + words_ <= count:
                turn(out, at + k, data, first - k, 64, 1)
                k += words_
        if k < count:
            rows(out, at + k * run, run, data, start + k * along, along, run, count - k)
    elif far != 0 and run >= STRING:
        for i in range(count):
            long_run(out, at + i * run, data, start + i * along, run)
    else:
        rows(out, at, run, data, start, along, run, count)


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def grid(
    out: int, at: int, row: int, data: int, start: int, down: int, along: int, run: int, count: int, lines: int
) -> None:
    """Copies `lines` rows of `count` runs of 1, 2, 4 or 8 bytes: a call for each row of 32 takes 1.3 times as long."""
    if run == 4:
        for i in range(lines):
            to, base = at + i * row, start + i * down
            for k in range(count):
                move4(out, to + k * 4, data, base + k * along)
    elif run == 8:
        for i in range(lines):
            to, base = at + i * row, start + i * down
            for k in range(count):
                move8(out, to + k * 8, data, base + k * along)
    elif run == 2:
        for i in range(lines):
            to, base = at + i * row, start + i * down
            for k in range(count):
                move2(out, to + k * 2, data, base + k * along)
    else:
        for i in range(lines):
            to, base = at + i * row, start + i * down
            for k in range(count):
                move1(out, to + k, data, base + k * along)


@compiled
def run(arrays: Any, numbers: Any, turn: int) -> None:
    units = number(numbers, PLACE.units)
    step = number(numbers, PLACE.step) if turn != 0 else units
    length, begin = number(numbers, PLACE.run), number(numbers, PLACE.start)
    outer, all_rows, high = number(numbers, PLACE.outer), number(numbers, PLACE.rows), number(numbers, PLACE.high)
    inside, down = number(numbers, PLACE.inside), number(numbers, PLACE.down)
    wide, along = number(numbers, PLACE.wide), number(numbers, PLACE.along)
    pieces, piece, height = number(numbers, PLACE.pieces), number(numbers, PLACE.piece), number(numbers, PLACE.height)
    streams, far = number(numbers, PLACE.streams), number(numbers, PLACE.far)
    out, data, near = address(arrays, 0), address(arrays, 1), scratch()
    row = wide * length
    items = along != -length and (length == 4 or length == 8 or length == 2 or length == 1)
    first = claim(turn, step, units, -1)
    while first < units:
        for unit in range(first, min(first + step, units)):
            top, low = unit // pieces * high, unit % pieces * piece
            bottom = min(top + high, all_rows)
            done, target, base = top, out, 0
            if streams != 0 and (wide > 1 or pieces == 1) and length < STRING:
                target, base = near, -top * row - low * length
            while done < bottom:
                # As many rows as follow each other along the axis before the last.
                rest, place = done // inside, done % inside
                count, start = min(inside - place, bottom - done), begin + place * down
                for d in range(outer - 1, -1, -1):
                    start += rest % number(numbers, PLACE.positions + 2 * d) * number(numbers, PLACE.apart + 2 * d)
                    rest //= number(numbers, PLACE.positions + 2 * d)
                if wide == 1 and pieces > 1:
                    size = min(piece, length - low)
                    if streams != 0:
                        stream(out, done * row + low, data, start + low, size)
                    elif far != 0:
                        long_run(out, done * row + low, data, start + low, size)
                    else:
                        copy(out, done * row + low, data, start + low, size)
                elif streams != 0 and length >= STRING:
                    for i in range(count):
                        for k in range(low, min(low + piece, wide)):
                            stream(out, (done + i) * row + k * length, data, start + i * down + k * along, length)
                elif wide == 1:
                    row_of(target, base + done * row, data, start, down, length, count, far)
                elif height != 0:
                    for upper in range(0, count, height):
                        lines = min(height, count - upper)
                        for k in range(wide):
                            at = base + (done + upper) * row + k * length
                            rows(target, at, row, data, start + upper * down + k * along, down, length, lines)
                else:
                    runs, at, origin = min(piece, wide - low), base + done * row + low * length, start + low * along
                    if items:
                        grid(target, at, row, data, origin, down, along, length, runs, count)
                    else:
                        for i in range(count):
                            row_of(target, at + i * row, data, origin + i * down, along, length, runs, far)
                done += count
            if target == near:
                size = (bottom - top) * row if pieces == 1 else min(piece, wide - low) * length
                stream(out, top * row + low * length, near, 0, size)
        first = claim(turn, step, units, first)
    if streams != 0:
        fence()
