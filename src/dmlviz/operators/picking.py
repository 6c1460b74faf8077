"""Indices that pick along an axis: what operators with an IndicesTensor have in common.

What an index picks has a key, its identity: the number of a slice, or of an element.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, TypeVar

import numpy as np

from ..desc.base import Desc
from ..desc.indexing import ravel, unravel
from ..desc.tensors import DataType, TensorDesc, brackets
from ..desc.values import CHUNK, Array, Cycle, Fill, Indices, Values
from .base import Operator
from .maps import CLAMPED, COUNTING, NEGATIVE, NOT_COUNTED, Place, Reader
from .report import Recorder, Severity
from .rules import scanned_along
from .scans import COUNT_LIMIT, MANY, READ_LIMIT, Found

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


def _scan(indices: Values, n: int) -> tuple[Found, Found]:
    """The indices that lie outside an axis of size `n`, and those that count from its end."""
    outside, negative = Found(), Found()
    for start, chunk in indices.chunks():
        _, flags = resolve(chunk, n)
        if not flags.any():
            continue
        outside.add(np.flatnonzero(flags & CLAMPED), start, chunk)
        negative.add(np.flatnonzero((flags & NEGATIVE) != 0), start, chunk)
    return outside, negative


def reads_sentence(reads: Array, what: str, name: Callable[[int], str]) -> str:
    """Which of what indices pick is read most often and which never; `reads` has a number (N,) for each of them.

    `what` is a word for one of them, and `name` that word with its place: `row 2`.
    """
    most, unread = int(reads.max()), np.flatnonzero(reads == 0)
    if most == 1 and not len(unread):
        return f"Every {what} is read once."
    often, times = np.flatnonzero(reads == most), "twice" if most == 2 else f"{most:,} times"
    only, never = name(int(often[0])), f"every {what} is read"
    sentence = f"{only[0].upper()}{only[1:]} is read {times}"
    if most == 1:
        sentence = f"No {what} is read twice"
    elif len(often) > 1:
        sentence = f"{len(often):,} {what}s are read {times} each"
    if len(unread):
        first = f"{name(int(unread[0]))} is never read"
        never = first if len(unread) == 1 else f"{len(unread):,} {what}s are never read"
    return f"{sentence}; {never}."


class Picks(Desc):
    """What descs with an IndicesTensor have in common."""

    input_tensor: TensorDesc
    indices_tensor: TensorDesc
    axis: int

    def instead_of_axis(self, name: str, sizes: Sequence[int]) -> dict[str, Sequence[int]]:
        """InputTensor's sizes with others in the place of Axis, in three named parts."""
        own, axis = self.input_tensor.sizes, self.axis
        behind = {f"InputTensor.Sizes[{axis + 1}:]": own[axis + 1 :]}
        return {f"InputTensor.Sizes[:{axis}]": own[:axis], name: sizes, **behind}

    @property
    def bound(self) -> int:
        """The size of Axis, where indices are to stay below; 1 where there is no such."""
        data = self.input_tensor
        return max(1, data.sizes[self.axis]) if 0 <= self.axis < data.dimension_count else 1


P = TypeVar("P", bound=Picks)
DATA, INDICES = Place(False, 0), Place(False, 1)


class PickingOperator(Operator[P]):
    """An operator whose indices pick along Axis of InputTensor: `identity` of an index is that of what it picks."""

    anchor = "InputTensor"
    reads_vary = True
    beyond: ClassVar[str]
    """What becomes of indices outside, as a sentence ends."""

    def picked_word(self, desc: P) -> str:
        """A word for what an index picks."""
        return "element"

    def place_of(self, desc: P, key: int) -> str:
        """How what has a key is told from others of that word."""
        return str(key)

    def picked(self, desc: P, cells: Indices, read: Reader) -> Indices:
        """(N,) the keys of what flat index cells pick."""
        return self.identity(desc, INDICES, unravel(cells, desc.indices_tensor.sizes), read)

    def resolved(self, desc: P, cell: Sequence[Indices], read: Reader) -> tuple[Indices, Indices]:
        """Where along Axis each index cell picks, and its flags; both (N,)."""
        return resolve(read(1, ravel(cell, desc.indices_tensor.sizes)), desc.input_tensor.sizes[desc.axis])

    def default_fill(self, desc: P, tensor: int) -> Fill | None:
        return Cycle(desc.bound) if tensor == 1 else None

    def bound(self, desc: P, tensor: int) -> int | None:
        return desc.bound if tensor == 1 else None

    def cell_flags(self, desc: P, tensor: int, values: Array) -> Indices:
        return resolve(values, desc.input_tensor.sizes[desc.axis])[1]

    def value_rules(self, desc: P, values: Sequence[Values | None], record: Recorder) -> None:
        where, cells = (desc.input_tensor, desc.axis), desc.indices_tensor
        found = scanned_along(record, "values.index_range", "IndicesTensor", *where, cells, values[1], _scan)
        if found is None or values[1] is None:
            return
        (outside, negative), tensor, n = found, values[1].tensor, desc.input_tensor.sizes[desc.axis]
        bounds = f"[{-n if tensor.data_type.is_signed else 0}, {n})"
        at = outside.where(tensor) if outside.count else ""
        record.expect(
            "values.index_range",
            not outside.count,
            f"IndicesTensor{at}",
            bounds,
            outside.value if outside.count else None,
            f"{outside.count} of {tensor.element_count} indices lie outside {bounds}, the first is {outside.value} at "
            f"IndicesTensor{at}: {self.beyond}",
            holds=f"Every index lies in {bounds}.",
            where="IndicesTensor",
            severity=Severity.WARNING,
        )
        if negative.count:
            at, value = negative.where(tensor), negative.value
            record.note(
                "note.negative_index",
                f"IndicesTensor{at}",
                value,
                bounds,
                f"{negative.count} of {tensor.element_count} indices are negative and count from the end of Axis "
                f"{desc.axis}: {value} at IndicesTensor{at} is {value + n}.",
                "IndicesTensor",
            )

    def at_values(self, desc: P, read: Reader) -> list[str]:
        """What is read most often and what never, in a sentence; none above `READ_LIMIT` indices, or keys."""
        count, most = desc.indices_tensor.element_count, self.identity_count(desc)
        if max(count, most) > READ_LIMIT:
            return []
        reads = np.bincount(self.picked(desc, np.arange(count, dtype=np.int64), read), minlength=most)
        what = self.picked_word(desc)
        return [reads_sentence(reads, what, lambda key: f"{what} {self.place_of(desc, key)}")]

    # Who picks what: a scan of all indices.

    def prepared(self, desc: P, read: Reader) -> bool:
        """True if the scan is made, or made in no time, or never made."""
        count = desc.indices_tensor.element_count
        return count <= MANY or count > COUNT_LIMIT or "picks" in read.cache

    def prepare(self, desc: P, read: Reader) -> None:
        count = desc.indices_tensor.element_count
        if count > COUNT_LIMIT or "picks" in read.cache:
            return
        # As narrow as they may be: there can be 2^22 of them, and what has 16 bits is sorted several times as fast.
        picked = np.empty(count, np.uint16 if self.identity_count(desc) <= 2**16 else np.uint32)
        for start in range(0, count, CHUNK):
            at = np.arange(start, min(start + CHUNK, count), dtype=np.int64)
            picked[start : start + CHUNK] = self.picked(desc, at, read)
        order = np.argsort(picked, kind="stable").astype(np.uint32)
        read.cache["picks"] = picked[order], order

    def _found(self, desc: P, keys: Indices, read: Reader) -> tuple[Array, Indices, Indices] | None:
        """The flat index cells in the order of their keys, and where those that pick each of `keys` begin and end.

        None where that isn't known.
        """
        if read.patient or self.prepared(desc, read):
            self.prepare(desc, read)
        if "picks" not in read.cache:
            return None
        ascending, order = read.cache["picks"]
        wanted = keys.astype(ascending.dtype)  # of one type, which copies less
        low, high = (np.searchsorted(ascending, wanted, side).astype(np.int64) for side in ("left", "right"))
        return order, low, high

    def cells_that_pick(self, desc: P, index: tuple[int, ...], read: Reader) -> Array | None:
        """The flat index cells, ascending, that pick an element of InputTensor, or its slice; None where not known."""
        keys = self.identity(desc, DATA, tuple(np.array([i], np.int64) for i in index), read)
        found = self._found(desc, keys, read)
        return found and found[0][int(found[1][0]) : int(found[2][0])]

    def counts(self, desc: P, tensor: int, index: tuple[Indices, ...], read: Reader) -> Indices:
        if tensor == 1:
            return np.full_like(index[0], desc.outputs[0].tensor.element_count // desc.indices_tensor.element_count)
        found = self._found(desc, self.identity(desc, DATA, index, read), read)
        if found is None:
            return np.full_like(index[0], NOT_COUNTED if self.prepared(desc, read) else COUNTING)
        return found[2] - found[1]

    def formula(self, desc: P, output: int, index: tuple[int, ...], read: Reader) -> list[tuple[str, str]]:
        axis, n = desc.axis, desc.input_tensor.sizes[desc.axis]
        sources = self.source(desc, output, tuple(np.array([i], np.int64) for i in index), read)
        source = [int(i[0]) for i in sources.index]
        assert sources.via is not None
        raw = read.one(1, int(ravel(sources.via, desc.indices_tensor.sizes)[0]))
        before = "".join(f"{i}," for i in source[:axis])
        after = "".join(f",{i}" for i in source[axis + 1 :])
        shown: list[tuple[str, str]] = [
            (f"OutputTensor{brackets(index)}", "output"),
            (f" = InputTensor[{before}", ""),
            (f"IndicesTensor{brackets(int(i[0]) for i in sources.via)}", "via"),
            (f"{after}]", ""),
            (" = ", ""),
            (f"InputTensor{brackets(source)}", "source"),
        ]
        if -n <= raw < 0:
            shown.append((f"{raw} + {n} = {source[axis]}", "via"))
        elif source[axis] != raw:
            shown.append((f"{raw} acts as {source[axis]}", "via"))
        return shown
