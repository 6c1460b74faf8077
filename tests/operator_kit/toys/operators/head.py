"""HEAD: the beginning of a tensor, as large as the output is given. It declares no more than it has to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dmlviz.desc.base import Desc
from dmlviz.desc.fields import Role, TensorField
from dmlviz.desc.support import T11, support
from dmlviz.desc.tensors import TensorDesc
from dmlviz.desc.values import Indices
from dmlviz.operators.base import Operator
from dmlviz.operators.maps import Factor, Reader, Region, Sources
from dmlviz.operators.report import Recorder

_TENSORS = support(("1_0", 4, 4, T11), ("4_0", 1, 8, T11))


@dataclass(frozen=True)
class Head(Desc):
    TYPE = "DML_OPERATOR_HEAD"
    FIELDS = (TensorField("InputTensor", Role.DATA, _TENSORS), TensorField("OutputTensor", Role.OUTPUT, _TENSORS))

    input_tensor: TensorDesc
    output_tensor: TensorDesc | None = None

    def infer_output(self) -> TensorDesc:
        return self.input_tensor


class HeadOperator(Operator[Head]):
    name = "HEAD"
    title = "Takes the beginning of a tensor."
    desc = Head
    anchor = "InputTensor"

    def rules(self, desc: Head, record: Recorder) -> None:
        data, output = desc.input_tensor.sizes, desc.output_tensor
        assert output is not None
        fits = all(size <= n for size, n in zip(output.sizes, data, strict=False))
        message = f"OutputTensor.Sizes is {list(output.sizes)}, expected no more than {list(data)}."
        record.expect("head.sizes", fits, "OutputTensor.Sizes", list(data), list(output.sizes), message)

    def source(self, desc: Head, output: int, index: tuple[Indices, ...], read: Reader) -> Sources:
        return Sources(np.zeros_like(index[0]), index)

    def region(self, desc: Head, tensor: int, index: tuple[int, ...], read: Reader) -> Region:
        assert desc.output_tensor is not None
        rows = zip(desc.output_tensor.sizes, index, strict=True)
        return Region(0, tuple(Factor((n,), range(i, i + 1) if i < n else range(0)) for n, i in rows))

    def kernel_numbers(self, desc: Head) -> tuple[int, ...]:
        assert desc.output_tensor is not None
        return desc.input_tensor.data_type.item_size, *desc.input_tensor.sizes, *desc.output_tensor.sizes


OPERATOR = HeadOperator()
