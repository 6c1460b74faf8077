"""SPLIT: every output takes its part of the rows of the input, a block of rows at a time.

row 0   data |[out 0][ out 1 ][out 2]|     contiguous: a run of each output, `length` bytes from `start` on
row 1   data |[out 0][ out 1 ][out 2]|     strided: the rows of the input, `stride` bytes apart
             |<------- stride ------>|     A block of short rows stays in the nearest cache while each output takes its
                                           part of it; a long row is cut into segments instead.
"""

from __future__ import annotations

from typing import Any

import numba

from .lib.blocks import apart, claim, copy, long_run, rows, stream, unwoven
from .lib.compiled import compiled
from .lib.plan import ROW_PLACE as PLACE
from .lib.plan import plan_rows as plan  # noqa: F401  (how its numbers are made)
from .lib.primitives import address, fence, number, scratch
from .lib.textbook import Arrays, rows_of


@numba.njit  # type: ignore[untyped-decorator]
def textbook(out: Any, data: Any, start: int) -> None:
    """The textbook loop, for each output in turn: `out[row, k] = data[row, start + k]`.

    A row is all that lies behind one position of the axes before Axis. The output's part of it begins at `start`.
    """
    rows, length = out.shape
    for row in range(rows):
        for k in range(length):
            out[row, k] = data[row, start + k]


def textbook_arguments(outputs: Arrays, inputs: Arrays, outer: int, stride: int, *lengths: int) -> list[Any]:
    """The arguments of `textbook` for each output; numbers are in bytes, as `plan` takes them."""
    return [(out, data, start) for data, out, start in rows_of(inputs[0], outputs, outer, stride, lengths)]


@compiled
def run(arrays: Any, numbers: Any, turn: int) -> None:
    units = number(numbers, PLACE.units)
    step = number(numbers, PLACE.step) if turn != 0 else units
    outer, stride = number(numbers, PLACE.outer), number(numbers, PLACE.stride)
    outputs, high, height = number(numbers, PLACE.parts), number(numbers, PLACE.high), number(numbers, PLACE.height)
    segments, segment = number(numbers, PLACE.segments), number(numbers, PLACE.segment)
    alike, streams, far = number(numbers, PLACE.alike), number(numbers, PLACE.streams), number(numbers, PLACE.far)
    data, near = address(arrays, outputs), scratch()
    first = claim(turn, step, units, -1)
    while first < units:
        for unit in range(first, min(first + step, units)):
            top = unit // segments * high
            bottom = min(top + high, outer)
            if segment == 0:
                if alike != 0:
                    top = unwoven(arrays, data, outputs, alike, top, bottom)
                elif streams != 0:
                    for k in range(outputs):
                        start, length = number(numbers, PLACE.start + 2 * k), number(numbers, PLACE.length + 2 * k)
                        out = address(arrays, k)
                        rows(near, 0, length, data, top * stride + start, stride, length, bottom - top)
                        stream(out, top * length, near, 0, (bottom - top) * length)
                    top = bottom
                elif height == 0:
                    apart(arrays, data, numbers, stride, outputs, top, bottom, far)
                    top = bottom
                while top < bottom:
                    count = min(height, bottom - top)
                    for k in range(outputs):
                        start, length = number(numbers, PLACE.start + 2 * k), number(numbers, PLACE.length + 2 * k)
                        out = address(arrays, k)
                        rows(out, top * length, length, data, top * stride + start, stride, length, count)
                    top += height
            else:
                low = unit % segments * segment
                for k in range(outputs):
                    start, length = number(numbers, PLACE.start + 2 * k), number(numbers, PLACE.length + 2 * k)
                    out = address(arrays, k)
                    a, b = max(start, low), min(start + length, low + segment)
                    if a < b and streams != 0:
                        stream(out, top * length + a - start, data, top * stride + a, b - a)
                    elif a < b and far != 0:
                        long_run(out, top * length + a - start, data, top * stride + a, b - a)
                    elif a < b:
                        copy(out, top * length + a - start, data, top * stride + a, b - a)
        first = claim(turn, step, units, first)
    if streams != 0:
        fence()
