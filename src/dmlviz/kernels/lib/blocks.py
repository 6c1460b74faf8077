"""Moving many runs: the loops that kernels share, built of the primitives in `primitives`."""

from __future__ import annotations

import numba

from .primitives import each_run, fetch_add, move, put, read, stream256, turn

CALLED = {"nogil": True, "error_model": "numpy", "boundscheck": False, "no_cfunc_wrapper": True}
OPTIONS = CALLED | {"no_cpython_wrapper": True}  # Python calls none of these: a kernel compiles a tenth sooner
LONG = 8192
"""Bytes of a run from which on lining up with cache lines pays."""
FEW = 8
"""Repeats of a run up to which it is cheaper to pass over all runs once for each."""


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def claim(turn: int, step: int, units: int, before: int) -> int:
    """The first of the next `step` units to do; `units` where none is left.

    `before` is what it returned last, at first -1. All units are done at once where `turn` is 0, so that `step` is to
    be `units`. A thread's turn is four INT64: where the counters are that all threads of the call share, 64 bytes
    apart; how many threads there are; which of them this is; and whose units it takes at present, counted from its own.
    Every thread has a part of the units that is the same at every call, whose bytes are in its processor's caches then.
    It takes over from the others only when that is done.
    """
    if turn == 0:
        return 0 if before < 0 else units
    counters, threads, own, tried = read(turn, 0, 8), read(turn, 8, 8), read(turn, 16, 8), read(turn, 24, 8)
    steps = (units + step - 1) // step
    while tried < threads:
        part = (own + tried) % threads
        low, high = part * steps // threads * step, (part + 1) * steps // threads * step
        unit: int = low + fetch_add(counters + part * 64, step)
        if unit < min(high, units):
            return unit
        tried += 1
        put(turn, 24, tried, 8)
    return units


# ---- runs -------------------------------------------------------------------------------------------------------


@numba.njit(**OPTIONS, forceinline=True)  # type: ignore[untyped-decorator]
def lines(out: int, at: int, data: int, start: int, length: int) -> None:
    """Does as `copy`, for runs of 64 bytes or more: without a call and without asking how long."""
    k = 0
    while k < length - 256:
        move(out, at + k, data, start + k, 256)
        k += 256
    while k < length - 64:
        move(out, at + k, data, start + k, 64)
        k += 64
    move(out, at + length - 64, data, start + length - 64, 64)


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def long_run(out: int, at: int, data: int, start: int, length: int) -> None:
    """Does as `copy`, for more than 256 bytes or none: words of 64 bytes, 256 at a time, the last one overlapping.

    From LONG bytes on they go to whole cache lines of `out`. The C library's memcpy takes up to 3 times as long where
    the two lie 16 bytes apart but for whole pages, as arrays often do: its loads then wait for stores that only look
    like theirs.
    """
    if length > LONG:
        move(out, at, data, start, 64)
        k = 64 - ((out + at) & 63)
        lines(out, at + k, data, start + k, length - k)
    elif length > 0:
        lines(out, at, data, start, length)


@numba.njit(**OPTIONS, forceinline=True)  # type: ignore[untyped-decorator]
def part(width: int, last: int, out: int, at: int, data: int, start: int) -> None:
    """One run as `each_run` says it: a word, two that overlap, or a long one."""
    if width == 0:
        long_run(out, at, data, start, last)
    else:
        move(out, at, data, start, width)
        if last > 0:
            move(out, at + last, data, start + last, width)


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def copy(out: int, at: int, data: int, start: int, length: int) -> None:
    """`out[at : at + length] = data[start : start + length]`; the two don't overlap."""
    each_run(part, length, out, at, data, start)


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def stream(out: int, at: int, data: int, start: int, length: int, streams: int) -> None:
    """Does as `copy`, but past the caches if `streams` is 1."""
    if streams == 0 or length <= 512:
        copy(out, at, data, start, length)
    else:
        move(out, at, data, start, 64)
        k = 64 - ((out + at) & 63)
        while k < length - 256:
            stream256(out, at + k, data, start + k)
            k += 256
        lines(out, at + k, data, start + k, length - k)


@numba.njit(**OPTIONS, forceinline=True)  # type: ignore[untyped-decorator]
def some_rows(
    width: int, last: int, out: int, at: int, out_step: int, data: int, start: int, data_step: int, count: int
) -> None:
    for i in range(count):
        part(width, last, out, at + i * out_step, data, start + i * data_step)


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def rows(out: int, at: int, out_step: int, data: int, start: int, data_step: int, length: int, count: int) -> None:
    """Copies `count` runs of `length` bytes, `out_step` bytes apart in `out` and `data_step` in `data`.

    The length is looked at once and not at every run.
    """
    if count == 1 or (out_step == length and data_step == length):
        copy(out, at, data, start, length * count)
    else:
        each_run(some_rows, length, out, at, out_step, data, start, data_step, count)


@numba.njit(**OPTIONS, forceinline=True)  # type: ignore[untyped-decorator]
def turned(item: int, out: int, at: int, data: int, start: int, count: int) -> None:
    """Copies `count` items of 1, 2, 4 or 8 bytes, the last one first: 64 bytes at a time, and then what is left."""
    k, words = 0, 64 // item
    while k + words <= count:
        turn(out, at + k * item, data, start + (count - k - words) * item, 64, item)
        k += words
    while k < count:
        move(out, at + k * item, data, start + (count - 1 - k) * item, item)
        k += 1


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def repeated(out: int, at: int, data: int, start: int, length: int, times: int, count: int) -> None:
    """Writes each of `count` runs of `length` bytes `times` times: abc becomes aabbcc."""
    if 64 <= length <= LONG:
        # One run after the other, and without reading back what was written: that takes up to twice as long.
        for i in range(count):
            for k in range(times):
                lines(out, at + (i * times + k) * length, data, start + i * length, length)
    elif times < FEW:
        for k in range(times):
            rows(out, at + k * length, times * length, data, start, length, length, count)
    elif length == 8:
        for i in range(count):
            word = read(data, start + i * 8, 8)
            for k in range(times):
                put(out, at + (i * times + k) * 8, word, 8)
    elif length == 4 or length == 2 or length == 1:
        for i in range(count):
            to, word = at + i * times * length, read(data, start + i * length, length)
            word |= word << 8 if length == 1 else 0
            word |= word << 16 if length < 4 else 0
            for k in range(0, times * length - 4, 4):
                put(out, to + k, word, 4)
            put(out, to + times * length - 4, word, 4)
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
