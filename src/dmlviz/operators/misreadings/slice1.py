"""Wrong rules that people hold about SLICE1: it is no x[start:stop:step] of NumPy's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...desc.values import Indices
from ..maps import Place, Reader, Sources
from ..slice1 import Slice1
from ..wrong_rules import Misreading, Sizes, WrongOutputs, nowhere

Window = tuple[int, int, int, int]
"""(offset, size, stride, InputTensor's size) along an axis."""


def _axes(desc: Slice1) -> list[Window]:
    """The window along each axis, as far as all arrays reach."""
    return [(*window, n) for window, n in zip(desc.windows, desc.input_tensor.sizes, strict=False)]


def _sizes(desc: Slice1) -> Sizes:
    return desc.outputs[0].tensor.sizes


def _walked(
    start: Callable[[int, int, int], int],
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
            axes = _axes(desc)
            places = tuple(start(*axis[:3]) + i * step(axis[2]) for i, axis in zip(index, axes, strict=True))
            outside = np.any([(at < 0) | (at >= n) for at, (*_, n) in zip(places, axes, strict=True)], axis=0)
            return nowhere(Sources(np.zeros_like(index[0]), places), outside)

        return WrongOutputs((shape,), come_from)

    return outputs


def _to_a_stop(desc: Slice1) -> Sizes | None:
    """The output's sizes if the window reached to its size, or smaller given ones; None where none are."""
    ends = [-(-(size - offset) // abs(stride)) for offset, size, stride in desc.windows]
    rows = zip(_sizes(desc), desc.most(), ends, strict=True)
    shape = tuple(end if n == reach else min(n, end) for n, reach, end in rows)
    return shape if min(shape) > 0 else None


def _stops(desc: Slice1, read: Reader) -> bool:
    shape = _to_a_stop(desc)
    return shape is not None and (shape != _sizes(desc) or any(o and s < 0 for o, _, s in desc.windows))


def _turned(desc: Slice1, read: Reader) -> bool:
    return any(stride < 0 and size > 1 for _, size, stride in desc.windows)


def _on_axis(differs: Callable[[int, int, int], bool]) -> Callable[..., Mapping[str, Any]]:
    """Numbers about the first axis where a rule differs, else about the first one."""

    def numbers(desc: Slice1, read: Reader, place: Place, index: tuple[int, ...]) -> Mapping[str, Any]:
        rows = list(enumerate(desc.windows)) or [(0, (0, 1, 1))]
        axis, (offset, size, stride) = next((row for row in rows if differs(*row[1])), rows[0])
        return {"axis": axis, "offset": offset, "size": size, "stride": stride, "last": offset + size - 1}

    return numbers


MISREADINGS: tuple[Misreading[Slice1], ...] = (
    Misreading[Slice1](
        id="W1",
        name="sizes are where the window stops",
        feedback="NumPy slices from start to stop; here {size} is how many: {offset} to {last} along axis {axis}.",
        look="InputWindowOffsets and InputWindowSizes",
        lights=("InputWindowOffsets", "InputWindowSizes", "formula"),
        differs=_stops,
        outputs=_walked(lambda offset, size, stride: offset if stride > 0 else size - 1, sizes=_to_a_stop),
        numbers=_on_axis(lambda offset, size, stride: offset > 0),
    ),
    Misreading[Slice1](
        id="W2",
        name="the sign of a stride doesn't matter",
        feedback="A stride of {stride} walks axis {axis} backwards: it starts at the end of the window, {last}.",
        look="the sign in InputWindowStrides",
        lights=("InputWindowStrides", "formula"),
        differs=_turned,
        outputs=_walked(lambda offset, size, stride: offset, abs),
        numbers=_on_axis(lambda offset, size, stride: stride < 0 and size > 1),
    ),
    Misreading[Slice1](
        id="W3",
        name="a negative stride starts at the offset",
        feedback="A negative stride starts at the window's end, not its offset: {offset} + {size} - 1 = {last} on "
        "axis {axis}.",
        look="the formula line",
        lights=("InputWindowOffsets", "InputWindowStrides", "formula"),
        differs=_turned,
        outputs=_walked(lambda offset, size, stride: offset),
        numbers=_on_axis(lambda offset, size, stride: stride < 0 and size > 1),
    ),
)
