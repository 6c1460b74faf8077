"""ROLL: every axis turned by a shift that has a sign; a shift of 0 leaves it as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dmlviz.desc.base import Changes, Desc
from dmlviz.desc.fields import CountField, NumbersField, Role, TensorField
from dmlviz.desc.support import T11, support
from dmlviz.desc.tensors import TensorDesc
from dmlviz.desc.values import Indices
from dmlviz.operators.base import Operator
from dmlviz.operators.maps import Factor, Reader, Region, Sources
from dmlviz.operators.report import Check, Recorder
from dmlviz.operators.rules import count_matches, sizes_text

_TENSORS = support(("1_0", 4, 4, T11), ("4_0", 1, 8, T11))


@dataclass(frozen=True)
class Roll(Desc):
    TYPE = "DML_OPERATOR_ROLL"
    FIELDS = (
        TensorField("InputTensor", Role.DATA, _TENSORS),
        TensorField("OutputTensor", Role.OUTPUT, _TENSORS),
        CountField("ShiftsCount", of="Shifts"),
        NumbersField("Shifts", per_axis=True, signed=True, neutral=0),
    )

    input_tensor: TensorDesc
    shifts: Sequence[int]
    output_tensor: TensorDesc | None = None
    shifts_count: int | None = None

    def infer_output(self) -> TensorDesc:
        return self.input_tensor


class RollOperator(Operator[Roll]):
    name = "ROLL"
    title = "Turns every axis round by a shift."
    desc = Roll
    anchor = "InputTensor"

    def rules(self, desc: Roll, record: Recorder) -> None:
        sizes, output = desc.input_tensor.sizes, desc.output_tensor
        count_matches(record, desc, "ShiftsCount")
        counted, n = len(desc.shifts), len(sizes)
        message = f"Shifts has {counted} entries, expected {n}."
        record.expect("shifts.count", counted == n, "Shifts", n, counted, message)
        far = [d for d, (shift, size) in enumerate(zip(desc.shifts, sizes, strict=False)) if not -size < shift < size]
        field = f"Shifts[{far[0]}]" if len(far) == 1 else "Shifts"
        message = f"{field} goes too far, expected less than the axis has." if far else "Shifts go less than round."
        marks = [f"Shifts[{d}]" for d in far]
        record.expect("shifts.range", not far, field, "less", list(desc.shifts), message, related=marks)
        assert output is not None
        field, said = sizes_text(output.sizes, sizes, "OutputTensor")
        message = "OutputTensor.Sizes are InputTensor's." if output.sizes == sizes else f"{said}."
        record.expect("sizes.equal", output.sizes == sizes, field, list(sizes), list(output.sizes), message)

    def fixes(self, desc: Roll, broken: Check) -> Iterator[Changes]:
        if broken.id == "shifts.count":
            n = desc.input_tensor.dimension_count
            yield {"Shifts": ((0,) * n + tuple(desc.shifts))[len(desc.shifts) :], "ShiftsCount": None}
        if broken.id == "shifts.range":
            sizes = desc.input_tensor.sizes
            yield {"Shifts": [shift % max(size, 1) for shift, size in zip(desc.shifts, sizes, strict=False)]}
        if broken.id == "sizes.equal":
            yield {}

    def source(self, desc: Roll, output: int, index: tuple[Indices, ...], read: Reader) -> Sources:
        rows = zip(index, desc.shifts, desc.input_tensor.sizes, strict=True)
        return Sources(np.zeros_like(index[0]), tuple((i - shift) % n for i, shift, n in rows))

    def region(self, desc: Roll, tensor: int, index: tuple[int, ...], read: Reader) -> Region:
        rows = zip(index, desc.shifts, desc.input_tensor.sizes, strict=True)
        return Region(0, tuple(Factor((n,), range((i + shift) % n, (i + shift) % n + 1)) for i, shift, n in rows))

    def kernel_numbers(self, desc: Roll) -> tuple[int, ...]:
        rows = zip(desc.input_tensor.sizes, desc.shifts, strict=True)
        return desc.input_tensor.data_type.item_size, *(number for row in rows for number in row)


OPERATOR = RollOperator()
