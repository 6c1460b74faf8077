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
from .lib.plan import ceil, shared
from .lib.primitives import address, move1, move2, move4, move8, number, scratch, uint32
from .lib.textbook import Arrays, words


@numba.njit  # type: ignore[untyped-decorator]
def textbook(out: Any, data: Any, indices: Any) -> None:
    """The textbook loop: `out[block, i, lane] = data[block, indices[block, i, lane], lane]`.

    A block is all that lies behind one position of the axes before Axis. Negative indices count from the end, and what
    lies outside is clamped.
    """
    blocks, n, lanes = data.shape
    for block in range(blocks):
        for i in range(indices.shape[1]):
            for lane in range(lanes):
                index = indices[block, i, lane]
                place = n - 1 if index >= n else np.int64(index)
                if place < 0:
                    place = max(place + n, 0)
                out[block, i, lane] = data[block, place, lane]


def textbook_arguments(
    outputs: Arrays, inputs: Arrays, outer: int, n: int, rows: int, inner: int, item: int, index_size: int, signed: int
) -> list[Any]:
    """The arguments of `textbook`; numbers are as `plan` takes them."""
    (out,), (data, indices) = outputs, inputs
    taken = indices.reshape(outer, rows, inner)
    return [(words(out, outer, rows, inner), words(data, outer, n, inner), taken)]


CHUNK = 2048
"""Indices that become places at a time."""


class Numbers(NamedTuple):
    """The numbers of `run`."""

    units: int
    step: int
    all_rows: int
    """Rows of the output, those of all blocks."""
    n: int
    """Rows of a block of the input."""
    rows: int
    """Rows of a block of the output."""
    inner: int
    """Lanes of a row."""
    item: int
    """Bytes of an element."""
    index_size: int
    """Bytes of an index."""
    signed: int
    """1 where an index may be negative."""
    high: int
    """Rows of a unit."""
    segments: int
    """Units of a row."""
    segment: int
    """Lanes of a unit."""


PLACE = Numbers(*range(len(Numbers._fields)))


def plan(outer: int, n: int, rows: int, inner: int, item: int, index_size: int, signed: int) -> list[int]:
    """The numbers of `run`, for `outer` blocks: `n` rows of `inner` lanes of the input, `rows` of the output."""
    segment = min(inner, CHUNK)
    high, segments = max(1, CHUNK // inner), ceil(inner, segment)
    units, step = shared(ceil(outer * rows, high) * segments, outer * rows * inner * item, item)
    return [
        *Numbers(
            units=units,
            step=step,
            all_rows=outer * rows,
            n=n,
            rows=rows,
            inner=inner,
            item=item,
            index_size=index_size,
            signed=signed,
            high=high,
            segments=segments,
            segment=segment,
        )
    ]


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def line(out: int, data: int, places: int, first: int, count: int, rows: int, n: int, item: int) -> None:
    """Elements `first` and on, `count` of them, of an output whose blocks are rows of single lanes."""
    done = 0
    while done < count:
        block = (first + done) // rows
        stop = min(count, (block + 1) * rows - first)
        pick(out, (first + done) * item, 0, data, block * n * item, 0, places + done * 4, stop - done, item, item, 1)
        done = stop


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def lanes(
    out: int, data: int, places: int, first: int, count: int, rows: int, n: int, inner: int, lane: int, width: int,
    item: int,
) -> None:  # fmt: skip
    """Lanes `lane` and on, `width` of them, of output rows `first` and on, `count` of them."""
    for r in range(count):
        base = (first + r) // rows * n * inner + lane
        to, own = ((first + r) * inner + lane) * item, places + r * width * 4
        if item == 4:
            for k in range(width):
                move4(out, to + k * 4, data, (base + uint32(own, k * 4) * inner + k) * 4)
        elif item == 8:
            for k in range(width):
                move8(out, to + k * 8, data, (base + uint32(own, k * 4) * inner + k) * 8)
        elif item == 2:
            for k in range(width):
                move2(out, to + k * 2, data, (base + uint32(own, k * 4) * inner + k) * 2)
        else:
            for k in range(width):
                move1(out, to + k, data, base + uint32(own, k * 4) * inner + k)


@compiled
def run(arrays: Any, numbers: Any, turn: int) -> None:
    units = number(numbers, PLACE.units)
    step = number(numbers, PLACE.step) if turn != 0 else units
    all_rows, n, rows = number(numbers, PLACE.all_rows), number(numbers, PLACE.n), number(numbers, PLACE.rows)
    inner, item = number(numbers, PLACE.inner), number(numbers, PLACE.item)
    index_size, signed = number(numbers, PLACE.index_size), number(numbers, PLACE.signed)
    high, segments = number(numbers, PLACE.high), number(numbers, PLACE.segments)
    segment = number(numbers, PLACE.segment)
    out, data, indices, places = address(arrays, 0), address(arrays, 1), address(arrays, 2), scratch()
    first = claim(turn, step, units, -1)
    while first < units:
        for unit in range(first, min(first + step, units)):
            row, lane = unit // segments * high, unit % segments * segment
            count, width = min(high, all_rows - row), min(segment, inner - lane)
            find(places, indices, row * inner + lane, count * width, n, index_size, signed)
            if inner == 1:
                line(out, data, places, row, count, rows, n, item)
            else:
                lanes(out, data, places, row, count, rows, n, inner, lane, width, item)
        first = claim(turn, step, units, first)
