"""REVERSE_SUBSEQUENCES: the first `len` elements of every sequence along one axis, reversed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..desc.base import Changes, Desc
from ..desc.fields import NumberField, Role, TensorField
from ..desc.indexing import put, ravel
from ..desc.support import T8, T11, support
from ..desc.tensors import DataType, TensorDesc, braces, brackets
from ..desc.values import Array, Constant, Fill, Indices, Values
from .base import Operator
from .maps import CLAMPED, Factor, Place, Reader, Readers, Region, Sources, Starts, single
from .report import Check, Recorder, Severity
from .rules import axis_fixes, axis_rule, scanned_along, sizes_rule
from .scans import READ_LIMIT, SCAN_LIMIT, Found
from .workings import MapCode, indexed, letters

_TENSORS = support(("2_1", 4, 4, T8), ("3_0", 4, 5, T8), ("4_0", 1, 8, T8), ("5_0", 1, 8, T11))
_U32, _U64 = DataType.UINT32, DataType.UINT64
_LENGTHS = support(("2_1", 4, 4, (_U32,)), ("3_0", 4, 5, (_U32,)), ("4_0", 1, 8, (_U32,)), ("5_0", 1, 8, (_U64, _U32)))


@dataclass(frozen=True)
class ReverseSubsequences(Desc):
    """`DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC`: reverses the first `len` elements of each sequence along `axis`."""

    TYPE = "DML_OPERATOR_REVERSE_SUBSEQUENCES"
    FIELDS = (
        TensorField(
            "InputTensor", Role.DATA, _TENSORS, about="The tensor whose sequences are turned around at their beginning."
        ),
        TensorField(
            "SequenceLengthsTensor",
            Role.LENGTHS,
            _LENGTHS,
            about="How many elements at the beginning of each sequence are reversed; what follows them is copied.",
        ),
        TensorField(
            "OutputTensor",
            Role.OUTPUT,
            _TENSORS,
            about="The same elements in another order, so all of its sizes are InputTensor's.",
        ),
        NumberField(
            "Axis", is_axis=True, about="The axis along which the sequences run; there is one length for each of them."
        ),
    )

    input_tensor: TensorDesc
    sequence_lengths_tensor: TensorDesc
    axis: int
    output_tensor: TensorDesc | None = None

    def infer_output(self) -> TensorDesc | None:
        return self.input_tensor if all(size > 0 for size in self.input_tensor.sizes) else None


class ReverseSubsequencesOperator(Operator[ReverseSubsequences]):
    name = "REVERSE_SUBSEQUENCES"
    title = "Reverses the beginning of every sequence along one axis."
    in_numpy = "np.concatenate((x[:L][::-1], x[L:]))"
    page_number = 3
    example_word = "reverse"
    desc = ReverseSubsequences
    anchor = "InputTensor"
    identity_of = "the sequence"
    runs_vary = True
    sentences = {
        "lengths.sizes": "There is one length for each sequence: InputTensor's sizes with 1 along Axis.",
        "sizes.equal": "OutputTensor has InputTensor's sizes.",
        "values.length_clamped": "A length is at most the size of Axis.",
    }

    @property
    def address(self) -> str:
        return super().address.replace("_operator_desc", "_desc")  # its page alone is called so

    def rules(self, desc: ReverseSubsequences, record: Recorder) -> None:
        whole, lengths, output = desc.input_tensor, desc.sequence_lengths_tensor, desc.output_tensor
        axis_rule(record, desc.axis, whole.dimension_count)
        on = record.failed("axis.range")
        if not on and lengths.dimension_count != whole.dimension_count:
            on = "dimension_count.equal"
        if on:
            record.wait("lengths.sizes", "SequenceLengthsTensor.Sizes", on)
        else:
            want = put(whole.sizes, desc.axis, 1)
            sizes_rule(
                record,
                "lengths.sizes",
                "SequenceLengthsTensor",
                lengths.sizes,
                want,
                f": InputTensor's sizes with 1 at Axis {desc.axis}, one length for each sequence",
                f"SequenceLengthsTensor.Sizes {braces(want)} has one length for each sequence.",
                ("SequenceLengthsTensor.Sizes", "InputTensor.Sizes"),
            )
        if output is None or output.dimension_count != whole.dimension_count:
            on = "sizes.positive" if output is None else "dimension_count.equal"
            record.wait("sizes.equal", "OutputTensor.Sizes", on)
            return
        why, holds = ", InputTensor's sizes", "OutputTensor.Sizes equals InputTensor's."
        related = ("OutputTensor.Sizes", "InputTensor.Sizes")
        sizes_rule(record, "sizes.equal", "OutputTensor", output.sizes, whole.sizes, why, holds, related)

    def at_values(self, desc: ReverseSubsequences, read: Reader) -> list[str]:
        count, n = desc.sequence_lengths_tensor.element_count, self._size(desc)
        if count > READ_LIMIT:
            return []
        lengths = read(1, np.arange(count, dtype=np.int64))
        whole, kept = int((lengths >= n).sum()), int((lengths < 2).sum()) if n > 1 else count
        if n < 2:
            return ["Sequences of 1 element stay as they are."]
        parts = [(whole, "reversed whole"), (count - whole - kept, "reversed in part"), (kept, "left as they are")]
        counts = ", ".join(f"{k:,} {what}" for k, what in parts if k)
        return [f"Of {count:,} {'sequence' if count == 1 else 'sequences'}: {counts}."]

    def value_rules(self, desc: ReverseSubsequences, values: Sequence[Values | None], record: Recorder) -> None:
        path, data, cells = "SequenceLengthsTensor", desc.input_tensor, desc.sequence_lengths_tensor
        scan = scanned_along(record, "values.length_clamped", path, data, desc.axis, cells, values[1], _scan)
        if scan is None or values[1] is None:
            return
        (found, largest), lengths, n = scan, values[1].tensor, data.sizes[desc.axis]
        field = path + found.where(lengths) if found.count else path
        record.expect(
            "values.length_clamped",
            not found.count,
            field,
            f"<= {n}",
            largest if found.count else None,
            f"{found.count} of {lengths.element_count} lengths exceed {n}, the size of Axis {desc.axis}, and act as "
            f"{n}: the first at {field}, the largest is {largest}.",
            holds=f"Every length is at most {n}, the size of Axis {desc.axis}.",
            where=path,
            severity=Severity.WARNING,
        )

    def fixes(self, desc: ReverseSubsequences, broken: Check) -> Iterator[Changes]:
        whole, lengths = desc.input_tensor, desc.sequence_lengths_tensor
        if broken.id == "axis.range":
            yield from axis_fixes(desc.axis, whole.dimension_count)
        wrong = broken.id == "dimension_count.equal" and broken.field.startswith("SequenceLengthsTensor")
        if (wrong or broken.id == "lengths.sizes") and 0 <= desc.axis < whole.dimension_count:
            yield {"SequenceLengthsTensor": lengths.resized(put(whole.sizes, desc.axis, 1))}
        if broken.id == "lengths.sizes":
            yield from ({"Axis": axis} for axis in range(whole.dimension_count) if axis != desc.axis)
        if broken.id == "sizes.equal":
            yield {"OutputTensor": None}

    def default_fill(self, desc: ReverseSubsequences, tensor: int) -> Fill | None:
        return Constant(self._size(desc)) if tensor == 1 else None

    def bound(self, desc: ReverseSubsequences, tensor: int) -> int | None:
        return self._size(desc) + 1 if tensor == 1 else None

    def _size(self, desc: ReverseSubsequences) -> int:
        sizes = desc.input_tensor.sizes
        return max(0, sizes[desc.axis]) if 0 <= desc.axis < len(sizes) else 0

    def _lengths(
        self, desc: ReverseSubsequences, index: tuple[Indices, ...], read: Reader
    ) -> tuple[tuple[Indices, ...], Indices, Indices]:
        """(length cell, acting length, flags) of each element; all (N,)."""
        cell = put(index, desc.axis, np.zeros_like(index[0]))
        raw = read(1, ravel(cell, desc.sequence_lengths_tensor.sizes))
        n = self._size(desc)
        clamped = raw > n
        return cell, np.where(clamped, n, raw).astype(np.int64), np.where(clamped, CLAMPED, 0).astype(np.int64)

    def map_code(self, desc: ReverseSubsequences) -> MapCode:
        axis, n = desc.axis, desc.input_tensor.sizes[desc.axis]
        index = letters(desc.input_tensor.sizes)
        i = index[axis]
        cell = indexed("SequenceLengthsTensor", put(index, axis, "0"))
        output = indexed("OutputTensor", index)
        if n == 1:
            return MapCode(output, indexed("InputTensor", index))  # nothing to turn around
        source = indexed("InputTensor", put(index, axis, f"L-1-{i} if {i} < L else {i}"))
        return MapCode(output, source, f"L = min({cell}, {n})")

    def source(self, desc: ReverseSubsequences, output: int, index: tuple[Indices, ...], read: Reader) -> Sources:
        cell, length, flags = self._lengths(desc, index, read)
        k = index[desc.axis]
        along = np.where(k < length, length - 1 - k, k)
        return Sources(tensor=np.zeros_like(k), index=put(index, desc.axis, along), via=cell, via_tensor=1, flags=flags)

    def region(self, desc: ReverseSubsequences, tensor: int, index: tuple[int, ...], read: Reader) -> Region:
        sizes = desc.input_tensor.sizes
        if tensor == 1:
            along = range(sizes[desc.axis])
        else:
            # The map is its own inverse, so an element's destination is found as its source would be.
            there = self.source(desc, 0, tuple(np.array([i], np.int64) for i in index), read).index[desc.axis]
            along = range(int(there[0]), int(there[0]) + 1)
        return Region(0, put(single(sizes, index), desc.axis, Factor((sizes[desc.axis],), along)))

    def counts(self, desc: ReverseSubsequences, tensor: int, index: tuple[Indices, ...], read: Reader) -> Indices:
        return np.full_like(index[0], 1 if tensor == 0 else self._size(desc))

    def identity(self, desc: ReverseSubsequences, place: Place, index: tuple[Indices, ...], read: Reader) -> Indices:
        cell = put(index, desc.axis, np.zeros_like(index[0]))
        return ravel(cell, put(desc.input_tensor.sizes, desc.axis, 1))

    def identity_count(self, desc: ReverseSubsequences) -> int:
        return desc.sequence_lengths_tensor.element_count

    def identity_axes(self, desc: ReverseSubsequences, place: Place) -> tuple[int, ...]:
        return tuple(i for i, n in enumerate(desc.input_tensor.sizes) if n > 1 and i != desc.axis)

    def sequence_size(self, desc: ReverseSubsequences) -> int:
        return self._size(desc)

    def sequence_places(
        self, desc: ReverseSubsequences, place: Place, index: tuple[Indices, ...], read: Reader
    ) -> tuple[Indices, Indices] | None:
        if not place.is_output and place.number:
            return None
        _, length, _ = self._lengths(desc, index, read)
        k = index[desc.axis]
        return np.where(k < length, length - 1 - k if place.is_output else k, -1), length

    def placed_by(
        self, desc: ReverseSubsequences, tensor: int, index: tuple[Indices, ...], read: Reader
    ) -> Readers | None:
        if tensor:
            return None
        # The map is its own inverse, so an element's destination is found as its source would be.
        return Readers(np.zeros_like(index[0]), self.source(desc, 0, index, read).index)

    def runs(self, desc: ReverseSubsequences, output: int, read: Reader) -> Starts:
        """A row each, cut where neighbours' lengths differ; whole rows that lie behind every length are one piece.

        Cuts are the same for every sequence, so a short one is cut as often as the longest.
        """
        sizes = desc.input_tensor.sizes
        if desc.sequence_lengths_tensor.element_count > SCAN_LIMIT:
            return {d: range(n) for d, n in enumerate(sizes)}
        if "runs" not in read.cache:
            read.cache["runs"] = self._runs(desc, read)
        starts: Starts = read.cache["runs"]
        return starts

    def _runs(self, desc: ReverseSubsequences, read: Reader) -> Starts:
        sizes, axis = desc.input_tensor.sizes, desc.axis
        n = self._size(desc)
        lengths = np.minimum(read.values[1].array(), n)
        lengths[lengths == 1] = 0  # nothing moves
        cuts: dict[int, range | Indices] = {d: range(sizes[d]) for d in range(axis)}
        cuts[axis] = range(min(int(lengths.max()) + 1, n))
        for last in range(len(sizes) - 1, axis, -1):
            along = np.moveaxis(lengths, last, -1)
            differ = along[..., 1:] != along[..., :-1]
            changes = np.flatnonzero(differ.any(axis=tuple(range(len(sizes) - 1)))) + 1
            if len(changes):
                cuts |= {d: range(sizes[d]) for d in range(axis, last)}
                cuts[last] = np.concatenate([[0], changes]).astype(np.int64)
                break
        return cuts

    def cell_flags(self, desc: ReverseSubsequences, tensor: int, values: Array) -> Indices:
        return np.where(values > self._size(desc), CLAMPED, 0).astype(np.int64)

    def formula(
        self, desc: ReverseSubsequences, output: int, index: tuple[int, ...], read: Reader
    ) -> list[tuple[str, str]]:
        axis, k = desc.axis, index[desc.axis]
        cell = put(index, axis, 0)
        at = int(ravel([np.array([i]) for i in cell], desc.sequence_lengths_tensor.sizes)[0])
        raw, n = read.one(1, at), self._size(desc)
        length = min(raw, n)
        along, way = k, [(" is behind the length = ", "")]
        if k < length:
            along, moved = length - 1 - k, put([str(i) for i in index], axis, f"{length} − 1 − {k}")
            way = [(" = ", ""), (f"InputTensor{brackets(moved)}", ""), (" = ", "")]
        return [
            (f"OutputTensor{brackets(index)}", "output"),
            *way,
            (f"InputTensor{brackets(put(index, axis, along))}", "source"),
            (f"{raw} = ", ""),
            (f"SequenceLengthsTensor{brackets(cell)}" + (f", acts as {n}" if raw > n else ""), "via"),
        ]

    def kernel_numbers(self, desc: ReverseSubsequences) -> tuple[int, ...]:
        """Blocks, rows of a block, lanes of a row; bytes of an item and of a length."""
        sizes, axis = desc.input_tensor.sizes, desc.axis
        outer, inner = math.prod(sizes[:axis]), math.prod(sizes[axis + 1 :])
        item, wide = desc.input_tensor.data_type.item_size, desc.sequence_lengths_tensor.data_type.item_size
        return outer, sizes[axis], inner, item, wide


def _scan(lengths: Values, n: int) -> tuple[Found, int]:
    """The lengths that exceed `n`, and the largest of them."""
    found, largest = Found(), 0
    for start, chunk in lengths.chunks():
        bad = np.flatnonzero(chunk > n)
        if len(bad):
            found.add(bad, start, chunk)
            largest = max(largest, int(chunk.max()))
    return found, largest


OPERATOR = ReverseSubsequencesOperator()
