"""Wrong rules that people hold about TILE."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...desc.indexing import ravel, unravel
from ...desc.tensors import braces
from ...desc.values import Indices
from ..maps import Place, Reader
from ..tile import Tile
from ..wrong_rules import Misreading, Sizes, WrongOutputs, moved
from . import shared
from .verdicts import is_valid


def _axes(desc: Tile) -> list[tuple[int, int]]:
    """(size, repeat) of each axis."""
    return list(zip(desc.input_tensor.sizes, desc.repeats, strict=False))


def _product(desc: Tile) -> Sizes:
    return tuple(n * r for n, r in _axes(desc))


def _copied(desc: Tile) -> list[int]:
    """The axes along which there are copies of more than one element."""
    return [d for d, (n, r) in enumerate(_axes(desc)) if n > 1 and r > 1]


def _rows_copied(desc: Tile) -> list[int]:
    """The axes that are repeated within several rows: where memory isn't laid down end to end."""
    sizes = desc.input_tensor.sizes
    return [d for d, (_, r) in enumerate(_axes(desc)) if r > 1 and math.prod(sizes[:d]) > 1]


def _along(rule: Callable[[Indices, int, int], Indices]) -> Callable[[Tile, Reader], WrongOutputs]:
    """Outputs by a rule of (places along an axis, its size, its repeat), the same for each axis."""

    return lambda desc, read: moved(
        _product(desc), lambda index: tuple(rule(o, n, r) for o, (n, r) in zip(index, _axes(desc), strict=True))
    )


def _sized(rule: Callable[[int, int], int]) -> Callable[[Tile, Reader], WrongOutputs]:
    """Outputs by a rule of (size, repeat) about sizes alone; an axis that isn't repeated stays."""
    return lambda desc, read: WrongOutputs((tuple(rule(n, r) if r > 1 else n for n, r in _axes(desc)),))


def _mirrored(o: Indices, n: int, r: int) -> Indices:
    within = o % n
    return np.where(o // n % 2 == 1, n - 1 - within, within)


def _end_to_end(desc: Tile, read: Reader) -> WrongOutputs:
    sizes, data = _product(desc), desc.input_tensor
    return moved(sizes, lambda index: unravel(ravel(index, sizes) % data.element_count, data.sizes))


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


def _is_cut(desc: Tile, read: Reader) -> bool:
    return bool(_cuts(desc, read)) and desc.outputs[0].tensor.sizes != _product(desc)


def _reads_added(desc: Tile, read: Reader, tensor: int, index: tuple[int, ...]) -> int:
    return sum(r for r in desc.repeats if r > 1) or 1


def _sum_differs(desc: Tile) -> bool:
    """Of factors above 1, only 2 and 2 have a sum that is their product."""
    factors = [r for r in desc.repeats if r > 1]
    return len(factors) > 1 and factors != [2, 2]


def _of_axis(axes: Callable[[Tile], list[int]]) -> Callable[..., Mapping[str, Any]]:
    """Numbers about the last of the axes where the rule differs: there rows are seen best."""

    def numbers(desc: Tile, read: Reader, place: Place, at: tuple[int, ...]) -> Mapping[str, Any]:
        axis = max(axes(desc), default=max(0, min(len(desc.repeats), desc.input_tensor.dimension_count) - 1))
        n, r = (_axes(desc) or [(1, 1)])[axis]
        return {"axis": axis, "n": n, "r": r, "product": n * r, "last": n - 1}

    return numbers


def _repeated(desc: Tile) -> list[int]:
    return [d for d, r in enumerate(desc.repeats) if r > 1]


def _factors(desc: Tile, read: Reader, place: Place, at: tuple[int, ...]) -> Mapping[str, Any]:
    factors = [r for r in desc.repeats if r > 1] or [1]
    return {"factors": " × ".join(map(str, factors)), "product": math.prod(factors)}


def _cut_sizes(desc: Tile, read: Reader, place: Place, at: tuple[int, ...]) -> Mapping[str, Any]:
    return {"product": braces(_product(desc)), "found": str(desc.output_tensor and braces(desc.output_tensor.sizes))}


def _both(desc: Tile, read: Reader, place: Place, at: tuple[int, ...]) -> Mapping[str, Any]:
    data = desc.input_tensor
    return {"repeats": braces(desc.repeats), "sizes": braces(data.sizes), "D": data.dimension_count}


MISREADINGS: tuple[Misreading[Tile], ...] = (
    Misreading[Tile](
        id="C1",
        name="axis from the other end",
        feedback="Repeats {repeats} go with Sizes {sizes} one by one, from the left.",
        look="the axes' names",
        lights=("Repeats", "ruler"),
        differs=lambda desc, read: tuple(desc.repeats) != tuple(desc.repeats)[::-1],
        outputs=lambda desc, read: shared.true_outputs(Tile(desc.input_tensor, tuple(desc.repeats)[::-1]), read),
        numbers=_both,
    ),
    *shared.of_any(lambda desc, read: max(desc.input_tensor.sizes[-2:]) > 1),
    Misreading[Tile](
        id="T1",
        name="each element is repeated",
        feedback="That would be np.repeat; TILE is np.tile: along axis {axis} the remainder by {n}, not the "
        "quotient by {r}.",
        look="the formula line",
        lights=("formula", "Repeats"),
        differs=lambda desc, read: bool(_copied(desc)),
        outputs=_along(lambda o, n, r: o // r),
        numbers=_of_axis(_copied),
    ),
    Misreading[Tile](
        id="T2",
        name="copies on top of the first",
        feedback="As in np.tile, Repeats counts all copies, the first one too: {n} × {r} = {product} along axis "
        "{axis}.",
        look="rule sizes.repeat",
        lights=("Repeats", "OutputTensor.Sizes", "rules"),
        differs=lambda desc, read: bool(_repeated(desc)),
        outputs=_sized(lambda n, r: n * (1 + r)),
        numbers=_of_axis(_repeated),
    ),
    Misreading[Tile](
        id="T4",
        name="Repeats are the sizes wanted",
        feedback="Repeats are factors, as in np.tile, not sizes: {n} × {r} = {product} along axis {axis}.",
        look="rule sizes.repeat",
        lights=("Repeats", "OutputTensor.Sizes", "rules"),
        differs=lambda desc, read: bool(_copied(desc)),
        outputs=_sized(lambda n, r: r),
        numbers=_of_axis(_copied),
    ),
    Misreading[Tile](
        id="T6",
        name="memory end to end",
        feedback="That would be np.resize; in np.tile every row begins anew with its first element, {r} times "
        "along axis {axis}.",
        look="m, memory",
        lights=("memory",),
        differs=lambda desc, read: bool(_rows_copied(desc)),
        outputs=_end_to_end,
        numbers=_of_axis(_rows_copied),
    ),
    Misreading[Tile](
        id="T5",
        name="every other copy is mirrored",
        feedback="np.tile mirrors nothing, all copies are alike: along axis {axis} each runs from 0 to {last}.",
        look="colours: the same numbers in the same order",
        lights=("OutputTensor", "formula"),
        differs=lambda desc, read: bool(_copied(desc)),
        outputs=_along(_mirrored),
        numbers=_of_axis(_copied),
    ),
    Misreading[Tile](
        id="T7",
        name="copies are added",
        feedback="Copies along one axis are copied along the next: {factors} = {product}.",
        look="the read count of an element",
        lights=("InputTensor", "Repeats"),
        differs=lambda desc, read: _sum_differs(desc),
        reads=_reads_added,
        numbers=_factors,
    ),
    Misreading[Tile](
        id="T3",
        name="Repeats is padded by itself",
        feedback="np.tile adds 1s by itself; here Repeats needs one number for each of {D} sizes: write the 1s.",
        look="rule repeats.count",
        lights=("Repeats", "RepeatsCount", "rules"),
        differs=lambda desc, read: bool(_pads_repeats(desc, read)),
        accepts=_pads_repeats,
        numbers=_both,
    ),
    Misreading[Tile](
        id="T8",
        name="the last copy is cut",
        feedback="TILE cuts no copy short: whole copies make {product}, not {found}. A SLICE after it cuts.",
        look="rule sizes.repeat",
        lights=("OutputTensor.Sizes", "Repeats", "rules"),
        differs=_is_cut,
        accepts=_cuts,
        numbers=_cut_sizes,
    ),
)
