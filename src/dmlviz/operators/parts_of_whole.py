"""Parts that make a whole along one axis: JOIN and SPLIT, each the other's inverse."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TypeVar

import numpy as np

from ..desc.base import Changes, Desc, Part
from ..desc.indexing import arrays_of, put
from ..desc.tensors import TensorDesc, brackets
from ..desc.values import Index, Indices
from .base import Operator
from .desc_edits import halves
from .maps import Place, Reader, Region, Sources, Starts, single
from .report import Check, Recorder
from .rules import axis_rule, count_rules, sizes_rule
from .workings import MapCode, formula_of, indexed, letters

MOST_STARTS = 6
"""Parts of which it is said where each begins."""
MOST_TERMS = 8
"""Sizes of a sum that are all written."""


def starts_of(parts: Sequence[TensorDesc], axis: int) -> list[int]:
    """Where each part begins along an axis, and the end of the last."""
    return list(accumulate((part.sizes[axis] for part in parts), initial=0))


def part_at(parts: Sequence[TensorDesc], axis: int, index: Index) -> tuple[Indices, Index]:
    """(the part that has each element of the whole, its index in there); arrays (N,)."""
    starts = np.array(starts_of(parts, axis), np.int64)
    part = np.searchsorted(starts, index[axis], side="right").astype(np.int64) - 1
    return part, put(index, axis, index[axis] - starts[part])


def resized_along(tensors: Sequence[TensorDesc], axis: int, along: Sequence[int]) -> list[TensorDesc]:
    return [tensor.resized(put(tensor.sizes, axis, size)) for tensor, size in zip(tensors, along, strict=True)]


class Parts(Desc):
    axis: int


P = TypeVar("P", bound=Parts)


class PartsOperator(Operator[P]):
    """An operator between parts and their whole, its `anchor`: the array of parts lies on the other side."""

    @property
    def joins(self) -> bool:
        """True if the parts are inputs."""
        return self.anchor == "OutputTensor"

    @property
    def parts_path(self) -> str:
        return "InputTensors" if self.joins else "OutputTensors"

    def parts(self, desc: P) -> tuple[Part, ...]:
        return desc.inputs if self.joins else desc.outputs

    def tensors(self, desc: P) -> Sequence[TensorDesc]:
        tensors: Sequence[TensorDesc] = desc.get(self.parts_path)
        return tensors

    def whole(self, desc: P) -> TensorDesc | None:
        """The whole's tensor, or where it can't be inferred the first part's."""
        return next((t for t in (desc.get(self.anchor), *self.tensors(desc)) if t is not None), None)

    def starts(self, desc: P) -> list[int]:
        return starts_of(self.tensors(desc), desc.axis)

    # Checks.

    def rules(self, desc: P, record: Recorder) -> None:
        """`sizes.match` for each part and `sizes.sum` over them, held against the whole."""
        count_rules(record, desc, desc.COUNTS[0].name)
        axis = desc.axis
        parts = self.parts(desc)
        whole = self.whole(desc)
        path = self.anchor
        empty = record.failed("count.positive", "count.matches") or "count.positive"
        if whole is None:
            record.wait("axis.range", "Axis", empty)
            record.wait("sizes.sum", f"{path}.Sizes", empty)
            return
        axis_rule(record, axis, whole.dimension_count)
        on = record.failed("axis.range")
        if desc.get(path) is None:
            on = on or record.failed("sizes.positive", "count.positive") or "sizes.positive"
        for part in parts:
            if on or part.tensor.dimension_count != whole.dimension_count:
                record.wait("sizes.match", part.path, on or "dimension_count.equal")
                continue
            sizes = part.tensor.sizes
            why = f", as in {path}; only Axis {axis} may differ"
            want = put(whole.sizes, axis, sizes[axis])
            sizes_rule(record, "sizes.match", part.path, sizes, want, why, f"{path}.Sizes")
        if any(part.tensor.dimension_count != whole.dimension_count for part in parts):
            on = on or "dimension_count.equal"
        if on or not parts:
            record.wait("sizes.sum", f"{path}.Sizes", on or empty)
            return
        along = [part.tensor.sizes[axis] for part in parts]
        total, size = sum(along), whole.sizes[axis]
        sum_text = f"{_added(along)} = {total}" if len(along) > 1 else str(total)
        ending = "" if total == size else f", the sum of the parts along Axis {axis}"
        record.expect(
            "sizes.sum",
            total == size,
            f"{path}.Sizes[{axis}]",
            total,
            size,
            f"{path}.Sizes[{axis}] is {size}, expected {sum_text}{ending}.",
            where="the pseudo-code",
            related=[f"{part.path}.Sizes[{axis}]" for part in parts],
        )

    def fixes(self, desc: P, broken: Check) -> Iterator[Changes]:
        yield from halves(desc, broken)
        whole = self.whole(desc)
        tensors = self.tensors(desc)
        axis = desc.axis
        if whole is None:
            return
        if broken.id in ("sizes.match", "sizes.sum"):
            yield {}
            yield from ({"Axis": other} for other in range(whole.dimension_count) if other != axis)
        if broken.id == "sizes.match":  # all of them at once
            n = whole.dimension_count
            fitted = [
                t.resized(put(whole.sizes, axis, t.sizes[axis])) if t.dimension_count == n else t for t in tensors
            ]
            yield {self.parts_path: fitted}
        if broken.id == "sizes.sum":
            along = [t.sizes[axis] for t in tensors]
            rest, last = whole.sizes[axis] - sum(along), len(along) - 1
            # First the parts that are as long as another then, of these and of the others the last first.
            for k in sorted(range(last, -1, -1), key=lambda k: along[k] + rest not in along):
                if along[k] + rest > 0:
                    yield {self.parts_path: put(tensors, k, *resized_along([tensors[k]], axis, [along[k] + rest]))}
                if k == last and not self.joins:
                    yield {self.anchor: whole.resized(put(whole.sizes, axis, sum(along)))}

    # Maps: an element of the whole is one of a part, and the other way round.

    def _there(self, desc: P, number: int, index: Index, of_part: bool) -> Sources:
        if not of_part:
            return Sources(*part_at(self.tensors(desc), desc.axis, index))
        along = index[desc.axis] + self.starts(desc)[number]
        return Sources(np.zeros_like(index[0]), put(index, desc.axis, along))

    def source(self, desc: P, output: int, index: Index, read: Reader) -> Sources:
        return self._there(desc, output, index, not self.joins)

    def region(self, desc: P, tensor: int, index: tuple[int, ...], read: Reader) -> Region:
        there = self._there(desc, tensor, arrays_of(index), self.joins)
        output = int(there.tensor[0])
        return Region(output, single(desc.outputs[output].tensor.sizes, [int(i[0]) for i in there.index]))

    def counts(self, desc: P, tensor: int, index: Index, read: Reader) -> Indices:
        return np.ones_like(index[0])

    def identity(self, desc: P, place: Place, index: Index, read: Reader) -> Indices:
        if place.is_output == self.joins:
            return part_at(self.tensors(desc), desc.axis, index)[0]
        return np.full_like(index[0], place.number)

    def identity_count(self, desc: P) -> int:
        return len(self.tensors(desc))

    def identity_axes(self, desc: P, place: Place) -> tuple[int, ...]:
        return (desc.axis,) if place.is_output == self.joins else ()

    def runs(self, desc: P, output: int, read: Reader) -> Starts:
        """Cuts at every position of the axes before Axis; none for a single part, which is one run."""
        parts = self.tensors(desc)
        if len(parts) == 1:
            return {}
        return {**{d: range(parts[0].sizes[d]) for d in range(desc.axis)}, **self.slices(desc, output)}

    def map_code(self, desc: P) -> MapCode:
        """Part k is what lies in the whole from s on along Axis."""
        parts = self.tensors(desc)
        axis = desc.axis
        whole = desc.get(self.anchor)
        of_part = letters(put(whole.sizes, axis, max(part.sizes[axis] for part in parts)))
        of_whole, where, k = of_part, "", "0"
        if len(parts) > 1:
            along, k = of_part[axis], "k"
            of_whole = [*put(of_part, axis, "s" if along == "0" else f"s+{along}")]
            starts = self.starts(desc)[:-1][:MOST_STARTS]
            more = ", …" * (len(parts) > MOST_STARTS)
            numbers = ", ".join(map(str, range(len(starts))))
            where = f"s = {', '.join(map(str, starts))}{more} for k = {numbers}{more}"
        sides = indexed(self.anchor, of_whole), indexed(f"{self.parts_path}[{k}]", of_part)
        return MapCode(*(sides if self.joins else sides[::-1]), where)

    def formula(self, desc: P, output: int, index: tuple[int, ...], read: Reader) -> list[tuple[str, str]]:
        found = self.source(desc, output, arrays_of(index), read)
        number, sign = (int(found.tensor[0]), "−") if self.joins else (output, "+")
        walked = put([str(i) for i in index], desc.axis, f"{index[desc.axis]} {sign} {self.starts(desc)[number]}")
        here = desc.outputs[output].path
        name = desc.inputs[int(found.tensor[0])].path
        source = brackets(int(i[0]) for i in found.index)
        return formula_of(f"{here}{brackets(index)}", f"{name}{brackets(walked)}", f"{name}{source}")

    def kernel_numbers(self, desc: P) -> tuple[int, ...]:
        """How many rows the whole has, the bytes of one, and of each part of it."""
        parts, axis = self.tensors(desc), desc.axis
        unit = math.prod(parts[0].sizes[axis + 1 :]) * parts[0].data_type.item_size
        lengths = [part.sizes[axis] * unit for part in parts]
        return math.prod(parts[0].sizes[:axis]), sum(lengths), *lengths


def _added(along: Sequence[int]) -> str:
    return " + ".join(map(str, along)) if len(along) <= MOST_TERMS else f"{along[0]} + … + {along[-1]}"
