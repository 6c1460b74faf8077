"""PADDING1: PADDING whose constant has the tensors' own type, as the page DML_PADDING1_OPERATOR_DESC tells it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..desc.base import Changes
from ..desc.fields import DATA_TYPES, EnumField, ScalarField
from ..desc.support import T11, support
from ..desc.tensors import TensorDesc
from ..desc.values import element_of
from .base import Operator
from .by_source import by_source
from .padding import CONSTANT, Padding, Pads, PadsOperator, fields
from .padding import OPERATOR as PADDING
from .report import Check, Recorder
from .wrong_rules import Misreading


@dataclass(frozen=True)
class Padding1(Pads):
    """`DML_PADDING1_OPERATOR_DESC`: as `Padding`, with a `padding_value` of type `padding_value_data_type`."""

    TYPE = "DML_OPERATOR_PADDING1"
    FIELDS = fields(
        support(("5_0", 1, 8, T11)),
        EnumField(
            "PaddingValueDataType",
            "DML_TENSOR_DATA_TYPE",
            DATA_TYPES,
            about="The type that PaddingValue is read as: that of the tensors.",
        ),
        ScalarField(
            "PaddingValue",
            "PaddingValueDataType",
            about="What CONSTANT puts around the tensor; the other modes don't look at it.",
        ),
    )

    input_tensor: TensorDesc
    padding_mode: str | int
    padding_value_data_type: str | int
    padding_value: int | float
    start_padding: Sequence[int]
    end_padding: Sequence[int]
    output_tensor: TensorDesc | None = None
    dimension_count: int | None = None

    @property
    def value(self) -> int | float:
        return self.padding_value


def padding_of(
    tensor: TensorDesc,
    mode: str,
    value: float,
    start: Sequence[int],
    end: Sequence[int],
    output: TensorDesc | None = None,
) -> Padding | Padding1:
    """PADDING; or PADDING1 for a constant that a FLOAT doesn't hold."""
    plain = Padding(tensor, mode, value, start_padding=start, end_padding=end, output_tensor=output)
    if mode != CONSTANT or element_of(plain.value, tensor.data_type) == element_of(value, tensor.data_type):
        return plain
    return Padding1(
        tensor, mode, tensor.data_type.name, value, start_padding=start, end_padding=end, output_tensor=output
    )


class Padding1Operator(PadsOperator[Padding1]):
    name = "PADDING1"
    title = "Puts elements around a tensor: a constant of its own type, its edge, or its mirror image."
    page_number = 13
    desc = Padding1
    sentences: ClassVar[Mapping[str, str]] = {
        **PadsOperator.sentences,
        "padding.value_type": "PaddingValueDataType is the DataType of the tensors.",
    }

    def _defaults(self, tensor: TensorDesc) -> Changes:
        return {**super()._defaults(tensor), "PaddingValueDataType": tensor.data_type.name}

    def rules(self, desc: Padding1, record: Recorder) -> None:
        super().rules(desc, record)
        kind, tensor = desc.padding_value_data_type, desc.output_tensor or desc.input_tensor
        record.expect(
            "padding.value_type",
            kind == tensor.data_type.name,
            "PaddingValueDataType",
            tensor.data_type.name,
            kind,
            f"PaddingValueDataType is {kind}, expected {tensor.data_type}, OutputTensor's DataType.",
            holds=f"PaddingValueDataType {kind} is OutputTensor's DataType.",
            where="PaddingValueDataType",
            related=["OutputTensor.DataType"],
        )

    def fixes(self, desc: Padding1, broken: Check) -> Iterator[Changes]:
        yield from super().fixes(desc, broken)
        if broken.id == "padding.value_type":
            yield {"PaddingValueDataType": broken.expected}

    def recoloured(self) -> Operator[Padding1]:
        return BY_SOURCE

    def misreadings(self) -> Sequence[Misreading[Any]]:
        return PADDING.misreadings()


BY_SOURCE = by_source(Padding1Operator)
OPERATOR = Padding1Operator()
