"""Wrong rules that people hold about SLICE1, most of them NumPy's x[start:stop:step]."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...desc.tensors import braces
from ...desc.values import Indices
from ..maps import Place, Reader, Sources
from ..slice1 import ARRAYS, Slice1
from ..wrong_rules import Misreading, Sizes, WrongOutputs, nowhere
from . import shared
from .verdicts import broken_rules, is_valid, lets_pass

Window = tuple[int, int, int, int]
"""(offset, size, stride, InputTensor's size) along an axis."""


def _axes(desc: Slice1) -> list[Window]:
    """The window along each axis, as far as all arrays reach."""
    return [(*window, n) for window, n in zip(desc.windows, desc.input_tensor.sizes, strict=False)]


def _sizes(desc: Slice1) -> Sizes:
    return desc.outputs[0].tensor.sizes


def _true_start(offset: int, size: int, stride: int, n: int) -> int:
    return offset if stride > 0 else offset + size - 1


def _walked(
    start: Callable[[int, int, int, int], int],
    step: Callable[[int], int] = int,
    sizes: Callable[[Slice1], Sizes | None] = _sizes,
) -> Callable[[Slice1, Reader], WrongOutputs | None]:
    """Outputs by other starts, of a window, by other steps, of a stride, and of other sizes; outside there is nothing.

    None where the sizes are.
    """

    def outputs(desc: Slice1, read: Reader) -> WrongOutputs | None:
        shape = sizes(desc)
        if shape is None:
            return None

        def come_from(output: int, index: tuple[Indices, ...]) -> Sources:
            places = tuple(start(*axis) + i * step(axis[2]) for i, axis in zip(index, _axes(desc), strict=True))
            outside = np.any([(at < 0) | (at >= n) for at, (*_, n) in zip(places, _axes(desc), strict=True)], axis=0)
            return nowhere(Sources(np.zeros_like(index[0]), places), outside)

        return WrongOutputs((shape,), come_from)

    return outputs


def _as_long_as(most: Callable[[int, int, int], int]) -> Callable[[Slice1], Sizes | None]:
    """The output's sizes if the window reached so many elements, or smaller given ones; None where none are."""

    def sizes(desc: Slice1) -> Sizes | None:
        rows = zip(_sizes(desc), desc.most(), desc.windows, strict=True)
        shape = tuple(most(*window) if n == reach else min(n, most(*window)) for n, reach, window in rows)
        return shape if min(shape) > 0 else None

    return sizes


_to_a_stop = _as_long_as(lambda offset, size, stride: -(-(size - offset) // abs(stride)))
_one_more = _as_long_as(lambda offset, size, stride: 1 + size // abs(stride))
_rounded_down = _as_long_as(lambda offset, size, stride: size // abs(stride))
_all_of_it = _as_long_as(lambda offset, size, stride: size)


def _all_copied(desc: Slice1, read: Reader) -> WrongOutputs | None:
    shape = _all_of_it(desc)
    return None if shape is None else WrongOutputs((shape,))


def _stops(desc: Slice1, read: Reader) -> bool:
    shape = _to_a_stop(desc)
    return shape is not None and (shape != _sizes(desc) or any(o and s < 0 for o, _, s in desc.windows))


def _turned(desc: Slice1, read: Reader) -> bool:
    return any(stride < 0 and size > 1 for _, size, stride in desc.windows)


def _from_one(offset: int, size: int, stride: int, n: int) -> int:
    """Where nobody counts, along an axis of size 1, the offset is what it is."""
    return _true_start(offset, size, stride, n) - (n > 1)


def _reversed(desc: Slice1) -> Slice1 | None:
    """The desc with the entries of its arrays from the last axis to the first; None where that isn't valid."""
    other = desc.replace({name: tuple(desc.get(name))[::-1] for name in ARRAYS})
    return other if is_valid(other) else None


def _reversed_outputs(desc: Slice1, read: Reader) -> WrongOutputs | None:
    other = _reversed(desc)
    return None if other is None else shared.true_outputs(other, read)


def _reversed_differs(desc: Slice1, read: Reader) -> bool:
    other = _reversed(desc)
    if other is None or _sizes(other) != _sizes(desc):
        return other is not None
    starts, strides = (desc.starts, other.starts), (desc.input_window_strides, other.input_window_strides)
    longer = zip(*strides, _sizes(desc), strict=True)
    return starts[0] != starts[1] or any(one != another and n > 1 for one, another, n in longer)


def _is_cut(desc: Slice1) -> bool:
    """True if all that is wrong is a window that begins inside and ends outside."""
    return broken_rules(desc) == {"slice.inside"} and all(offset < n for offset, _, _, n in _axes(desc))


def _is_smaller(desc: Slice1) -> bool:
    return desc.output_tensor is not None and is_valid(desc) and list(_sizes(desc)) != desc.most()


def _on_axis(differs: Callable[[int, int, int, int], bool]) -> Callable[..., Mapping[str, Any]]:
    """Numbers about the first axis where a rule differs, else about the first one."""

    def numbers(desc: Slice1, read: Reader, place: Place, index: tuple[int, ...]) -> Mapping[str, Any]:
        rows = list(enumerate(_axes(desc))) or [(0, (0, 1, 1, 1))]
        axis, (offset, size, stride, n) = next((row for row in rows if differs(*row[1])), rows[0])
        last = offset + size - 1
        return {
            "axis": axis,
            "offset": offset,
            "size": size,
            "stride": stride,
            "steps": abs(stride),
            "n": n,
            "last": last,
            "end": last + 1,
            "most": 1 + (size - 1) // max(1, abs(stride)),
        }

    return numbers


def _arrays(desc: Slice1, read: Reader, place: Place, index: tuple[int, ...]) -> Mapping[str, Any]:
    return {"offsets": braces(desc.input_window_offsets), "D": desc.input_tensor.dimension_count}


def _reach(desc: Slice1, read: Reader, place: Place, index: tuple[int, ...]) -> Mapping[str, Any]:
    can_divide = all(stride for _, _, stride in desc.windows)
    return {"most": braces(desc.most() if can_divide else ()), "out": str(desc.output_tensor and braces(_sizes(desc)))}


MISREADINGS: tuple[Misreading[Slice1], ...] = (
    Misreading[Slice1](
        id="W1",
        name="sizes are where the window stops",
        feedback="NumPy slices from start to stop; here {size} is how many: {offset} to {last} along axis {axis}.",
        look="InputWindowOffsets and InputWindowSizes",
        lights=("InputWindowOffsets", "InputWindowSizes", "formula"),
        differs=_stops,
        outputs=_walked(lambda offset, size, stride, n: offset if stride > 0 else size - 1, sizes=_to_a_stop),
        numbers=_on_axis(lambda offset, size, stride, n: offset > 0),
    ),
    Misreading[Slice1](
        id="W2",
        name="the sign of a stride doesn't matter",
        feedback="A stride of {stride} walks axis {axis} backwards: it starts at the end of the window, {last}.",
        look="the sign in InputWindowStrides",
        lights=("InputWindowStrides", "formula"),
        differs=_turned,
        outputs=_walked(lambda offset, size, stride, n: offset, abs),
        numbers=_on_axis(lambda offset, size, stride, n: stride < 0 and size > 1),
    ),
    Misreading[Slice1](
        id="W3",
        name="a negative stride starts at the offset",
        feedback="A negative stride starts at the window's end, not its offset: {offset} + {size} - 1 = {last} on "
        "axis {axis}.",
        look="the formula line",
        lights=("InputWindowOffsets", "InputWindowStrides", "formula"),
        differs=_turned,
        outputs=_walked(lambda offset, size, stride, n: offset),
        numbers=_on_axis(lambda offset, size, stride, n: stride < 0 and size > 1),
    ),
    Misreading[Slice1](
        id="W4",
        name="sizes count what is copied",
        feedback="{size} counts elements of InputTensor; a stride of {stride} copies {most} of them along axis {axis}.",
        look="Sizes of OutputTensor",
        lights=("InputWindowSizes", "InputWindowStrides", "OutputTensor.Sizes"),
        differs=lambda desc, read: _all_of_it(desc) != _sizes(desc),
        outputs=_all_copied,
        numbers=_on_axis(lambda offset, size, stride, n: size > 1 and abs(stride) > 1),
    ),
    Misreading[Slice1](
        id="W5",
        name="offsets count in strides",
        feedback="Offsets count elements, not strides: the window begins at {offset}, not {offset} × {steps}, on "
        "axis {axis}.",
        look="InputWindowOffsets",
        lights=("InputWindowOffsets", "formula"),
        differs=lambda desc, read: any(offset and abs(stride) > 1 for offset, _, stride in desc.windows),
        outputs=_walked(lambda o, size, stride, n: _true_start(o * abs(stride), size, stride, n)),
        numbers=_on_axis(lambda offset, size, stride, n: offset > 0 and abs(stride) > 1),
    ),
    Misreading[Slice1](
        id="W6",
        name="the end of the window counts in",
        feedback="{size} elements from {offset} on end with {last}: {end} is behind the window, along axis {axis}.",
        look="InputWindowOffsets and InputWindowSizes",
        lights=("InputWindowOffsets", "InputWindowSizes", "formula"),
        differs=lambda desc, read: _one_more(desc) != _sizes(desc) or min(desc.input_window_strides) < 0,
        outputs=_walked(lambda offset, size, stride, n: offset if stride > 0 else offset + size, sizes=_one_more),
        numbers=_on_axis(lambda offset, size, stride, n: stride < 0 or not size % max(stride, 1)),
    ),
    Misreading[Slice1](
        id="W7",
        name="what doesn't fill a stride isn't copied",
        feedback="The first element counts: {size} elements with a stride of {stride} make {most} along axis {axis}.",
        look="Sizes of OutputTensor",
        lights=("InputWindowSizes", "InputWindowStrides", "OutputTensor.Sizes"),
        differs=lambda desc, read: _rounded_down(desc) not in (None, _sizes(desc)),
        outputs=_walked(_true_start, sizes=_rounded_down),
        numbers=_on_axis(lambda offset, size, stride, n: bool(size % max(1, abs(stride)))),
    ),
    Misreading[Slice1](
        id="W8",
        name="offsets from 1",
        feedback="Offsets count from 0, as in NumPy: along axis {axis} element {offset} of 0 to {n} - 1 is the first.",
        look="the numbers of the rulers",
        lights=("InputWindowOffsets", "ruler"),
        differs=lambda desc, read: max(desc.input_tensor.sizes) > 1,
        outputs=_walked(_from_one),
        numbers=_on_axis(lambda offset, size, stride, n: n > 1),
    ),
    Misreading[Slice1](
        id="W9",
        name="the last axis first",
        feedback="Entries stand in the order of Sizes, first axis first: {offsets} has an offset for each of {D} axes.",
        look="Sizes in the title of InputTensor",
        lights=("InputWindowOffsets", "InputWindowSizes", "InputWindowStrides"),
        differs=_reversed_differs,
        outputs=_reversed_outputs,
        numbers=_arrays,
    ),
    shared.COLUMN_BEFORE_ROW,
    Misreading[Slice1](
        id="W10",
        name="a window is cut off at the end",
        feedback="NumPy cuts a long slice; here {offset} + {size} = {end} is an error along axis {axis}, which ends "
        "at {n}.",
        look="rule slice.inside",
        lights=("InputWindowOffsets", "InputWindowSizes", "rules"),
        differs=lambda desc, read: _is_cut(desc),
        accepts=lambda desc, read: lets_pass(desc, "slice.inside") if _is_cut(desc) else None,
        numbers=_on_axis(lambda offset, size, stride, n: offset + size > n),
    ),
    Misreading[Slice1](
        id="W11",
        name="all that is reached is copied",
        feedback="OutputTensor may be smaller than what the strides reach: {out} of {most} is valid.",
        look="rule slice.reach",
        lights=("OutputTensor.Sizes", "rules"),
        differs=lambda desc, read: _is_smaller(desc),
        accepts=lambda desc, read: False if _is_smaller(desc) else None,
        numbers=_reach,
    ),
    *shared.OF_DESCS,
)
