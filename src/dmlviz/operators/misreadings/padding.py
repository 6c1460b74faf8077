"""Wrong rules that people hold about PADDING; many of them are right about np.pad or torch.nn.functional.pad."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from ...desc.tensors import braces
from ..maps import Place, Reader
from ..padding import CONSTANT, REFLECTION, SYMMETRIC, Axis, Padding
from ..wrong_rules import Misreading, WrongOutputs
from . import shared

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


def _mirrors(desc: Padding) -> bool:
    """True if with and without the edge are two pictures."""
    return desc.mode in MIRRORS and any(axis.is_padded and axis.size > 1 for axis in desc.axes)


def _interleaved(desc: Padding) -> Ends:
    numbers = [*desc.start_padding, *desc.end_padding]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def _numbers(desc: Padding, read: Reader, place: Place, at: tuple[int, ...]) -> Mapping[str, Any]:
    """What sentences say, of the first axis whose paddings aren't those of its partner from the other end."""
    ends = _ends(desc)
    axis = next((d for d in range(len(ends)) if ends[d] != ends[-1 - d]), 0)
    told = {"starts": braces(desc.start_padding), "ends": braces(desc.end_padding)}
    return {"axis": axis, "mode": desc.mode, **told}


def _other_mirror(desc: Padding, read: Reader) -> WrongOutputs | None:
    if not _mirrors(desc):
        return None
    mode = REFLECTION if desc.mode == SYMMETRIC else SYMMETRIC
    return replace(shared.true_outputs(desc.replace({"PaddingMode": mode}), read), constant=desc.value)


_SIDES = ("StartPadding", "EndPadding")

MISREADINGS: tuple[Misreading[Padding], ...] = (
    Misreading[Padding](  # there is no Axis: paddings are read from the other end
        id="C1",
        name="axis from the other end",
        feedback="torch's F.pad begins with the last axis; StartPadding[{axis}] and EndPadding[{axis}] are axis "
        "{axis}'s.",
        look="the axes' names",
        lights=(*_SIDES, "ruler"),
        numbers=_numbers,
        **_padded_by(lambda desc: _ends(desc)[::-1]),
    ),
    Misreading[Padding](
        id="P1",
        name="REFLECTION is SYMMETRIC, and reversed",
        feedback="As np.pad's reflect and symmetric: SYMMETRIC has the edge twice, REFLECTION once; this is {mode}.",
        look="PaddingMode, and the edge of the tensor",
        lights=("PaddingMode", "formula"),
        numbers=_numbers,
        differs=lambda desc, read: _mirrors(desc),
        outputs=_other_mirror,
    ),
    Misreading[Padding](
        id="P7",
        name="pairs of before and behind",
        feedback="np.pad takes a pair for each axis; here {starts} is what stands before each, {ends} behind each.",
        look="StartPadding and EndPadding",
        lights=_SIDES,
        numbers=_numbers,
        **_padded_by(_interleaved),
    ),
)
