"""Wrong rules that people hold about SLICE1's windows and strides."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...desc.values import Array
from ..maps import NOWHERE
from ..slice1 import Slice1
from ..wrong_rules import Misreading, Sizes, by_arrays, by_sizes


def _walked(step: Callable[[int], int]) -> Callable[[Slice1, Array], Array]:
    """Windows that are walked from their offset on by `step` of a stride; outside there is nothing."""

    def outputs(desc: Slice1, x: Array) -> Array:
        sizes = desc.outputs[0].tensor.sizes
        for axis, (offset, _, stride) in enumerate(desc.windows):
            places = offset + np.arange(sizes[axis]) * step(stride)
            n = x.shape[axis]
            inside = ((places >= 0) & (places < n)).reshape(-1, *(1,) * (x.ndim - 1 - axis))
            x = np.where(inside, x.take(places.clip(0, n - 1), axis), NOWHERE)
        return x

    return outputs


def _all_of_it(desc: Slice1) -> list[Sizes]:
    """The output's sizes if all of the window were copied, or smaller given ones."""
    rows = zip(desc.outputs[0].tensor.sizes, desc.most(), desc.input_window_sizes, strict=True)
    return [tuple(size if n == reach else min(n, size) for n, reach, size in rows)]


MISREADINGS: tuple[Misreading[Slice1], ...] = (
    Misreading(
        id="W2",
        name="the sign of a stride doesn't matter",
        feedback="A negative stride walks backwards: it starts at the last element of the window.",
        lights=("InputWindowStrides", "formula"),
        outputs=by_arrays(_walked(abs)),
    ),
    Misreading(
        id="W3",
        name="a negative stride starts at the offset",
        feedback="A negative stride starts at the window's end, not its offset: at offset + size - 1.",
        lights=("formula", "InputWindowOffsets", "InputWindowStrides"),
        outputs=by_arrays(_walked(int)),
    ),
    Misreading(
        id="W4",
        name="sizes count what is copied",
        feedback="InputWindowSizes counts elements of InputTensor; a stride of 2 copies every other one of them.",
        lights=("InputWindowSizes", "InputWindowStrides", "OutputTensor.Sizes"),
        outputs=by_sizes(_all_of_it),
    ),
)
