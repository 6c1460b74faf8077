"""SPLIT: one output takes its part of every row of the input; a call for each output.

row 0   data |....[out 0]..|        `run` bytes of out each, `stride` bytes of data each,
row 1   data |....[out 1]..|        and `start` bytes of earlier outputs before them
"""

from __future__ import annotations

from typing import Any

from ._compiled import compiled
from ._memory import copy


@compiled(inputs=1, numbers=4)
def run(out: Any, data: Any, outer: int, run: int, stride: int, start: int) -> None:
    for row in range(outer):
        copy(out, row * run, data, row * stride + start, run)
