"""PADDING: a tensor with more elements before and behind it along every axis: one constant, or its own once more.

Modes and the support table are those of the page DML_PADDING_OPERATOR_DESC; the modes' numbers are DirectML.h's, as the
page DML_PADDING_MODE has none, and lacks SYMMETRIC. Mirrors fold again and again: a padding may be as large as the
tensor, or larger. DML_PADDING_MODE_WRAP, which the feature-level history adds at 6_4, is no choice here: no page says
what it does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..desc.base import Changes, Desc
from ..desc.fields import Choice, CountField, EnumField, FloatField, NumbersField, Role, TensorField
from ..desc.indexing import put, ravel
from ..desc.levels import FeatureLevel
from ..desc.support import F2, T8, T11, support
from ..desc.tensors import TensorDesc, braces, brackets
from ..desc.values import Index, Indices, element_of
from .base import Operator, by_source
from .desc_edits import halves
from .maps import Factor, Place, Reader, Region, Sources, Starts, T, nowhere
from .report import Check, Kind, Recorder, Severity
from .rules import per_axis_rules, sizes_rule, tensor_for
from .workings import MapCode, indexed, letters

CONSTANT = "CONSTANT"
EDGE = "EDGE"
REFLECTION = "REFLECTION"
SYMMETRIC = "SYMMETRIC"
MODES = (Choice(CONSTANT, 0), Choice(EDGE, 1), Choice(REFLECTION, 2), Choice(SYMMETRIC, 3, FeatureLevel.L3_0))
NUMBERS: Mapping[str, int] = {choice.name: choice.value for choice in MODES}
NUMPY_MODES = {CONSTANT: "constant", EDGE: "edge", REFLECTION: "reflect", SYMMETRIC: "symmetric"}
"""What np.pad calls them, and ONNX's Pad, which lacks the last."""
MOST_CUTS = 2**20
"""Padding along an axis up to which runs are told apart: of mirrors, nearly every element of it is one."""


class Axis(NamedTuple):
    """One axis: InputTensor's size, and how many elements are put before it and behind it."""

    size: int
    start: int
    end: int

    @property
    def full(self) -> int:
        return self.start + self.size + self.end

    @property
    def is_padded(self) -> bool:
        return self.start > 0 or self.end > 0

    def period(self, mode: str) -> int:
        """How far apart the same element stands again and again in a mirroring mode; 0 where there is but one."""
        return 2 * self.size - 2 * (mode == REFLECTION)

    def folded(self, mode: str, place: Any) -> Any:
        """Where the element at a place comes from, which counts from InputTensor's first; outside where CONSTANT."""
        if mode == CONSTANT:
            return place
        if mode == EDGE or self.size == 1:
            return np.clip(place, 0, self.size - 1)
        within = place % self.period(mode)
        return np.minimum(within, self.period(mode) - (mode == SYMMETRIC) - within)

    def _series(self, mode: str, source: Any) -> list[tuple[Any, Any, int]]:
        """The places along the output that come from one of InputTensor, in one or two rows: (first, stop, step)."""
        own, period = source + self.start, self.period(mode)
        if mode in (CONSTANT, EDGE) or self.size == 1:
            before, behind = (0, 0) if mode == CONSTANT else (self.start, self.end)
            return [(own - before * (source == 0), own + behind * (source == self.size - 1) + 1, 1)]
        first = own % period
        other = (self.start - source - (mode == SYMMETRIC)) % period
        return [(first, self.full, period), (np.where(first == other, self.full, other), self.full, period)]

    def readers(self, mode: str, source: int) -> range | Indices:
        """The places along the output that come from this place of InputTensor, ascending."""
        rows = [range(int(first), int(stop), step) for first, stop, step in self._series(mode, source)]
        rows = [row for row in rows if row]
        return rows[0] if len(rows) == 1 else np.array(sorted({*rows[0], *rows[1]}), np.int64)

    def counts(self, mode: str, source: Indices) -> Indices:
        """(N,) how many places along the output come from each place of InputTensor."""
        reads: Indices = sum(-((first - stop) // step) for first, stop, step in self._series(mode, source))
        return reads

    @property
    def parts(self) -> list[int]:
        """Where what stands before the tensor, itself and what stands behind it begin, as far as they are there."""
        return sorted({0, self.start, self.start + self.size} - {self.full})

    def runs(self, mode: str) -> range | Indices:
        """Where along the output what one copy moves begins anew; every place, where that is at too many."""
        if mode == CONSTANT:
            return np.array(self.parts, np.int64)
        if self.start + self.end > MOST_CUTS:
            return range(self.full)
        places = np.concatenate([np.arange(self.start + 1), np.arange(self.start + self.size, self.full)])
        moved = [self.folded(mode, places - self.start - back) for back in (0, 1)]
        return np.compress((places == 0) | (moved[0] - moved[1] != 1), places)


_TENSORS = support(("1_0", 4, 5, F2), ("2_1", 4, 5, T8), ("3_1", 1, 8, T8), ("5_0", 1, 8, T11))


def _ends(name: str, where: str) -> NumbersField:
    return NumbersField(
        f"{name}Padding",
        per_axis=True,
        neutral=0,
        about=f"How many elements are put {where} the tensor along each axis; 0 leaves it as it is there.",
    )


@dataclass(frozen=True)
class Padding(Desc):
    """`DML_PADDING_OPERATOR_DESC`: puts `start_padding[i]` elements before axis i and `end_padding[i]` behind it.

    `padding_mode` is "CONSTANT", "EDGE", "REFLECTION" or "SYMMETRIC"; only the first looks at `padding_value`.
    """

    TYPE = "DML_OPERATOR_PADDING"
    FIELDS = (
        TensorField("InputTensor", Role.DATA, _TENSORS, about="The tensor that gets more elements around it."),
        TensorField(
            "OutputTensor",
            Role.OUTPUT,
            _TENSORS,
            about="InputTensor and its padding: each size is StartPadding's entry, its own and EndPadding's.",
        ),
        EnumField(
            "PaddingMode",
            "DML_PADDING_MODE",
            MODES,
            about="What is put around the tensor: one constant, its edge again and again, or its mirror image, without "
            "the edge (REFLECTION) or with it (SYMMETRIC).",
        ),
        FloatField("PaddingValue", about="What CONSTANT puts around the tensor; the other modes don't look at it."),
        CountField("DimensionCount", arrays=("StartPadding", "EndPadding")),
        _ends("Start", "before"),
        _ends("End", "after"),
    )

    input_tensor: TensorDesc
    padding_mode: str | int
    padding_value: float
    start_padding: Sequence[int]
    end_padding: Sequence[int]
    output_tensor: TensorDesc | None = None
    dimension_count: int | None = None

    @property
    def axes(self) -> list[Axis]:
        """Every axis, as far as a size and both paddings are there."""
        return [*map(Axis, self.input_tensor.sizes, self.start_padding, self.end_padding)]

    def along(self, entries: Sequence[T]) -> Iterator[tuple[Axis, T]]:
        return zip(self.axes, entries, strict=True)

    @property
    def mode(self) -> str:
        return str(self.padding_mode)

    @property
    def is_padded(self) -> bool:
        return any(axis.is_padded for axis in self.axes)

    @property
    def has_constant(self) -> bool:
        return self.mode == CONSTANT and self.is_padded

    @property
    def value(self) -> float:
        """PaddingValue, as the struct holds it."""
        with np.errstate(over="ignore"):
            return float(np.float32(self.padding_value))

    def infer_output(self) -> TensorDesc | None:
        sizes = self.input_tensor.sizes
        counts = {len(self.start_padding), len(self.end_padding)}
        if counts != {len(sizes)} or min(sizes, default=0) < 1 or min((*self.start_padding, *self.end_padding)) < 0:
            return None
        return self.input_tensor.resized(axis.full for axis in self.axes)


class PaddingOperator(Operator[Padding]):
    name = "PADDING"
    title = "Puts elements around a tensor: a constant, its edge, or its mirror image."
    page_number = 12
    desc = Padding
    in_numpy = "np.pad(x, [*zip(StartPadding, EndPadding)], mode)"
    anchor = "InputTensor"
    constant_path = "PaddingValue"
    reads_vary = True
    identity_of = "the part: the tensor, or the padding before or after it"
    sentences: ClassVar[Mapping[str, str]] = {
        "padding.count": "Both paddings have one entry for each axis of InputTensor.",
        "padding.sizes": "Each size of OutputTensor is StartPadding, InputTensor's size and EndPadding together.",
        "padding.value": "PaddingValue is a number that the tensors' DataType holds.",
        "note.padding_reflection": "No page says what REFLECTION makes of an axis of size 1.",
    }

    def about(self, tensor: TensorDesc, axis: int) -> Padding:
        ends = put((0,) * tensor.dimension_count, axis, 2)
        return Padding(tensor, CONSTANT, 0, start_padding=ends, end_padding=ends)

    def rules(self, desc: Padding, record: Recorder) -> None:
        sizes = desc.input_tensor.sizes
        per_axis_rules(record, "padding.count", desc, "DimensionCount")
        on = record.failed("padding.count", "count.matches")
        # Nothing is inferred for a tensor without dimensions either.
        without = (record.failed("sizes.positive") or "number.range") if sizes else "dimension_count.supported"
        output = tensor_for(record, "padding.sizes", "OutputTensor", desc.output_tensor, len(sizes), on, without)
        if output is not None:
            want = [axis.full for axis in desc.axes]
            why = ": StartPadding, InputTensor's size and EndPadding together"
            arrays = ("StartPadding", "InputTensor.Sizes", "EndPadding")
            sizes_rule(record, "padding.sizes", "OutputTensor", output.sizes, want, why, *arrays)

    def level_notes(self, desc: Padding, level: FeatureLevel, record: Recorder) -> None:
        lone = [d for d, axis in enumerate(desc.axes) if axis.size == 1 and axis.is_padded]
        if desc.mode == REFLECTION and lone:
            field = f"InputTensor.Sizes[{lone[0]}]"
            kinds = (Kind.RANGE, Kind.VALUE)
            message = f"{field} is 1: no page says what REFLECTION mirrors there; here its one element, as in np.pad."
            record.note("note.padding_reflection", field, 1, ">= 2", message, "PaddingMode", kinds)
        kind = desc.input_tensor.data_type
        element = element_of(desc.value, kind).item()
        if kind.is_float or not desc.has_constant or element == desc.value:
            return
        low, high = kind.integer_range
        record.expect(
            "padding.value",
            False,
            "PaddingValue",
            element,
            desc.value,
            f"PaddingValue is {desc.value:.9g}, which {kind} doesn't hold, expected a whole number, {low} to {high}: "
            f"no page says what DirectML makes of it, and here OutputTensor has {element}.",
            where="PaddingValue",
            related=["OutputTensor.DataType"],
            severity=Severity.WARNING,
        )

    def fixes(self, desc: Padding, broken: Check) -> Iterator[Changes]:
        yield from halves(desc, broken)
        n = desc.input_tensor.dimension_count
        sides = ("StartPadding", "EndPadding")
        singles = {name: desc.get(name) for name in sides if len(desc.get(name)) == 1}
        if broken.id in ("padding.count", "count.matches") and len(singles) == 2:  # as np.pad takes them
            yield {**{name: number * n for name, number in singles.items()}, "DimensionCount": None}
        if broken.id == "padding.value":
            yield {"PaddingValue": broken.expected}
        if broken.id == "padding.sizes":
            yield {}
            rest = [out - axis.full for axis, out in desc.along(desc.outputs[0].tensor.sizes)]
            for name in reversed(sides):
                moved = [number + more for number, more in zip(desc.get(name), rest, strict=True)]
                if min(moved) >= 0:
                    yield {name: moved}

    def recoloured(self) -> Operator[Padding]:
        return BY_SOURCE

    def _outside(self, desc: Padding, at: Sequence[Indices]) -> Any:
        return np.any([(i < 0) | (i >= axis.size) for axis, i in desc.along(at)], axis=0)

    def source(self, desc: Padding, output: int, index: Index, read: Reader) -> Sources:
        at = tuple(axis.folded(desc.mode, i - axis.start) for axis, i in desc.along(index))
        sources = Sources(np.zeros_like(index[0]), at)
        return nowhere(sources, self._outside(desc, at)) if desc.mode == CONSTANT else sources

    def constant(self, desc: Padding, output: int) -> int | float | None:
        return desc.value if desc.has_constant else None

    def constant_count(self, desc: Padding, output: int, read: Reader) -> int:
        return desc.outputs[output].tensor.element_count - desc.input_tensor.element_count

    def region(self, desc: Padding, tensor: int, index: tuple[int, ...], read: Reader) -> Region:
        return Region(0, tuple(Factor((axis.full,), axis.readers(desc.mode, i)) for axis, i in desc.along(index)))

    def counts(self, desc: Padding, tensor: int, index: Index, read: Reader) -> Indices:
        along = (axis.counts(desc.mode, i) for axis, i in desc.along(index))
        return math.prod(along, start=np.ones_like(index[0]))

    def _last(self, desc: Padding) -> int:
        return max((d for d, axis in enumerate(desc.axes) if axis.is_padded), default=-1)

    def map_code(self, desc: Padding) -> MapCode:
        axes, where = desc.axes, ""
        index = letters([axis.full for axis in axes])
        if desc.has_constant:
            text = str(desc.padding_value).removesuffix(".0")
            where = f"PaddingValue {text} outside {braces(desc.input_tensor.sizes)}"
        source = [_folded_text(axis, desc.mode, i) for axis, i in desc.along(index)]
        return MapCode(indexed("OutputTensor", index), indexed("InputTensor", source), where)

    def identity(self, desc: Padding, place: Place, index: Index, read: Reader) -> Indices:
        parts = [axis.parts for axis in desc.axes]
        if desc.mode == CONSTANT:
            at = [i - axis.start for axis, i in desc.along(index)]
            return np.where(self._outside(desc, at), -1, 0) if place.is_output else np.zeros_like(index[0])
        own = index if place.is_output else [i + axis.start for axis, i in desc.along(index)]
        at = [np.searchsorted(starts, i, "right") - 1 for i, starts in zip(own, parts, strict=True)]
        found = ravel(at, [len(starts) for starts in parts])
        return found if place.is_output else np.where(self.counts(desc, 0, index, read) == 1, found, -1)

    def identity_count(self, desc: Padding) -> int:
        return 1 if desc.mode == CONSTANT else math.prod(len(axis.parts) for axis in desc.axes)

    def identity_axes(self, desc: Padding, place: Place) -> tuple[int, ...]:
        if desc.mode == CONSTANT:  # all that has a source is one part
            return ()
        return tuple(d for d, axis in enumerate(desc.axes) if axis.is_padded)

    def slices(self, desc: Padding, output: int) -> Starts:
        return {d: np.array(axis.parts, np.int64) for d, axis in enumerate(desc.axes) if axis.is_padded}

    def runs(self, desc: Padding, output: int, read: Reader) -> Starts:
        last, axes = self._last(desc), desc.axes
        return {d: axes[d].runs(desc.mode) if d == last else range(axes[d].full) for d in range(last + 1)}

    def formula(self, desc: Padding, output: int, index: tuple[int, ...], read: Reader) -> list[tuple[str, str]]:
        rows = [*desc.along(index)]
        at = [i - axis.start for axis, i in rows]
        source = [int(axis.folded(desc.mode, i - axis.start)) for axis, i in rows]
        here = [f"{i} − {axis.start}" if axis.start else str(i) for axis, i in rows]
        line = [(f"OutputTensor{brackets(index)}", "output"), (" = ", "")]
        if desc.mode == CONSTANT and any(not 0 <= i < axis.size for axis, i in desc.along(at)):
            outside = f"InputTensor{brackets(at)} is outside {braces(desc.input_tensor.sizes)}"
            return [*line, ("PaddingValue", "source"), (outside, "")]
        steps = [brackets(here)] * (at != list(index)) + [brackets(at)] * (source != at)
        for number, step in enumerate(steps, 1):
            line += [(f"InputTensor{step}", "via"), (" → " if number == len(steps) and source != at else " = ", "")]
        return [*line, (f"InputTensor{brackets(source)}", "source")]

    def kernel_numbers(self, desc: Padding) -> tuple[int, ...]:
        """Bytes that lie together, bytes of an element, the mode, the constant's bits, and each axis that is left."""
        kind = desc.input_tensor.data_type
        bits = int.from_bytes(element_of(desc.value, kind).tobytes(), "little", signed=True)
        axes, together = merge(desc.mode, desc.axes)
        return kind.item_size * together, kind.item_size, NUMBERS[desc.mode], bits, *(n for axis in axes for n in axis)


def _folded_text(axis: Axis, mode: str, letter: str) -> str:
    """Where the element at a letter comes from, in Python: `max(i-1,0)`."""
    place = letter if not axis.start else f"{letter}-{axis.start}"
    last = axis.size - 1
    if mode == CONSTANT or not axis.is_padded:
        return place
    if last == 0:
        return "0"
    if mode == EDGE:
        place = f"max({place},0)" if axis.start else place
        return f"min({place},{last})" if axis.end else place
    if mode == REFLECTION and axis.start <= last and not axis.end:
        return f"abs({place})"
    within = f"({place})%{axis.period(mode)}" if axis.start else f"{place}%{axis.period(mode)}"
    return f"min({within},{axis.period(mode) - (mode == SYMMETRIC)}-{within})"


def merge(mode: str, axes: Sequence[Axis]) -> tuple[list[Axis], int]:
    """(axes with neighbours merged where one loop covers both, elements that lie together at each place).

    What isn't padded belongs to the axis before it if that isn't either, or if a place of it is all constant or none.
    """
    merged: list[Axis] = []
    for axis in axes:
        before = merged[-1] if merged else Axis(1, 0, 0)
        if axis.is_padded or (before.is_padded and mode != CONSTANT):
            merged.append(axis)
        else:
            merged[-1:] = [Axis(*(n * axis.size for n in before))]
    merged = [axis for axis in merged if axis != Axis(1, 0, 0)] or [Axis(1, 0, 0)]
    if len(merged) > 1 and not merged[-1].is_padded:
        return merged[:-1], merged[-1].size
    return merged, 1


BY_SOURCE = by_source(PaddingOperator)
OPERATOR = PaddingOperator()
