"""JOIN: every input's rows go to their place in the rows of the output; see `lib.rows`."""

from __future__ import annotations

from typing import Any

import numba

from .lib.rows import plan_rows
from .lib.rows import run as run
from .lib.textbook import Arrays, rows_of


@numba.njit  # type: ignore[untyped-decorator]
def textbook(out: Any, data: Any, start: int) -> None:
    """The textbook loop, for each input in turn: `out[row, start + k] = data[row, k]`.

    A row is all that lies behind one position of the axes before Axis. The input's part of it begins at `start`.
    """
    rows, length = data.shape
    for row in range(rows):
        for k in range(length):
            out[row, start + k] = data[row, k]


def textbook_arguments(outputs: Arrays, inputs: Arrays, outer: int, stride: int, *lengths: int) -> list[Any]:
    """The arguments of `textbook` for each input; numbers are in bytes, as `plan` takes them."""
    return [*rows_of(outputs[0], inputs, outer, stride, lengths)]


def plan(outer: int, stride: int, *lengths: int) -> list[int]:
    """The numbers of `run`: `outer` rows of `stride` bytes, `lengths` of them of each part."""
    return plan_rows(1, outer, stride, *lengths)
