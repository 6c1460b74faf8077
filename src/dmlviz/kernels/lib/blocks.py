"""Moving many runs: the loops that kernels share, built of the primitives in `primitives`."""

from __future__ import annotations

from typing import Any

import numba

from .plan import ROW_PLACE
from .primitives import (
    address,
    fetch_add,
    int64,
    move1,
    move2,
    move4,
    move8,
    move16,
    move32,
    move64,
    move256,
    number,
    put8,
    put16,
    put32,
    put64,
    stream256,
    string,
    uint8,
    uint16,
    uint32,
    unweave,
    weave,
)

OPTIONS = {"nogil": True, "error_model": "numpy", "boundscheck": False}
LONG = 8192
"""Bytes of a run from which on lining up with cache lines pays."""
STRING = 1024
"""Bytes of a run from which on the processor's own instruction is 1.1 to 1.4 times as fast as loops, beyond the nearest
caches. It is slower within them."""
FEW = 8
"""Repeats of a run up to which it is cheaper to pass over all runs once for each."""


# ---- who does what ----------------------------------------------------------------------------------------------
# A thread's turn is four INT64: where the counters are that all threads of the call share, 64 bytes apart; how many
# threads there are; which of them this is; and whose units it takes at present, counted from its own.


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def claim(turn: int, step: int, units: int, before: int) -> int:
    """The first of the next `step` units to do; `units` where none is left.

    `before` is what it returned last, at first -1. All units are done at once where `turn` is 0, so that `step` is to
    be `units`. Every thread has a part of the units that is the same at every call, whose bytes are in its processor's
    caches then. It takes over from the others only when that is done.
    """
    if turn == 0:
        return 0 if before < 0 else units
    counters, threads, own, tried = int64(turn, 0), int64(turn, 8), int64(turn, 16), int64(turn, 24)
    steps = (units + step - 1) // step
    while tried < threads:
        part = (own + tried) % threads
        low, high = part * steps // threads * step, (part + 1) * steps // threads * step
        unit: int = low + fetch_add(counters + part * 64, step)
        if unit < min(high, units):
            return unit
        tried += 1
        put64(turn, 24, tried)
    return units


# ---- runs -------------------------------------------------------------------------------------------------------


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def copy(out: int, at: int, data: int, start: int, length: int) -> None:
    """`out[at : at + length] = data[start : start + length]`; the two don't overlap.

    |  head  |          up to 256 bytes: words from both ends that meet or overlap in the middle
         |  tail  |     more: words of 64 bytes, the last one overlapping
    |64|256 256 256|    from LONG bytes on: 256 at a time, to whole cache lines of `out`

    The C library's memcpy takes up to 3 times as long where the two lie 16 bytes apart but for whole pages, as arrays
    often do: its loads then wait for stores that only look like theirs.
    """
    if length > LONG:
        move64(out, at, data, start)
        k = 64 - ((out + at) & 63)
        while k < length - 256:
            move256(out, at + k, data, start + k)
            k += 256
        move256(out, at + length - 256, data, start + length - 256)
    elif length > 256:
        k = 0
        while k < length - 256:
            move256(out, at + k, data, start + k)
            k += 256
        while k < length - 64:
            move64(out, at + k, data, start + k)
            k += 64
        move64(out, at + length - 64, data, start + length - 64)
    elif length > 128:
        move64(out, at, data, start)
        move64(out, at + 64, data, start + 64)
        move64(out, at + length - 128, data, start + length - 128)
        move64(out, at + length - 64, data, start + length - 64)
    elif length > 64:
        move64(out, at, data, start)
        move64(out, at + length - 64, data, start + length - 64)
    elif length > 32:
        move32(out, at, data, start)
        move32(out, at + length - 32, data, start + length - 32)
    elif length >= 16:
        move16(out, at, data, start)
        move16(out, at + length - 16, data, start + length - 16)
    elif length >= 8:
        move8(out, at, data, start)
        move8(out, at + length - 8, data, start + length - 8)
    elif length >= 4:
        move4(out, at, data, start)
        move4(out, at + length - 4, data, start + length - 4)
    elif length >= 2:
        move2(out, at, data, start)
        move2(out, at + length - 2, data, start + length - 2)
    elif length == 1:
        move1(out, at, data, start)


@numba.njit(**OPTIONS, forceinline=True)  # type: ignore[untyped-decorator]
def lines(out: int, at: int, data: int, start: int, length: int) -> None:
    """Does as `copy`, for many runs of 64 bytes or more: without a call and without asking how long."""
    k = 0
    while k < length - 256:
        move256(out, at + k, data, start + k)
        k += 256
    while k < length - 64:
        move64(out, at + k, data, start + k)
        k += 64
    move64(out, at + length - 64, data, start + length - 64)


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def long_run(out: int, at: int, data: int, start: int, length: int) -> None:
    """Does as `copy`, for what lies beyond the nearest caches, by the processor's own instruction where that is faster.

    It isn't where `data` is up to a line ahead of `out` but for whole pages: it takes 1.3 times as long then.
    """
    ahead = (data + start - out - at) & 4095
    if length >= STRING and (ahead == 0 or ahead >= 64):
        string(out, at, data, start, length)
    else:
        copy(out, at, data, start, length)


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def stream(out: int, at: int, data: int, start: int, length: int) -> None:
    """Does as `copy`, but past the caches; whoever calls it ends with a `fence`."""
    if length <= 512:
        copy(out, at, data, start, length)
    else:
        move64(out, at, data, start)
        k = 64 - ((out + at) & 63)
        while k < length - 256:
            stream256(out, at + k, data, start + k)
            k += 256
        while k < length - 64:
            move64(out, at + k, data, start + k)
            k += 64
        move64(out, at + length - 64, data, start + length - 64)


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def rows(out: int, at: int, out_step: int, data: int, start: int, data_step: int, length: int, count: int) -> None:
    """Copies `count` runs of `length` bytes, `out_step` bytes apart in `out` and `data_step` in `data`.

    The length is looked at once and not at every run.
    """
    if count == 1 or (out_step == length and data_step == length):
        copy(out, at, data, start, length * count)
    elif length == 4:
        for i in range(count):
            move4(out, at + i * out_step, data, start + i * data_step)
    elif length == 8:
        for i in range(count):
            move8(out, at + i * out_step, data, start + i * data_step)
    elif length == 1:
        for i in range(count):
            move1(out, at + i * out_step, data, start + i * data_step)
    elif length == 2:
        for i in range(count):
            move2(out, at + i * out_step, data, start + i * data_step)
    elif length == 3:
        for i in range(count):
            move2(out, at + i * out_step, data, start + i * data_step)
            move1(out, at + i * out_step + 2, data, start + i * data_step + 2)
    elif length == 16:
        for i in range(count):
            move16(out, at + i * out_step, data, start + i * data_step)
    elif 8 < length < 16:
        last = length - 8
        for i in range(count):
            move8(out, at + i * out_step, data, start + i * data_step)
            move8(out, at + i * out_step + last, data, start + i * data_step + last)
    elif length == 32:
        for i in range(count):
            move32(out, at + i * out_step, data, start + i * data_step)
    elif 16 < length < 32:
        last = length - 16
        for i in range(count):
            move16(out, at + i * out_step, data, start + i * data_step)
            move16(out, at + i * out_step + last, data, start + i * data_step + last)
    elif length == 64:
        for i in range(count):
            move64(out, at + i * out_step, data, start + i * data_step)
    elif 32 < length < 64:
        last = length - 32
        for i in range(count):
            move32(out, at + i * out_step, data, start + i * data_step)
            move32(out, at + i * out_step + last, data, start + i * data_step + last)
    elif 64 < length <= 96:
        last = length - 32
        for i in range(count):
            move64(out, at + i * out_step, data, start + i * data_step)
            move32(out, at + i * out_step + last, data, start + i * data_step + last)
    elif 96 < length <= 128:
        last = length - 64
        for i in range(count):
            move64(out, at + i * out_step, data, start + i * data_step)
            move64(out, at + i * out_step + last, data, start + i * data_step + last)
    elif 128 < length <= 256:
        last = length - 128
        for i in range(count):
            to, base = at + i * out_step, start + i * data_step
            move64(out, to, data, base)
            move64(out, to + 64, data, base + 64)
            move64(out, to + last, data, base + last)
            move64(out, to + last + 64, data, base + last + 64)
    elif 4 < length < 8:
        last = length - 4
        for i in range(count):
            move4(out, at + i * out_step, data, start + i * data_step)
            move4(out, at + i * out_step + last, data, start + i * data_step + last)
    else:
        for i in range(count):
            copy(out, at + i * out_step, data, start + i * data_step, length)


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def abreast(out: int, arrays: Any, numbers: Any, stride: int, parts: int, top: int, bottom: int, far: int) -> None:
    """Writes rows `top` to `bottom`, of `stride` bytes, of `parts` runs of 32 bytes or more side by side.

    `numbers` are those of JOIN, whose inputs are `arrays` from 1 on; `far` is 1 where they lie beyond the nearest
    caches. A block of rows that is so large is in no cache yet. Passing over it once for each part takes 1.3 to 1.9
    times as long.
    """
    for row in range(top, bottom):
        at = row * stride
        for k in range(parts):
            data, length = address(arrays, 1 + k), number(numbers, ROW_PLACE.length + 2 * k)
            start = row * length
            if length < 64:
                move32(out, at, data, start)
                move32(out, at + length - 32, data, start + length - 32)
            elif far != 0 and length >= STRING:
                long_run(out, at, data, start, length)
            else:
                lines(out, at, data, start, length)
            at += length


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def apart(arrays: Any, data: int, numbers: Any, stride: int, parts: int, top: int, bottom: int, far: int) -> None:
    """Takes rows `top` to `bottom` apart into runs of 32 bytes or more: the inverse of `abreast`."""
    for row in range(top, bottom):
        start = row * stride
        for k in range(parts):
            out, length = address(arrays, k), number(numbers, ROW_PLACE.length + 2 * k)
            at = row * length
            if length < 64:
                move32(out, at, data, start)
                move32(out, at + length - 32, data, start + length - 32)
            elif far != 0 and length >= STRING:
                long_run(out, at, data, start, length)
            else:
                lines(out, at, data, start, length)
            start += length


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def turned(out: int, at: int, data: int, start: int, item: int, count: int) -> None:
    """Copies `count` items of 1, 2, 4 or 8 bytes, the last one first."""
    last = start + (count - 1) * item
    if item == 4:
        for i in range(count):
            move4(out, at + i * 4, data, last - i * 4)
    elif item == 8:
        for i in range(count):
            move8(out, at + i * 8, data, last - i * 8)
    elif item == 2:
        for i in range(count):
            move2(out, at + i * 2, data, last - i * 2)
    else:
        for i in range(count):
            move1(out, at + i, data, last - i)


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def repeated(out: int, at: int, data: int, start: int, length: int, times: int, count: int) -> None:
    """Writes each of `count` runs of `length` bytes `times` times: abc becomes aabbcc."""
    if 64 <= length <= LONG:
        # One run after the other, and without reading back what was written: that takes 1.3 times as long.
        for i in range(count):
            for k in range(times):
                lines(out, at + (i * times + k) * length, data, start + i * length, length)
    elif times < FEW:
        for k in range(times):
            rows(out, at + k * length, times * length, data, start, length, length, count)
    elif length == 4:
        for i in range(count):
            word = uint32(data, start + i * 4)
            for k in range(times):
                put32(out, at + (i * times + k) * 4, word)
    elif length == 8:
        for i in range(count):
            word = int64(data, start + i * 8)
            for k in range(times):
                put64(out, at + (i * times + k) * 8, word)
    elif length == 1:
        for i in range(count):
            word = uint8(data, start + i)
            for k in range(times):
                put8(out, at + i * times + k, word)
    elif length == 2:
        for i in range(count):
            word = uint16(data, start + i * 2)
            for k in range(times):
                put16(out, at + (i * times + k) * 2, word)
    else:
        for i in range(count):
            to = at + i * times * length
            copy(out, to, data, start + i * length, length)
            doubled(out, to, length, times)


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def doubled(out: int, at: int, length: int, times: int) -> None:
    """Repeats the `length` bytes at `at` until there are `times` of them, by copying all that is there already."""
    total, there = length * times, length
    while there < total:
        step = min(there, total - there)
        copy(out, at + there, out, at, step)
        there += step


@numba.njit(**OPTIONS, inline="always")  # type: ignore[untyped-decorator]
def weave_rows(out: int, arrays: Any, parts: int, width: int, top: int, bottom: int) -> int:
    """Does as `woven`; `parts` and `width` are literals, so that each pair of them is a loop of its own."""
    k = top
    while k + 64 // width <= bottom:
        weave(out, k * parts * width, arrays, k * width, parts, width)
        k += 64 // width
    return k


@numba.njit(**OPTIONS, inline="always")  # type: ignore[untyped-decorator]
def unweave_rows(arrays: Any, data: int, parts: int, width: int, top: int, bottom: int) -> int:
    """Does as `unwoven`; `parts` and `width` are literals."""
    k = top
    while k + 64 // width <= bottom:
        unweave(arrays, k * width, data, k * parts * width, parts, width)
        k += 64 // width
    return k


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def woven(out: int, arrays: Any, parts: int, width: int, top: int, bottom: int) -> int:
    """Puts rows `top` to `bottom` of `parts` columns of words side by side, 64 bytes of each at a time.

    Returns the row from which on there is less than that left, `top` where no vector does it.
    """
    k = top
    if parts == 2:
        if width == 4:
            k = weave_rows(out, arrays, 2, 4, top, bottom)
        elif width == 8:
            k = weave_rows(out, arrays, 2, 8, top, bottom)
        elif width == 2:
            k = weave_rows(out, arrays, 2, 2, top, bottom)
        elif width == 1:
            k = weave_rows(out, arrays, 2, 1, top, bottom)
    elif parts == 4:
        if width == 4:
            k = weave_rows(out, arrays, 4, 4, top, bottom)
        elif width == 8:
            k = weave_rows(out, arrays, 4, 8, top, bottom)
        elif width == 2:
            k = weave_rows(out, arrays, 4, 2, top, bottom)
        elif width == 1:
            k = weave_rows(out, arrays, 4, 1, top, bottom)
    elif parts == 8:
        if width == 4:
            k = weave_rows(out, arrays, 8, 4, top, bottom)
        elif width == 8:
            k = weave_rows(out, arrays, 8, 8, top, bottom)
        elif width == 2:
            k = weave_rows(out, arrays, 8, 2, top, bottom)
        elif width == 1:
            k = weave_rows(out, arrays, 8, 1, top, bottom)
    return k


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def unwoven(arrays: Any, data: int, parts: int, width: int, top: int, bottom: int) -> int:
    """Takes rows `top` to `bottom` apart into `parts` columns of words, 64 bytes of each at a time.

    Returns the row from which on there is less than that left, `top` where no vector does it.
    """
    k = top
    if parts == 2:
        if width == 4:
            k = unweave_rows(arrays, data, 2, 4, top, bottom)
        elif width == 8:
            k = unweave_rows(arrays, data, 2, 8, top, bottom)
        elif width == 2:
            k = unweave_rows(arrays, data, 2, 2, top, bottom)
        elif width == 1:
            k = unweave_rows(arrays, data, 2, 1, top, bottom)
    elif parts == 4:
        if width == 4:
            k = unweave_rows(arrays, data, 4, 4, top, bottom)
        elif width == 8:
            k = unweave_rows(arrays, data, 4, 8, top, bottom)
        elif width == 2:
            k = unweave_rows(arrays, data, 4, 2, top, bottom)
        elif width == 1:
            k = unweave_rows(arrays, data, 4, 1, top, bottom)
    elif parts == 8:
        if width == 4:
            k = unweave_rows(arrays, data, 8, 4, top, bottom)
        elif width == 8:
            k = unweave_rows(arrays, data, 8, 8, top, bottom)
        elif width == 2:
            k = unweave_rows(arrays, data, 8, 2, top, bottom)
        elif width == 1:
            k = unweave_rows(arrays, data, 8, 1, top, bottom)
    return k
