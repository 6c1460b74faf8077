"""SPLIT: one tensor cut along one axis; the inverse of JOIN."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..desc.base import Changes
from ..desc.fields import CountField, Field, Role, TensorField
from ..desc.indexing import put
from ..desc.support import T6, T8, T11, support
from ..desc.tensors import TensorDesc
from ..desc.values import Index
from .maps import Reader, Readers
from .parts_of_whole import Parts, PartsOperator, part_at, resized_along
from .report import Check

_TENSORS = support(("1_0", 4, 4, T6), ("2_1", 4, 4, T8), ("3_0", 1, 8, T8), ("4_1", 1, 8, T11))


@dataclass(frozen=True)
class Split(Parts):
    """`DML_SPLIT_OPERATOR_DESC`: cuts the input tensor along `axis`; one output is a copy."""

    TYPE = "DML_OPERATOR_SPLIT"
    FIELDS = (
        TensorField("InputTensor", Role.DATA, _TENSORS, about="The tensor that is cut into parts."),
        CountField("OutputCount", arrays=("OutputTensors",)),
        TensorField(
            "OutputTensors",
            Role.OUTPUT,
            _TENSORS,
            many=True,
            about="The parts, in order; their sizes along Axis add up to InputTensor's.",
        ),
        Field(
            "Axis",
            is_axis=True,
            about="The axis along which the tensor is cut: the only one in which the parts differ from InputTensor.",
        ),
    )

    input_tensor: TensorDesc
    output_tensors: Sequence[TensorDesc]
    axis: int
    output_count: int | None = None


class SplitOperator(PartsOperator[Split]):
    name = "SPLIT"
    title = "Cuts a tensor into parts along one axis."
    in_numpy = "np.split(x, np.cumsum(sizes)[:-1], Axis)"
    page_number = 2
    desc = Split
    anchor = "InputTensor"
    identity_of = "the part an element goes to"

    def about(self, tensor: TensorDesc, axis: int) -> Split:
        size = tensor.sizes[axis]
        parts = [n for n in (size - size // 2, size // 2) if n]
        return Split(tensor, [tensor.resized(put(tensor.sizes, axis, n)) for n in parts], axis)

    def fixes(self, desc: Split, broken: Check) -> Iterator[Changes]:
        yield from super().fixes(desc, broken)
        whole = desc.input_tensor
        parts = desc.output_tensors
        axis = desc.axis
        if broken.id == "sizes.positive" and parts and 0 <= axis < min(t.dimension_count for t in (whole, *parts)):
            # The largest part gives up what the others lack, so that they still fill the whole.
            along = [max(1, t.sizes[axis]) for t in parts]
            largest = along.index(max(along))
            along[largest] -= sum(along) - whole.sizes[axis]
            yield {"OutputTensors": resized_along(parts, axis, along)}
        if broken.id == "sizes.sum":
            cuts = [t.sizes[axis] for t in parts]
            size = whole.sizes[axis]
            along = [other - one for one, other in pairwise([0, *cuts])]
            if cuts[-1] == size and min(along) > 0:  # NumPy's cut points, with the end as the last
                yield {"OutputTensors": resized_along(parts, axis, along)}
            if size > sum(cuts):
                yield {
                    "OutputTensors": [*parts, *resized_along([whole], axis, [size - sum(cuts)])],
                    "OutputCount": None,
                }
            yield from ({"OutputTensors": parts[:k], "OutputCount": None} for k in range(1, len(parts)))

    def named_by(self, desc: Split, tensor: int, index: Index, read: Reader) -> Readers:
        return Readers(*part_at(desc.output_tensors, desc.axis, index))


OPERATOR = SplitOperator()
