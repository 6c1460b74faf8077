"""Where an output's elements come from, as pseudo-code with live numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class MapCode(NamedTuple):
    """Where every element of the outputs comes from, in one line of pseudo-code: `target = source`, with `where`.

    Indices are Python, of letters that run over the axes. `k` runs over the tensors of an array.
    """

    target: str
    """`OutputTensor[0,s+i]`"""
    source: str
    """`InputTensors[k][0,i]`"""
    where: str = ""
    """What other names stand for: `s = 0, 3 for k = 0, 1`."""


def formula_of(output: str, via: str, source: str) -> list[tuple[str, str]]:
    """The formula of an element, as `Operator.formula` has it: its path, how its source is computed, and that."""
    return [(output, "output"), (" = ", ""), (via, "via"), (" = ", ""), (source, "source")]


LETTERS = "ijmnpqrt"
"""Names of indices, one for each axis; `k`, `s` and `L` have other meanings."""


def letters(sizes: Sequence[int]) -> list[str]:
    """A letter for each axis, and 0 for an axis of size 1: what an index into a tensor of these sizes is."""
    names = iter(LETTERS)
    return [next(names) if size > 1 else "0" for size in sizes]


def indexed(path: str, index: Sequence[str]) -> str:
    """`OutputTensor[0,i]`."""
    return f"{path}[{','.join(index)}]"
