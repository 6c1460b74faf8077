"""GATHER: every index picks one slice, a run of bytes, of each of `outer` blocks of `n` slices.

data   |slice 0|slice 1|slice 2|        indices  2 0 2      A chunk of indices at a time becomes slices of
out    |slice 2|slice 0|slice 2|                            the axis, which are then picked from each block.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from .lib.blocks import LONG, OPTIONS, claim, copy, stream
from .lib.compiled import compiled
from .lib.plan import BLOCK, SEGMENT, STREAMED, ceil, shared
from .lib.primitives import (
    address,
    fence,
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
    put32,
    scratch,
    uint32,
)
from .lib.textbook import Arrays, words


@numba.njit  # type: ignore[untyped-decorator]
def textbook(out: Any, data: Any, indices: Any) -> None:
    """The textbook loop: `out[block, i, k] = data[block, indices[i], k]`.

    A block is all that lies behind one position of the axes before Axis, and k goes along a slice of it. Negative
    indices count from the end, and what lies outside is clamped.
    """
    blocks, n, run = data.shape
    for block in range(blocks):
        for i in range(len(indices)):
            place = n - 1 if indices[i] >= n else np.int64(indices[i])
            if place < 0:
                place = max(place + n, 0)
            for k in range(run):
                out[block, i, k] = data[block, place, k]


def textbook_arguments(
    outputs: Arrays, inputs: Arrays, outer: int, n: int, count: int, run: int, index_size: int, signed: int
) -> list[Any]:
    """The arguments of `textbook`; numbers are as `plan` takes them, `run` in bytes."""
    (out,), (data, indices) = outputs, inputs
    run //= data.itemsize
    return [(words(out, outer, count, run), words(data, outer, n, run), indices.reshape(-1))]


CHUNK = 512
"""Indices that are made places at a time."""


class Numbers(NamedTuple):
    """The numbers of `run`."""

    units: int
    step: int
    outer: int
    """Blocks."""
    n: int
    """Slices of a block."""
    indices: int
    """How many there are."""
    run: int
    """Bytes of a slice."""
    index_size: int
    """Bytes of an index."""
    signed: int
    """1 where an index may be negative."""
    chunk: int
    """Indices that become places at a time."""
    segments: int
    """Units of a slice."""
    segment: int
    """Bytes of a unit of a slice."""
    streams: int


PLACE = Numbers(*range(len(Numbers._fields)))


def plan(outer: int, n: int, count: int, run: int, index_size: int, signed: int) -> list[int]:
    """The numbers of `run`, for `count` indices into each of `outer` blocks of `n` slices of `run` bytes."""
    segments, segment = (1, run) if run < SEGMENT else (ceil(run, SEGMENT), SEGMENT)
    chunk = max(1, min(CHUNK, count, BLOCK // run))
    units, step = shared(ceil(count, chunk) * outer * segments, outer * count * run, min(run, 64))
    streams = int(outer * run * (count + min(n, count)) >= STREAMED)
    return [
        *Numbers(
            units=units,
            step=step,
            outer=outer,
            n=n,
            indices=count,
            run=run,
            index_size=index_size,
            signed=signed,
            chunk=chunk,
            segments=segments,
            segment=segment,
            streams=streams,
        )
    ]


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def find(places: int, indices: int, start: int, count: int, n: int, size: int, signed: int) -> None:
    """The slices, as UINT32, that `count` indices from `start` on pick: negative ones count from the end, and what lies
    outside is clamped.

    One loop an index type: each does a few indices at once.
    """
    last = n - 1
    if size == 4 and signed != 0:
        for i in range(count):
            k = int32(indices, (start + i) * 4)
            k += n if k < 0 else 0
            put32(places, i * 4, min(max(k, 0), last))
    elif size == 4:
        for i in range(count):
            put32(places, i * 4, min(uint32(indices, (start + i) * 4), last))
    elif signed != 0:
        for i in range(count):
            k = int64(indices, (start + i) * 8)
            k += n if k < 0 else 0
            put32(places, i * 4, min(max(k, 0), last))
    else:
        for i in range(count):
            k = int64(indices, (start + i) * 8)
            put32(places, i * 4, last if k < 0 else min(k, last))  # negative: 2^63 or more


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
                move4(out, to + i * 4, data, base + uint32(places, i * 4) * 4)
    elif length == 8:
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                move8(out, to + i * 8, data, base + uint32(places, i * 4) * 8)
    elif length == 1:
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                move1(out, to + i, data, base + uint32(places, i * 4))
    elif length == 2:
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                move2(out, to + i * 2, data, base + uint32(places, i * 4) * 2)
    elif length == 3:
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                place = base + uint32(places, i * 4) * run
                move2(out, to + i * run, data, place)
                move1(out, to + i * run + 2, data, place + 2)
    elif 4 < length < 8:
        last = length - 4
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                place = base + uint32(places, i * 4) * run
                move4(out, to + i * run, data, place)
                move4(out, to + i * run + last, data, place + last)
    elif length == 16:
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                move16(out, to + i * run, data, base + uint32(places, i * 4) * run)
    elif 8 < length < 16:
        last = length - 8
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                place = base + uint32(places, i * 4) * run
                move8(out, to + i * run, data, place)
                move8(out, to + i * run + last, data, place + last)
    elif length == 32:
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                move32(out, to + i * run, data, base + uint32(places, i * 4) * run)
    elif 16 < length < 32:
        last = length - 16
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                place = base + uint32(places, i * 4) * run
                move16(out, to + i * run, data, place)
                move16(out, to + i * run + last, data, place + last)
    elif length == 64:
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                move64(out, to + i * run, data, base + uint32(places, i * 4) * run)
    elif 32 < length < 64:
        last = length - 32
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                place = base + uint32(places, i * 4) * run
                move32(out, to + i * run, data, place)
                move32(out, to + i * run + last, data, place + last)
    elif 64 < length <= 128:
        last = length - 64
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                place = base + uint32(places, i * 4) * run
                move64(out, to + i * run, data, place)
                move64(out, to + i * run + last, data, place + last)
    elif 128 < length <= 256:
        last = length - 128
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                place = base + uint32(places, i * 4) * run
                move64(out, to + i * run, data, place)
                move64(out, to + i * run + 64, data, place + 64)
                move64(out, to + i * run + last, data, place + last)
                move64(out, to + i * run + last + 64, data, place + last + 64)
    else:
        for b in range(blocks):
            to, base = at + b * out_step, start + b * data_step
            for i in range(count):
                copy(out, to + i * run, data, base + uint32(places, i * 4) * run, length)


@compiled
def run(arrays: Any, numbers: Any, turn: int) -> None:
    units = number(numbers, PLACE.units)
    step = number(numbers, PLACE.step) if turn != 0 else units
    outer, n = number(numbers, PLACE.outer), number(numbers, PLACE.n)
    count, run = number(numbers, PLACE.indices), number(numbers, PLACE.run)
    index_size, signed = number(numbers, PLACE.index_size), number(numbers, PLACE.signed)
    chunk, segments = number(numbers, PLACE.chunk), number(numbers, PLACE.segments)
    segment, streams = number(numbers, PLACE.segment), number(numbers, PLACE.streams)
    out, data, indices, places = address(arrays, 0), address(arrays, 1), address(arrays, 2), scratch()
    near = places + CHUNK * 4
    per_chunk = outer * segments  # units of a chunk
    first = claim(turn, step, units, -1)
    while first < units:
        unit, stop = first, min(first + step, units)
        while unit < stop:
            c = unit // per_chunk
            low, end = c * chunk, min(stop, (c + 1) * per_chunk)
            in_chunk = min(chunk, count - low)
            find(places, indices, low, in_chunk, n, index_size, signed)
            own, to, at = unit - c * per_chunk, count * run, n * run
            if segments == 1 and streams != 0 and run < LONG:
                # As many blocks as fit, where a chunk is all there is to pick from each; else one.
                most = max(1, BLOCK // to) if in_chunk == count else 1
                for block in range(own, own + end - unit, most):
                    blocks = min(most, own + end - unit - block)
                    pick(near, 0, to, data, block * at, at, places, in_chunk, run, run, blocks)
                    stream(out, block * to + low * run, near, 0, in_chunk * run * blocks)
            elif segments == 1 and run < LONG:
                pick(out, own * to + low * run, to, data, own * at, at, places, in_chunk, run, run, end - unit)
            else:
                for part in range(own, own + end - unit):
                    block, cut = part // segments, part % segments * segment
                    length = min(segment, run - cut)
                    for i in range(in_chunk):
                        place, here = block * at + uint32(places, i * 4) * run + cut, block * to + (low + i) * run + cut
                        if streams != 0:
                            stream(out, here, data, place, length)
                        else:
                            copy(out, here, data, place, length)
            unit = end
        first = claim(turn, step, units, first)
    if streams != 0:
        fence()
