"""Wrong rules that people hold about PADDING; many of them are right about np.pad or torch.nn.functional.pad."""

from __future__ import annotations

from collections.abc import Sequence

from ..maps import Reader
from ..padding import REFLECTION, SYMMETRIC, Padding
from ..wrong_rules import Misreading, WrongOutputs, true_outputs

OTHER = {REFLECTION: SYMMETRIC, SYMMETRIC: REFLECTION}
SIDES = ("StartPadding", "EndPadding")


def _padded(desc: Padding, read: Reader, starts: Sequence[int], ends: Sequence[int]) -> WrongOutputs:
    return true_outputs(desc.replace({"StartPadding": starts, "EndPadding": ends, "OutputTensor": None}), read)


def _interleaved(desc: Padding, read: Reader) -> WrongOutputs:
    numbers = [*desc.start_padding, *desc.end_padding]
    return _padded(desc, read, numbers[::2], numbers[1::2])


def _other_mirror(desc: Padding, read: Reader) -> WrongOutputs | None:
    mode = OTHER.get(desc.mode)
    return None if mode is None else true_outputs(desc.replace({"PaddingMode": mode}), read)


MISREADINGS: tuple[Misreading[Padding], ...] = (
    Misreading(  # there is no Axis: paddings are read from the other end
        id="C1",
        name="axis from the other end",
        feedback="torch's F.pad begins with the last axis; here the first number of both paddings is axis 0's.",
        lights=("ruler", *SIDES),
        outputs=lambda desc, read: _padded(desc, read, desc.start_padding[::-1], desc.end_padding[::-1]),
    ),
    Misreading(
        id="P1",
        name="REFLECTION is SYMMETRIC, and reversed",
        feedback="As np.pad's reflect and symmetric: SYMMETRIC has the edge twice, REFLECTION once; this is "
        "{PaddingMode}.",
        lights=("PaddingMode", "formula"),
        outputs=_other_mirror,
    ),
    Misreading(
        id="P7",
        name="pairs of before and after",
        feedback="np.pad takes pairs; {StartPadding} has the numbers before each axis, {EndPadding} those after.",
        lights=SIDES,
        outputs=_interleaved,
    ),
)
