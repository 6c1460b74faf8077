"""The memory strip: an element's tensor on either side, and the run that moves between them."""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from ...desc.fields import Role
from ...desc.indexing import arrays_of
from ...tracing import Trace
from ..cells.contents import NOWHERE_SIGN
from ..elements.cursor import Cursor, flat_of, part_of
from ..elements.known import EVERYTHING, Known
from ..elements.lookup import first_reader_of, is_from_nowhere, source_of, value_of
from ..elements.partners import partners
from ..layout.cell_widths import value_width
from ..layout.margins import letter_columns
from ..look import Look
from ..spans import EDGE, LETTER, PLAIN, RULER, TITLE, Line, Span, Style, cut
from . import HEIGHT
from .row import MemoryRow
from .runs import Run, run_around


class Memory(Struct, frozen=True, dict=True):
    """The row of the input and of the output that an element belongs to, and what moves between them."""

    trace: Trace
    cursor: Cursor
    width: int
    known: Known = EVERYTHING
    """What may be told of who reads what."""

    @cached_property
    def pair(self) -> tuple[Cursor | None, Cursor | None]:
        """The input's and the output's element: the cursor's and its source, or its first reader, if that is known."""
        if self.cursor.place.is_output:
            return source_of(self.trace, self.cursor) if self.known.tells(self.cursor) else None, self.cursor
        return self.cursor, first_reader_of(self.trace, self.cursor, self.known)

    @cached_property
    def _is_filled(self) -> bool:
        """True if the cursor's element comes from nowhere, and that is known."""
        return is_from_nowhere(self.trace, self.cursor, self.known)

    @cached_property
    def run(self) -> Run | None:
        """The run in the output; None where nothing is moved or filled, or it isn't known yet."""
        source, out = self.pair
        is_told = out is not None and (source is not None or self._is_filled)
        return run_around(self.trace, out, self.known) if is_told and out is not None else None

    @cached_property
    def _moves(self) -> bool:
        """True if the input's element is what moves, not an index or a length."""
        source = self.pair[0]
        return source is not None and part_of(self.trace, source.place).field.role is Role.DATA

    @cached_property
    def label_width(self) -> int:
        """Columns of the names and elements before the rows."""
        parts = (*self.trace.inputs, *self.trace.outputs)
        element = f"element {max(part.tensor.element_count for part in parts) - 1:,}"
        longest = max(len(element), *(len(part.path) for part in parts)) + 2
        return min(longest, max(12, 2 * self.width // 5))

    @cached_property
    def rows(self) -> tuple[MemoryRow | None, MemoryRow | None]:
        """The input's row and the output's; None for a side that has no element in `pair`."""
        rows: list[MemoryRow | None] = []
        for is_output, cursor in enumerate(self.pair):
            if cursor is None:
                rows.append(None)
                continue
            cell, name = value_width(self.trace, bool(is_output) or self._moves), letter_columns(self.trace) + 1
            named = name <= 4 and (self.width - self.label_width) // (cell + name + 1) >= 6
            run, ends = None, (False, False)
            if self.run is not None and (is_output or self._moves):
                start = self.run.start
                if not is_output:
                    assert self.pair[1] is not None
                    start = flat_of(self.trace, cursor) - (flat_of(self.trace, self.pair[1]) - start)
                run, ends = (start, self.run.length), self.run.open
            room = self.width - self.label_width
            rows.append(
                MemoryRow(
                    trace=self.trace,
                    cursor=cursor,
                    run=run,
                    open=ends,
                    width=room,
                    cell=cell + name * named,
                    named=named,
                )
            )
        return rows[0], rows[1]

    @cached_property
    def headline(self) -> Line:
        """What moves, or why nothing does."""
        out, run = self.rows[1], self.run
        room = self.width - len(TITLE_TEXT)
        if out is None or run is None:
            return [Span(TITLE_TEXT, TITLE), Span(cut(f"  {self._why_unmoved()}", room), RULER)]
        full, short = self._moved_words(out, run)
        return [Span(TITLE_TEXT, TITLE), Span(full if len(full) <= room else cut(short, room), PLAIN)]

    def _moved_words(self, out: MemoryRow, run: Run) -> tuple[str, str]:
        """What moves with the element, in full and in short."""
        source, place = self.rows[0], self.cursor.place
        size, length = out.part.tensor.data_type.item_size, run.length
        least = "" if run.whole else "at least "
        what_runs = "run of" if source is not None else "filled run of"
        full = f"  {what_runs} {least}{length:,} {'element' if length == 1 else 'elements'}"
        full += f" = {length * size:,} {'byte' if length * size == 1 else 'bytes'}"
        short = full
        end = run.start * size
        if source is not None and source.run is not None:
            begin = source.run[0] * size
            full += f", input byte {begin:,} → output byte {end:,}"
            short += f" · byte {begin:,} → {end:,}"
        else:
            full, short = f"{full}, at byte {end:,}", f"{short} · byte {end:,}"
        count = 0
        if not place.is_output and self.known.whole:
            count = len(self.trace.destinations(place.number, self.cursor.index))
        return (f"{full} · the first of {count:,}" if count > 1 else full), short

    def _why_unmoved(self) -> str:
        trace, place = self.trace, self.cursor.place
        if place.is_output:
            return "· not written yet"
        if not self.known.whole and self.known.readers(trace, self.cursor) is not None:
            return "nothing that is written has read the element"
        if not trace.prepared:
            return "counting its readers…"
        read = int(trace.counts(place.number, arrays_of(self.cursor.index))[0])
        return "the element is never read, so nothing moves it" if not read else "its readers are not counted"

    def lines(self, look: Look, height: int = HEIGHT) -> list[Line]:
        """The `HEIGHT` lines of the strip; the fewest, where it has less `height`."""
        lines, is_low = [self.headline], height < HEIGHT
        links, out = partners(self.trace, self.cursor, self.known), self.pair[1]
        if out is not None:  # the one whose run is shown, even before it is written
            links = replace(links, output=(out.place.number, flat_of(self.trace, out)))
        for row in self.rows:
            if row is None:
                lines += (self._constant_lines() if self._is_filled else [[], []])[: 1 if is_low else 2]
                continue
            label, name = f"element {row.flat:,}", cut(row.part.path, self.label_width - 1)
            lines.append([Span(f"{name:<{self.label_width}}", LETTER), *row.line(look, links, marks_run=is_low)])
            if is_low:
                continue
            lines.append([Span(f"{label:<{self.label_width}}", RULER), *row.bracket()])
        return lines

    def _constant_lines(self) -> list[Line]:
        path, value = self.trace.operator.constant_path, value_of(self.trace, self.cursor)[0]
        name = cut(path, self.label_width - 1)
        filled = Span(f" {NOWHERE_SIGN} {value} ", Style("nowhere"))
        why = f"constant: {path}"
        return [
            [Span(f"{name:<{self.label_width}}", LETTER), Span(" ", EDGE), filled],
            [Span(cut(why, self.width), RULER)],
        ]

    def hit(self, x: int, y: int, height: int = HEIGHT) -> Cursor | None:
        """The element drawn at (x, y) of the strip in so much `height`; None for none."""
        lines = (1, 2) if height < HEIGHT else (1, 3)
        row = self.rows[lines.index(y)] if y in lines else None
        return row.hit(x - self.label_width) if row is not None else None


TITLE_TEXT = "Memory"
