"""One tensor's memory around an element, in address order."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ...desc.base import Part
from ...desc.indexing import unravel
from ...formats.page_text import short_count
from ...tracing import Trace
from ..cells.cells import Cell, cells_of
from ..cells.contents import contents_of
from ..elements.cursor import Cursor, flat_of, part_of
from ..elements.partners import Partners
from ..look import Look
from ..spans import AXIS, EDGE, PLAIN, RULER, Line, Span, cut


class MemoryRow(Struct, frozen=True, kw_only=True, dict=True):
    """One tensor's memory around an element: the cells that a window shows, and a stretch of them that is a run."""

    trace: Trace
    cursor: Cursor
    run: tuple[int, int] | None
    """(flat start, length) of what moves with the element."""
    open: tuple[bool, bool]
    """Where the run's ends were not looked for: (before, behind)."""
    width: int
    cell: int
    """Columns of a cell, without the gap behind it."""
    named: bool

    @cached_property
    def part(self) -> Part:
        return part_of(self.trace, self.cursor.place)

    @cached_property
    def flat(self) -> int:
        """The flat index of the cursor's element."""
        return flat_of(self.trace, self.cursor)

    @cached_property
    def _edge(self) -> int:
        """Columns at either end that say how many elements are not shown; 0 where all are."""
        count = self.part.tensor.element_count
        if count * (self.cell + 1) + 1 <= self.width:
            return 0
        return max(len(f"◂{short_count(count)} "), 2 + len("999k"))

    @cached_property
    def shown(self) -> range:
        """The flat indices in sight; the element stands in the middle where it can."""
        count = self.part.tensor.element_count
        room = max(1, (self.width - 2 * self._edge - 1) // (self.cell + 1))
        start = max(0, min(self.flat - room // 2, count - room))
        return range(start, min(start + room, count))

    def column(self, flat: int) -> int:
        """Where the cell of an element in sight begins."""
        return self._edge + 1 + (flat - self.shown.start) * (self.cell + 1)

    def hit(self, x: int) -> Cursor | None:
        """The element whose cell covers column `x`; None for none."""
        n, at = divmod(x - self._edge - 1, self.cell + 1)
        if x <= self._edge or at >= self.cell or n >= len(self.shown):
            return None
        index = unravel(np.array([self.shown[n]], np.int64), self.part.tensor.sizes)
        return Cursor(self.cursor.place, tuple(int(i[0]) for i in index))

    def line(self, look: Look, partners: Partners, *, marks_run: bool = False) -> Line:
        """The elements in sight; `partners` is what is marked, or with `marks_run` the run in place of its bracket."""
        index = unravel(np.arange(self.shown.start, self.shown.stop, dtype=np.int64), self.part.tensor.sizes)
        held = contents_of(self.trace, self.cursor.place, index)
        cells = cells_of(held, replace(look, lit=None), partners).every
        count = self.part.tensor.element_count
        line: Line = []
        if self._edge:
            left = f"◂{short_count(self.shown.start)}" if self.shown.start else ""
            line.append(Span(f"{left:<{self._edge}}", RULER))
        if marks_run and self.run is not None:
            marks = [0 <= flat - self.run[0] < self.run[1] for flat in self.shown] + [False]
        else:
            marks = [*(cell.is_marked for cell in cells), False]
        line.append(Span("▐" if marks[0] else " ", EDGE))
        for cell, mark, after in zip(cells, marks, marks[1:], strict=False):
            line.append(Span(self._cell_text(cell), cell.small_style))
            line.append(Span("█" if mark and after else "▌" if mark else "▐" if after else " ", EDGE))
        rest = count - self.shown.stop
        if rest:
            line.append(Span(f"{short_count(rest)}▸", RULER))
        return line

    def _cell_text(self, cell: Cell) -> str:
        if not cell.is_known:
            return cell.text.center(self.cell)
        name = f"{cell.letter} " if self.named and cell.letter and not cell.is_unread else ""
        room = self.cell - 2 - len(name)
        before = cell.letter if cell.is_nowhere and not self.named else " "
        return f"{before}{name}{cut(cell.text, room):>{room}}{cell.sign or ' '}"

    def bracket(self) -> Line:
        """A bracket below the run; an arrow at an end that is out of sight. Empty where nothing moves."""
        if self.run is None:
            return []
        start, stop = self.run[0], self.run[0] + self.run[1]
        first, last = max(start, self.shown.start), min(stop, self.shown.stop) - 1
        left = self.column(first)
        wide = self.column(last) + self.cell - left
        head = "╰" if first == start and not self.open[0] else "◂"
        tail = "╯" if last == stop - 1 and not self.open[1] else "▸"
        return [Span(" " * left, PLAIN), Span(head + "─" * (wide - 2) + tail, AXIS)]
