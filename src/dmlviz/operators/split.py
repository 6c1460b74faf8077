"""SPLIT: one tensor cut along one axis; the inverse of JOIN."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np

from ..desc.base import Changes, Desc
from ..desc.fields import CountField, NumberField, Role, TensorField
from ..desc.indexing import put
from ..desc.support import T6, T8, T11, support
from ..desc.tensors import TensorDesc, brackets
from ..desc.values import Indices
from .base import Operator
from .desc_edits import halves
from .maps import Place, Reader, Readers, Region, Sources, Starts, single
from .parts_of_whole import (
    fitting,
    map_code,
    match_rules,
    part_at,
    pseudo_code,
    resummed,
    row_numbers,
    starts_of,
    sum_working,
)
from .report import Check, Recorder
from .rules import axis_fixes, axis_rule, count_rules
from .workings import CodeLine, MapCode, Term, formula_of

_TENSORS = support(("1_0", 4, 4, T6), ("2_1", 4, 4, T8), ("3_0", 1, 8, T8), ("4_1", 1, 8, T11))


@dataclass(frozen=True)
class Split(Desc):
    """`DML_SPLIT_OPERATOR_DESC`: cuts the input tensor along `axis`; one output is a copy."""

    TYPE = "DML_OPERATOR_SPLIT"
    FIELDS = (
        TensorField("InputTensor", Role.DATA, _TENSORS, about="The tensor that is cut into parts."),
        CountField("OutputCount", of="OutputTensors"),
        TensorField(
            "OutputTensors",
            Role.OUTPUT,
            _TENSORS,
            many=True,
            about="The parts, in order; their sizes along Axis add up to InputTensor's.",
        ),
        NumberField(
            "Axis",
            is_axis=True,
            about="The axis along which the tensor is cut: the only one in which the parts differ from InputTensor.",
        ),
    )

    input_tensor: TensorDesc
    output_tensors: Sequence[TensorDesc]
    axis: int
    output_count: int | None = None


class SplitOperator(Operator[Split]):
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

    def rules(self, desc: Split, record: Recorder) -> None:
        count_rules(record, desc, "OutputCount")
        axis_rule(record, desc.axis, desc.input_tensor.dimension_count)
        match_rules(record, desc.axis, desc.outputs, "InputTensor", desc.input_tensor)

    def fixes(self, desc: Split, broken: Check) -> Iterator[Changes]:
        yield from halves(desc, broken)
        whole, parts, axis = desc.input_tensor, desc.output_tensors, desc.axis
        if broken.id == "axis.range":
            yield from axis_fixes(axis, whole.dimension_count)
        if broken.id in ("sizes.match", "sizes.sum"):
            yield from ({"Axis": other} for other in range(whole.dimension_count) if other != axis)
        if broken.id == "sizes.positive" and parts and 0 <= axis < min(t.dimension_count for t in (whole, *parts)):
            # The largest part gives up what the others lack, so that they still fill the whole.
            along = [max(1, t.sizes[axis]) for t in parts]
            largest = along.index(max(along))
            along[largest] -= sum(along) - whole.sizes[axis]
            yield {"OutputTensors": [t.resized(put(t.sizes, axis, n)) for t, n in zip(parts, along, strict=True)]}
        if broken.id == "sizes.match":
            yield {"OutputTensors": fitting(parts, whole, axis)}
        if broken.id == "sizes.sum":
            resized = ({"OutputTensors": tensors} for tensors in resummed(parts, axis, whole.sizes[axis]))
            yield from islice(resized, 1)
            cuts = [t.sizes[axis] for t in parts]
            if cuts[-1:] == [whole.sizes[axis]] and all(one < other for one, other in pairwise([0, *cuts])):
                # NumPy's cut points, with the end as the last, written down as sizes.
                along = [other - one for one, other in pairwise([0, *cuts])]
                yield {"OutputTensors": [t.resized(put(t.sizes, axis, n)) for t, n in zip(parts, along, strict=True)]}
            total = sum(t.sizes[axis] for t in parts)
            yield {"InputTensor": whole.resized(put(whole.sizes, axis, total))}
            if whole.sizes[axis] > total:
                more = whole.resized(put(whole.sizes, axis, whole.sizes[axis] - total))
                yield {"OutputTensors": [*parts, more], "OutputCount": None}
            for k in range(1, len(parts)):
                yield {"OutputTensors": parts[:k], "OutputCount": None}
            yield from resized

    def working(self, desc: Split, broken: Check) -> list[Term]:
        if broken.id != "sizes.sum":
            return []
        return sum_working(desc.axis, desc.outputs, "InputTensor", desc.input_tensor)

    def pseudo_code(self, desc: Split) -> list[CodeLine]:
        return pseudo_code(desc.axis, "OutputTensors", desc.outputs, "InputTensor", desc.input_tensor)

    def map_code(self, desc: Split) -> MapCode:
        return map_code(desc.axis, "OutputTensors", desc.output_tensors, "InputTensor", desc.input_tensor, joins=False)

    def starts(self, desc: Split) -> list[int]:
        return starts_of(desc.output_tensors, desc.axis)

    def source(self, desc: Split, output: int, index: tuple[Indices, ...], read: Reader) -> Sources:
        start = self.starts(desc)[output]
        return Sources(np.zeros_like(index[0]), put(index, desc.axis, index[desc.axis] + start))

    def region(self, desc: Split, tensor: int, index: tuple[int, ...], read: Reader) -> Region:
        starts = self.starts(desc)
        k = max(k for k in range(len(desc.output_tensors)) if starts[k] <= index[desc.axis])
        at = put(index, desc.axis, index[desc.axis] - starts[k])
        return Region(k, single(desc.output_tensors[k].sizes, at))

    def counts(self, desc: Split, tensor: int, index: tuple[Indices, ...], read: Reader) -> Indices:
        return np.ones_like(index[0])

    def block(self, desc: Split, output: int) -> int:
        return math.prod(desc.output_tensors[output].sizes[desc.axis :])

    def identity(self, desc: Split, place: Place, index: tuple[Indices, ...], read: Reader) -> Indices:
        if place.is_output:
            return np.full_like(index[0], place.number)
        return part_at(desc.output_tensors, desc.axis, index)[0]

    def named_by(self, desc: Split, tensor: int, index: tuple[Indices, ...], read: Reader) -> Readers:
        return Readers(*part_at(desc.output_tensors, desc.axis, index))

    def identity_count(self, desc: Split) -> int:
        return len(desc.output_tensors)

    def identity_axes(self, desc: Split, place: Place) -> tuple[int, ...]:
        return () if place.is_output else (desc.axis,)

    def runs(self, desc: Split, output: int, read: Reader) -> Starts:
        """Cuts at every position of the axes before Axis; none for a single output, which is one run."""
        if len(desc.output_tensors) == 1:
            return {}
        return {d: range(desc.input_tensor.sizes[d]) for d in range(desc.axis)}

    def formula(self, desc: Split, output: int, index: tuple[int, ...], read: Reader) -> list[tuple[str, str]]:
        start = self.starts(desc)[output]
        source = put(index, desc.axis, index[desc.axis] + start)
        moved = put([str(i) for i in index], desc.axis, f"{index[desc.axis]} + {start}")
        cells = f"InputTensor{brackets(moved)}", f"InputTensor{brackets(source)}"
        return formula_of(f"OutputTensors[{output}]{brackets(index)}", *cells)

    def kernel_numbers(self, desc: Split) -> tuple[int, ...]:
        """How many rows, the bytes of one, and of each output's part of it."""
        return row_numbers(desc.output_tensors, desc.axis)


OPERATOR = SplitOperator()
