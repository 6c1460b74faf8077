"""Indices that pick along an axis: what operators with an IndicesTensor have in common.

Their input tensor 0 is data, and 1 is IndicesTensor. What an index picks, `picks` has by a key: a slice, or an element.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..desc.indexing import unravel
from ..desc.tensors import DataType, TensorDesc, brackets
from ..desc.values import CHUNK, Array, Cycle, Fill, Indices, Values
from .maps import CLAMPED, COUNTING, NEGATIVE, NOT_COUNTED, Reader
from .report import Recorder, Severity
from .rules import values_make_sense
from .scans import MANY, SCAN_LIMIT, scanned

INDEX_TYPES = (DataType.INT64, DataType.INT32, DataType.UINT64, DataType.UINT32)


def resolve(raw: Array, n: int) -> tuple[Indices, Indices]:
    """What raw index values pick of an axis of size `n`: (slices, flags), both (N,) int64.

    Negative signed indices first get + n, then every index is clamped to [0, n - 1].
    """
    if raw.dtype.kind == "u":
        outside, picked = raw >= n, raw.astype(np.int64)
        picked[outside] = n - 1
        return picked, np.where(outside, CLAMPED, 0).astype(np.int64)
    wide = raw.astype(np.int64)
    negative = wide < 0
    moved = np.where(negative, wide + n, wide)
    outside = (moved < 0) | (moved >= n)
    flags = np.where(outside, CLAMPED, np.where(negative, NEGATIVE, 0)).astype(np.int64)
    return np.clip(moved, 0, n - 1), flags


def bound_of(data: TensorDesc, axis: int) -> int:
    """The size of an axis, where indices are to stay below; 1 where there is no such."""
    return max(1, data.sizes[axis]) if 0 <= axis < data.dimension_count else 1


def index_fill(data: TensorDesc, axis: int, tensor: int) -> Fill | None:
    """What fills input `tensor` when nothing is said."""
    return Cycle(bound_of(data, axis)) if tensor == 1 else None


# ---- rules about values


def index_rules(
    record: Recorder, data: TensorDesc, cells: TensorDesc, axis: int, indices: Values | None, beyond: str
) -> None:
    """`values.index_range` and `note.negative_index` of `indices`, which stand in the desc as `cells`.

    `beyond` says what becomes of indices outside.
    """
    if indices is None or indices.tensor.element_count > SCAN_LIMIT:
        return
    tensor = indices.tensor
    if not values_make_sense(record, "values.index_range", "IndicesTensor", data, cells):
        return
    n = data.sizes[axis]
    scan = scanned(record, "values.index_range", "IndicesTensor", indices, n, lambda: _scan(indices, n))
    if scan is None:
        return
    outside, negative = scan
    low = -n if tensor.data_type.is_signed else 0
    if outside.count:
        where = outside.where(tensor)
        message = (
            f"{outside.count} of {tensor.element_count} indices lie outside [{low}, {n}), the first is "
            f"{outside.value} at IndicesTensor{where}: {beyond}"
        )
    else:
        where, message = "", f"Every index lies in [{low}, {n})."
    record.expect(
        "values.index_range",
        not outside.count,
        f"IndicesTensor{where}",
        f"[{low}, {n})",
        outside.value if outside.count else None,
        message,
        where="IndicesTensor",
        severity=Severity.WARNING,
    )
    if negative.count:
        where, value = negative.where(tensor), negative.value
        record.note(
            "note.negative_index",
            f"IndicesTensor{where}",
            value,
            f"[{low}, {n})",
            f"{negative.count} of {tensor.element_count} indices are negative and count from the end of Axis "
            f"{axis}: {value} at IndicesTensor{where} is {value + n}.",
            "IndicesTensor",
        )


class _Found:
    """How many cells of the indices were found, and the first of them."""

    def __init__(self) -> None:
        self.count, self.first, self.value = 0, -1, 0

    def add(self, at: Indices, start: int, chunk: Array) -> None:
        if len(at) and not self.count:
            self.first, self.value = start + int(at[0]), int(chunk[at[0]])
        self.count += len(at)

    def where(self, tensor: TensorDesc) -> str:
        return brackets(int(i[0]) for i in unravel(np.array([self.first]), tensor.sizes))


def _scan(indices: Values, n: int) -> tuple[_Found, _Found]:
    """The indices that lie outside an axis of size `n`, and those that count from its end."""
    outside, negative = _Found(), _Found()
    for start, chunk in indices.chunks():
        _, flags = resolve(chunk, n)
        if not flags.any():
            continue
        outside.add(np.flatnonzero(flags & CLAMPED), start, chunk)
        negative.add(np.flatnonzero((flags & NEGATIVE) != 0), start, chunk)
    return outside, negative


# ---- who picks what: a scan of all indices

Keys = Callable[[Indices], Indices]
"""What the index cells at flat positions (N,) pick, as numbers (N,) below some `most`."""


def is_scanned(count: int, read: Reader) -> bool:
    """True if `picks` of `count` indices are there, or made in no time, or never made."""
    return count <= MANY or count > SCAN_LIMIT or "picks" in read.cache


def scan_picks(count: int, most: int, keys: Keys, read: Reader) -> None:
    """Makes what `picks` returns; the reader keeps it."""
    if count > SCAN_LIMIT or "picks" in read.cache:
        return
    # As narrow as they may be: there can be 2^24 of them, and what has 16 bits is sorted several times as fast.
    picked = np.empty(count, np.uint16 if most <= 2**16 else np.uint32)
    for start in range(0, count, CHUNK):
        at = np.arange(start, min(start + CHUNK, count), dtype=np.int64)
        picked[start : start + CHUNK] = keys(at)
    order = np.argsort(picked, kind="stable").astype(np.uint32)
    read.cache["picks"] = picked[order], order


def picks(count: int, most: int, keys: Keys, read: Reader) -> tuple[Array, Array] | None:
    """All keys in ascending order, and the flat index cell of each; None where they aren't known."""
    if read.patient or is_scanned(count, read):
        scan_picks(count, most, keys, read)
    kept: tuple[Array, Array] | None = read.cache.get("picks")
    return kept


def between(ascending: Array, wanted: Indices) -> tuple[Indices, Indices]:
    """Where each of `wanted` begins and ends in an ascending array; it takes that one's type, which copies less."""
    wanted = wanted.astype(ascending.dtype)
    low, high = (np.searchsorted(ascending, wanted, side) for side in ("left", "right"))
    return low.astype(np.int64), high.astype(np.int64)


def reads_of(found: tuple[Array, Array] | None, count: int, wanted: Indices, read: Reader) -> Indices:
    """(N,) how many of `count` index cells pick each of `wanted`; NOT_COUNTED or COUNTING where that isn't known."""
    if found is None:
        return np.full_like(wanted, NOT_COUNTED if is_scanned(count, read) else COUNTING)
    low, high = between(found[0], wanted)
    return high - low


# ---- what is said of them


def reads_sentence(reads: Array, what: str, name: Callable[[int], str]) -> str:
    """Which of what indices pick is read most often and which never; `reads` has a number (N,) for each of them.

    `what` is a word for one of them, and `name` that word with its place: `row 2`.
    """
    most, unread = int(reads.max()), int((reads == 0).sum())
    if most == 1 and not unread:
        return f"Every {what} is read once."
    if most == 1:
        sentence = f"No {what} is read twice"
    else:
        often = np.flatnonzero(reads == most)
        times = "twice" if most == 2 else f"{most:,} times"
        only = name(int(often[0]))
        sentence = (
            f"{only[0].upper()}{only[1:]} is read {times}"
            if len(often) == 1
            else f"{len(often):,} {what}s are read {times} each"
        )
    never = f"every {what} is read"
    if unread:
        first = name(int(np.flatnonzero(reads == 0)[0]))
        never = f"{first} is never read" if unread == 1 else f"{unread:,} {what}s are never read"
    return f"{sentence}; {never}."


def picked_formula(
    output: str, cell: str, source: tuple[int, ...], axis: int, raw: int, n: int
) -> list[tuple[str, str]]:
    """The formula of an element: `output` and `cell` with their indices, its source, and the raw index of `n`."""
    before = "".join(f"{i}," for i in source[:axis])
    after = "".join(f",{i}" for i in source[axis + 1 :])
    shown: list[tuple[str, str]] = [
        (output, "output"),
        (f" = InputTensor[{before}", ""),
        (cell, "via"),
        (f"{after}]", ""),
        (" = ", ""),
        (f"InputTensor{brackets(source)}", "source"),
    ]
    if -n <= raw < 0:
        shown.append((f"{raw} + {n} = {source[axis]}", "via"))
    elif source[axis] != raw:
        shown.append((f"{raw} acts as {source[axis]}", "via"))
    return shown
