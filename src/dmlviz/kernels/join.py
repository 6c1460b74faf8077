"""JOIN: every input's rows go to their place in the rows of the output, a block of rows at a time.

row 0   out |[data 0][ data 1 ][data 2]|     contiguous: a run of each input, `length` bytes from `start` on
row 1   out |[data 0][ data 1 ][data 2]|     strided: the rows of the output, `stride` bytes apart
            |<-------- stride ------->|     A block of short rows stays in the nearest cache while each input passes
                                            over it; a long row is cut into segments instead.
"""

from __future__ import annotations

from typing import Any

import numba

from .lib.blocks import abreast, claim, copy, long_run, rows, stream, woven
from .lib.compiled import compiled
from .lib.plan import ROW_PLACE as PLACE
from .lib.plan import plan_rows as plan  # noqa: F401  (how its numbers are made)
from .lib.primitives import address, fence, number, scratch
from .lib.textbook import Arrays, rows_of


@numba.njit  # type: ignore[untyped-decorator]
def textbook(out: Any, data: Any, start: int) -> None:
    """The textbook loop, for each input in turn: `out[row, start + k] = data[row, k]`.

    A row is all that lies behind one position of the axes before Axis. The input's part of it begins at `start`.
    """
    rows, length = data.shape
    for row in range(rows):
        for k in range(length):
            out[row, start + k] = data[row, k]


def textbook_arguments(outputs: Arrays, inputs: Arrays, outer: int, stride: int, *lengths: int) -> list[Any]:
    """The arguments of `textbook` for each input; numbers are in bytes, as `plan` takes them."""
    return [*rows_of(outputs[0], inputs, outer, stride, lengths)]


@compiled
def run(arrays: Any, numbers: Any, turn: int) -> None:
    units = number(numbers, PLACE.units)
    step = number(numbers, PLACE.step) if turn != 0 else units
    outer, stride = number(numbers, PLACE.outer), number(numbers, PLACE.stride)
    inputs, high, height = number(numbers, PLACE.parts), number(numbers, PLACE.high), number(numbers, PLACE.height)
    segments, segment = number(numbers, PLACE.segments), number(numbers, PLACE.segment)
    alike, streams, far = number(numbers, PLACE.alike), number(numbers, PLACE.streams), number(numbers, PLACE.far)
    out, near = address(arrays, 0), scratch()
    first = claim(turn, step, units, -1)
    while first < units:
        for unit in range(first, min(first + step, units)):
            top = unit // segments * high
            bottom = min(top + high, outer)
            if segment == 0:
                begin, target = top * stride, out
                if streams != 0:
                    target = near - begin
                if alike != 0:
                    top = woven(target, arrays, inputs, alike, top, bottom)
                elif height == 0:
                    abreast(target, arrays, numbers, stride, inputs, top, bottom, far)
                    top = bottom
                while top < bottom:
                    count = min(height, bottom - top)
                    for k in range(inputs):
                        start, length = number(numbers, PLACE.start + 2 * k), number(numbers, PLACE.length + 2 * k)
                        data = address(arrays, 1 + k)
                        rows(target, top * stride + start, stride, data, top * length, length, length, count)
                    top += height
                if streams != 0:
                    stream(out, begin, near, 0, bottom * stride - begin)
            else:
                low = unit % segments * segment
                for k in range(inputs):
                    start, length = number(numbers, PLACE.start + 2 * k), number(numbers, PLACE.length + 2 * k)
                    data = address(arrays, 1 + k)
                    a, b = max(start, low), min(start + length, low + segment)
                    if a < b and streams != 0:
                        stream(out, top * stride + a, data, top * length + a - start, b - a)
                    elif a < b and far != 0:
                        long_run(out, top * stride + a, data, top * length + a - start, b - a)
                    elif a < b:
                        copy(out, top * stride + a, data, top * length + a - start, b - a)
        first = claim(turn, step, units, first)
    if streams != 0:
        fence()
