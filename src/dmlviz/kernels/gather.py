"""GATHER: every index picks one slice, a run of bytes, of each of `outer` blocks of `n` slices.

data   |slice 0|slice 1|slice 2|        indices  2 0 2      A chunk of indices at a time becomes slices of
out    |slice 2|slice 0|slice 2|                            the axis, which are then picked from each block.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from .lib.blocks import LONG, OPTIONS, claim, part, stream
from .lib.compiled import compiled
from .lib.plan import BLOCK, SEGMENT, STREAMED, ceil, in_order, shared
from .lib.primitives import address, each_run, put, read, scratch, told


@numba.njit  # type: ignore[untyped-decorator]
def textbook(out: Any, data: Any, indices: Any, numbers: Any) -> None:
    """The textbook loop: `out[block, i, k] = data[block, indices[i], k]`.

    A block is all that lies behind one position of the axes before Axis, and k goes along a slice of it. Negative
    indices count from the end, and what lies outside is clamped.
    """
    blocks, n, count, run = numbers[0], numbers[1], numbers[2], numbers[3] // data.itemsize
    out, data = out.reshape(blocks, count, run), data.reshape(blocks, n, run)
    for block in range(blocks):
        for i in range(count):
            place = n - 1 if indices[i] >= n else np.int64(indices[i])
            if place < 0:
                place = max(place + n, 0)
            for k in range(run):
                out[block, i, k] = data[block, place, k]


CHUNK = 512
"""Indices that are made places at a time."""


class Numbers(NamedTuple):
    """The numbers of `run`."""

    units: int
    step: int
    outer: int  # blocks
    n: int  # slices of a block
    indices: int  # how many there are
    run: int  # bytes of a slice
    index_size: int
    signed: int  # 1 where an index may be negative
    chunk: int  # indices that become places at a time
    segments: int  # units of a slice
    segment: int  # bytes of a unit of a slice
    streams: int


def plan(outer: int, n: int, indices: int, run: int, index_size: int, signed: int) -> list[int]:
    """The numbers of `run`, for `indices` indices into each of `outer` blocks of `n` slices of `run` bytes."""
    segments, segment = (1, run) if run < SEGMENT else (ceil(run, SEGMENT), SEGMENT)
    chunk = max(1, min(CHUNK, indices, BLOCK // run))
    units, step = shared(ceil(indices, chunk) * outer * segments, outer * indices * run, min(run, 64))
    streams = int(outer * run * (indices + min(n, indices)) >= STREAMED)
    return in_order(Numbers, locals())


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def find(places: int, indices: int, start: int, count: int, n: int, size: int, signed: int) -> None:
    """The slices, as UINT32, that `count` indices from `start` on pick: negative ones count from the end, and what lies
    outside is clamped.
    """
    if size == 4:
        for i in range(count):
            k = read(indices, (start + i) * 4, 4)
            if signed != 0:
                k -= k >> 31 << 32
                k = max(k + n if k < 0 else k, 0)
            put(places, i * 4, min(k, n - 1), 4)
    else:
        for i in range(count):
            k = read(indices, (start + i) * 8, 8)
            if signed != 0:
                k = max(k + n if k < 0 else k, 0)
            put(places, i * 4, n - 1 if k < 0 else min(k, n - 1), 4)  # negative: 2^63 or more


@numba.njit(**OPTIONS, forceinline=True)  # type: ignore[untyped-decorator]
def pick_of(
    width: int, last: int, out: int, at: int, out_step: int, data: int, start: int, data_step: int,
    places: int, count: int, run: int, blocks: int,
) -> None:  # fmt: skip
    apart = run if width == 0 or last > 0 else width  # known where a run is a word
    for b in range(blocks):
        to, base = at + b * out_step, start + b * data_step
        for i in range(count):
            part(width, last, out, to + i * apart, data, base + read(places, i * 4, 4) * apart)


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def pick(
    out: int, at: int, out_step: int, data: int, start: int, data_step: int, places: int, count: int, run: int,
    blocks: int,
) -> None:  # fmt: skip
    """Copies the runs of `run` bytes at `count` places of each of `blocks` blocks side by side."""
    each_run(pick_of, run, out, at, out_step, data, start, data_step, places, count, run, blocks)


@compiled
def run(arrays: Any, numbers: Any, turn: int) -> None:
    p = told(numbers, Numbers)
    step = p.step if turn != 0 else p.units
    out, data, indices, places = address(arrays, 0), address(arrays, 1), address(arrays, 2), scratch()
    near, to, at = places + CHUNK * 4, p.indices * p.run, p.n * p.run  # of a block, in bytes
    per_chunk = p.outer * p.segments  # units of a chunk
    first = claim(turn, step, p.units, -1)
    while first < p.units:
        unit, stop = first, min(first + step, p.units)
        while unit < stop:
            c = unit // per_chunk
            low, end = c * p.chunk, min(stop, (c + 1) * per_chunk)
            count, own = min(p.chunk, p.indices - low), unit - c * per_chunk
            find(places, indices, low, count, p.n, p.index_size, p.signed)
            if p.segments == 1 and p.streams != 0 and p.run < LONG:
                # As many blocks as fit, where a chunk is all there is to pick from each; else one.
                most = max(1, BLOCK // to) if count == p.indices else 1
                for block in range(own, own + end - unit, most):
                    blocks = min(most, own + end - unit - block)
                    pick(near, 0, to, data, block * at, at, places, count, p.run, blocks)
                    stream(out, block * to + low * p.run, near, 0, count * p.run * blocks, 1)
            elif p.segments == 1 and p.run < LONG:
                pick(out, own * to + low * p.run, to, data, own * at, at, places, count, p.run, end - unit)
            else:
                for piece in range(own, own + end - unit):
                    block, cut = piece // p.segments, piece % p.segments * p.segment
                    for i in range(count):
                        place = block * at + read(places, i * 4, 4) * p.run + cut
                        here, length = block * to + (low + i) * p.run + cut, min(p.segment, p.run - cut)
                        stream(out, here, data, place, length, p.streams)
            unit = end
        first = claim(turn, step, p.units, first)
