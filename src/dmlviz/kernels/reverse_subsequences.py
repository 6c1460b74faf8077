"""REVERSE_SUBSEQUENCES: row k of a block comes from row length - 1 - k, or from row k itself from length on.

lengths      3 3 0 1          A block has `n` rows along Axis with `inner` elements each, one a sequence.
row 0 from   2 2 0 0          Neighbours that come from the same row are copied together, so equal lengths
row 1 from   1 1 1 1          cost a copy a row, and so does what lies beyond all lengths.
row 2 from   0 0 2 2
"""

from __future__ import annotations

from typing import Any

from ._compiled import compiled
from ._memory import copy, integer


@compiled(inputs=2, numbers=5)
def run(out: Any, data: Any, lengths: Any, outer: int, n: int, inner: int, item: int, length_size: int) -> None:
    for block in range(outer):
        for k in range(n):
            first, shared = 0, -1  # the elements from `first` on come from row `shared`
            for j in range(inner + 1):
                row = -2  # after the last element, so that what is held goes out
                if j < inner:
                    length = integer(lengths, block * inner + j, length_size, 0)
                    if length < 0 or length > n:  # a UINT64 of 2^63 and more looks negative
                        length = n
                    row = length - 1 - k if k < length else k
                if row != shared:
                    if j > first:
                        there, here = (block * n + shared) * inner + first, (block * n + k) * inner + first
                        copy(out, here * item, data, there * item, (j - first) * item)
                    first, shared = j, row
