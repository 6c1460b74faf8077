"""GATHER_ELEMENTS: every index picks one element, of its own lane, in each of `outer` blocks of `n` rows.

data   a b c      indices  1 2 0      out   d h c      A unit is some rows of the output: their indices become places
       d e f               2 0 0            g b c      of the input first, and then elements are picked from there.
       g h i
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from .gather import find, pick
from .lib.blocks import OPTIONS, claim
from .lib.compiled import compiled
from .lib.plan import ceil, in_order, shared
from .lib.primitives import address, each_word, move, read, scratch, told


@numba.njit  # type: ignore[untyped-decorator]
def textbook(out: Any, data: Any, indices: Any, numbers: Any) -> None:
    """The textbook loop: `out[block, i, lane] = data[block, indices[block, i, lane], lane]`.

    A block is all that lies behind one position of the axes before Axis. Negative indices count from the end, and what
    lies outside is clamped.
    """
    blocks, n, rows, lanes = numbers[0], numbers[1], numbers[2], numbers[3]
    out, data = out.reshape(blocks, rows, lanes), data.reshape(blocks, n, lanes)
    indices = indices.reshape(blocks, rows, lanes)
    for block in range(blocks):
        for i in range(rows):
            for lane in range(lanes):
                index = indices[block, i, lane]
                place = n - 1 if index >= n else np.int64(index)
                if place < 0:
                    place = max(place + n, 0)
                out[block, i, lane] = data[block, place, lane]


CHUNK = 2048
"""Indices that become places at a time."""


class Numbers(NamedTuple):
    """The numbers of `run`."""

    units: int
    step: int
    all_rows: int  # of the output
    n: int  # rows of a block of the input
    rows: int  # rows of a block of the output
    inner: int  # lanes of a row
    item: int  # bytes of an element
    index_size: int
    signed: int  # 1 where an index may be negative
    high: int  # rows of a unit
    segments: int  # units of a row
    segment: int  # lanes of a unit


def plan(outer: int, n: int, rows: int, inner: int, item: int, index_size: int, signed: int) -> list[int]:
    """The numbers of `run`, for `outer` blocks: `n` rows of `inner` lanes of the input, `rows` of the output."""
    segment, all_rows = min(inner, CHUNK), outer * rows
    high, segments = max(1, CHUNK // inner), ceil(inner, segment)
    units, step = shared(ceil(all_rows, high) * segments, all_rows * inner * item, item)
    return in_order(Numbers, locals())


@numba.njit(**OPTIONS, forceinline=True)  # type: ignore[untyped-decorator]
def lanes(
    item: int, out: int, data: int, places: int, first: int, count: int, lane: int, width: int, rows: int, n: int,
    inner: int,
) -> None:  # fmt: skip
    """Lanes `lane` and on, `width` of them, of output rows `first` and on, `count` of them."""
    for r in range(count):
        base, own = (first + r) // rows * n * inner + lane, places + r * width * 4
        to = ((first + r) * inner + lane) * item
        for k in range(width):
            move(out, to + k * item, data, (base + read(own, k * 4, 4) * inner + k) * item, item)


@compiled
def run(arrays: Any, numbers: Any, turn: int) -> None:
    p = told(numbers, Numbers)
    step = p.step if turn != 0 else p.units
    out, data, indices, places = address(arrays, 0), address(arrays, 1), address(arrays, 2), scratch()
    first = claim(turn, step, p.units, -1)
    while first < p.units:
        for unit in range(first, min(first + step, p.units)):
            row, lane = unit // p.segments * p.high, unit % p.segments * p.segment
            count, width = min(p.high, p.all_rows - row), min(p.segment, p.inner - lane)
            find(places, indices, row * p.inner + lane, count * width, p.n, p.index_size, p.signed)
            if p.inner > 1:
                each_word(lanes, p.item, out, data, places, row, count, lane, width, p.rows, p.n, p.inner)
                continue
            done = 0  # rows are single elements, and a block's lie side by side
            while done < count:
                block, at, own = (row + done) // p.rows, (row + done) * p.item, places + done * 4
                stop = min(count, (block + 1) * p.rows - row)
                pick(out, at, 0, data, block * p.n * p.item, 0, own, stop - done, p.item, 1)
                done = stop
        first = claim(turn, step, p.units, first)
