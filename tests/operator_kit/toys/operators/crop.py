"""CROP: a box out of a tensor; offsets and sizes stand under one count."""

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
class Crop(Desc):
    TYPE = "DML_OPERATOR_CROP"
    FIELDS = (
        TensorField("InputTensor", Role.DATA, _TENSORS),
        TensorField("OutputTensor", Role.OUTPUT, _TENSORS),
        CountField("AxisCount", of=("Offsets", "Sizes")),
        NumbersField("Offsets", per_axis=True, neutral=0),
        NumbersField("Sizes", per_axis=True, neutral=1, axes_of="OutputTensor"),
    )

    input_tensor: TensorDesc
    offsets: Sequence[int]
    sizes: Sequence[int]
    output_tensor: TensorDesc | None = None
    axis_count: int | None = None

    def infer_output(self) -> TensorDesc | None:
        fits = len(self.sizes) == len(self.offsets) == self.input_tensor.dimension_count
        return self.input_tensor.resized(self.sizes) if fits and min(self.sizes, default=0) > 0 else None


class CropOperator(Operator[Crop]):
    name = "CROP"
    title = "Takes a box out of a tensor."
    desc = Crop
    anchor = "InputTensor"

    def rules(self, desc: Crop, record: Recorder) -> None:
        data, output, n = desc.input_tensor.sizes, desc.output_tensor, desc.input_tensor.dimension_count
        count = desc.axis_count
        count_matches(record, desc, "AxisCount")
        message = f"AxisCount is {count}, expected {n}."
        record.expect("crop.count", count == n, "AxisCount", n, count, message)
        rows = list(zip(desc.offsets, desc.sizes, data, strict=False))
        bad = [d for d, (offset, size, n) in enumerate(rows) if size < 1 or not 0 <= offset <= n - size]
        field = f"Offsets[{bad[0]}]" if len(bad) == 1 else "Offsets"
        message = f"{field} begins a box of Sizes that lies outside, expected one inside." if bad else "It is inside."
        marks = [f"{name}[{d}]" for d in bad for name in ("Offsets", "Sizes")]
        record.expect("crop.inside", not bad, field, "inside", list(desc.offsets), message, related=marks)
        on = record.failed("count.matches", "crop.count", *(["crop.inside"] if output is None else []))
        if output is None or on:
            record.wait("crop.sizes", "OutputTensor.Sizes", on or "sizes.positive")
            return
        field, said = sizes_text(output.sizes, desc.sizes, "OutputTensor")
        same = output.sizes == tuple(desc.sizes)
        message = "OutputTensor.Sizes are Sizes." if same else f"{said}."
        record.expect("crop.sizes", same, field, list(desc.sizes), list(output.sizes), message)

    def fixes(self, desc: Crop, broken: Check) -> Iterator[Changes]:
        rows = list(zip(desc.offsets, desc.sizes, desc.input_tensor.sizes, strict=False))
        if broken.id == "crop.inside":
            yield {"Offsets": [max(0, min(offset, n - size)) for offset, size, n in rows]}
        yield {}

    def source(self, desc: Crop, output: int, index: tuple[Indices, ...], read: Reader) -> Sources:
        return Sources(np.zeros_like(index[0]), tuple(i + o for i, o in zip(index, desc.offsets, strict=True)))

    def region(self, desc: Crop, tensor: int, index: tuple[int, ...], read: Reader) -> Region:
        rows = [(i - offset, n) for i, offset, n in zip(index, desc.offsets, desc.sizes, strict=True)]
        return Region(0, tuple(Factor((n,), range(i, i + 1) if 0 <= i < n else range(0)) for i, n in rows))

    def kernel_numbers(self, desc: Crop) -> tuple[int, ...]:
        rows = zip(desc.input_tensor.sizes, desc.offsets, desc.sizes, strict=True)
        return desc.input_tensor.data_type.item_size, *(number for row in rows for number in row)


OPERATOR = CropOperator()
