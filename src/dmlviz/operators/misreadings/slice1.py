"""Wrong rules that people hold about SLICE1's windows and strides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...desc.values import Array
from ..maps import NOWHERE, Place, Reader
from ..slice1 import Slice1
from ..wrong_rules import Misreading, Sizes, by_arrays, by_sizes


def _walked(step: Callable[[int], int]) -> Callable[[Slice1, Array], Array]:
    """Windows that are walked from their offset on by `step` of a stride; outside there is nothing."""

    def outputs(desc: Slice1, x: Array) -> Array:
        sizes = desc.outputs[0].tensor.sizes
        for axis, (offset, _, stride) in enumerate(desc.windows):
            places, n = offset + np.arange(sizes[axis]) * step(stride), x.shape[axis]
            inside = ((places >= 0) & (places < n)).reshape(-1, *(1,) * (x.ndim - 1 - axis))
            x = np.where(inside, x.take(places.clip(0, n - 1), axis), NOWHERE)
        return x

    return outputs


def _all_of_it(desc: Slice1) -> list[Sizes]:
    """The output's sizes if all of the window were copied, or smaller given ones."""
    rows = zip(desc.outputs[0].tensor.sizes, desc.most(), desc.input_window_sizes, strict=True)
    return [tuple(size if n == reach else min(n, size) for n, reach, size in rows)]


def _on_axis(differs: Callable[[int, int], bool]) -> Callable[..., Mapping[str, Any]]:
    """Numbers about the first axis where a rule differs, by its window's size and stride; else about the first one."""

    def numbers(desc: Slice1, read: Reader, place: Place, index: tuple[int, ...]) -> Mapping[str, Any]:
        rows = list(enumerate(desc.windows))
        axis, (offset, size, stride) = next((row for row in rows if differs(*row[1][1:])), rows[0])
        most = 1 + (size - 1) // abs(stride)
        return {"axis": axis, "offset": offset, "size": size, "stride": stride, "last": offset + size - 1, "most": most}

    return numbers


_backwards = _on_axis(lambda size, stride: stride < 0 and size > 1)

MISREADINGS: tuple[Misreading[Slice1], ...] = (
    Misreading[Slice1](
        id="W2",
        name="the sign of a stride doesn't matter",
        feedback="A stride of {stride} walks axis {axis} backwards: it starts at the end of the window, {last}.",
        lights=("InputWindowStrides", "formula"),
        outputs=by_arrays(_walked(abs)),
        numbers=_backwards,
    ),
    Misreading[Slice1](
        id="W3",
        name="a negative stride starts at the offset",
        feedback="A negative stride starts at the window's end, not its offset: {offset} + {size} - 1 = {last} on "
        "axis {axis}.",
        lights=("formula", "InputWindowOffsets", "InputWindowStrides"),
        outputs=by_arrays(_walked(int)),
        numbers=_backwards,
    ),
    Misreading[Slice1](
        id="W4",
        name="sizes count what is copied",
        feedback="{size} counts elements of InputTensor; a stride of {stride} copies {most} of them along axis {axis}.",
        lights=("InputWindowSizes", "InputWindowStrides", "OutputTensor.Sizes"),
        outputs=by_sizes(_all_of_it),
        numbers=_on_axis(lambda size, stride: size > 1 and abs(stride) > 1),
    ),
)
