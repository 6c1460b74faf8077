"""FRAME: a tensor with a border of one value around it, which comes from no input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dmlviz.desc.base import Changes, Desc
from dmlviz.desc.fields import CountField, NumberField, NumbersField, Role, TensorField
from dmlviz.desc.support import T11, support
from dmlviz.desc.tensors import TensorDesc
from dmlviz.desc.values import Indices, element_of
from dmlviz.operators.base import Operator
from dmlviz.operators.maps import NOWHERE, Factor, Reader, Region, Sources
from dmlviz.operators.report import Check, Recorder
from dmlviz.operators.rules import count_matches, sizes_text

_TENSORS = support(("1_0", 4, 4, T11), ("4_0", 1, 8, T11))


@dataclass(frozen=True)
class Frame(Desc):
    TYPE = "DML_OPERATOR_FRAME"
    FIELDS = (
        TensorField("InputTensor", Role.DATA, _TENSORS),
        TensorField("OutputTensor", Role.OUTPUT, _TENSORS),
        NumberField("BorderValue", signed=True),
        CountField("BordersCount", of="Borders"),
        NumbersField("Borders", per_axis=True, neutral=0),
    )

    input_tensor: TensorDesc
    border_value: int
    borders: Sequence[int]
    output_tensor: TensorDesc | None = None
    borders_count: int | None = None

    def infer_output(self) -> TensorDesc | None:
        if len(self.borders) != self.input_tensor.dimension_count:
            return None
        return self.input_tensor.resized(
            [n + 2 * border for n, border in zip(self.input_tensor.sizes, self.borders, strict=True)]
        )


class FrameOperator(Operator[Frame]):
    name = "FRAME"
    title = "Puts a border around a tensor."
    desc = Frame
    anchor = "InputTensor"
    constant_path = "BorderValue"

    def rules(self, desc: Frame, record: Recorder) -> None:
        data, output, n = desc.input_tensor.sizes, desc.output_tensor, desc.input_tensor.dimension_count
        count_matches(record, desc, "BordersCount")
        count = len(desc.borders)
        message = f"Borders has {count} entries, expected {n}."
        record.expect("borders.count", count == n, "Borders", n, count, message)
        on = record.failed("count.matches", "borders.count", "dimension_count.equal")
        if output is None or on:
            record.wait("frame.sizes", "OutputTensor.Sizes", on or "borders.count")
            return
        want = [size + 2 * border for size, border in zip(data, desc.borders, strict=True)]
        field, said = sizes_text(output.sizes, want, "OutputTensor")
        same = list(output.sizes) == want
        message = "OutputTensor.Sizes are InputTensor's and a border at either end." if same else f"{said}."
        record.expect("frame.sizes", same, field, want, list(output.sizes), message)

    def fixes(self, desc: Frame, broken: Check) -> Iterator[Changes]:
        if broken.id == "borders.count":
            n = desc.input_tensor.dimension_count
            yield {"Borders": ((0,) * n + tuple(desc.borders))[len(desc.borders) :], "BordersCount": None}
        yield {}

    def source(self, desc: Frame, output: int, index: tuple[Indices, ...], read: Reader) -> Sources:
        at = tuple(i - border for i, border in zip(index, desc.borders, strict=True))
        inside = np.ones(len(index[0]), np.bool_)
        for i, n in zip(at, desc.input_tensor.sizes, strict=True):
            inside &= (i >= 0) & (i < n)
        return Sources(np.where(inside, 0, NOWHERE), tuple(np.where(inside, i, 0) for i in at))

    def constant(self, desc: Frame, output: int) -> int | None:
        return desc.border_value if any(desc.borders) else None

    def region(self, desc: Frame, tensor: int, index: tuple[int, ...], read: Reader) -> Region:
        assert desc.output_tensor is not None
        rows = zip(desc.output_tensor.sizes, index, desc.borders, strict=True)
        return Region(0, tuple(Factor((n,), range(i + border, i + border + 1)) for n, i, border in rows))

    def kernel_numbers(self, desc: Frame) -> tuple[int, ...]:
        data = desc.input_tensor
        value = int.from_bytes(element_of(desc.border_value, data.data_type).tobytes(), "little", signed=True)
        rows = zip(data.sizes, desc.borders, strict=True)
        return data.data_type.item_size, value, *(number for row in rows for number in row)


OPERATOR = FrameOperator()
