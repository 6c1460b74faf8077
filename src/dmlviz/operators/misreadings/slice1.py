"""Wrong rules that people hold about SLICE1's windows and strides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...desc.values import Indices
from ..maps import Place, Reader, Sources
from ..slice1 import Slice1
from ..wrong_rules import Misreading, Sizes, WrongOutputs, nowhere


def _walked(step: Callable[[int], int]) -> Callable[[Slice1, Reader], WrongOutputs]:
    """Outputs of windows that are walked from their offset on by `step` of a stride; outside there is nothing."""

    def outputs(desc: Slice1, read: Reader) -> WrongOutputs:
        def come_from(output: int, index: tuple[Indices, ...]) -> Sources:
            rows = zip(index, desc.windows, strict=True)
            places = tuple(offset + i * step(stride) for i, (offset, _, stride) in rows)
            outside = np.any(
                [(at < 0) | (at >= n) for at, n in zip(places, desc.input_tensor.sizes, strict=True)], axis=0
            )
            return nowhere(Sources(np.zeros_like(index[0]), places), outside)

        return WrongOutputs((desc.outputs[0].tensor.sizes,), come_from)

    return outputs


def _turned(desc: Slice1, read: Reader) -> bool:
    return any(stride < 0 and size > 1 for _, size, stride in desc.windows)


def _all_of_it(desc: Slice1) -> Sizes:
    """The output's sizes if all of the window were copied, or smaller given ones."""
    rows = zip(desc.outputs[0].tensor.sizes, desc.most(), desc.input_window_sizes, strict=True)
    return tuple(size if n == reach else min(n, size) for n, reach, size in rows)


def _on_axis(differs: Callable[[int, int, int], bool]) -> Callable[..., Mapping[str, Any]]:
    """Numbers about the first axis where a rule differs, else about the first one."""

    def numbers(desc: Slice1, read: Reader, place: Place, index: tuple[int, ...]) -> Mapping[str, Any]:
        rows = list(enumerate(desc.windows)) or [(0, (0, 1, 1))]
        axis, (offset, size, stride) = next((row for row in rows if differs(*row[1])), rows[0])
        most = 1 + (size - 1) // max(1, abs(stride))
        return {"axis": axis, "offset": offset, "size": size, "stride": stride, "last": offset + size - 1, "most": most}

    return numbers


MISREADINGS: tuple[Misreading[Slice1], ...] = (
    Misreading[Slice1](
        id="W2",
        name="the sign of a stride doesn't matter",
        feedback="A stride of {stride} walks axis {axis} backwards: it starts at the end of the window, {last}.",
        look="the sign in InputWindowStrides",
        lights=("InputWindowStrides", "formula"),
        differs=_turned,
        outputs=_walked(abs),
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
        outputs=_walked(int),
        numbers=_on_axis(lambda offset, size, stride: stride < 0 and size > 1),
    ),
    Misreading[Slice1](
        id="W4",
        name="sizes count what is copied",
        feedback="{size} counts elements of InputTensor; a stride of {stride} copies {most} of them along axis {axis}.",
        look="Sizes of OutputTensor",
        lights=("InputWindowSizes", "InputWindowStrides", "OutputTensor.Sizes"),
        differs=lambda desc, read: _all_of_it(desc) != desc.outputs[0].tensor.sizes,
        outputs=lambda desc, read: WrongOutputs((_all_of_it(desc),)),
        numbers=_on_axis(lambda offset, size, stride: size > 1 and abs(stride) > 1),
    ),
)
