"""PICK: indices of the output's sizes pick along Axis. Of the picture it declares nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dmlviz.desc.base import Changes, Desc
from dmlviz.desc.fields import NumberField, Role, TensorField
from dmlviz.desc.indexing import put, ravel
from dmlviz.desc.support import T11, support
from dmlviz.desc.tensors import DataType, TensorDesc
from dmlviz.desc.values import Cycle, Fill, Indices
from dmlviz.operators.base import Operator
from dmlviz.operators.maps import Factor, Reader, Region, Sources
from dmlviz.operators.report import Check, Recorder
from dmlviz.operators.rules import axis_rule, sizes_rule, tensor_for

_TENSORS = support(("1_0", 4, 4, T11), ("4_0", 1, 8, T11))
_INDICES = support(("1_0", 4, 4, (DataType.UINT32,)), ("4_0", 1, 8, (DataType.UINT32,)))


@dataclass(frozen=True)
class Pick(Desc):
    TYPE = "DML_OPERATOR_PICK"
    FIELDS = (
        TensorField("InputTensor", Role.DATA, _TENSORS),
        TensorField("IndicesTensor", Role.INDICES, _INDICES),
        TensorField("OutputTensor", Role.OUTPUT, _TENSORS),
        NumberField("Axis", is_axis=True),
    )

    input_tensor: TensorDesc
    indices_tensor: TensorDesc
    axis: int
    output_tensor: TensorDesc | None = None

    def infer_output(self) -> TensorDesc | None:
        return self.input_tensor.resized(self.indices_tensor.sizes)

    @property
    def size(self) -> int:
        """That of Axis; 1 where there is no such."""
        sizes = self.input_tensor.sizes
        return max(1, sizes[self.axis]) if 0 <= self.axis < len(sizes) else 1


class PickOperator(Operator[Pick]):
    name = "PICK"
    title = "Picks an element along Axis for each index."
    desc = Pick
    anchor = "InputTensor"
    reads_vary = True

    def rules(self, desc: Pick, record: Recorder) -> None:
        data, indices, n = desc.input_tensor.sizes, desc.indices_tensor.sizes, desc.input_tensor.dimension_count
        axis_rule(record, desc.axis, n)
        on = record.failed("axis.range", "dimension_count.equal")
        if tensor_for(record, "pick.sizes", "IndicesTensor", desc.indices_tensor, n, on):
            want = put(data, desc.axis, indices[desc.axis])
            sizes_rule(record, "pick.sizes", "IndicesTensor", indices, want, ", InputTensor's but along Axis")
        output = tensor_for(record, "pick.output", "OutputTensor", desc.output_tensor, len(indices), None)
        if output is not None:
            sizes_rule(record, "pick.output", "OutputTensor", output.sizes, indices, ", those of IndicesTensor")

    def fixes(self, desc: Pick, broken: Check) -> Iterator[Changes]:
        if broken.id == "pick.sizes":
            yield {"IndicesTensor": desc.indices_tensor.resized(broken.expected)}
        yield {}

    def default_fill(self, desc: Pick, tensor: int) -> Fill | None:
        return Cycle(desc.size) if tensor == 1 else None

    def bound(self, desc: Pick, tensor: int) -> int | None:
        return desc.size if tensor == 1 else None

    def _picked(self, desc: Pick, index: tuple[Indices, ...], read: Reader) -> Indices:
        cells = read(1, ravel(index, desc.indices_tensor.sizes))
        picked: Indices = np.minimum(cells, desc.size - 1).astype(np.int64)
        return picked

    def source(self, desc: Pick, output: int, index: tuple[Indices, ...], read: Reader) -> Sources:
        at = put(index, desc.axis, self._picked(desc, index, read))
        return Sources(np.zeros_like(index[0]), at, via=index, via_tensor=1)

    def region(self, desc: Pick, tensor: int, index: tuple[int, ...], read: Reader) -> Region:
        sizes = desc.indices_tensor.sizes
        factors = [Factor((n,), range(i, i + 1)) for n, i in zip(sizes, index, strict=True)]
        if tensor == 0:
            along = np.arange(sizes[desc.axis], dtype=np.int64)
            line = tuple(np.full_like(along, i) if d != desc.axis else along for d, i in enumerate(index))
            here = np.flatnonzero(self._picked(desc, line, read) == index[desc.axis])
            factors[desc.axis] = Factor((sizes[desc.axis],), here)
        return Region(0, tuple(factors))

    def kernel_numbers(self, desc: Pick) -> tuple[int, ...]:
        tensors = desc.input_tensor.sizes, desc.indices_tensor.sizes
        return desc.input_tensor.data_type.item_size, desc.axis, *tensors[0], *tensors[1]


OPERATOR = PickOperator()
