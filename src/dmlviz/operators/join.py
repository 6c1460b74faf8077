"""JOIN: tensors laid end to end along one axis."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..desc.base import Changes, Desc
from ..desc.fields import CountField, NumberField, Role, TensorField
from ..desc.indexing import put
from ..desc.levels import FeatureLevel
from ..desc.support import T6, T8, T11, support
from ..desc.tensors import TensorDesc, brackets
from ..desc.values import Indices
from .base import Operator
from .desc_edits import halves
from .maps import Place, Reader, Region, Sources, Starts, single
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
from .report import Check, Kind, Recorder
from .rules import axis_fixes, axis_rule, count_rules
from .workings import CodeLine, MapCode, Term, formula_of

_TENSORS = support(("1_0", 4, 4, T6), ("2_1", 4, 4, T8), ("3_0", 4, 5, T8), ("4_1", 1, 8, T11))


@dataclass(frozen=True)
class Join(Desc):
    """`DML_JOIN_OPERATOR_DESC`: concatenates the input tensors along `axis`; one input is a copy."""

    TYPE = "DML_OPERATOR_JOIN"
    FIELDS = (
        CountField("InputCount", of="InputTensors"),
        TensorField(
            "InputTensors", Role.DATA, _TENSORS, many=True, about="The tensors that are laid end to end, in this order."
        ),
        TensorField(
            "OutputTensor",
            Role.OUTPUT,
            _TENSORS,
            about="All inputs one behind the other; its size along Axis is the sum of theirs.",
        ),
        NumberField(
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


class JoinOperator(Operator[Join]):
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

    def rules(self, desc: Join, record: Recorder) -> None:
        count_rules(record, desc, "InputCount")
        parts, output = desc.inputs, desc.output_tensor
        whole = output or (parts[0].tensor if parts else None)
        if whole is None:
            on = record.failed("count.positive", "count.matches") or "count.positive"
            record.wait("axis.range", "Axis", on)
            record.wait("sizes.sum", "OutputTensor.Sizes", on)
            return
        axis_rule(record, desc.axis, whole.dimension_count)
        match_rules(record, desc.axis, parts, "OutputTensor", output)

    def fixes(self, desc: Join, broken: Check) -> Iterator[Changes]:
        yield from halves(desc, broken)
        whole = next((t for t in (desc.output_tensor, *desc.input_tensors) if t is not None), None)
        if whole is None:
            return
        if broken.id == "axis.range":
            yield from axis_fixes(desc.axis, whole.dimension_count)
        if broken.id in ("sizes.match", "sizes.sum"):
            yield {"OutputTensor": None}
            yield from ({"Axis": axis} for axis in range(whole.dimension_count) if axis != desc.axis)
        if broken.id == "sizes.match":
            fitted = fitting(desc.input_tensors, whole, desc.axis)
            yield {"InputTensors": fitted}
            yield {"InputTensors": fitted, "OutputTensor": None}
        if broken.id == "sizes.sum":
            parts = resummed(desc.input_tensors, desc.axis, whole.sizes[desc.axis])
            yield from ({"InputTensors": tensors} for tensors in parts)

    def working(self, desc: Join, broken: Check) -> list[Term]:
        if broken.id != "sizes.sum" or desc.output_tensor is None:
            return []
        return sum_working(desc.axis, desc.inputs, "OutputTensor", desc.output_tensor)

    def pseudo_code(self, desc: Join) -> list[CodeLine]:
        whole = next((t for t in (desc.output_tensor, *desc.input_tensors) if t is not None), None)
        if whole is None:
            return []
        known = desc.output_tensor is not None
        return pseudo_code(desc.axis, "InputTensors", desc.inputs, "OutputTensor", whole, known)

    def map_code(self, desc: Join) -> MapCode | None:
        whole = desc.output_tensor
        if whole is None:
            return None
        return map_code(desc.axis, "InputTensors", desc.input_tensors, "OutputTensor", whole, joins=True)

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

    def starts(self, desc: Join) -> list[int]:
        return starts_of(desc.input_tensors, desc.axis)

    def source(self, desc: Join, output: int, index: tuple[Indices, ...], read: Reader) -> Sources:
        return Sources(*part_at(desc.input_tensors, desc.axis, index))

    def region(self, desc: Join, tensor: int, index: tuple[int, ...], read: Reader) -> Region:
        assert desc.output_tensor is not None
        at = put(index, desc.axis, index[desc.axis] + self.starts(desc)[tensor])
        return Region(0, single(desc.output_tensor.sizes, at))

    def counts(self, desc: Join, tensor: int, index: tuple[Indices, ...], read: Reader) -> Indices:
        return np.ones_like(index[0])

    def block(self, desc: Join, output: int) -> int:
        inner = math.prod(desc.input_tensors[0].sizes[desc.axis + 1 :])
        return math.gcd(*self.starts(desc)) * inner

    def identity(self, desc: Join, place: Place, index: tuple[Indices, ...], read: Reader) -> Indices:
        if place.is_output:
            return self.source(desc, 0, index, read).tensor
        return np.full_like(index[0], place.number)

    def identity_count(self, desc: Join) -> int:
        return len(desc.input_tensors)

    def identity_axes(self, desc: Join, place: Place) -> tuple[int, ...]:
        return (desc.axis,) if place.is_output else ()

    def slices(self, desc: Join, output: int) -> Starts:
        return {desc.axis: np.array(self.starts(desc)[:-1], np.int64)}

    def runs(self, desc: Join, output: int, read: Reader) -> Starts:
        if len(desc.input_tensors) == 1:
            return {}
        sizes = desc.input_tensors[0].sizes
        return {**{d: range(sizes[d]) for d in range(desc.axis)}, **self.slices(desc, output)}

    def formula(self, desc: Join, output: int, index: tuple[int, ...], read: Reader) -> list[tuple[str, str]]:
        along, starts = index[desc.axis], self.starts(desc)
        tensor = max(k for k in range(len(starts) - 1) if starts[k] <= along)
        source = put(index, desc.axis, along - starts[tensor])
        moved = put([str(i) for i in index], desc.axis, f"{along} − {starts[tensor]}")
        name = f"InputTensors[{tensor}]"
        return formula_of(f"OutputTensor{brackets(index)}", f"{name}{brackets(moved)}", f"{name}{brackets(source)}")

    def kernel_numbers(self, desc: Join) -> tuple[int, ...]:
        """How many rows, the bytes of one, and of each input's part of it."""
        return row_numbers(desc.input_tensors, desc.axis)


OPERATOR = JoinOperator()
