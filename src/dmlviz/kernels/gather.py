"""GATHER: every index picks one slice, a run of bytes, of each of `outer` blocks of `n` slices.

data   |slice 0|slice 1|slice 2|        indices  2 0 2      Indices become places, in bytes, a chunk at a time; then
out    |slice 2|slice 0|slice 2|                            the places of a chunk are picked from each block.
"""

from __future__ import annotations

from typing import Any

import numba

from ._blocks import OPTIONS, copy
from ._compiled import compiled
from ._memory import (
    address,
    claim,
    int32,
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
    uint32,
)
from ._plan import BLOCK, SEGMENT, ceil, shared

CHUNK = 512
"""Indices that are made places at a time."""


def plan(outer: int, n: int, count: int, run: int, index_size: int, signed: int) -> list[int]:
    """The numbers of `run`, for `count` indices into each of `outer` blocks of `n` slices of `run` bytes."""
    segments, segment = (1, run) if run < SEGMENT else (ceil(run, SEGMENT), SEGMENT)
    chunk = max(1, min(CHUNK, count, BLOCK // run))
    units = shared(ceil(count, chunk) * outer * segments, outer * count * run)
    return [*units, outer, n, count, run, index_size, signed, chunk, segments, segment]


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def find(places: int, indices: int, start: int, count: int, n: int, run: int, size: int, signed: int) -> None:
    """Where the slices of `count` indices from `start` on begin in a block; negative ones count from the end, and
    what lies outside is clamped.

    One loop an index type: each does a few indices at once.
    """
    last = n - 1
    if size == 4 and signed != 0:
        for i in range(count):
            k = int32(indices, (start + i) * 4)
            k += n if k < 0 else 0
            put64(places, i * 8, min(max(k, 0), last) * run)
    elif size == 4:
        for i in range(count):
            put64(places, i * 8, min(uint32(indices, (start + i) * 4), last) * run)
    elif signed != 0:
        for i in range(count):
            k = int64(indices, (start + i) * 8)
            k += n if k < 0 else 0
            put64(places, i * 8, min(max(k, 0), last) * run)
    else:
        for i in range(count):
            k = int64(indices, (start + i) * 8)
            put64(places, i * 8, (last if k < 0 else min(k, last)) * run)  # negative: 2^63 or more


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def pick(
    out: int, at: int, out_step: int, data: int, start: int, data_step: int,
    places: int, count: int, run: int, length: int, blocks: int,
) -> None:  # fmt: skip
    """Copies `length` bytes from each of `count` places of each of `blocks` blocks to runs `run` bytes apart."""
    if length == 4:
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                move4(out, to + i * 4, data, base + int64(places, i * 8))
    elif length == 8:
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                move8(out, to + i * 8, data, base + int64(places, i * 8))
    elif length == 1:
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                move1(out, to + i, data, base + int64(places, i * 8))
    elif length == 2:
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                move2(out, to + i * 2, data, base + int64(places, i * 8))
    elif length == 16:
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                move16(out, to + i * run, data, base + int64(places, i * 8))
    elif 8 < length < 16:
        last = length - 8
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                place = base + int64(places, i * 8)
                move8(out, to + i * run, data, place)
                move8(out, to + i * run + last, data, place + last)
    elif length == 32:
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                move32(out, to + i * run, data, base + int64(places, i * 8))
    elif 16 < length < 32:
        last = length - 16
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                place = base + int64(places, i * 8)
                move16(out, to + i * run, data, place)
                move16(out, to + i * run + last, data, place + last)
    elif length == 64:
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                move64(out, to + i * run, data, base + int64(places, i * 8))
    elif 32 < length < 64:
        last = length - 32
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                place = base + int64(places, i * 8)
                move32(out, to + i * run, data, place)
                move32(out, to + i * run + last, data, place + last)
    elif 64 < length <= 128:
        last = length - 64
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                place = base + int64(places, i * 8)
                move64(out, to + i * run, data, place)
                move64(out, to + i * run + last, data, place + last)
    else:
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                copy(out, to + i * run, data, base + int64(places, i * 8), length)


@compiled
def run(arrays: Any, numbers: Any, counter: int) -> None:
    units = number(numbers, 0)
    step = number(numbers, 1) if counter != 0 else units
    outer, n, count, run = number(numbers, 2), number(numbers, 3), number(numbers, 4), number(numbers, 5)
    index_size, signed, chunk = number(numbers, 6), number(numbers, 7), number(numbers, 8)
    segments, segment = number(numbers, 9), number(numbers, 10)
    out, data, indices, places = address(arrays, 0), address(arrays, 1), address(arrays, 2), scratch()
    each = outer * segments  # units of a chunk
    first = claim(counter, step, 0)
    while first < units:
        unit, stop = first, min(first + step, units)
        while unit < stop:
            c = unit // each
            low, end = c * chunk, min(stop, (c + 1) * each)
            held = min(chunk, count - low)
            find(places, indices, low, held, n, run, index_size, signed)
            own, to, at = unit - c * each, count * run, n * run
            if segments == 1:
                pick(out, own * to + low * run, to, data, own * at, at, places, held, run, run, end - unit)
            else:
                for part in range(own, own + end - unit):
                    block, cut = part // segments, part % segments * segment
                    length = min(segment, run - cut)
                    pick(out, block * to + low * run + cut, 0, data, block * at + cut, 0, places, held, run, length, 1)
            unit = end
        first = claim(counter, step, units)
