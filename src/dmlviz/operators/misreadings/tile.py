"""Wrong rules that people hold about TILE."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...desc.values import Array
from ..maps import Reader
from ..tile import Tile
from ..wrong_rules import Misreading, Sizes, by_arrays, by_sizes, is_valid, true_outputs
from . import shared


def _axes(desc: Tile) -> list[tuple[int, int]]:
    return list(zip(desc.input_tensor.sizes, desc.repeats, strict=False))


def _product(desc: Tile) -> Sizes:
    return tuple(n * r for n, r in _axes(desc))


def _each_axis(rule: Callable[[Array, int, int], Array]) -> Callable[[Tile, Array], Array]:
    """Outputs by a rule of (array, Repeats of an axis, that axis), for one axis after another."""

    def outputs(desc: Tile, x: Array) -> Array:
        for axis, r in enumerate(desc.repeats):
            x = rule(x, r, axis)
        return x

    return outputs


def _mirrored(x: Array, r: int, axis: int) -> Array:
    return np.concatenate([np.flip(x, axis) if copy % 2 else x for copy in range(r)], axis)


def _pads_repeats(desc: Tile, read: Reader) -> bool | None:
    missing = desc.input_tensor.dimension_count - len(desc.repeats)
    if missing < 1 or desc.repeats_count != len(desc.repeats):
        return None
    ones, own = (1,) * missing, tuple(desc.repeats)
    padded = [desc.replace({"Repeats": repeats, "RepeatsCount": None}) for repeats in (ones + own, own + ones)]
    return any(is_valid(candidate) for candidate in padded) or None


def _cuts(desc: Tile, read: Reader) -> bool | None:
    """Valid with its last copies cut: the same desc is valid with whole ones."""
    output, whole = desc.output_tensor, _product(desc)
    if output is None or not len(output.sizes) == len(desc.repeats) == desc.input_tensor.dimension_count:
        return None
    if not all(1 <= size <= most for size, most in zip(output.sizes, whole, strict=True)):
        return None
    return is_valid(desc.replace({"OutputTensor": output.resized(whole)})) or None


MISREADINGS: tuple[Misreading[Tile], ...] = (
    Misreading(
        id="C1",
        name="axis from the other end",
        feedback="Repeats {Repeats} go with Sizes {InputTensor} one by one, from the left.",
        lights=("ruler", "Repeats"),
        outputs=lambda desc, read: true_outputs(Tile(desc.input_tensor, tuple(desc.repeats)[::-1]), read),
    ),
    *shared.OF_ANY,
    Misreading(
        id="T1",
        name="each element is repeated",
        feedback="That would be np.repeat; TILE is np.tile: along each axis the remainder by its size, not a quotient.",
        lights=("formula", "Repeats"),
        outputs=by_arrays(_each_axis(np.repeat)),
    ),
    Misreading(
        id="T2",
        name="copies on top of the first",
        feedback="As in np.tile, Repeats {Repeats} counts all copies, the first one too; 1 leaves an axis as it is.",
        lights=("sizes.repeat", "Repeats", "OutputTensor.Sizes"),
        outputs=by_sizes(lambda desc: [tuple(n * (1 + r) if r > 1 else n for n, r in _axes(desc))]),
    ),
    Misreading(
        id="T4",
        name="Repeats are the sizes wanted",
        feedback="Repeats {Repeats} are factors, as in np.tile, not sizes: the output is {OutputTensor}.",
        lights=("sizes.repeat", "Repeats", "OutputTensor.Sizes"),
        outputs=by_sizes(lambda desc: [tuple(r if r > 1 else n for n, r in _axes(desc))]),
    ),
    Misreading(
        id="T6",
        name="memory end to end",
        feedback="That would be np.resize; in np.tile every row begins anew with its first element.",
        lights=("memory",),
        outputs=by_arrays(lambda desc, x: np.resize(x, _product(desc))),
    ),
    Misreading(
        id="T5",
        name="every other copy is mirrored",
        feedback="np.tile mirrors nothing, all copies are alike: each runs from the first element to the last.",
        lights=("OutputTensor", "formula"),
        outputs=by_arrays(_each_axis(_mirrored)),
    ),
    Misreading(
        id="T7",
        name="copies are added",
        feedback="Copies along one axis are copied along the next: {desc.copies}.",
        lights=("InputTensor", "Repeats"),
        reads=lambda desc, read, tensor, index: sum(r for r in desc.repeats if r > 1) or 1,
    ),
    Misreading(
        id="T3",
        name="Repeats is padded by itself",
        feedback="np.tile adds 1s by itself; here Repeats needs one number for each of {D} sizes: write the 1s.",
        lights=("repeats.count", "Repeats", "RepeatsCount"),
        accepts=_pads_repeats,
    ),
    Misreading(
        id="T8",
        name="the last copy is cut",
        feedback="TILE cuts no copy short: the output is {InputTensor} times {Repeats}. A SLICE after it cuts.",
        lights=("sizes.repeat", "OutputTensor.Sizes", "Repeats"),
        accepts=_cuts,
    ),
)
