"""GATHER_ELEMENTS: elements of a tensor along one axis, each picked by an index of its own.

Facts are those of Microsoft's page of DML_GATHER_ELEMENTS_OPERATOR_DESC (MicrosoftDocs/sdk-api, where the rows of 4_1
are), and of DirectML's feature level history (MicrosoftDocs/windows-ai-docs), which names the same levels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..desc.base import Changes, Desc
from ..desc.fields import NumberField, Role, TensorField
from ..desc.indexing import flat_in, put, ravel, unravel
from ..desc.support import T8, T11, support
from ..desc.tensors import DataType, TensorDesc, braces, brackets
from ..desc.values import Array, Fill, Indices, Values
from .base import Operator
from .maps import Factor, Place, Reader, Readers, Region, Sources
from .picking import (
    INDEX_TYPES,
    Keys,
    between,
    bound_of,
    index_fill,
    index_rules,
    is_scanned,
    picked_formula,
    picks,
    reads_of,
    reads_sentence,
    resolve,
    scan_picks,
)
from .registry import operator_of
from .report import Check, Recorder
from .rules import axis_fixes, axis_rule, sizes_rule
from .scans import READ_LIMIT
from .workings import MapCode, Term, indexed, letters

_TENSORS = support(("2_1", 4, 4, T8), ("3_0", 1, 8, T8), ("4_1", 1, 8, T11))
_INDICES = support(("2_1", 4, 4, (DataType.UINT32,)), ("3_0", 1, 8, INDEX_TYPES))


@dataclass(frozen=True)
class GatherElements(Desc):
    """`DML_GATHER_ELEMENTS_OPERATOR_DESC`: `output[i, j] = input[indices[i, j], j]` along `axis` 0."""

    TYPE = "DML_OPERATOR_GATHER_ELEMENTS"
    FIELDS = (
        TensorField("InputTensor", Role.DATA, _TENSORS, about="The tensor that elements are picked from."),
        TensorField(
            "IndicesTensor",
            Role.INDICES,
            _INDICES,
            about="Where along Axis an element is picked, for each place of the output.",
        ),
        TensorField("OutputTensor", Role.OUTPUT, _TENSORS, about="The picked elements: as many as there are indices."),
        NumberField("Axis", is_axis=True, about="The axis of InputTensor that indices count along."),
    )

    input_tensor: TensorDesc
    indices_tensor: TensorDesc
    axis: int
    output_tensor: TensorDesc | None = None

    def infer_output(self) -> TensorDesc | None:
        data, indices = self.input_tensor, self.indices_tensor
        if min((*data.sizes, *indices.sizes), default=0) < 1 or data.dimension_count != indices.dimension_count:
            return None
        return data.resized(indices.sizes)

    def index_sizes(self) -> tuple[int, ...]:
        """The sizes that IndicesTensor must have, where Axis is in range: its own along Axis, else InputTensor's."""
        return put(self.input_tensor.sizes, self.axis, self.indices_tensor.sizes[self.axis])


class GatherElementsOperator(Operator[GatherElements]):
    name = "GATHER_ELEMENTS"
    title = "Picks an element along one axis for each index."
    in_numpy = "np.take_along_axis(x, idx, Axis)"
    desc = GatherElements
    anchor = "InputTensor"
    identity_of = "the source element"
    reads_vary = True
    sentences = {
        "gather_elements.indices": "IndicesTensor has InputTensor's sizes, except along Axis.",
        "gather_elements.sizes": "OutputTensor has the sizes of IndicesTensor: an element for each index.",
        "values.index_range": "An index picks an element along Axis that is there.",
        "note.negative_index": "A negative index counts from the end of Axis.",
    }

    def rules(self, desc: GatherElements, record: Recorder) -> None:
        data, indices, output = desc.input_tensor, desc.indices_tensor, desc.output_tensor
        axis_rule(record, desc.axis, data.dimension_count)
        on = record.failed("axis.range")
        if not on and indices.dimension_count != data.dimension_count:
            on = "dimension_count.equal"
        if on:
            record.wait("gather_elements.indices", "IndicesTensor.Sizes", on)
        else:
            want = desc.index_sizes()
            sizes_rule(
                record,
                "gather_elements.indices",
                "IndicesTensor",
                indices.sizes,
                want,
                f": apart from Axis {desc.axis}, the sizes are InputTensor's {braces(data.sizes)}",
                f"Apart from Axis {desc.axis}, IndicesTensor.Sizes {braces(want)} is InputTensor's.",
                ("IndicesTensor.Sizes", "InputTensor.Sizes"),
            )
        if output is None or output.dimension_count != indices.dimension_count:
            on = "sizes.positive" if output is None and min((*data.sizes, *indices.sizes), default=0) < 1 else ""
            record.wait("gather_elements.sizes", "OutputTensor.Sizes", on or "dimension_count.equal")
            return
        why = ", IndicesTensor's sizes: every index picks one element"
        holds = f"OutputTensor.Sizes {braces(output.sizes)} is IndicesTensor's."
        related = ("OutputTensor.Sizes", "IndicesTensor.Sizes")
        sizes_rule(record, "gather_elements.sizes", "OutputTensor", output.sizes, indices.sizes, why, holds, related)

    def working(self, desc: GatherElements, broken: Check) -> list[Term]:
        if broken.id != "gather_elements.indices":
            return []
        sizes, axis = desc.input_tensor.sizes, desc.axis
        return [
            Term(f"InputTensor.Sizes[:{axis}]", braces(sizes[:axis])),
            Term("", "+"),
            Term(f"IndicesTensor.Sizes[{axis}]", braces(desc.indices_tensor.sizes[axis : axis + 1])),
            Term("", "+"),
            Term(f"InputTensor.Sizes[{axis + 1}:]", braces(sizes[axis + 1 :])),
            Term("", "="),
            Term("", braces(desc.index_sizes())),
        ]

    def fixes(self, desc: GatherElements, broken: Check) -> Iterator[Changes]:
        data, indices, n = desc.input_tensor, desc.indices_tensor, desc.input_tensor.dimension_count
        if broken.id == "axis.range":
            yield from axis_fixes(desc.axis, n)
        if broken.id == "gather_elements.indices":
            yield from ({"Axis": axis} for axis in range(n) if axis != desc.axis)
            yield {"IndicesTensor": indices.resized(desc.index_sizes())}
            yield {"InputTensor": data.resized(put(indices.sizes, desc.axis, data.sizes[desc.axis]))}
        if broken.id == "gather_elements.sizes":
            yield {"OutputTensor": None}
            yield {"IndicesTensor": indices.resized(broken.found)}

    def turned(self, desc: GatherElements) -> Iterator[Desc]:
        gather, indices, output = operator_of("DML_OPERATOR_GATHER").desc, desc.indices_tensor, desc.output_tensor
        if output is not None and "OutputTensor" not in desc.inferred:
            for counted in range(indices.dimension_count + 1):
                yield gather(desc.input_tensor, indices, desc.axis, counted, output)

    def at_values(self, desc: GatherElements, read: Reader) -> list[str]:
        """Which elements are read most often and which never; none above `READ_LIMIT` elements or indices."""
        count, most = desc.indices_tensor.element_count, desc.input_tensor.element_count
        if max(count, most) > READ_LIMIT:
            return []
        reads = np.bincount(self._picked(desc, np.arange(count, dtype=np.int64), read), minlength=most)
        sizes = desc.input_tensor.sizes

        def name(element: int) -> str:
            return f"element {brackets(int(i[0]) for i in unravel(np.array([element]), sizes))}"

        return [reads_sentence(reads, "element", name)]

    def value_rules(self, desc: GatherElements, values: Sequence[Values | None], record: Recorder) -> None:
        beyond = "the page doesn't say what they pick, here they are clamped, as GATHER's page has it."
        index_rules(record, desc.input_tensor, desc.indices_tensor, desc.axis, values[1], beyond)

    def default_fill(self, desc: GatherElements, tensor: int) -> Fill | None:
        return index_fill(desc.input_tensor, desc.axis, tensor)

    def bound(self, desc: GatherElements, tensor: int) -> int | None:
        return bound_of(desc.input_tensor, desc.axis) if tensor == 1 else None

    # Maps.

    def _resolved(
        self, desc: GatherElements, cell: tuple[Indices, ...], read: Reader
    ) -> tuple[tuple[Indices, ...], Indices]:
        """(the element that each index cell picks, flags)."""
        raw = read(1, ravel(cell, desc.indices_tensor.sizes))
        picked, flags = resolve(raw, desc.input_tensor.sizes[desc.axis])
        return put(cell, desc.axis, picked), flags

    def _picked(self, desc: GatherElements, cells: Indices, read: Reader) -> Indices:
        """The flat element that each flat index cell picks."""
        picked, _ = self._resolved(desc, unravel(cells, desc.indices_tensor.sizes), read)
        return ravel(picked, desc.input_tensor.sizes)

    def map_code(self, desc: GatherElements) -> MapCode:
        cell = letters(desc.indices_tensor.sizes)
        picked = indexed("IndicesTensor", cell)
        return MapCode(indexed("OutputTensor", cell), indexed("InputTensor", put(cell, desc.axis, picked)))

    def source(self, desc: GatherElements, output: int, index: tuple[Indices, ...], read: Reader) -> Sources:
        picked, flags = self._resolved(desc, index, read)
        return Sources(np.zeros_like(index[0]), picked, via=index, via_tensor=1, flags=flags)

    def prepared(self, desc: GatherElements, read: Reader) -> bool:
        return is_scanned(desc.indices_tensor.element_count, read)

    def prepare(self, desc: GatherElements, read: Reader) -> None:
        scan_picks(*self._scan(desc, read))

    def _scan(self, desc: GatherElements, read: Reader) -> tuple[int, int, Keys, Reader]:
        """What a scan is made of: how many indices there are, and below which number the element that each picks."""
        count, most = desc.indices_tensor.element_count, desc.input_tensor.element_count
        return count, most, lambda cells: self._picked(desc, cells, read), read

    def region(self, desc: GatherElements, tensor: int, index: tuple[int, ...], read: Reader) -> Region | None:
        sizes, axis = desc.indices_tensor.sizes, desc.axis
        factors = [Factor((n,), range(i, i + 1)) for n, i in zip(sizes, index, strict=True)]
        if tensor == 0:
            found = picks(*self._scan(desc, read))
            if found is None:
                return None
            low, high = between(found[0], np.array([flat_in(index, desc.input_tensor.sizes)], np.int64))
            cells = found[1][int(low[0]) : int(high[0])].astype(np.int64)
            factors[axis] = Factor((sizes[axis],), unravel(cells, sizes)[axis])
        return Region(0, tuple(factors))

    def counts(self, desc: GatherElements, tensor: int, index: tuple[Indices, ...], read: Reader) -> Indices:
        if tensor == 1:
            return np.ones_like(index[0])
        found = picks(*self._scan(desc, read))
        return reads_of(found, desc.indices_tensor.element_count, ravel(index, desc.input_tensor.sizes), read)

    # The picture: an element has one colour wherever it goes, and so has the index that picks it.

    def identity(self, desc: GatherElements, place: Place, index: tuple[Indices, ...], read: Reader) -> Indices:
        at = self._resolved(desc, index, read)[0] if place.is_output or place.number == 1 else index
        return ravel(at, desc.input_tensor.sizes)

    def named_by(self, desc: GatherElements, tensor: int, index: tuple[Indices, ...], read: Reader) -> Readers | None:
        return Readers(np.zeros_like(index[0]), index) if tensor == 1 else None

    def identity_count(self, desc: GatherElements) -> int:
        return desc.input_tensor.element_count

    def identity_axes(self, desc: GatherElements, place: Place) -> tuple[int, ...]:
        is_data = not place.is_output and place.number == 0
        sizes = desc.input_tensor.sizes if is_data else desc.indices_tensor.sizes
        return tuple(d for d, n in enumerate(sizes) if n > 1)

    def cell_flags(self, desc: GatherElements, tensor: int, values: Array) -> Indices:
        return resolve(values, desc.input_tensor.sizes[desc.axis])[1]

    def axis_roles(self, desc: GatherElements, place: Place) -> dict[int, str]:
        return {desc.axis: "Axis"}

    def formula(self, desc: GatherElements, output: int, index: tuple[int, ...], read: Reader) -> list[tuple[str, str]]:
        cell = tuple(np.array([i], np.int64) for i in index)
        source = tuple(int(i[0]) for i in self._resolved(desc, cell, read)[0])
        raw = read.one(1, flat_in(index, desc.indices_tensor.sizes))
        named = f"OutputTensor{brackets(index)}", f"IndicesTensor{brackets(index)}"
        return picked_formula(*named, source, desc.axis, raw, desc.input_tensor.sizes[desc.axis])

    def kernel_numbers(self, desc: GatherElements) -> tuple[int, ...]:
        """Blocks, rows of a block in the input and in the output, lanes of a row; bytes of an item and of an index, and
        whether that has a sign."""
        sizes, axis, kind = desc.input_tensor.sizes, desc.axis, desc.indices_tensor.data_type
        outer, inner = math.prod(sizes[:axis]), math.prod(sizes[axis + 1 :])
        item = desc.input_tensor.data_type.item_size
        return outer, sizes[axis], desc.indices_tensor.sizes[axis], inner, item, kind.item_size, int(kind.is_signed)


OPERATOR = GatherElementsOperator()
