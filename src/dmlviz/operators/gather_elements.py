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
from ..desc.fields import Field, Role, TensorField
from ..desc.indexing import put, ravel, unravel
from ..desc.support import T8, T11, support
from ..desc.tensors import DataType, TensorDesc, braces
from ..desc.values import Index, Indices
from .maps import Factor, Place, Reader, Readers, Region, single
from .picking import INDEX_TYPES, PickingOperator, Picks, T
from .registry import operator_of
from .report import Check, Recorder
from .rules import axis_rule, sizes_rule, tensor_for

_TENSORS = support(("2_1", 4, 4, T8), ("3_0", 1, 8, T8), ("4_1", 1, 8, T11))
_INDICES = support(("2_1", 4, 4, (DataType.UINT32,)), ("3_0", 1, 8, INDEX_TYPES))


@dataclass(frozen=True)
class GatherElements(Picks):
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
        Field("Axis", is_axis=True, about="The axis of InputTensor that indices count along."),
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


class GatherElementsOperator(PickingOperator[GatherElements]):
    name = "GATHER_ELEMENTS"
    title = "Picks an element along one axis for each index."
    in_numpy = "np.take_along_axis(x, idx, Axis)"
    desc = GatherElements
    identity_of = "the source element"
    beyond = "the page doesn't say what it picks; here such an index is clamped, as in GATHER."
    sentences = {
        "gather_elements.indices": "IndicesTensor has InputTensor's sizes, except along Axis.",
        "gather_elements.sizes": "OutputTensor has the sizes of IndicesTensor: an element for each index.",
        "values.index_range": "Each index picks an element that exists along Axis.",
        "note.negative_index": "A negative index counts from the end of Axis.",
    }

    def rules(self, desc: GatherElements, record: Recorder) -> None:
        data = desc.input_tensor
        indices = desc.indices_tensor
        n = data.dimension_count
        axis_rule(record, desc.axis, n)
        on = record.failed("axis.range")
        if tensor_for(record, "gather_elements.indices", "IndicesTensor", indices, n, on) is not None:
            want = desc.index_sizes()
            why = f": apart from Axis {desc.axis}, InputTensor's sizes {braces(data.sizes)}"
            id_ = "gather_elements.indices"
            related = "InputTensor.Sizes"
            sizes_rule(record, id_, "IndicesTensor", indices.sizes, want, why, related)
        id_ = "gather_elements.sizes"
        count = indices.dimension_count
        without = "sizes.positive" if min((*data.sizes, *indices.sizes), default=0) < 1 else "dimension_count.equal"
        output = tensor_for(record, id_, "OutputTensor", desc.output_tensor, count, None, without)
        if output is not None:
            why = ", IndicesTensor's sizes: every index picks one element"
            related = "IndicesTensor.Sizes"
            sizes_rule(record, id_, "OutputTensor", output.sizes, indices.sizes, why, related)

    def fixes(self, desc: GatherElements, broken: Check) -> Iterator[Changes]:
        data = desc.input_tensor
        indices = desc.indices_tensor
        axis = desc.axis
        if broken.id == "gather_elements.indices":
            yield {"InputTensor": data.resized(put(indices.sizes, axis, data.sizes[axis]))}
        if broken.id == "gather_elements.sizes":
            yield {}
            yield {"IndicesTensor": indices.resized(broken.found)}

    def turned(self, desc: GatherElements) -> Iterator[Desc]:
        gather = operator_of("DML_OPERATOR_GATHER").desc
        indices = desc.indices_tensor
        output = desc.output_tensor
        if output is not None and "OutputTensor" not in desc.inferred:
            for counted in range(indices.dimension_count + 1):
                yield gather(desc.input_tensor, indices, desc.axis, counted, output)

    # Maps.

    def around(self, desc: GatherElements, index: Sequence[T], zero: T) -> tuple[Sequence[T], Sequence[T], Sequence[T]]:
        return index[: desc.axis], index, index[desc.axis + 1 :]

    def region(self, desc: GatherElements, tensor: int, index: tuple[int, ...], read: Reader) -> Region | None:
        sizes, axis = desc.indices_tensor.sizes, desc.axis
        factors = [*single(sizes, index)]
        if tensor == 0:
            cells = self.cells_that_pick(desc, index, read)
            if cells is None:
                return None
            factors[axis] = Factor((sizes[axis],), unravel(cells.astype(np.int64), sizes)[axis])
        return Region(0, tuple(factors))

    # The picture: an element has one colour wherever it goes, and so has the index that picks it.

    def identity(self, desc: GatherElements, place: Place, index: Index, read: Reader) -> Indices:
        picks = place.is_output or place.number == 1
        at = put(index, desc.axis, self.resolved(desc, index, read)[0]) if picks else index
        return ravel(at, desc.input_tensor.sizes)

    def named_by(self, desc: GatherElements, tensor: int, index: Index, read: Reader) -> Readers | None:
        return Readers(np.zeros_like(index[0]), index) if tensor == 1 else None

    def identity_count(self, desc: GatherElements) -> int:
        return desc.input_tensor.element_count

    def identity_axes(self, desc: GatherElements, place: Place) -> tuple[int, ...]:
        is_data = not place.is_output and place.number == 0
        sizes = desc.input_tensor.sizes if is_data else desc.indices_tensor.sizes
        return tuple(d for d, n in enumerate(sizes) if n > 1)

    def kernel_numbers(self, desc: GatherElements) -> tuple[int, ...]:
        """Blocks, rows of a block in the input and in the output, lanes of a row; bytes of an item and of an index, and
        whether that has a sign."""
        sizes = desc.input_tensor.sizes
        axis = desc.axis
        kind = desc.indices_tensor.data_type
        outer = math.prod(sizes[:axis])
        inner = math.prod(sizes[axis + 1 :])
        item = desc.input_tensor.data_type.item_size
        return outer, sizes[axis], desc.indices_tensor.sizes[axis], inner, item, kind.item_size, int(kind.is_signed)


OPERATOR = GatherElementsOperator()
