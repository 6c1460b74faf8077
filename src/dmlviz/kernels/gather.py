"""GATHER: every index picks one slice, a run of bytes, of each of `outer` blocks of `n` slices.

data   |slice 0|slice 1|slice 2|        indices  2 0 2
out    |slice 2|slice 0|slice 2|        once for each block
"""

from __future__ import annotations

from typing import Any

from ._compiled import compiled
from ._memory import copy, integer


@compiled(inputs=2, numbers=6)
def run(
    out: Any, data: Any, indices: Any, outer: int, n: int, count: int, run: int, index_size: int, signed: int
) -> None:
    for block in range(outer):
        for i in range(count):
            picked = integer(indices, i, index_size, signed)
            if picked < 0:
                # Signed: counts from the end. Unsigned: 2^63 or more, far beyond it.
                picked = picked + n if signed != 0 else n - 1
            picked = min(max(picked, 0), n - 1)
            copy(out, (block * count + i) * run, data, (block * n + picked) * run, run)
