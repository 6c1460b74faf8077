"""REVERSE_SUBSEQUENCES: the first `len` elements of every sequence along one axis, reversed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..desc.base import Changes, Desc
from ..desc.fields import Field, Role, TensorField
from ..desc.indexing import arrays_of, flat_in, put, ravel
from ..desc.support import T8, T11, support
from ..desc.tensors import DataType, TensorDesc, brackets
from ..desc.values import Array, Constant, Fill, Index, Indices, Values
from .base import Operator
from .maps import CLAMPED, Factor, Place, Reader, Readers, Region, Sources, Starts, single
from .picking import outside_rule, scan
from .report import Check, Recorder
from .rules import axis_rule, sizes_rule, tensor_for
from .scans import SCAN_LIMIT, scanned_along
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
        Field(
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
        sizes = desc.input_tensor.sizes
        n = desc.input_tensor.dimension_count
        lengths = "SequenceLengthsTensor"
        axis = desc.axis
        axis_rule(record, axis, n)
        on = record.failed("axis.range")
        tensor = tensor_for(record, "lengths.sizes", lengths, desc.sequence_lengths_tensor, n, on)
        if tensor is not None:
            why = f": InputTensor's sizes with 1 at Axis {axis}, one length for each sequence"
            want = put(sizes, axis, 1)
            sizes_rule(record, "lengths.sizes", lengths, tensor.sizes, want, why, "InputTensor.Sizes")
        output = tensor_for(record, "sizes.equal", "OutputTensor", desc.output_tensor, n, None, "sizes.positive")
        if output is not None:
            why = ", InputTensor's sizes"
            sizes_rule(record, "sizes.equal", "OutputTensor", output.sizes, sizes, why, "InputTensor.Sizes")

    def value_rules(self, desc: ReverseSubsequences, values: Sequence[Values | None], record: Recorder) -> None:
        path, data = "SequenceLengthsTensor", desc.input_tensor
        found = scanned_along(record, "values.length_clamped", desc, values[1], lambda v, n: scan(v, n + 1)[0])
        if found is not None and values[1] is not None:
            n, tensor = data.sizes[desc.axis], values[1].tensor
            act = f"such a length counts as {n}, the size of Axis {desc.axis}."
            outside_rule(record, "values.length_clamped", path, "lengths", found, tensor, f"[0, {n}]", act)

    def fixes(self, desc: ReverseSubsequences, broken: Check) -> Iterator[Changes]:
        whole = desc.input_tensor
        lengths = desc.sequence_lengths_tensor
        wrong = broken.id == "dimension_count.equal" and broken.field.startswith("SequenceLengthsTensor")
        if wrong and 0 <= desc.axis < whole.dimension_count:
            yield {"SequenceLengthsTensor": lengths.resized(put(whole.sizes, desc.axis, 1))}
        if broken.id == "sizes.equal":
            yield {"OutputTensor": None}

    def default_fill(self, desc: ReverseSubsequences, tensor: int) -> Fill | None:
        return Constant(self._size(desc)) if tensor == 1 else None

    def bound(self, desc: ReverseSubsequences, tensor: int) -> int | None:
        return self._size(desc) + 1 if tensor == 1 else None

    def _size(self, desc: ReverseSubsequences) -> int:
        sizes = desc.input_tensor.sizes
        return max(0, sizes[desc.axis]) if 0 <= desc.axis < len(sizes) else 0

    def _lengths(self, desc: ReverseSubsequences, index: Index, read: Reader) -> tuple[Index, Indices, Indices]:
        """(length cell, acting length, flags) of each element; all (N,)."""
        cell = put(index, desc.axis, np.zeros_like(index[0]))
        raw = read(1, ravel(cell, desc.sequence_lengths_tensor.sizes))
        return cell, np.minimum(raw, self._size(desc)).astype(np.int64), self.cell_flags(desc, 1, raw)

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

    def source(self, desc: ReverseSubsequences, output: int, index: Index, read: Reader) -> Sources:
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
            there = self.source(desc, 0, arrays_of(index), read).index[desc.axis]
            along = range(int(there[0]), int(there[0]) + 1)
        return Region(0, put(single(sizes, index), desc.axis, Factor((sizes[desc.axis],), along)))

    def counts(self, desc: ReverseSubsequences, tensor: int, index: Index, read: Reader) -> Indices:
        return np.full_like(index[0], 1 if tensor == 0 else self._size(desc))

    def identity(self, desc: ReverseSubsequences, place: Place, index: Index, read: Reader) -> Indices:
        return ravel(put(index, desc.axis, np.zeros_like(index[0])), put(desc.input_tensor.sizes, desc.axis, 1))

    def identity_count(self, desc: ReverseSubsequences) -> int:
        return desc.sequence_lengths_tensor.element_count

    def identity_axes(self, desc: ReverseSubsequences, place: Place) -> tuple[int, ...]:
        return tuple(i for i, n in enumerate(desc.input_tensor.sizes) if n > 1 and i != desc.axis)

    def sequence_size(self, desc: ReverseSubsequences) -> int:
        return self._size(desc)

    def sequence_places(
        self, desc: ReverseSubsequences, place: Place, index: Index, read: Reader
    ) -> tuple[Indices, Indices] | None:
        if not place.is_output and place.number:
            return None
        _, length, _ = self._lengths(desc, index, read)
        k = index[desc.axis]
        return np.where(k < length, length - 1 - k if place.is_output else k, -1), length

    def placed_by(self, desc: ReverseSubsequences, tensor: int, index: Index, read: Reader) -> Readers | None:
        # The map is its own inverse, so an element's destination is found as its source would be.
        return None if tensor else Readers(np.zeros_like(index[0]), self.source(desc, 0, index, read).index)

    def runs(self, desc: ReverseSubsequences, output: int, read: Reader) -> Starts:
        """A row each, cut where neighbours' lengths differ; whole rows that lie behind every length are one piece.

        Cuts are the same for every sequence, so a short one is cut as often as the longest.
        """
        sizes = desc.input_tensor.sizes
        if desc.sequence_lengths_tensor.element_count > SCAN_LIMIT:
            return {d: range(n) for d, n in enumerate(sizes)}
        return read.kept("runs", lambda: self._runs(desc, read))

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
        cell, n = put(index, axis, 0), self._size(desc)
        raw = read.one(1, flat_in(cell, desc.sequence_lengths_tensor.sizes))
        length = min(raw, n)
        along, way = k, [(" is after the length = ", "")]
        if k < length:
            along = length - 1 - k
            moved = put([str(i) for i in index], axis, f"{length} − 1 − {k}")
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
        outer = math.prod(sizes[:axis])
        inner = math.prod(sizes[axis + 1 :])
        item = desc.input_tensor.data_type.item_size
        wide = desc.sequence_lengths_tensor.data_type.item_size
        return outer, sizes[axis], inner, item, wide


OPERATOR = ReverseSubsequencesOperator()
