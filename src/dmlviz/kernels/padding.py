"""PADDING: rows of the output in bands that lie as evenly in the data, each written by a few passes of runs.

data  abc   start 2, end 3, REFLECTION      Along an axis, places fall into pieces: a piece walks forwards, backwards or
      def                                   not at all through the data, or comes from nowhere. Rows of a piece of the
                                            axis before the last are a band: their neighbours lie as far apart in the
out   cb|abc|ba|b                           data, ahead or back, and each piece along a row is one pass over the band.
      fe|def|ed|e
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numba
import numpy as np

from .lib.blocks import OPTIONS, claim, doubled, repeated, rows, stream
from .lib.compiled import compiled
from .lib.plan import BLOCK, SEGMENT, STREAMED, ceil, in_order, shared
from .lib.primitives import SCRATCH, WORDS, address, each_word, move, number, put, scratch, told
from .lib.textbook import Arrays, words

CONSTANT, EDGE, REFLECTION, SYMMETRIC = range(4)
"""The numbers of DML_PADDING_MODE."""
PATTERN = 4096
"""Bytes of the constant that are copied at a time; twice or half as many cost the same."""
FEW_CELLS, CELLS = 64, 2048
"""Elements of the innermost two axes up to which each element's source is looked up instead, in a table of up to so
many: bands of so little cost more to begin than to write."""
ENDLESS = 1 << 62


@numba.njit  # type: ignore[untyped-decorator]
def textbook(out: Any, data: Any, sizes: Any, starts: Any, fulls: Any, mode: int, constant: Any) -> None:
    """The textbook loop: an output element's index less StartPadding is that of its source, folded back where outside.

    `out` and `data` are flat; their axes, the last one changing fastest, are of `fulls` and of `sizes`. `mode` is the
    number of PaddingMode; `constant` is of one element, as mixed types of integers would make floats.
    """
    for at in range(len(out)):
        rest, source, stride, inside = at, 0, 1, True
        for d in range(len(sizes) - 1, -1, -1):
            n, q, rest = sizes[d], rest % fulls[d] - starts[d], rest // fulls[d]
            if mode == EDGE:
                q = min(max(q, 0), n - 1)
            elif mode != CONSTANT:  # there and back again, the edges once if REFLECTION, else twice
                q %= max(1, 2 * n - 2 * (mode == REFLECTION))
                q = min(q, 2 * n - 1 - (mode == REFLECTION) - q)
            inside = inside and 0 <= q < n
            source, stride = source + q * stride, stride * n
        out[at] = data[source] if inside else constant[0]


def textbook_arguments(
    outputs: Arrays, inputs: Arrays, item: int, width: int, mode: int, bits: int, *triples: int
) -> list[Any]:
    """The arguments of `textbook`; numbers are as `plan` takes them, neighbouring axes merged where one does."""
    axes = (*triples, item // width, 0, 0)
    sizes, starts, ends = (np.array(axes[k::3], np.int64) for k in range(3))
    constant = words(np.array([bits], f"i{width}"))
    return [(words(outputs[0]), words(inputs[0]), sizes, starts, starts + sizes + ends, mode, constant)]


class Numbers(NamedTuple):
    """The numbers of `run`. Behind them are of each axis its size in the data, the places before it and its size in the
    output, and the bytes of data of a place; and the table of `cells`.
    """

    units: int
    step: int
    item: int  # bytes of what the last axis has at each place
    width: int  # bytes of an element, and of the constant
    mode: int
    bits: int  # the constant
    depth: int  # how many axes, at least 2
    rows: int  # rows of the output
    high: int  # rows of a unit
    segments: int  # units of a row
    segment: int  # places of a unit of a row; 0 where a unit has whole rows
    pattern: int  # bytes of the constant that are written down to be copied
    streams: int
    cells: int  # elements of a row that the table has, each bytes in the row and in the data; 0 for no table


SIZE, START, FULL, STRIDE = range(len(Numbers._fields), len(Numbers._fields) + 4)
"""Where axis 0's numbers stand; axis d's are `4 * d` places further on."""


def plan(item: int, width: int, mode: int, bits: int, *triples: int) -> list[int]:
    """The numbers of `run`, for elements of `width` bytes, of which `item` bytes lie together, and the bits of a
    constant: a size, a start and an end padding for each axis.
    """
    axes = [(triples[k], triples[k + 1], sum(triples[k : k + 3])) for k in range(0, len(triples), 3)]
    axes = [(1, 0, 1)] * (2 - len(axes)) + axes
    pads = any(size != full for size, _, full in axes)
    table: list[int] = []
    inner = _inner_axes(axes, item)
    if inner:
        table = _cells(axes[-inner:], mode, item)
        folded = prod(size for size, _, _ in axes[-inner:]), 0, prod(full for _, _, full in axes[-inner:])
        axes = [*axes[:-inner], folded] if inner < len(axes) else [(1, 0, 1), folded]
    sizes, fulls = [size for size, _, _ in axes], [full for _, _, full in axes]
    row, rows = fulls[-1] * item, prod(fulls[:-1])
    written = row * rows
    high, segments, segment = (BLOCK // row, 1, 0) if row < BLOCK else (1, 0, max(1, SEGMENT // item))
    if segment:
        segments = ceil(fulls[-1], segment)
    units, step = shared(ceil(rows, high) * segments, written, min(64, max(item, row // 2)))
    streams = int(written + prod(sizes) * item >= STREAMED)
    pattern = min(PATTERN, SCRATCH, written) if pads and mode == CONSTANT else 0
    depth, cells = len(axes), len(table) // 2
    strides = [prod(sizes[d + 1 :]) * item for d in range(len(axes))]
    of_axes = [n for axis, stride in zip(axes, strides, strict=True) for n in (*axis, stride)]
    return [*in_order(Numbers, locals()), *of_axes, *table]


Axes = list[tuple[int, int, int]]
"""Size, start padding and size in the output of each axis."""


def _inner_axes(axes: Axes, item: int) -> int:
    """How many of the innermost axes become one, with a table of their elements; 0 for none."""
    if len(axes) < 3 or item not in WORDS or axes[-1][0] * axes[-2][0] > FEW_CELLS:
        return 0
    most = min(CELLS, (BLOCK - 1) // item)
    fit = [k for k in range(2, len(axes) + 1) if prod(full for _, _, full in axes[-k:]) <= most]
    return max(fit, default=0)


def _cells(axes: Axes, mode: int, item: int) -> list[int]:
    """Where each element of a row stands, in bytes, and where in the data; those of a constant are left out."""
    plain = getattr(piece, "py_func", piece)
    cells = [(0, 0)]
    for size, start, full in axes:
        sources = [(p, plain(p - start, size, mode)[1]) for p in range(full)]
        cells = [(at * full + p, data * size + source) for at, data in cells for p, source in sources if source >= 0]
    return [place * item for cell in cells for place in cell]


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def piece(q: int, n: int, mode: int) -> tuple[int, int, int]:
    """(places, source, step) of the piece that begins at `q`, counted from the first of `n` places of the data.

    The step to the next source is 1, -1, or 0 where all places have the same; the source is -1 for nowhere.
    """
    if 0 <= q < n:
        return n - q, q, 1
    before = -q if q < 0 else ENDLESS
    if mode == CONSTANT:
        return before, -1, 0
    once = 1 if mode == SYMMETRIC else 0
    period = 2 * (n - 1 + once)
    if mode == EDGE or period == 0:
        return before, 0 if q < 0 else n - 1, 0
    within = q % period
    if within < n:
        return n - within, within, 1
    return period - within, period - once - within, -1


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def fill(out: int, at: int, length: int, pattern: int, size: int, streams: int) -> None:
    """Writes the constant to `length` bytes, of which `size` stand at `pattern`."""
    for done in range(0, length, max(1, size)):
        stream(out, at + done, pattern, 0, min(size, length - done), streams)


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def framed(
    out: int, at: int, row: int, data: int, start: int, step: int, length: int, count: int, front: int, pattern: int,
    size: int,
) -> None:  # fmt: skip
    """Writes `count` whole rows of `row` bytes: `length` bytes of data behind `front` of the constant, and the rest.

    What is behind the data of a row and in front of the next one's is written at once.
    """
    gap, end = row - length, at + (count - 1) * row + front + length
    fill(out, at, front, pattern, size, 0)
    if gap <= size:
        rows(out, at + front + length, row, pattern, 0, 0, gap, count - 1)
    else:
        for j in range(count - 1):
            fill(out, at + j * row + front + length, gap, pattern, size, 0)
    fill(out, end, gap - front, pattern, size, 0)
    rows(out, at + front, row, data, start, step, length, count)


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def band(
    out: int, at: int, row: int, data: int, start: int, step: int, count: int, low: int, high: int, n: int, front: int,
    item: int, mode: int, streams: int,
) -> None:  # fmt: skip
    """Writes places `low` to `high` of `count` rows, of an axis of `n` places behind `front` of padding.

    The first row's data begin at `start`, the next one's `step` bytes further on.
    """
    p = low
    while p < high:
        places, source, walk = piece(p - front, n, mode)
        places = min(places, high - p)
        to, base = at + p * item, start + source * item
        if walk == 1 and streams != 0:
            for j in range(count):
                stream(out, to + j * row, data, base + j * step, places * item, 1)
        elif walk == 1:
            rows(out, to, row, data, base, step, places * item, count)
        elif places < count:
            for i in range(places):
                rows(out, to + i * item, row, data, base + i * walk * item, step, item, count)
        elif walk == 0:
            for j in range(count):
                repeated(out, to + j * row, data, base + j * step, item, places, 1)
        else:
            for j in range(count):
                rows(out, to + j * row, item, data, base + j * step, -item, item, places)
        p += places


@numba.njit(**OPTIONS, forceinline=True)  # type: ignore[untyped-decorator]
def looked_up(
    item: int, out: int, at: int, row: int, data: int, start: int, step: int, count: int, numbers: Any, table: int,
    cells: int,
) -> None:  # fmt: skip
    """Writes `cells` elements of each of `count` rows, whose places stand in `numbers` from `table` on."""
    for j in range(count):
        to, base = at + j * row, start + j * step
        for k in range(table, table + 2 * cells, 2):
            move(out, to + number(numbers, k), data, base + number(numbers, k + 1), item)


@compiled
def run(arrays: Any, numbers: Any, turn: int) -> None:
    p = told(numbers, Numbers)
    unit_step, item, mode, size = p.step if turn != 0 else p.units, p.item, p.mode, p.pattern
    last, outer = 4 * (p.depth - 1), 4 * (p.depth - 2)
    n, front, full = number(numbers, SIZE + last), number(numbers, START + last), number(numbers, FULL + last)
    tall, above = number(numbers, SIZE + outer), number(numbers, START + outer)
    whole, apart = number(numbers, FULL + outer), number(numbers, STRIDE + outer)
    row, table, out, data = full * item, SIZE + 4 * p.depth, address(arrays, 0), address(arrays, 1)
    pattern, near = scratch(), scratch()
    if size > 0:
        put(pattern, 0, p.bits, p.width)
        doubled(pattern, 0, p.width, size // p.width)
    first = claim(turn, unit_step, p.units, -1)
    while first < p.units:
        for unit in range(first, min(first + unit_step, p.units)):
            top, low, end = unit // p.segments * p.high, unit % p.segments * p.segment, full
            if p.segment != 0:
                end = min(low + p.segment, full)
            bottom, target, direct = min(top + p.high, p.rows), out, p.streams
            if p.streams != 0 and p.segment == 0:
                target, direct = near - top * row, 0
            r = top
            while r < bottom:
                q, rest = r % whole, r // whole
                places, source, walk = piece(q - above, tall, mode)
                places = min(places, min(whole - q, bottom - r))
                start = source * apart
                for d in range(p.depth - 3, -1, -1):
                    here = number(numbers, FULL + 4 * d)
                    before = rest % here - number(numbers, START + 4 * d)
                    _, outside, _ = piece(before, number(numbers, SIZE + 4 * d), mode)
                    rest //= here
                    if outside < 0:
                        source, places = -1, min(whole - q, bottom - r)
                    start += outside * number(numbers, STRIDE + 4 * d)
                at, step = r * row, walk * apart
                if source < 0:
                    length = places * row if p.segment == 0 else (end - low) * item
                    fill(target, at + low * item, length, pattern, size, direct)
                elif p.cells != 0:
                    if mode == CONSTANT:
                        fill(target, at, places * row, pattern, size, 0)
                    each_word(looked_up, item, target, at, row, data, start, step, places, numbers, table, p.cells)
                elif mode != CONSTANT:
                    band(target, at, row, data, start, step, places, low, end, n, front, item, mode, direct)
                elif p.segment == 0:
                    framed(target, at, row, data, start, apart, n * item, places, front * item, pattern, size)
                else:
                    a, b = min(max(front, low), end), max(min(front + n, end), low)
                    fill(target, at + low * item, (a - low) * item, pattern, size, direct)
                    if a < b:
                        stream(target, at + a * item, data, start + (a - front) * item, (b - a) * item, direct)
                    b = max(a, b)
                    fill(target, at + b * item, (end - b) * item, pattern, size, direct)
                r += places
            if target != out:
                stream(out, top * row, near, 0, (bottom - top) * row, 1)
        first = claim(turn, unit_step, p.units, first)
