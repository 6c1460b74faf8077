"""TURN: the beginning of the last axis in another order, and one value behind it. It has a field of each newer kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dmlviz.desc.base import Changes, Desc
from dmlviz.desc.fields import Choice, EnumField, FloatField, Role, TensorField
from dmlviz.desc.indexing import put
from dmlviz.desc.levels import FeatureLevel
from dmlviz.desc.support import T11, support
from dmlviz.desc.tensors import TensorDesc
from dmlviz.desc.values import Indices, element_of
from dmlviz.operators.base import Operator
from dmlviz.operators.maps import NOWHERE, Factor, Reader, Region, Sources
from dmlviz.operators.report import Check, Recorder
from dmlviz.operators.rules import sizes_rule, tensor_for

_TENSORS = support(("1_0", 4, 4, T11), ("4_0", 1, 8, T11))
_PARTS = FeatureLevel.L4_1
"""The level that knows a Ratio between 0 and 1."""


@dataclass(frozen=True)
class Turn(Desc):
    TYPE = "DML_OPERATOR_TURN"
    FIELDS = (
        TensorField("InputTensor", Role.DATA, _TENSORS),
        TensorField("OutputTensor", Role.OUTPUT, _TENSORS),
        EnumField(
            "Mode",
            type="DML_TURN_MODE",
            members=(Choice("KEEP", 0), Choice("REVERSE", 1), Choice("ROTATE", 2, FeatureLevel.of("5_0"))),
        ),
        FloatField("Ratio", about="How much of the last axis is turned."),
        FloatField("Value", about="What stands behind it."),
    )

    input_tensor: TensorDesc
    mode: str | int
    ratio: float
    value: float
    output_tensor: TensorDesc | None = None

    def infer_output(self) -> TensorDesc | None:
        return self.input_tensor

    @property
    def turned(self) -> int:
        """How many positions of the last axis are turned."""
        return int(self.ratio * self.input_tensor.sizes[-1])

    def moved(self, at: Indices) -> Indices:
        """Where positions of the turned ones come from."""
        n = max(self.turned, 1)
        return {"KEEP": at, "REVERSE": n - 1 - at}.get(str(self.mode), (at - 1) % n)


class TurnOperator(Operator[Turn]):
    name = "TURN"
    title = "Turns the beginning of the last axis."
    desc = Turn
    anchor = "InputTensor"
    constant_path = "Value"

    def rules(self, desc: Turn, record: Recorder) -> None:
        data = desc.input_tensor
        message = f"Ratio is {desc.ratio}, expected 0 to 1."
        record.expect("turn.ratio", 0 <= desc.ratio <= 1, "Ratio", "0 to 1", str(desc.ratio), message)
        message = f"Ratio is {desc.ratio}, expected 0 or 1 below feature level {_PARTS}."
        whole = not 0 < desc.ratio < 1
        record.expect(
            "turn.parts", whole, "Ratio", "0 or 1", desc.ratio, message, holds="Ratio may be so.", since=_PARTS
        )
        output = tensor_for(record, "turn.sizes", "OutputTensor", desc.output_tensor, data.dimension_count, None)
        if output is not None:
            sizes_rule(record, "turn.sizes", "OutputTensor", output.sizes, data.sizes, ", InputTensor's")

    def fixes(self, desc: Turn, broken: Check) -> Iterator[Changes]:
        if broken.id in ("turn.ratio", "turn.parts"):
            yield {"Ratio": 1.0}
        yield {}

    def source(self, desc: Turn, output: int, index: tuple[Indices, ...], read: Reader) -> Sources:
        inside = index[-1] < desc.turned
        at = put(index, len(index) - 1, desc.moved(index[-1]))
        return Sources(np.where(inside, 0, NOWHERE), tuple(np.where(inside, i, 0) for i in at))

    def constant(self, desc: Turn, output: int) -> int | float | None:
        return desc.value if desc.turned < desc.input_tensor.sizes[-1] else None

    def region(self, desc: Turn, tensor: int, index: tuple[int, ...], read: Reader) -> Region:
        *first, last = (Factor((n,), range(i, i + 1)) for n, i in zip(desc.input_tensor.sizes, index, strict=True))
        here = np.flatnonzero(desc.moved(np.arange(desc.turned, dtype=np.int64)) == index[-1])
        return Region(0, (*first, Factor(last.sizes, here)))

    def kernel_numbers(self, desc: Turn) -> tuple[int, ...]:
        data = desc.input_tensor
        value = int.from_bytes(element_of(desc.value, data.data_type).tobytes(), "little", signed=True)
        moved = desc.moved(np.arange(desc.turned, dtype=np.int64)).tolist()
        return data.data_type.item_size, value, data.sizes[-1], *moved


OPERATOR = TurnOperator()
