"""SLICE1: a window of a tensor, walked along by strides that may be negative.

Facts are of Microsoft's page of `DML_SLICE1_OPERATOR_DESC` (windows/win32/api/directml), whose level table has rows of
2_1, 3_0 and 4_1; the feature level history agrees. Where the page contradicts itself, DirectML.h and the page's own
example 2 decide: strides are INT, which the page calls UINT, and the most that is copied goes by their magnitude.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..desc.base import Changes, Desc
from ..desc.fields import CountField, NumbersField, Role, TensorField
from ..desc.indexing import put
from ..desc.support import T8, T11, support
from ..desc.tensors import TensorDesc, braces, brackets
from ..desc.values import Index, Indices
from .base import Operator
from .desc_edits import halves
from .maps import Factor, Place, Reader, Region, Sources, Starts
from .report import Check, Recorder
from .rules import entries_rule, per_axis_rules, tensor_for
from .workings import MapCode, formula_of, indexed, letters

_TENSORS = support(("2_1", 4, 5, T8), ("3_0", 1, 8, T8), ("4_1", 1, 8, T11))
ARRAYS = ("InputWindowOffsets", "InputWindowSizes", "InputWindowStrides")
MAGNITUDE = "the page divides by the stride itself; its own example 2 copies by its magnitude"


@dataclass(frozen=True)
class Slice1(Desc):
    """`DML_SLICE1_OPERATOR_DESC`: along axis i every `strides[i]`-th element of a window; from its end if negative."""

    TYPE = "DML_OPERATOR_SLICE1"
    FIELDS = (
        TensorField("InputTensor", Role.DATA, _TENSORS, about="The tensor that a window is laid on."),
        TensorField(
            "OutputTensor",
            Role.OUTPUT,
            _TENSORS,
            about="What is copied out of the window; it may be smaller than what the strides reach.",
        ),
        CountField("DimensionCount", arrays=ARRAYS),
        NumbersField(
            "InputWindowOffsets",
            per_axis=True,
            neutral=0,
            about="Where the window begins along each axis, counted in elements from 0.",
        ),
        NumbersField(
            "InputWindowSizes",
            per_axis=True,
            neutral=1,
            about="How many elements of InputTensor the window covers along each axis, whatever the stride.",
        ),
        NumbersField(
            "InputWindowStrides",
            per_axis=True,
            neutral=1,
            signed=True,
            about="Every how many elements one is copied; a negative stride begins at the window's last element.",
        ),
    )

    input_tensor: TensorDesc
    input_window_offsets: Sequence[int]
    input_window_sizes: Sequence[int]
    input_window_strides: Sequence[int]
    output_tensor: TensorDesc | None = None
    dimension_count: int | None = None

    @classmethod
    def of_slices(cls, data: TensorDesc, slices: Sequence[slice]) -> Slice1:
        """NumPy's x[start:stop:step, ...], a slice for each axis, none of step 0; one that takes nothing has size 0."""
        rows = [cut.indices(n) for n, cut in zip(data.sizes, slices, strict=True)]
        offsets = [start if step > 0 else stop + 1 for start, stop, step in rows]
        sizes = [max(0, stop - start if step > 0 else start - stop) for start, stop, step in rows]
        return cls(data, offsets, sizes, [step for _, _, step in rows])

    @property
    def windows(self) -> list[tuple[int, int, int]]:
        """(offset, size, stride) along each axis, as far as all three are there."""
        return list(zip(self.input_window_offsets, self.input_window_sizes, self.input_window_strides, strict=False))

    @property
    def starts(self) -> list[int]:
        """Where copying starts along each axis: at the window's last element where the stride is negative."""
        return [offset if stride > 0 else offset + size - 1 for offset, size, stride in self.windows]

    def most(self) -> list[int]:
        """The most elements that can be copied along each axis; strides are not 0."""
        return [1 + (size - 1) // abs(stride) for _, size, stride in self.windows]

    @property
    def slices(self) -> list[slice]:
        """NumPy's x[start:stop:step, ...] of a valid desc; a stop before the first element is None."""
        slices, counts = [], self.outputs[0].tensor.sizes
        for (offset, size, stride), start, most, count in zip(
            self.windows, self.starts, self.most(), counts, strict=True
        ):
            before, end = (offset - 1, start - 1) if stride < 0 else (offset + size, start + 1)
            stop = before if count == most else end + stride * (count - 1)
            slices.append(slice(start, None if stop < 0 else stop, stride))
        return slices

    def infer_output(self) -> TensorDesc | None:
        counts = {len(self.get(name)) for name in ARRAYS} | {self.input_tensor.dimension_count}
        if len(counts) > 1 or any(size < 1 or stride == 0 for _, size, stride in self.windows):
            return None
        return self.input_tensor.resized(self.most()) if min(self.input_tensor.sizes, default=0) > 0 else None


class Slice1Operator(Operator[Slice1]):
    name = "SLICE1"
    title = "Copies every n-th element of a window, forwards or backwards."
    in_numpy = "x[offset:offset + size][::stride]"
    page_number = 6.2
    example_word = "slice"
    desc = Slice1
    anchor = "InputTensor"
    identity_of = "the position along the axis that is sliced"
    sentences = {
        "slice.count": "Offsets, sizes and strides of the window have one entry for each axis of InputTensor.",
        "slice.positive": "The window has at least one element along every axis.",
        "slice.strides": "No stride of the window is 0.",
        "slice.inside": "The window ends where InputTensor ends, or before.",
        "slice.reach": "OutputTensor has no more elements along an axis than the stride reaches in the window.",
    }

    def about(self, tensor: TensorDesc, axis: int) -> Slice1:
        n = tensor.dimension_count
        return Slice1(tensor, (0,) * n, tensor.sizes, put((1,) * n, axis, 2))

    def rules(self, desc: Slice1, record: Recorder) -> None:
        sizes = desc.input_tensor.sizes
        n = desc.input_tensor.dimension_count
        per_axis_rules(record, "slice.count", desc, "DimensionCount")
        offsets, window, strides = (desc.get(name) for name in ARRAYS)
        entries_rule(record, "slice.positive", ARRAYS[1], [size < 1 for size in window], window, "at least 1")
        entries_rule(record, "slice.strides", ARRAYS[2], [stride == 0 for stride in strides], strides, "other than 0")
        on = record.failed("slice.count", "count.matches")
        if on:
            record.wait("slice.inside", ARRAYS[1], on)
        else:
            room = [s - o if w > 0 and s > 0 else w for o, w, s in zip(offsets, window, sizes, strict=True)]
            why = ": InputWindowOffsets and InputWindowSizes together are at most InputTensor's sizes"
            _most_rule(record, "slice.inside", ARRAYS[1], window, room, why, ARRAYS[0], where=ARRAYS[0])
            on = record.failed("slice.positive", "slice.strides")
        without = record.failed("sizes.positive", "dimension_count.supported") or "sizes.positive"
        output = tensor_for(record, "slice.reach", "OutputTensor", desc.output_tensor, n, on, without)
        if output is not None:
            why = ", what the stride reaches in the window"
            path = "OutputTensor.Sizes"
            where = f"MaxCopiedElements ({MAGNITUDE})" if min(strides, default=1) < 0 else "MaxCopiedElements"
            _most_rule(record, "slice.reach", path, output.sizes, desc.most(), why, *ARRAYS[1:], where=where)

    def fixes(self, desc: Slice1, broken: Check) -> Iterator[Changes]:
        sizes = desc.input_tensor.sizes
        windows = desc.windows
        n = desc.input_tensor.dimension_count
        if len(windows) == n > 0 and windows[-1][2] == 1:
            twice = {name: put(desc.get(name), n - 1, 2 * desc.get(name)[-1]) for name in ARRAYS[:2]}
            yield from ({**changes, **twice} for changes in halves(desc, broken))
        if broken.id in ("slice.count", "count.matches"):
            # As in NumPy, an axis behind those that are named is whole.
            whole = zip(ARRAYS, ((0,) * n, sizes, (1,) * n), strict=True)
            filled = {name: (*desc.get(name), *rest[len(desc.get(name)) :])[:n] for name, rest in whole}
            yield {**filled, "DimensionCount": None}
        if broken.id == "slice.positive":
            yield {ARRAYS[1]: [max(1, size) for size in desc.input_window_sizes]}
        if broken.id == "slice.strides":
            yield {ARRAYS[2]: [stride or 1 for stride in desc.input_window_strides]}
        if broken.id == "slice.inside":
            rows = [(o, w, s) for (o, w, _), s in zip(windows, sizes, strict=True)]
            if all(o < w <= s for o, w, s in rows):  # NumPy's stop, written down as a size
                yield {ARRAYS[1]: [w - o for o, w, _ in rows]}
            kept = [min(o, s - 1) for o, _, s in rows]
            yield {ARRAYS[1]: [max(1, min(w, s - o)) for o, w, s in rows]}
            yield {ARRAYS[0]: [min(o, max(0, s - w)) for o, w, s in rows]}
            yield {ARRAYS[0]: kept, ARRAYS[1]: [min(w, s - o) for o, (_, w, s) in zip(kept, rows, strict=True)]}
        if broken.id == "slice.reach":
            yield {}
            wide = zip(desc.outputs[0].tensor.sizes, windows, strict=True)
            yield {ARRAYS[1]: [max(size, 1 + (out - 1) * abs(stride)) for out, (_, size, stride) in wide]}
            yield {"OutputTensor": desc.outputs[0].tensor.resized(broken.expected)}

    def map_code(self, desc: Slice1) -> MapCode:
        here = letters(desc.outputs[0].tensor.sizes)
        there = [_place(letter, *walk[:2]) for letter, walk in zip(here, self._walks(desc), strict=True)]
        return MapCode(indexed("OutputTensor", here), indexed("InputTensor", there))

    def formula(self, desc: Slice1, output: int, index: tuple[int, ...], read: Reader) -> list[tuple[str, str]]:
        rows = [(i, start, stride) for i, (start, stride, _) in zip(index, self._walks(desc), strict=True)]
        steps = [f"{abs(stride)}×{i}" if abs(stride) > 1 else str(i) for i, _, stride in rows]
        walked = [
            step if (start, stride) == (0, 1) else f"{start} {'−' if stride < 0 else '+'} {step}"
            for step, (_, start, stride) in zip(steps, rows, strict=True)
        ]
        source = brackets(start + stride * i for i, start, stride in rows)
        return formula_of(f"OutputTensor{brackets(index)}", f"InputTensor{brackets(walked)}", f"InputTensor{source}")

    def _walks(self, desc: Slice1) -> Iterator[tuple[int, int, int]]:
        return zip(desc.starts, desc.input_window_strides, desc.outputs[0].tensor.sizes, strict=True)

    def source(self, desc: Slice1, output: int, index: Index, read: Reader) -> Sources:
        walked = (start + i * stride for i, (start, stride, _) in zip(index, self._walks(desc), strict=True))
        return Sources(np.zeros_like(index[0]), tuple(walked))

    def region(self, desc: Slice1, tensor: int, index: tuple[int, ...], read: Reader) -> Region:
        factors = []
        for i, (start, stride, n) in zip(index, self._walks(desc), strict=True):
            k, rest = divmod(i - start, stride)
            factors.append(Factor((n,), range(k, k + 1) if rest == 0 and 0 <= k < n else range(0)))
        return Region(0, tuple(factors))

    def counts(self, desc: Slice1, tensor: int, index: Index, read: Reader) -> Indices:
        reads = np.ones_like(index[0])
        for i, (start, stride, n) in zip(index, self._walks(desc), strict=True):
            k, rest = np.divmod(i - start, stride)
            reads &= (rest == 0) & (k >= 0) & (k < n)
        return reads

    def _cut(self, desc: Slice1) -> int:
        """The first axis from which on what is copied lies together in both tensors."""
        sizes = desc.outputs[0].tensor.sizes
        cut = len(sizes)
        while cut and (desc.input_window_strides[cut - 1] == 1 or sizes[cut - 1] == 1):
            cut -= 1
            if sizes[cut] != desc.input_tensor.sizes[cut]:
                break
        return cut

    def _axis(self, desc: Slice1) -> int:
        """The axis whose positions have the colours: one walked backwards, else in steps, else the first that is cut.

        Where none is, the first that has more than one element.
        """
        rows = enumerate(zip(desc.input_tensor.sizes, self._walks(desc), strict=True))
        return min((count == 1, stride > 0, stride == 1, count == n, d) for d, (n, (_, stride, count)) in rows)[-1]

    def identity(self, desc: Slice1, place: Place, index: Index, read: Reader) -> Indices:
        return (self.source(desc, 0, index, read).index if place.is_output else index)[self._axis(desc)]

    def identity_count(self, desc: Slice1) -> int:
        return desc.input_tensor.sizes[self._axis(desc)]

    def identity_axes(self, desc: Slice1, place: Place) -> tuple[int, ...]:
        return (self._axis(desc),)

    def runs(self, desc: Slice1, output: int, read: Reader) -> Starts:
        sizes = desc.outputs[0].tensor.sizes
        apart = self._axis(desc) + 1 if sizes[self._axis(desc)] > 1 else 0
        return {d: range(sizes[d]) for d in range(max(self._cut(desc), apart))}

    def axis_roles(self, desc: Slice1, place: Place) -> dict[int, str]:
        rows = enumerate(zip(desc.input_window_strides, desc.input_tensor.sizes, strict=True))
        return {d: f"stride {stride}" for d, (stride, size) in rows if stride != 1 and size > 1}

    def kernel_numbers(self, desc: Slice1) -> tuple[int, ...]:
        """Bytes of a run, those before the first; then a count and a signed step in bytes for each axis that is left.

        Axes along which one step goes on as another are one axis; what lies together makes a run.
        """
        unit = item = desc.input_tensor.data_type.item_size
        start, axes = 0, list[tuple[int, int]]()  # the innermost first
        rows = zip(desc.input_tensor.sizes, self._walks(desc), strict=True)
        for n, (first, stride, count) in reversed(list(rows)):
            start += first * unit
            if count > 1 and axes and axes[-1][0] * axes[-1][1] == stride * unit:
                axes[-1] = axes[-1][0] * count, axes[-1][1]
            elif count > 1:
                axes.append((count, stride * unit))
            unit *= n
        run = item * axes.pop(0)[0] if axes and axes[0][1] == item else item
        return run, start, *(number for axis in reversed(axes) for number in axis)


def _most_rule(
    record: Recorder,
    id_: str,
    path: str,
    numbers: Sequence[int],
    most: Sequence[int],
    why: str,
    *related: str,
    where: str = "",
) -> None:
    bad = [d for d, (number, end) in enumerate(zip(numbers, most, strict=True)) if number > end]
    faults = " and ".join(f"{path}[{d}] is {numbers[d]}, expected at most {most[d]}" for d in bad)
    record.expect(
        id_,
        not bad,
        f"{path}[{bad[0]}]" if len(bad) == 1 else path,
        [min(pair) for pair in zip(numbers, most, strict=True)],
        list(numbers),
        f"{faults}{why}.",
        holds=f"{path} is {braces(numbers)}{why}.",
        where=where,
        related=[f"{name}[{d}]" for d in bad for name in (path, *related)],
    )


def _place(letter: str, start: int, stride: int) -> str:
    """Where the element at a letter comes from, in Python: `3-2*i`."""
    if letter == "0":
        return str(start)
    step = letter if abs(stride) == 1 else f"{abs(stride)}*{letter}"
    return f"{start}-{step}" if stride < 0 else f"{start}+{step}" if start else step


OPERATOR = Slice1Operator()
