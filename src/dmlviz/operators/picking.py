"""Indices that pick along an axis: what operators with an IndicesTensor have in common.

What an index picks has a key, its identity: the number of a slice, or of an element.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, TypeVar

import numpy as np

from ..desc.base import Desc
from ..desc.indexing import arrays_of, flat_in, ravel, unravel
from ..desc.tensors import DataType, TensorDesc, brackets
from ..desc.values import CHUNK, Array, Cycle, Fill, Index, Indices, Values
from .base import Operator
from .maps import CLAMPED, COUNTING, NEGATIVE, NOT_COUNTED, Place, Reader, Sources
from .report import Recorder, Severity
from .scans import COUNT_LIMIT, MANY, Found, scanned_along
from .workings import MapCode, indexed, letters

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


def scan(indices: Values, n: int) -> tuple[Found, Found]:
    """The indices that are outside an axis of size `n`, and those that count from its end."""
    outside, negative = Found(), Found()
    for start, chunk in indices.chunks():
        _, flags = resolve(chunk, n)
        outside.add(np.flatnonzero(flags & CLAMPED), start, chunk)
        negative.add(np.flatnonzero(flags & NEGATIVE), start, chunk)
    return outside, negative


def outside_rule(
    record: Recorder, id_: str, path: str, what: str, found: Found, tensor: TensorDesc, bounds: str, act: str
) -> None:
    """A warning about those of the values of a tensor at `path` that are outside `bounds`; `act` says how they act."""
    field = path + found.where(tensor) if found.count else path
    record.expect(
        id_,
        not found.count,
        field,
        bounds,
        found.value if found.count else None,
        f"{found.count} of {tensor.element_count} {what} {'is' if found.count == 1 else 'are'} outside {bounds}, "
        f"the first is {found.value} at {field}: {act}",
        holds=f"All {what} are in {bounds}.",
        where=path,
        severity=Severity.WARNING,
    )


class Picks(Desc):
    input_tensor: TensorDesc
    indices_tensor: TensorDesc
    axis: int

    @property
    def bound(self) -> int:
        """The size of Axis, where indices are to stay below; 1 where there is no such."""
        data = self.input_tensor
        return max(1, data.sizes[self.axis]) if 0 <= self.axis < data.dimension_count else 1


P = TypeVar("P", bound=Picks)
T = TypeVar("T")
DATA, INDICES = Place(False, 0), Place(False, 1)


class PickingOperator(Operator[P]):
    """An operator whose indices pick along Axis of InputTensor: `identity` of an index is that of what it picks."""

    anchor = "InputTensor"
    reads_vary = True
    beyond: ClassVar[str]
    """What becomes of indices outside, as a sentence ends."""

    @abstractmethod
    def around(self, desc: P, index: Sequence[T], zero: T) -> tuple[Sequence[T], Sequence[T], Sequence[T]]:
        """Of an output element: its coordinates before Axis, those of its index cell, and those behind Axis.

        `zero` is 0 in their kind: numbers, arrays or letters.
        """

    def resolved(self, desc: P, cell: Sequence[Indices], read: Reader) -> tuple[Indices, Indices]:
        """Where along Axis each index cell picks, and its flags; both (N,)."""
        return resolve(read(1, ravel(cell, desc.indices_tensor.sizes)), desc.input_tensor.sizes[desc.axis])

    def source(self, desc: P, output: int, index: Index, read: Reader) -> Sources:
        zero = np.zeros_like(index[0])
        before, cell, behind = self.around(desc, index, zero)
        picked, flags = self.resolved(desc, cell, read)
        return Sources(zero, index=(*before, picked, *behind), via=tuple(cell), via_tensor=1, flags=flags)

    def map_code(self, desc: P) -> MapCode:
        index = letters(desc.outputs[0].tensor.sizes)
        before, cell, behind = self.around(desc, index, "0")
        there = [*before, indexed("IndicesTensor", cell), *behind]
        return MapCode(indexed("OutputTensor", index), indexed("InputTensor", there))

    def default_fill(self, desc: P, tensor: int) -> Fill | None:
        return Cycle(desc.bound) if tensor == 1 else None

    def bound(self, desc: P, tensor: int) -> int | None:
        return desc.bound if tensor == 1 else None

    def cell_flags(self, desc: P, tensor: int, values: Array) -> Indices:
        return resolve(values, desc.input_tensor.sizes[desc.axis])[1]

    def value_rules(self, desc: P, values: Sequence[Values | None], record: Recorder) -> None:
        found = scanned_along(record, "values.index_range", desc, values[1], scan)
        if found is None or values[1] is None:
            return
        (outside, negative), tensor, n = found, values[1].tensor, desc.input_tensor.sizes[desc.axis]
        bounds = f"[{-n if tensor.data_type.is_signed else 0}, {n})"
        outside_rule(record, "values.index_range", "IndicesTensor", "indices", outside, tensor, bounds, self.beyond)
        if negative.count:
            field = f"IndicesTensor{negative.where(tensor)}"
            value = negative.value
            record.note(
                "note.negative_index",
                field,
                value,
                bounds,
                f"{negative.count} of {tensor.element_count} indices {'is' if negative.count == 1 else 'are'} negative"
                f", and counted from the end of Axis {desc.axis}: {value} at {field} means {value + n}.",
                "IndicesTensor",
            )

    # Who picks what: a scan of all indices.

    def prepared(self, desc: P, read: Reader) -> bool:
        """True if the scan is made, or made in no time, or never made."""
        count = desc.indices_tensor.element_count
        return count <= MANY or count > COUNT_LIMIT or "picks" in read.cache

    def prepare(self, desc: P, read: Reader) -> None:
        if desc.indices_tensor.element_count <= COUNT_LIMIT:
            read.kept("picks", lambda: self._picks(desc, read))

    def _picks(self, desc: P, read: Reader) -> tuple[Array, Array]:
        """The keys of what all index cells pick, ascending, and the flat cells in that order."""
        count = desc.indices_tensor.element_count
        # As narrow as they may be: there can be 2^22 of them, and what has 16 bits is sorted several times as fast.
        picked = np.empty(count, np.uint16 if self.identity_count(desc) <= 2**16 else np.uint32)
        for start in range(0, count, CHUNK):
            cells = np.arange(start, min(start + CHUNK, count), dtype=np.int64)
            index = unravel(cells, desc.indices_tensor.sizes)
            picked[start : start + CHUNK] = self.identity(desc, INDICES, index, read)
        order = np.argsort(picked, kind="stable").astype(np.uint32)
        return picked[order], order

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
        keys = self.identity(desc, DATA, arrays_of(index), read)
        found = self._found(desc, keys, read)
        return found and found[0][int(found[1][0]) : int(found[2][0])]

    def counts(self, desc: P, tensor: int, index: Index, read: Reader) -> Indices:
        if tensor == 1:
            return np.full_like(index[0], desc.outputs[0].tensor.element_count // desc.indices_tensor.element_count)
        found = self._found(desc, self.identity(desc, DATA, index, read), read)
        if found is None:
            return np.full_like(index[0], NOT_COUNTED if self.prepared(desc, read) else COUNTING)
        return found[2] - found[1]

    def formula(self, desc: P, output: int, index: tuple[int, ...], read: Reader) -> list[tuple[str, str]]:
        n = desc.input_tensor.sizes[desc.axis]
        before, cell, behind = self.around(desc, index, 0)
        raw = read.one(1, flat_in(cell, desc.indices_tensor.sizes))
        picked = int(self.resolved(desc, arrays_of(cell), read)[0][0])
        return [
            (f"OutputTensor{brackets(index)}", "output"),
            (f" = InputTensor[{''.join(f'{i},' for i in before)}", ""),
            (f"IndicesTensor{brackets(cell)}", "via"),
            (f"{''.join(f',{i}' for i in behind)}]", ""),
            (" = ", ""),
            (f"InputTensor{brackets([*before, picked, *behind])}", "source"),
            *[(f"{raw} + {n} = {picked}" if -n <= raw < 0 else f"{raw} acts as {picked}", "via")] * (picked != raw),
        ]
