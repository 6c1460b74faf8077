"""What tensors are called: by their paths, and by one shorter name where there is no room for those."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache

from ..desc.base import Desc
from ..desc.fields import TensorField

WHOLE_FROM = 170
"""Columns of a terminal from which tensors have their whole names; with fewer the shorter ones, and those everywhere.

Three whole names don't stand side by side in the 80 columns that a picture has of 120.
"""
FEW, LONG = 3, 16
"""With more tensors, or where a name is longer, whole names have no room on any terminal."""


def short_name(path: str) -> str:
    """The last word before "Tensor": `Lengths` for `SequenceLengthsTensor`, `Inputs[0]` for `InputTensors[0]`."""
    name, bracket, number = path.partition("[")
    bare = re.sub(r"Tensor(s?)$", r"\1", name) if name not in ("Tensor", "Tensors") else name
    words: list[str] = re.findall(r"[A-Z][a-z]*", bare) or [bare]
    return words[-1] + bracket + number


def are_short(paths: Collection[str], columns: int) -> bool:
    """True if the tensors of a desc are called by their shorter names on a terminal of so many columns."""
    return columns < WHOLE_FROM or len(paths) > FEW or any(len(path) > LONG for path in paths)


def shortened(text: str, paths: Iterable[str]) -> str:
    """A text in which tensors are called by their shorter names; as it is where two would have the same."""
    pattern, names = _names(frozenset(path.partition("[")[0] for path in paths))
    return pattern.sub(lambda found: names[found[0]], text) if names else text


@lru_cache(maxsize=64)
def _names(roots: frozenset[str]) -> tuple[re.Pattern[str], dict[str, str]]:
    """What finds the names of tensors in a text, and the shorter one of each; {} where two would be the same."""
    names = {root: short_name(root) for root in roots}
    pattern = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, roots), key=len, reverse=True))})\b")
    return pattern, names if len({*names.values()}) == len(names) else {}


def called(desc: Desc, text: str, columns: int) -> str:
    """A text about a desc with the names that its tensors have on a terminal of so many columns."""
    if not are_short([part.path for part in desc.parts], columns):
        return text
    return shortened(text, [field.name for field in desc.FIELDS if isinstance(field, TensorField)])
