"""JOIN: one input's rows go to their place in every row of the output; a call for each input.

row 0   out |....[data 0]..|        `run` bytes of data each, `stride` bytes of out each,
row 1   out |....[data 1]..|        and `start` bytes of earlier inputs before them
"""

from __future__ import annotations

from typing import Any

from ._compiled import compiled
from ._memory import copy


@compiled(inputs=1, numbers=4)
def run(out: Any, data: Any, outer: int, run: int, stride: int, start: int) -> None:
    for row in range(outer):
        copy(out, row * stride + start, data, row * run, run)
