"""Wrong rules that people hold about PADDING; many of them are right about np.pad or torch.nn.functional.pad."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from ...desc.levels import NEWEST, FeatureLevel
from ...desc.tensors import braces
from ...desc.values import element_of
from ..evaluation import evaluate
from ..level_rules import lowest_level
from ..maps import Place, Reader
from ..padding import CONSTANT, EDGE, REFLECTION, SYMMETRIC, Axis, Padding
from ..registry import operator_of
from ..wrong_rules import Misreading, WrongOutputs, wrong_verdict
from . import shared
from .verdicts import is_valid

Ends = Sequence[tuple[int, int]]
"""(start, end) padding of each axis."""
MIRRORS = (REFLECTION, SYMMETRIC)


def _ends(desc: Padding) -> list[tuple[int, int]]:
    return [(axis.start, axis.end) for axis in desc.axes]


def _moves(desc: Padding, axis: Axis, by: int) -> bool:
    """True if an axis looks otherwise when it is moved by some places in an output that stays as large."""
    if by == 0 or (axis.size == 1 and desc.mode != CONSTANT):
        return False
    return desc.mode not in MIRRORS or by % axis.period(desc.mode) != 0


def _padded_by(ends: Callable[[Padding], Ends]) -> dict[str, Any]:
    """`outputs` and `differs` of a rule that is right, but for the paddings that it reads."""

    def outputs(desc: Padding, read: Reader) -> WrongOutputs:
        starts, behind = zip(*ends(desc), strict=True)
        changes = {"StartPadding": starts, "EndPadding": behind, "OutputTensor": None}
        return shared.true_outputs(desc.replace(changes), read)

    def differs(desc: Padding, read: Reader) -> bool:
        rows = list(zip(desc.axes, ends(desc), strict=True))
        longer = any(sum(other) != axis.start + axis.end for axis, other in rows)
        return longer or any(_moves(desc, axis, other[0] - axis.start) for axis, other in rows)

    return {"outputs": outputs, "differs": differs}


def _as_mode(mode_of: Callable[[Padding], str], where: Callable[[Padding], bool]) -> dict[str, Any]:
    """`outputs` and `differs` of a rule that is right, but for the mode that it reads; it has a meaning `where`."""

    def outputs(desc: Padding, read: Reader) -> WrongOutputs | None:
        if not where(desc):
            return None
        return replace(shared.true_outputs(desc.replace({"PaddingMode": mode_of(desc)}), read), constant=desc.value)

    return {"outputs": outputs, "differs": lambda desc, read: where(desc)}


def _mirrors(desc: Padding) -> bool:
    """True if with and without the edge are two pictures."""
    return desc.mode in MIRRORS and any(axis.is_padded and axis.size > 1 for axis in desc.axes)


def _interleaved(desc: Padding) -> Ends:
    numbers = [*desc.start_padding, *desc.end_padding]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def _only_start(desc: Padding, read: Reader) -> WrongOutputs:
    return WrongOutputs((tuple(axis.size + axis.start for axis in desc.axes),))


def _swapped_axes(desc: Padding, read: Reader) -> bool:
    """True unless the last two axes look the same when they change places."""
    one, other = desc.axes[-2:]
    return max(one.size, other.size) > 1 or (desc.mode == CONSTANT and one.start != other.start)


def _large(desc: Padding) -> list[int]:
    """Axes with a mirror image that is not within the tensor: np.pad goes on mirroring, PyTorch refuses it."""
    spare = 1 if desc.mode == REFLECTION else 0
    return [d for d, a in enumerate(desc.axes) if desc.mode in MIRRORS and max(a.start, a.end) > a.size - spare]


def _refuses_large(desc: Padding, read: Reader) -> bool | None:
    return False if _large(desc) and is_valid(desc) else None


def _has_zeros(desc: Padding, read: Reader) -> WrongOutputs | None:
    return replace(shared.true_outputs(desc, read), constant=0) if desc.has_constant else None


def _is_no_zero(desc: Padding, read: Reader) -> bool:
    held = element_of(desc.value, desc.input_tensor.data_type)
    return desc.has_constant and held.tobytes().strip(b"\0") != b""


def _lowest(desc: Padding) -> FeatureLevel | None:
    operator = operator_of(desc)
    return lowest_level(operator, desc, evaluate(operator, desc, NEWEST))


def _lowest_of_reflection(desc: Padding) -> FeatureLevel | None:
    return _lowest(desc.replace({"PaddingMode": REFLECTION}) if desc.mode == SYMMETRIC else desc)


def _numbers(holds: Callable[[Padding, int], bool]) -> Callable[..., Mapping[str, Any]]:
    """Numbers about the first axis where a rule shows, else about the first."""

    def numbers(desc: Padding, read: Reader, place: Place, at: tuple[int, ...]) -> Mapping[str, Any]:
        axes = desc.axes or [Axis(1, 0, 0)]
        d = next((d for d in range(len(desc.axes)) if holds(desc, d)), 0)
        return {
            "axis": d,
            "n": axes[d].size,
            "start": axes[d].start,
            "end": axes[d].end,
            "full": axes[d].full,
            "mode": desc.mode,
            "value": f"{desc.value:.7g}",
            "starts": braces(desc.start_padding),
            "ends": braces(desc.end_padding),
        }

    return numbers


_PADDED = _numbers(lambda desc, d: desc.axes[d].is_padded)
_SIDES = ("StartPadding", "EndPadding")

MISREADINGS: tuple[Misreading[Padding], ...] = (
    Misreading[Padding](  # there is no Axis: paddings are read from the other end
        id="C1",
        name="axis from the other end",
        feedback="torch's F.pad begins with the last axis; StartPadding[{axis}] and EndPadding[{axis}] are axis "
        "{axis}'s.",
        look="the axes' names",
        lights=(*_SIDES, "ruler"),
        numbers=_numbers(lambda desc, d: _ends(desc)[d] != _ends(desc)[-1 - d]),
        **_padded_by(lambda desc: _ends(desc)[::-1]),
    ),
    *shared.of_any(_swapped_axes),
    Misreading[Padding](
        id="P1",
        name="REFLECTION is SYMMETRIC, and reversed",
        feedback="As np.pad's reflect and symmetric: SYMMETRIC has the edge twice, REFLECTION once; this is {mode}.",
        look="PaddingMode, and the edge of the tensor",
        lights=("PaddingMode", "formula"),
        numbers=_PADDED,
        **_as_mode(lambda desc: REFLECTION if desc.mode == SYMMETRIC else SYMMETRIC, _mirrors),
    ),
    Misreading[Padding](
        id="P2",
        name="PaddingValue stands around in any mode",
        feedback="np.pad's own mode is constant; {mode} takes elements of InputTensor and looks at no PaddingValue.",
        look="PaddingMode",
        lights=("PaddingMode", "PaddingValue"),
        numbers=_PADDED,
        **_as_mode(lambda desc: CONSTANT, lambda desc: desc.mode != CONSTANT and desc.is_padded),
    ),
    Misreading[Padding](
        id="P3",
        name="the edge goes on where CONSTANT is said",
        feedback="That would be EDGE: CONSTANT puts {value} there, whatever InputTensor holds.",
        look="PaddingMode",
        lights=("PaddingMode", "PaddingValue"),
        numbers=_PADDED,
        **_as_mode(lambda desc: EDGE, lambda desc: desc.has_constant),
    ),
    Misreading[Padding](
        id="P4",
        name="0 stands around the tensor",
        feedback="0 is what np.pad takes when nothing is said; here PaddingValue is {value}.",
        look="PaddingValue",
        lights=("PaddingValue",),
        differs=_is_no_zero,
        outputs=_has_zeros,
        numbers=_PADDED,
    ),
    Misreading[Padding](
        id="P5",
        name="StartPadding is what stands behind",
        feedback="StartPadding stands before the tensor: along axis {axis} {start} before it, {end} behind it.",
        look="where InputTensor's first element stands",
        lights=(*_SIDES, "OutputTensor"),
        numbers=_numbers(lambda desc, d: desc.axes[d].start != desc.axes[d].end),
        **_padded_by(lambda desc: [(end, start) for start, end in _ends(desc)]),
    ),
    Misreading[Padding](
        id="P6",
        name="all padding goes to the end",
        feedback="Along axis {axis} the tensor begins at place {start}: so many elements stand before it.",
        look="where InputTensor's first element stands",
        lights=("StartPadding", "OutputTensor"),
        numbers=_numbers(lambda desc, d: desc.axes[d].start > 0),
        **_padded_by(lambda desc: [(0, start + end) for start, end in _ends(desc)]),
    ),
    Misreading[Padding](
        id="P7",
        name="pairs of before and behind",
        feedback="np.pad takes a pair for each axis; here {starts} is what stands before each, {ends} behind each.",
        look="StartPadding and EndPadding",
        lights=_SIDES,
        numbers=_PADDED,
        **_padded_by(_interleaved),
    ),
    Misreading[Padding](
        id="P8",
        name="StartPadding holds for both sides",
        feedback="Each side has a number of its own: along axis {axis} {start} before the tensor, {end} behind it.",
        look="rule padding.sizes",
        lights=(*_SIDES, "OutputTensor.Sizes"),
        numbers=_numbers(lambda desc, d: desc.axes[d].start != desc.axes[d].end),
        **_padded_by(lambda desc: [(start, start) for start, _ in _ends(desc)]),
    ),
    Misreading[Padding](
        id="P9",
        name="only StartPadding makes it longer",
        feedback="Both paddings make an axis longer: {start} + {n} + {end} = {full} along axis {axis}.",
        look="rule padding.sizes",
        lights=("EndPadding", "OutputTensor.Sizes", "rules"),
        differs=lambda desc, read: any(axis.end > 0 for axis in desc.axes),
        outputs=_only_start,
        numbers=_numbers(lambda desc, d: desc.axes[d].end > 0),
    ),
    Misreading[Padding](
        id="P10",
        name="a mirror shows no more than there is",
        feedback="torch refuses that; DirectML mirrors what was mirrored again, along axis {axis} as often as needed.",
        look="PaddingMode",
        lights=("PaddingMode", *_SIDES, "rules"),
        **wrong_verdict(False, _refuses_large),
        numbers=_numbers(lambda desc, d: d in _large(desc)),
    ),
    Misreading[Padding](
        id="P11",
        name="SYMMETRIC is as old as PADDING",
        feedback="PADDING has SYMMETRIC from feature level 3_0 on; the other modes came with it.",
        look="v, the level table",
        lights=("PaddingMode", "levels"),
        differs=lambda desc, read: _lowest(desc) is not _lowest_of_reflection(desc),
        lowest_level=_lowest_of_reflection,
    ),
)
