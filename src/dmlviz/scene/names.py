"""What tensors are called: by their paths, and by one shorter name where there is no room for those."""

from __future__ import annotations

import re
from collections.abc import Iterable


def short_name(path: str) -> str:
    """The last word before "Tensor": `Lengths` for `SequenceLengthsTensor`, `Inputs[0]` for `InputTensors[0]`."""
    name, bracket, n = path.partition("[")
    bare = re.sub(r"Tensor(s?)$", r"\1", name) if name not in ("Tensor", "Tensors") else name
    words: list[str] = re.findall(r"[A-Z][a-z]*", bare) or [bare]
    return words[-1] + bracket + n


def shortened(text: str, paths: Iterable[str]) -> str:
    """A text in which tensors are called by their shorter names."""
    for path in sorted({path.partition("[")[0] for path in paths}, key=len, reverse=True):
        text = re.sub(rf"\b{path}\b", short_name(path), text)
    return text


def tight(text: str) -> str:
    """A text whose sizes have no blanks, as in titles, so that no line ends in them: `{2,3}` for `{2, 3}`."""
    return re.sub(r"\{[-\d, ]*\}", lambda found: found[0].replace(" ", ""), text)
