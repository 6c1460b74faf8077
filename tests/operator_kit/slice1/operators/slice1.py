"""SLICE1: a window of a tensor, walked along by strides that may be negative."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dmlviz.desc.base import Changes, Desc
from dmlviz.desc.fields import CountField, NumbersField, Role, TensorField
from dmlviz.desc.indexing import put
from dmlviz.desc.support import T8, support
from dmlviz.desc.tensors import TensorDesc, braces, brackets
from dmlviz.desc.values import Indices
from dmlviz.operators.base import Operator
from dmlviz.operators.maps import Factor, Place, Reader, Region, Sources, Starts
from dmlviz.operators.misreadings.verdicts import broken_rules, lets_pass
from dmlviz.operators.report import Check, Recorder
from dmlviz.operators.rules import count_matches
from dmlviz.operators.workings import MapCode, Term, indexed, letters
from dmlviz.operators.wrong_rules import Misreading, Sizes, WrongOutputs, nowhere

_TENSORS = support(("2_1", 4, 5, T8), ("3_0", 1, 8, T8))
ARRAYS = ("InputWindowOffsets", "InputWindowSizes", "InputWindowStrides")


@dataclass(frozen=True)
class Slice1(Desc):
    """`DML_SLICE1_OPERATOR_DESC`: along axis i every `strides[i]`-th element of a window; from its end if negative."""

    TYPE = "DML_OPERATOR_SLICE1"
    FIELDS = (
        TensorField("InputTensor", Role.DATA, _TENSORS),
        TensorField("OutputTensor", Role.OUTPUT, _TENSORS),
        CountField("DimensionCount", of=ARRAYS),
        NumbersField("InputWindowOffsets", per_axis=True, neutral=0),
        NumbersField("InputWindowSizes", per_axis=True, neutral=1),
        NumbersField("InputWindowStrides", per_axis=True, neutral=1, signed=True),
    )

    input_tensor: TensorDesc
    input_window_offsets: Sequence[int]
    input_window_sizes: Sequence[int]
    input_window_strides: Sequence[int]
    output_tensor: TensorDesc | None = None
    dimension_count: int | None = None

    @property
    def windows(self) -> list[tuple[int, int, int]]:
        """(offset, size, stride) along each axis, as far as all three are there."""
        return list(zip(self.input_window_offsets, self.input_window_sizes, self.input_window_strides, strict=False))

    @property
    def starts(self) -> list[int]:
        """Where copying starts along each axis: at the window's end where the stride is negative."""
        return [offset if stride > 0 else offset + size - 1 for offset, size, stride in self.windows]

    def most(self) -> list[int]:
        """The most elements that can be copied along each axis; strides are not 0."""
        return [1 + (size - 1) // abs(stride) for _, size, stride in self.windows]

    @property
    def axes(self) -> list[tuple[int, int, int, int]]:
        """(offset, size, stride, InputTensor's size) along each axis, as far as all four are there."""
        return [(*window, n) for window, n in zip(self.windows, self.input_tensor.sizes, strict=False)]

    def infer_output(self) -> TensorDesc | None:
        counts = {len(self.get(name)) for name in ARRAYS} | {self.input_tensor.dimension_count}
        if len(counts) > 1 or any(size < 1 or stride == 0 for _, size, stride in self.windows):
            return None
        return self.input_tensor.resized(self.most()) if min(self.input_tensor.sizes, default=0) > 0 else None


class Slice1Operator(Operator[Slice1]):
    name = "SLICE1"
    title = "Takes every n-th element of a window, forwards or backwards."
    page_number = 6
    desc = Slice1
    anchor = "InputTensor"
    identity_of = "the position along the first axis of the input"
    sentences = {
        "window.count": "Offsets, sizes and strides of the window have one entry for each axis of InputTensor.",
        "window.positive": "The window has at least one element along every axis.",
        "window.inside": "The window ends where InputTensor ends, or before.",
        "window.strides": "No stride is 0.",
        "window.reach": "OutputTensor has no more elements along an axis than the stride reaches in the window.",
    }

    def rules(self, desc: Slice1, record: Recorder) -> None:
        sizes, output, n = desc.input_tensor.sizes, desc.output_tensor, desc.input_tensor.dimension_count
        count = desc.dimension_count
        record.expect(
            "window.count",
            count == n,
            "DimensionCount",
            n,
            count,
            f"DimensionCount is {count}, expected {n}, InputTensor's DimensionCount.",
            holds=f"DimensionCount {count} equals InputTensor's.",
            where="DimensionCount",
            related=["InputTensor.DimensionCount"],
        )
        count_matches(record, desc, "DimensionCount")
        offsets, window, strides = (desc.get(name) for name in ARRAYS)
        self._entries(record, "window.positive", "InputWindowSizes", window, "at least 1", [w < 1 for w in window])
        self._entries(record, "window.strides", "InputWindowStrides", strides, "no 0", [s == 0 for s in strides])
        on = record.failed("window.count", "count.matches")
        if on:
            record.wait("window.inside", "InputWindowSizes", on)
        else:
            rows = list(zip(offsets, window, sizes, strict=True))
            bad = [d for d, (o, w, s) in enumerate(rows) if w >= 1 and s >= 1 and o + w > s]
            said = " and ".join(
                f"InputWindowOffsets[{d}] + InputWindowSizes[{d}] is {offsets[d]} + {window[d]} = "
                f"{offsets[d] + window[d]}, expected at most {sizes[d]}"
                for d in bad
            )
            record.expect(
                "window.inside",
                not bad,
                f"InputWindowSizes[{bad[0]}]" if len(bad) == 1 else "InputWindowSizes",
                [s - o for o, _, s in rows],
                list(window),
                f"{said}, InputTensor's size." if bad else f"The window lies within {braces(sizes)}.",
                where="InputWindowOffsets",
                related=[f"{name}[{d}]" for d in bad for name in ("InputWindowSizes", "InputWindowOffsets")],
            )
            on = record.failed("window.positive", "window.strides")
        if output is None:
            on = on or record.failed("sizes.positive", "dimension_count.supported") or "sizes.positive"
        elif not on and output.dimension_count != n:
            on = "dimension_count.equal"
        if on or output is None:
            record.wait("window.reach", "OutputTensor.Sizes", on or "")
            return
        most = desc.most()
        over = [d for d in range(n) if output.sizes[d] > most[d]]
        said = " and ".join(f"OutputTensor.Sizes[{d}] is {output.sizes[d]}, expected at most {most[d]}" for d in over)
        record.expect(
            "window.reach",
            not over,
            f"OutputTensor.Sizes[{over[0]}]" if len(over) == 1 else "OutputTensor.Sizes",
            [min(a, b) for a, b in zip(output.sizes, most, strict=True)],
            list(output.sizes),
            f"{said}, what the stride reaches in the window." if over else f"The window reaches {braces(most)}.",
            where="Remarks",
            related=[f"{name}[{d}]" for d in over for name in ("InputWindowSizes", "InputWindowStrides")],
        )

    def _entries(
        self, record: Recorder, id_: str, name: str, held: Sequence[int], want: str, broken: Sequence[bool]
    ) -> None:
        bad = [d for d, is_bad in enumerate(broken) if is_bad]
        said = " and ".join(f"{name}[{d}] is {held[d]}" for d in bad)
        record.expect(
            id_,
            not bad,
            f"{name}[{bad[0]}]" if len(bad) == 1 else name,
            want,
            list(held),
            f"{said}, expected {want}." if bad else f"{name} {braces(held)} has {want}.",
            where=name,
            related=[f"{name}[{d}]" for d in bad],
        )

    def fixes(self, desc: Slice1, broken: Check) -> Iterator[Changes]:
        sizes = desc.input_tensor.sizes
        if broken.id in ("window.count", "count.matches"):
            yield {"DimensionCount": None}
            fields = [f for f in desc.FIELDS if isinstance(f, NumbersField) and f.neutral is not None]
            n = len(sizes)
            fitted = {f.name: ((f.neutral,) * n + desc.get(f.name))[len(desc.get(f.name)) :] for f in fields}
            yield {**fitted, "DimensionCount": None}
        if broken.id == "window.positive":
            yield {"InputWindowSizes": [max(1, size) for size in desc.input_window_sizes]}
        if broken.id == "window.strides":
            yield {"InputWindowStrides": [stride or 1 for stride in desc.input_window_strides]}
        if broken.id == "window.inside":
            rows = list(zip(desc.windows, sizes, strict=True))
            yield {"InputWindowSizes": [w if o + w <= s else max(1, s - o) for (o, w, _), s in rows]}
            yield {"InputWindowOffsets": [min(o, max(0, s - w)) for (o, w, _), s in rows]}
            yield {
                "InputWindowOffsets": [min(o, s - 1) for (o, _, _), s in rows],
                "InputWindowSizes": [min(w, s - min(o, s - 1)) for (o, w, _), s in rows],
            }
        if broken.id == "window.reach" and desc.output_tensor is not None:
            yield {"OutputTensor": None}
            yield {"OutputTensor": desc.output_tensor.resized(broken.expected)}

    def working(self, desc: Slice1, broken: Check) -> list[Term]:
        if broken.id != "window.reach":
            return []
        strides = braces(abs(stride) for stride in desc.input_window_strides)
        sizes = Term("InputWindowSizes", braces(desc.input_window_sizes))
        most = Term("", braces(desc.most()))
        return [sizes, Term("", "÷"), Term("|InputWindowStrides|", strides), Term("", "→"), most]

    def map_code(self, desc: Slice1) -> MapCode:
        here = letters(self._sizes(desc))
        rows = zip(here, desc.starts, desc.input_window_strides, strict=True)
        return MapCode(indexed("OutputTensor", here), indexed("InputTensor", [_place(*row) for row in rows]))

    # ---- questions

    def misreadings(self) -> Sequence[Misreading[Slice1]]:
        return MISREADINGS

    # ---- maps

    def source(self, desc: Slice1, output: int, index: tuple[Indices, ...], read: Reader) -> Sources:
        walked = zip(index, desc.starts, desc.input_window_strides, strict=True)
        return Sources(np.zeros_like(index[0]), tuple(start + i * stride for i, start, stride in walked))

    def region(self, desc: Slice1, tensor: int, index: tuple[int, ...], read: Reader) -> Region:
        factors = []
        for i, start, stride, n in zip(index, desc.starts, desc.input_window_strides, self._sizes(desc), strict=True):
            k, rest = divmod(i - start, stride)
            factors.append(Factor((n,), range(k, k + 1) if rest == 0 and 0 <= k < n else range(0)))
        return Region(0, tuple(factors))

    def counts(self, desc: Slice1, tensor: int, index: tuple[Indices, ...], read: Reader) -> Indices:
        found = np.ones_like(index[0])
        for i, start, stride, n in zip(index, desc.starts, desc.input_window_strides, self._sizes(desc), strict=True):
            k, rest = np.divmod(i - start, stride)
            found &= (rest == 0) & (k >= 0) & (k < n)
        return found

    def block(self, desc: Slice1, output: int) -> int:
        return math.prod(self._sizes(desc)[self._cut(desc) :])

    def _sizes(self, desc: Slice1) -> tuple[int, ...]:
        assert desc.output_tensor is not None
        return desc.output_tensor.sizes

    def _cut(self, desc: Slice1) -> int:
        """The first axis from which on what is copied lies together in both tensors."""
        sizes = self._sizes(desc)
        cut = len(sizes)
        while cut and (desc.input_window_strides[cut - 1] == 1 or sizes[cut - 1] == 1):
            cut -= 1
            if sizes[cut] != desc.input_tensor.sizes[cut]:
                break
        return cut

    # ---- the picture

    def _axis(self, desc: Slice1) -> int:
        return next((d for d, n in enumerate(desc.input_tensor.sizes) if n > 1), 0)

    def identity(self, desc: Slice1, place: Place, index: tuple[Indices, ...], read: Reader) -> Indices:
        return (self.source(desc, 0, index, read).index if place.is_output else index)[self._axis(desc)]

    def identity_count(self, desc: Slice1) -> int:
        return desc.input_tensor.sizes[self._axis(desc)]

    def identity_axes(self, desc: Slice1, place: Place) -> tuple[int, ...]:
        return (self._axis(desc),)

    def runs(self, desc: Slice1, output: int, read: Reader) -> Starts:
        sizes = self._sizes(desc)
        apart = self._axis(desc) + 1 if sizes[self._axis(desc)] > 1 else 0
        return {d: range(sizes[d]) for d in range(max(self._cut(desc), apart))}

    def formula(self, desc: Slice1, output: int, index: tuple[int, ...], read: Reader) -> list[tuple[str, str]]:
        rows = list(zip(index, desc.starts, desc.input_window_strides, strict=True))
        walked = [f"{start} {'−' if stride < 0 else '+'} {abs(stride)}×{i}" for i, start, stride in rows]
        return [
            (f"OutputTensor{brackets(index)}", "output"),
            (" = ", ""),
            (f"InputTensor{brackets(walked)}", "via"),
            (" = ", ""),
            (f"InputTensor{brackets(start + stride * i for i, start, stride in rows)}", "source"),
        ]

    # ---- running

    def about(self, tensor: TensorDesc, axis: int) -> Slice1:
        n = tensor.dimension_count
        return Slice1(tensor, (0,) * n, tensor.sizes, put((1,) * n, axis, 2))

    def grown(self, desc: Slice1, factor: int) -> Iterator[Changes]:
        """Along one axis the window grows until it has as many times the elements, and InputTensor with it."""
        data, out = desc.input_tensor, self._sizes(desc)
        for d, (offset, size, stride) in enumerate(desc.windows):
            longer = max(size, 1 + (out[d] * factor - 1) * abs(stride))
            yield {
                "InputTensor": data.resized(put(data.sizes, d, max(data.sizes[d], offset + longer))),
                "InputWindowSizes": put(desc.input_window_sizes, d, longer),
                "OutputTensor": data.resized(put(out, d, out[d] * factor)),
            }

    def kernel_numbers(self, desc: Slice1) -> tuple[int, ...]:
        """Bytes of an item; then for each axis InputTensor's size, the start, the stride and OutputTensor's size."""
        rows = zip(desc.input_tensor.sizes, desc.starts, desc.input_window_strides, self._sizes(desc), strict=True)
        return desc.input_tensor.data_type.item_size, *(number for row in rows for number in row)


def _place(letter: str, start: int, stride: int) -> str:
    """Where the element at a letter comes from, in Python: `3-2*i`."""
    if letter == "0":
        return str(start)
    step = letter if abs(stride) == 1 else f"{abs(stride)}*{letter}"
    return f"{start}-{step}" if stride < 0 else f"{start}+{step}" if start else step


# ---- what people think that it does


def _walked(
    start: Callable[[int, int, int, int], int],
    step: Callable[[int], int] = int,
    sizes: Callable[[Slice1], Sizes] = lambda desc: desc.outputs[0].tensor.sizes,
) -> Callable[[Slice1, Reader], WrongOutputs]:
    """Outputs by other starts, of one of `Slice1.axes`, and by other steps, of a stride; outside there is nothing."""

    def outputs(desc: Slice1, read: Reader) -> WrongOutputs:
        def come_from(output: int, index: tuple[Indices, ...]) -> Sources:
            found = tuple(start(*axis) + i * step(axis[2]) for i, axis in zip(index, desc.axes, strict=True))
            outside = np.any([(at < 0) | (at >= n) for at, (*_, n) in zip(found, desc.axes, strict=True)], axis=0)
            return nowhere(Sources(np.zeros_like(index[0]), found), outside)

        return WrongOutputs((sizes(desc),), come_from)

    return outputs


def _longer(desc: Slice1) -> Sizes:
    """The output's sizes if the window had one element more, where it isn't given a smaller one."""
    rows = zip(desc.outputs[0].tensor.sizes, desc.most(), desc.windows, strict=True)
    return tuple(1 + size // abs(stride) if n == most else n for n, most, (_, size, stride) in rows)


def _begins_inside(desc: Slice1) -> bool:
    return all(offset < n for offset, _, _, n in desc.axes)


def _on_axis(differs: Callable[[int, int, int, int], bool]) -> Callable[..., Mapping[str, Any]]:
    """Numbers about the first axis where a rule differs, else about the first one."""

    def numbers(desc: Slice1, read: Reader, place: Place, index: tuple[int, ...]) -> Mapping[str, Any]:
        rows = list(enumerate(desc.axes)) or [(0, (0, 1, 1, 1))]
        axis, (offset, size, stride, n) = next((row for row in rows if differs(*row[1])), rows[0])
        last = offset + size - 1
        return {"axis": axis, "offset": offset, "size": size, "stride": stride, "n": n, "last": last, "end": last + 1}

    return numbers


MISREADINGS: tuple[Misreading[Slice1], ...] = (
    Misreading[Slice1](
        id="W1",
        name="the end of the window counts in",
        feedback="{size} elements from {offset} on end with {last}: {end} is behind the window, along axis {axis}.",
        look="InputWindowOffsets and InputWindowSizes",
        lights=("InputWindowOffsets", "InputWindowSizes", "formula"),
        differs=lambda desc, read: _longer(desc) != desc.outputs[0].tensor.sizes or min(desc.input_window_strides) < 0,
        outputs=_walked(lambda offset, size, stride, n: offset if stride > 0 else offset + size, sizes=_longer),
        numbers=_on_axis(lambda offset, size, stride, n: stride < 0 or not size % max(stride, 1)),
    ),
    Misreading[Slice1](
        id="W2",
        name="the sign of a stride doesn't matter",
        feedback="A stride of {stride} walks axis {axis} backwards: it starts at the end of the window, {last}.",
        look="the sign in InputWindowStrides",
        lights=("InputWindowStrides", "formula"),
        differs=lambda desc, read: any(stride < 0 and size > 1 for _, size, stride in desc.windows),
        outputs=_walked(lambda offset, size, stride, n: offset, abs),
        numbers=_on_axis(lambda offset, size, stride, n: stride < 0 and size > 1),
    ),
    Misreading[Slice1](
        id="W3",
        name="offsets count from the end",
        feedback="Offsets count from the beginning: along axis {axis} the window is {offset} to {last} of {n}.",
        look="InputWindowOffsets",
        lights=("InputWindowOffsets", "ruler"),
        differs=lambda desc, read: any(n - offset - size != offset for offset, size, _, n in desc.axes),
        outputs=_walked(lambda offset, size, stride, n: n - offset - (size if stride > 0 else 1)),
        numbers=_on_axis(lambda offset, size, stride, n: n - offset - size != offset),
    ),
    Misreading[Slice1](
        id="W4",
        name="a window is cut off at the end",
        feedback="No window is cut off: {offset} + {size} = {end} along axis {axis}, where InputTensor ends at {n}.",
        look="rule window.inside",
        lights=("InputWindowOffsets", "InputWindowSizes", "rules"),
        differs=lambda desc, read: broken_rules(desc) == {"window.inside"} and _begins_inside(desc),
        accepts=lambda desc, read: lets_pass(desc, "window.inside") if _begins_inside(desc) else None,
        numbers=_on_axis(lambda offset, size, stride, n: offset + size > n),
    ),
)

OPERATOR = Slice1Operator()
