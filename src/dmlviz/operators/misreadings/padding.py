"""Wrong rules that people hold about PADDING; many of them are right about np.pad or torch.nn.functional.pad."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...desc.tensors import braces
from ..maps import Place, Reader
from ..padding import REFLECTION, SYMMETRIC, Padding
from ..wrong_rules import Misreading, WrongOutputs, true_outputs

OTHER = {REFLECTION: SYMMETRIC, SYMMETRIC: REFLECTION}
SIDES = ("StartPadding", "EndPadding")


def _padded(desc: Padding, read: Reader, starts: Sequence[int], ends: Sequence[int]) -> WrongOutputs:
    """What is made with other paddings."""
    return true_outputs(desc.replace({"StartPadding": starts, "EndPadding": ends, "OutputTensor": None}), read)


def _interleaved(desc: Padding, read: Reader) -> WrongOutputs:
    numbers = [*desc.start_padding, *desc.end_padding]
    return _padded(desc, read, numbers[::2], numbers[1::2])


def _other_mirror(desc: Padding, read: Reader) -> WrongOutputs | None:
    mode = OTHER.get(desc.mode)
    return None if mode is None else true_outputs(desc.replace({"PaddingMode": mode}), read)


def _numbers(desc: Padding, read: Reader, place: Place, at: tuple[int, ...]) -> Mapping[str, Any]:
    """What sentences say, of the first axis whose paddings aren't those of its partner from the other end."""
    ends = list(zip(desc.start_padding, desc.end_padding, strict=True))
    axis = next((d for d in range(len(ends)) if ends[d] != ends[-1 - d]), 0)
    told = {"starts": braces(desc.start_padding), "ends": braces(desc.end_padding)}
    return {"axis": axis, "mode": desc.mode, **told}


MISREADINGS: tuple[Misreading[Padding], ...] = (
    Misreading[Padding](  # there is no Axis: paddings are read from the other end
        id="C1",
        name="axis from the other end",
        feedback="torch's F.pad begins with the last axis; StartPadding[{axis}] and EndPadding[{axis}] are axis "
        "{axis}'s.",
        lights=("ruler", *SIDES),
        outputs=lambda desc, read: _padded(desc, read, desc.start_padding[::-1], desc.end_padding[::-1]),
        numbers=_numbers,
    ),
    Misreading[Padding](
        id="P1",
        name="REFLECTION is SYMMETRIC, and reversed",
        feedback="As np.pad's reflect and symmetric: SYMMETRIC has the edge twice, REFLECTION once; this is {mode}.",
        lights=("PaddingMode", "formula"),
        outputs=_other_mirror,
        numbers=_numbers,
    ),
    Misreading[Padding](
        id="P7",
        name="pairs of before and behind",
        feedback="np.pad takes a pair for each axis; here {starts} is what stands before each, {ends} behind each.",
        lights=SIDES,
        outputs=_interleaved,
        numbers=_numbers,
    ),
)
