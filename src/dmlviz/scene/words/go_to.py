"""Where a person wants to go: what they typed, as an element or a step."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...desc.base import Part
from ...desc.tensors import braces
from ...errors import DmlvizError, quote
from ...operators.maps import Place
from ...tracing import Trace
from ..elements.cursor import Cursor

_LONGEST = 200


def find(text: str, trace: Trace, cursor: Cursor | None, steps: int, *, count_is_told: bool = True) -> Cursor | int:
    """The element, or the step from 0 to `steps`, that `text` names.

    `OutputTensor[2, 0]`, `InputTensors[1][0,3]`; `2,0` in the tensor under the cursor; `step 5`.
    Raises DmlvizError with a sentence for what can't be read, or lies outside.
    """
    words = text.strip()[:_LONGEST]
    step = re.fullmatch(r"step\s*(\d+)", words, re.IGNORECASE)
    if step:
        number = int(step[1])
        if number > steps:
            expected = f"0 to {steps:,}" if count_is_told else "one that there is"
            raise DmlvizError(f"Step {number:,} is outside, expected {expected}.")
        return number
    place, part, rest = _tensor(words, trace, cursor)
    sizes = part.tensor.sizes
    if not rest:
        return Cursor(place, (0,) * len(sizes))
    numbers = re.fullmatch(r"[\[({]?\s*(-?\d+(?:\s*[,\s]\s*-?\d+)*)\s*,?\s*[\])}]?", rest)
    if numbers is None:
        raise DmlvizError(f"{quote(text.strip())} names no element, expected {example(part)} or step 5.")
    index = tuple(int(n) for n in re.findall(r"-?\d+", numbers[1]))
    if len(index) != len(sizes):
        given = "1 number" if len(index) == 1 else f"{len(index)} numbers"
        raise DmlvizError(f"{given} found, expected {len(sizes)}, one for each axis of {part.path} {braces(sizes)}.")
    for axis, (i, size) in enumerate(zip(index, sizes, strict=True)):
        if not 0 <= i < size:
            raise DmlvizError(f"{i} is outside axis {axis} of {part.path} {braces(sizes)}, expected 0 to {size - 1:,}.")
    return Cursor(place, index)


def example(part: Part) -> str:
    """How the last element of a tensor would be typed: `OutputTensor[3,1]`."""
    return f"{part.path}[{','.join(str(size - 1) for size in part.tensor.sizes)}]"


def _tensor(text: str, trace: Trace, cursor: Cursor | None) -> tuple[Place, Part, str]:
    """The tensor that `text` begins with, or the one under the cursor; and the rest of the text."""
    tensors = [(Place(False, k), part) for k, part in enumerate(trace.inputs)]
    tensors += [(Place(True, k), part) for k, part in enumerate(trace.outputs)]
    named = re.match(r"[A-Za-z]+", text)
    if named is None:
        here = cursor.place if cursor is not None else Place(True, 0)
        return here, next(part for place, part in tensors if place == here), text
    tight = re.sub(r"\s+(?=\[)", "", text)
    for place, part in tensors:
        if tight.lower().startswith(part.path.lower()):
            rest = tight[len(part.path) :]
            if not rest[:1].isalnum():
                return place, part, rest.strip()
    raise DmlvizError(f"{quote(named[0])} is no tensor of this desc, expected {_names(trace, named[0])}.")


def _names(trace: Trace, named: str) -> str:
    """The tensors that can be named; of many with one name, the first and the last."""
    arrays: dict[str, list[str]] = {}
    for part in (*trace.inputs, *trace.outputs):
        arrays.setdefault(part.field.name, []).append(part.path)
    own = next((paths for name, paths in arrays.items() if name.lower() == named.lower()), None)
    groups: Sequence[list[str]] = [own] if own else list(arrays.values())
    return ", ".join(paths[0] if len(paths) == 1 else f"{paths[0]} to {paths[-1]}" for paths in groups)
