"""Values as a plain table: choices, goals, and tensors whose colours would tell too much."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from msgspec import Struct

from ..spans import PLAIN, Line, Span, Style

CELL = Style("cell")
"""One neutral colour: identities would say where elements come from."""


class CellSize(NamedTuple):
    """How large cells are drawn."""

    pad: int
    lines: int
    between: int = 0
    """Empty lines between two rows."""


CELL_SIZES = (
    CellSize(6, 3, 1),
    CellSize(4, 3, 1),
    CellSize(6, 1, 1),
    CellSize(4, 1, 1),
    CellSize(4, 1),
    CellSize(2, 1, 1),
    CellSize(2, 1),
    CellSize(1, 1),
    CellSize(0, 1),
)
"""Largest first."""


class SmallTable(Struct, frozen=True):
    """Tensors one below the other: their last axis runs across, all before it down, with a gap between blocks."""

    tensors: tuple[tuple[tuple[int, ...], Sequence[str]], ...]
    """Sizes and texts of each, row-major."""
    action: str = ""

    @property
    def _widest_text(self) -> int:
        return max((len(text) for _, texts in self.tensors for text in texts), default=1)

    def width(self, size: CellSize) -> int:
        """Columns of the table."""
        cell = self._widest_text + size.pad + 1
        return max((sizes[-1] if sizes else 1) * cell - 1 for sizes, _ in self.tensors)

    def height(self, size: CellSize) -> int:
        """Lines of the table."""
        return len(self.lines(size))

    def lines(self, size: CellSize) -> list[Line]:
        """The table, line by line; lines of one table may differ in length."""
        cell = self._widest_text + size.pad
        lines: list[Line] = []
        for sizes, texts in self.tensors:
            if lines:
                lines += [[] for _ in range(size.between + 1)]
            across = sizes[-1] if sizes else 1
            block = sizes[-2] if len(sizes) > 1 else 1
            rows = math.prod(sizes) // across if across else 0
            for row in range(rows):
                if row:
                    gap = size.between if row % block else max(size.between, 1)
                    lines += [[] for _ in range(gap)]
                values = texts[row * across : (row + 1) * across]
                for line in range(size.lines):
                    here = line == size.lines // 2
                    lines.append(_line_of(values if here else [""] * across, cell, size.pad, self.action))
        return lines


def _line_of(texts: Sequence[str], cell: int, pad: int, action: str) -> Line:
    spans: Line = []
    for text in texts:
        if spans:
            spans.append(Span(" ", PLAIN, action))
        spans.append(Span(f"{text}{' ' * (pad // 2)}".rjust(cell), CELL, action))
    return spans


def placed(
    tables: Sequence[SmallTable], size: CellSize, width: int, gap: int, heads: Sequence[int], *, in_row: bool = False
) -> list[tuple[int, int]] | None:
    """(first column, first line) of each table below its head of so many columns; None for no room.

    In one row, or in the fewest of which each has as many.
    """
    wide = [max(table.width(size), head) for table, head in zip(tables, heads, strict=True)]
    for count in range(1, 2 if in_row else max(2, len(tables) + 1)):
        across = max(1, math.ceil(len(tables) / count))
        rows = [range(k, min(k + across, len(tables))) for k in range(0, len(tables), across)]
        if all(sum(wide[k] for k in row) + gap * (len(row) - 1) <= width for row in rows):
            break
    else:
        return None
    places: list[tuple[int, int]] = []
    y = 0
    for row in rows:
        lefts = accumulate((wide[k] + gap for k in row), initial=0)
        places += [(x, y) for x, _ in zip(lefts, row, strict=False)]
        y += max(tables[k].height(size) for k in row) + 2
    return places
