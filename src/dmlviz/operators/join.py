"""JOIN: tensors laid end to end along one axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..desc.fields import CountField, Field, Role, TensorField
from ..desc.indexing import put
from ..desc.levels import FeatureLevel
from ..desc.support import T6, T8, T11, support
from ..desc.tensors import TensorDesc
from .maps import Starts
from .parts_of_whole import Parts, PartsOperator
from .report import Kind, Recorder

_TENSORS = support(("1_0", 4, 4, T6), ("2_1", 4, 4, T8), ("3_0", 4, 5, T8), ("4_1", 1, 8, T11))


@dataclass(frozen=True)
class Join(Parts):
    """`DML_JOIN_OPERATOR_DESC`: concatenates the input tensors along `axis`; one input is a copy."""

    TYPE = "DML_OPERATOR_JOIN"
    FIELDS = (
        CountField("InputCount", arrays=("InputTensors",)),
        TensorField(
            "InputTensors", Role.DATA, _TENSORS, many=True, about="The tensors that are laid end to end, in this order."
        ),
        TensorField(
            "OutputTensor",
            Role.OUTPUT,
            _TENSORS,
            about="All inputs one after the other; its size along Axis is the sum of theirs.",
        ),
        Field(
            "Axis",
            is_axis=True,
            about="The axis along which the tensors are laid end to end: the only one in which their sizes may differ.",
        ),
    )

    input_tensors: Sequence[TensorDesc]
    axis: int
    output_tensor: TensorDesc | None = None
    input_count: int | None = None

    def infer_output(self) -> TensorDesc | None:
        if not self.input_tensors or any(size < 1 for t in self.input_tensors for size in t.sizes):
            return None
        first = self.input_tensors[0]
        if not 0 <= self.axis < first.dimension_count:
            return None
        total = sum(t.sizes[self.axis] for t in self.input_tensors if t.dimension_count == first.dimension_count)
        return first.resized(put(first.sizes, self.axis, total))


class JoinOperator(PartsOperator[Join]):
    name = "JOIN"
    title = "Lays tensors end to end along one axis."
    in_numpy = "np.concatenate(InputTensors, Axis)"
    page_number = 1
    desc = Join
    anchor = "OutputTensor"
    identity_of = "the tensor an element comes from"
    sentences = {
        "note.join_dimensions": "Public sources disagree about the dimensions of JOIN below feature level 4_1.",
    }

    def level_notes(self, desc: Join, level: FeatureLevel, record: Recorder) -> None:
        counts = {part.tensor.dimension_count for part in desc.parts} - {4, 5}
        if level.value in ("3_1", "4_0") and counts and all(1 <= count <= 8 for count in counts):
            record.note(
                "note.join_dimensions",
                "OutputTensor.DimensionCount",
                sorted(counts),
                [4, 5],
                f"DirectML's feature-level history counts JOIN among the operators widened to 8 dimensions at 3_1, "
                f"but the page keeps 4 to 5 dimensions until 4_1, so {level} is held to the page.",
                "Tensor support",
                (Kind.RANGE, Kind.SET),
            )

    def slices(self, desc: Join, output: int) -> Starts:
        return {desc.axis: np.array(self.starts(desc)[:-1], np.int64)}


OPERATOR = JoinOperator()
