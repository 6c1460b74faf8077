"""SPLIT: every output takes its part of the rows of the input; see `lib.rows`."""

from __future__ import annotations

from typing import Any

import numba

from .lib.rows import plan_rows
from .lib.rows import run as run
from .lib.textbook import Arrays, rows_of


@numba.njit  # type: ignore[untyped-decorator]
def textbook(out: Any, data: Any, start: int) -> None:
    """The textbook loop, for each output in turn: `out[row, k] = data[row, start + k]`.

    A row is all that lies behind one position of the axes before Axis. The output's part of it begins at `start`.
    """
    rows, length = out.shape
    for row in range(rows):
        for k in range(length):
            out[row, k] = data[row, start + k]


def textbook_arguments(outputs: Arrays, inputs: Arrays, outer: int, stride: int, *lengths: int) -> list[Any]:
    """The arguments of `textbook` for each output; numbers are in bytes, as `plan` takes them."""
    return [(out, data, start) for data, out, start in rows_of(inputs[0], outputs, outer, stride, lengths)]


def plan(outer: int, stride: int, *lengths: int) -> list[int]:
    """The numbers of `run`: `outer` rows of `stride` bytes, `lengths` of them of each part."""
    return plan_rows(0, outer, stride, *lengths)
