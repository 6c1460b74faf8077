"""FLIP: every sequence along one axis, back to front. It declares no more than it has to."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dmlviz.desc.base import Desc
from dmlviz.desc.fields import Field, Role, TensorField
from dmlviz.desc.indexing import put
from dmlviz.desc.support import T11, support
from dmlviz.desc.tensors import TensorDesc
from dmlviz.desc.values import Indices
from dmlviz.operators.base import Operator
from dmlviz.operators.maps import Factor, Reader, Region, Sources
from dmlviz.operators.report import Recorder
from dmlviz.operators.rules import axis_rule

_TENSORS = support(("2_1", 4, 4, T11), ("5_1", 1, 8, T11))


@dataclass(frozen=True)
class Flip(Desc):
    TYPE = "DML_OPERATOR_FLIP"
    FIELDS = (
        TensorField("InputTensor", Role.DATA, _TENSORS),
        TensorField("OutputTensor", Role.OUTPUT, _TENSORS),
        Field("Axis", is_axis=True),
    )

    input_tensor: TensorDesc
    axis: int
    output_tensor: TensorDesc | None = None

    def infer_output(self) -> TensorDesc:
        return self.input_tensor


class FlipOperator(Operator[Flip]):
    name = "FLIP"
    title = "Turns a tensor round along one axis."
    desc = Flip
    anchor = "InputTensor"

    def rules(self, desc: Flip, record: Recorder) -> None:
        axis_rule(record, desc.axis, desc.input_tensor.dimension_count)
        assert desc.output_tensor is not None
        found, want = desc.output_tensor.sizes, desc.input_tensor.sizes
        if len(found) != len(want):
            record.wait("sizes.equal", "OutputTensor.Sizes", "dimension_count.equal")
            return
        message = f"OutputTensor.Sizes is {found}, expected {want}, InputTensor's sizes."
        record.expect("sizes.equal", found == want, "OutputTensor.Sizes", list(want), list(found), message)

    def source(self, desc: Flip, output: int, index: tuple[Indices, ...], read: Reader) -> Sources:
        turned = desc.input_tensor.sizes[desc.axis] - 1 - index[desc.axis]
        return Sources(np.zeros_like(index[0]), put(index, desc.axis, turned))

    def region(self, desc: Flip, tensor: int, index: tuple[int, ...], read: Reader) -> Region:
        sizes = desc.input_tensor.sizes
        at = put(index, desc.axis, sizes[desc.axis] - 1 - index[desc.axis])
        return Region(0, tuple(Factor((n,), range(i, i + 1)) for n, i in zip(sizes, at, strict=True)))

    def kernel_numbers(self, desc: Flip) -> tuple[int, ...]:
        sizes, axis = desc.input_tensor.sizes, desc.axis
        run = math.prod(sizes[axis + 1 :]) * desc.input_tensor.data_type.item_size
        return math.prod(sizes[:axis]), sizes[axis], run


OPERATOR = FlipOperator()
