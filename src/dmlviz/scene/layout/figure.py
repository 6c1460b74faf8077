"""One tensor as a picture: where each element lies, and what each line of it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...desc.base import Part
from ...desc.fields import Role
from ...desc.indexing import ravel, unravel
from ...desc.values import Array, Indices
from ...formats.page_text import shorts
from ...operators.maps import CLAMPED, NEGATIVE, Place
from ...tracing import Trace
from ..colour.palette import letter
from ..elements.lookup import reads
from ..elements.partners import Partners
from ..look import Look
from ..spans import AXIS, DIM, EDGE, LETTER, PLAIN, TAB, TITLE, WARN, Line, Span, Style, fitting, labels, length
from . import zooms
from .headings import captions, ranges, slices, titles
from .margins import letter_columns, read_columns
from .tracks import Track
from .zoom import LARGE_LINES, PITCHES, Zoom, lettered, trailing


@dataclass(frozen=True)
class Grid:
    """The visible cells of a figure: R rows by C columns, all arrays (R * C,) in row-major order."""

    rows: list[tuple[int, int]]
    columns: list[tuple[int, int]]
    flat: Indices
    texts: list[str]
    identity: Indices
    counts: Indices | None
    flags: Indices | None
    source: tuple[Indices, Indices] | None
    via: Indices | None
    drawn: dict[object, Any] = field(default_factory=dict, compare=False, repr=False)
    """Lines that were drawn of it."""


@dataclass(frozen=True)
class Seen:
    """What stands on the cells of a grid besides their values: all (R * C,), row-major."""

    marked: NDArray[np.bool_]
    """They belong to the cursor's element, or the present step moves them."""
    written: NDArray[np.bool_] | None
    """None for all."""
    signs: list[str] | None
    """The signs of the pins that they belong to; None for no pins."""
    broken: NDArray[np.bool_] | None = None
    """A broken rule concerns them; None for none."""

    def is_written(self, at: int) -> bool:
        return self.written is None or bool(self.written[at])

    def key(self, start: int, stop: int) -> object:
        """What tells one state of some cells from another."""
        written = self.written[start:stop].tobytes() if self.written is not None else b""
        signs = tuple(self.signs[start:stop]) if self.signs is not None else ()
        broken = self.broken[start:stop].tobytes() if self.broken is not None else b""
        return self.marked[start:stop].tobytes(), written, signs, broken


@dataclass(frozen=True)
class Figure:
    """A tensor laid out: which axes go down and which go across, and how wide a cell is."""

    trace: Trace
    place: Place
    part: Part
    down: tuple[int, ...]
    across: tuple[int, ...]
    cell: int
    """Columns of a cell, without the gap behind it."""
    step: int = 1
    """Lines from one row to the next."""
    ruled: bool = True
    """A line under the title."""
    zoom: Zoom = Zoom.VALUES
    sliced: tuple[int, ...] = ()
    """Axes of which one position is shown."""
    at: tuple[int, ...] = ()
    """An element that lies in the slice that is shown; () where nothing is sliced."""
    noted: bool = False
    """A line that says which rows and columns are seen, because the figure is larger than its window."""
    _grids: dict[object, Grid] = field(default_factory=dict, compare=False, repr=False)

    # ---- geometry

    @cached_property
    def rows(self) -> Track:
        sizes = tuple(self.part.tensor.sizes[d] for d in self.down)
        return Track(sizes or (1,), self.step, PITCHES[self.zoom].row_block)

    @cached_property
    def columns(self) -> Track:
        sizes = tuple(self.part.tensor.sizes[d] for d in self.across)
        pitch = PITCHES[self.zoom]
        return Track(sizes or (1,), self.cell + pitch.gap, pitch.block)

    @cached_property
    def letters(self) -> str:
        """Where letters stand: "row", "column", "cell", "title", or "" for none."""
        axes = [d for d in self._identity_axes if d not in self.sliced]
        if not axes:
            return "title" if self.whole_identity >= 0 else ""
        if not lettered(self.zoom):
            return "cell"
        if all(d in self.down for d in axes):
            return "row"
        return "column" if all(d in self.across for d in axes) else "cell"

    @cached_property
    def _identity_axes(self) -> list[int]:
        sizes = self.part.tensor.sizes
        return [d for d in self.trace.operator.identity_axes(self.trace.desc, self.place) if sizes[d] > 1]

    @cached_property
    def base(self) -> tuple[int, ...]:
        """The first element that is shown."""
        return tuple(self.at[d] if d in self.sliced else 0 for d in range(self.part.tensor.dimension_count))

    @cached_property
    def whole_identity(self) -> int:
        """The identity of the first element that is shown."""
        return int(self.trace.identity(self.place, tuple(np.array([i], np.int64) for i in self.base))[0])

    @cached_property
    def _index_widths(self) -> list[int]:
        return [len(str(self.part.tensor.sizes[d] - 1)) for d in self.down]

    @cached_property
    def _letter_width(self) -> int:
        if self.letters != "row":
            return 0
        return letter_columns(self.trace) + 1

    @cached_property
    def margin(self) -> int:
        """Columns of the row ruler."""
        return self._letter_width + sum(width + 1 for width in self._index_widths) + 1

    @cached_property
    def head(self) -> int:
        """Lines above the first row: title, slice, what is seen, rule, column ruler."""
        return self._notes + 1 + self.ruled + max(1, len(self.across)) + (self.letters == "column")

    @cached_property
    def _notes(self) -> int:
        return bool(self.sliced) + self.noted

    @cached_property
    def body(self) -> int:
        """Lines of rows."""
        return -(-(self.rows.length - trailing(self.zoom, self.step)) // PITCHES[self.zoom].per_line)

    @cached_property
    def height(self) -> int:
        return self.head + self.body + 1 + (self._counts_below)

    @cached_property
    def _counts_along(self) -> str:
        """Where "how often read" stands: "row", "column", or "" where it is the same for every element."""
        if self.place.is_output or self.part.field.role is not Role.DATA or self.zoom is Zoom.OVERVIEW:
            return ""
        axes = self.trace.operator.identity_axes(self.trace.desc, self.place)
        if not self.trace.operator.reads_vary or len(axes) != 1:
            return ""
        if axes[0] in self.down:
            return "row"
        return "column" if axes[0] in self.across else ""

    @cached_property
    def _counts_below(self) -> int:
        return int(self._counts_along == "column")

    @cached_property
    def extent(self) -> int:
        """Columns of rulers and cells: how far there is something to scroll to."""
        return self.margin + self.columns.length + (read_columns(self.trace) if self._counts_along == "row" else 0)

    @cached_property
    def width(self) -> int:
        """Columns that the figure would like: title and names of the axes included."""
        return max(self.extent, length(self._titles(Look())[0]) + 1, length(self._foot(Look())))

    @cached_property
    def snug(self) -> int:
        """Columns at which cells and sizes still stand whole."""
        return max(self.extent, length(self._titles(Look())[2]) + 1, length(self._feet(Look())[-1]))

    def locate(self, index: tuple[int, ...]) -> tuple[int, int]:
        """(x, y) of an element's cell: x behind the ruler, y of the line with its text from the figure's top."""
        column = self.columns.number(tuple(index[d] for d in self.across) or (0,))
        y = self.rows.position(self.row_of(index)) // PITCHES[self.zoom].per_line
        return self.columns.position(column), self.head + y + (LARGE_LINES // 2 if self.zoom is Zoom.LARGE else 0)

    def hit(self, x: int, y: int, half: int = 0) -> tuple[int, ...] | None:
        """The element whose cell covers (x, y), or the line below its row; None beside the cells.

        In the overview a character holds two elements: `half` is 0 for the upper and 1 for the lower.
        """
        if not 0 <= y - self.head < self.body:
            return None
        per_line = PITCHES[self.zoom].per_line
        line = (y - self.head) * per_line
        row, column = self.rows.at(line + half if per_line > 1 else line), self.columns.at(x)
        if row is None and per_line > 1:
            row = self.rows.at(line + 1 - half)
        if row is None or column is None or x - self.columns.position(column) >= self.cell:
            return None
        return self.index(row, column)

    def shows(self, index: tuple[int, ...]) -> bool:
        """True if the element lies in the slice that is shown."""
        return all(index[d] == self.at[d] for d in self.sliced)

    def button(self, x: int, y: int, width: int) -> tuple[int, int] | None:
        """(axis, -1 or 1) of the mark at column x of line y in a heading of `width` columns."""
        if not self.sliced or y != 1:
            return None
        for span in self._slice_line(width):
            if x < len(span.text):
                return span.button
            x -= len(span.text)
        return None

    def turned(self, axis: int, by: int) -> tuple[int, ...]:
        """An element of the slice that lies some positions further along a sliced axis, kept inside."""
        at = min(max(self.at[axis] + by, 0), self.part.tensor.sizes[axis] - 1)
        return tuple(at if d == axis else i for d, i in enumerate(self.at))

    def index(self, row: int, column: int) -> tuple[int, ...]:
        """The element in a row and a column of cells."""
        index = list(self.base)
        for axes, track, number in ((self.down, self.rows, row), (self.across, self.columns, column)):
            for d, at in zip(axes, track.split(number), strict=False):
                index[d] = at
        return tuple(index)

    def moved(self, index: tuple[int, ...], rows: int, columns: int) -> tuple[int, ...]:
        """The element some cells further, kept inside."""
        row = self.rows.number(tuple(index[d] for d in self.down) or (0,)) + rows
        column = self.columns.number(tuple(index[d] for d in self.across) or (0,)) + columns
        return self.index(min(max(row, 0), self.rows.count - 1), min(max(column, 0), self.columns.count - 1))

    def row_of(self, index: tuple[int, ...]) -> int:
        return self.rows.number(tuple(index[d] for d in self.down) or (0,))

    # ---- what is seen

    def grid(self, rows: tuple[int, int], columns: tuple[int, int]) -> Grid:
        """The cells that touch lines `rows` and columns `columns` of the body, with all that is known of them."""
        key = rows, columns, self.trace.prepared  # what was still being counted is asked again
        if key not in self._grids:
            self._grids.clear()  # one window is on the screen at a time
            # The rulers above ask for a row too where none is in sight.
            self._grids[key] = self._make_grid(self.rows.visible(*rows) or [(0, 0)], self.columns.visible(*columns))
        return self._grids[key]

    def _make_grid(self, rows: list[tuple[int, int]], columns: list[tuple[int, int]]) -> Grid:
        tensor, trace, k = self.part.tensor, self.trace, self.place.number
        r = np.array([n for n, _ in rows], np.int64).repeat(len(columns))
        c = np.tile(np.array([n for n, _ in columns], np.int64), len(rows))
        index: list[Indices] = [np.full(len(r), i, np.int64) for i in self.base]
        for axes, numbers in ((self.down, r), (self.across, c)):
            for d in reversed(axes):
                index[d] = numbers % tensor.sizes[d]
                numbers = numbers // tensor.sizes[d]
        at = tuple(index)
        flat = ravel(at, tensor.sizes)
        counts = flags = via = source = None
        values: Array = np.zeros(0)
        worded = lettered(self.zoom)
        if self.place.is_output:
            found = trace.sources(k, at)
            values = trace.window(k, at) if worded else values
            flags = found.flags
            sizes = [p.tensor.sizes for p in trace.inputs]
            where = np.zeros(len(flat), np.int64)
            for t in np.flatnonzero(np.bincount(found.tensor)).tolist():
                here = found.tensor == t
                where[here] = ravel([axis[here] for axis in found.index], sizes[t])
            source = found.tensor, where
            via = ravel(found.via, sizes[found.via_tensor]) if found.via is not None else None
        else:
            if worded or self.part.field.role is not Role.DATA:
                values = trace.read(k, flat)
            if self.part.field.role is Role.DATA:
                counts = trace.counts(k, at)
            else:
                flags = trace.operator.cell_flags(trace.desc, k, values)
        return Grid(
            rows,
            columns,
            flat,
            shorts(values if worded else values[:0]),
            trace.identity(self.place, at),
            counts,
            flags,
            source,
            via,
        )

    def marks(self, grid: Grid, partners: Partners) -> NDArray[np.bool_]:
        """Which cells of the grid belong to the cursor's element."""
        marked = np.zeros(len(grid.flat), bool)
        if self.place.is_output:
            if partners.output is not None and partners.output[0] == self.place.number:
                marked |= grid.flat == partners.output[1]
            if partners.reads is not None and grid.source is not None:
                tensor, flat = partners.reads
                if self.trace.inputs[tensor].field.role is Role.DATA:
                    marked |= (grid.source[0] == tensor) & (grid.source[1] == flat)
                elif grid.via is not None:
                    marked |= grid.via == flat
            return marked
        for found in (partners.source, partners.via, partners.reads):
            if found is not None and found[0] == self.place.number:
                marked |= grid.flat == found[1]
        if partners.reads is not None and partners.reads[0] != self.place.number:
            # Three ways: an index or length cell and the elements it sends share one identity.
            roles = {self.part.field.role, self.trace.inputs[partners.reads[0]].field.role}
            if len(roles) == 2:
                marked |= grid.identity == partners.identity
        return marked

    def signs(self, grid: Grid, look: Look) -> list[str] | None:
        """The signs of the pins that each cell of the grid belongs to; None where there are none."""
        found = [(sign, self.marks(grid, links)) for sign, links in look.pins]
        if not any(mark.any() for _, mark in found):
            return None
        return ["".join(sign for sign, mark in found if mark[i]) for i in range(len(grid.flat))]

    # ---- lines

    def lines(self, top: int, count: int, left: int, width: int, look: Look, partners: Partners) -> list[Line]:
        """Lines top to top + count of the figure, `width` columns wide; the body is scrolled by `left`.

        Rulers stay: the row ruler at the left, and title and column ruler above while rows are left to see.
        """
        body_width = max(0, width - self.margin)
        per_line = PITCHES[self.zoom].per_line
        pinned = self.head if 0 < top < self.height - self.head - 1 else 0
        first = max(top + pinned, self.head) - self.head
        last = max(first, min(top + count, self.head + self.body) - self.head)
        grid = self.grid((first * per_line, last * per_line), (left, left + body_width))
        rows = self._rows(grid, left, body_width, self.seen(grid, look, partners), look)
        made = []
        for i in range(count):
            y = i if i < pinned else top + i
            if y < self.head:
                made.append(self._head_line(y, left, body_width, grid, look))
            elif y - self.head < self.body:
                made.append(rows(y - self.head))
            elif y == self.height - 1:
                made.append(self._fitting_foot(look, width))
            elif self._counts_below and y == self.height - 2:
                made.append(self._count_line(left, body_width, grid))
            else:
                made.append([])
        return made

    def seen(self, grid: Grid, look: Look, partners: Partners) -> Seen:
        """What stands on the cells of a grid at this cursor and step."""
        marked = self.marks(grid, partners)
        if look.lit is not None:
            marked |= look.lit(self.place, grid.flat, grid.identity)
        written = None
        if look.written is not None and self.place.is_output:
            written = look.written(self.place.number, unravel(grid.flat, self.part.tensor.sizes))
        return Seen(marked, written, self.signs(grid, look), self._broken(grid, look))

    def _broken(self, grid: Grid, look: Look) -> NDArray[np.bool_] | None:
        """Which cells a broken rule concerns; None for none."""
        sizes, found = self.part.tensor.sizes, None
        for lit in look.broken_cells:
            if lit.path != self.part.path:
                continue
            here: NDArray[np.bool_] | None = None
            if lit.axis is None:
                here = (grid.flags & CLAMPED) > 0 if grid.flags is not None else None
            elif lit.axis < len(sizes):
                along = unravel(grid.flat, sizes)[lit.axis]
                start = min(lit.start, sizes[lit.axis] - 1)
                here = (along >= start) & (along < max(lit.stop, start + 1))
            if here is not None:
                found = here if found is None else found | here
        return found

    def _rows(self, grid: Grid, left: int, width: int, seen: Seen, look: Look) -> Callable[[int], Line]:
        """The line of the body at a given height; made once for as long as nothing on its cells changes."""
        key = left, width, look.stale, look.broken_axes
        if grid.drawn.get(None) != key:
            grid.drawn.clear()
            grid.drawn[None] = key
        across = len(grid.columns)
        by_line = {position: i for i, (_, position) in enumerate(grid.rows)}

        def row(line: int) -> Line:
            here: list[int] = []
            if self.zoom is Zoom.OVERVIEW:
                at = [by_line.get(2 * line), by_line.get(2 * line + 1)]
                here = [i for i in at if i is not None]
                if not here:
                    return []
            else:
                found = by_line.get(line)
                for above in range(1, LARGE_LINES if self.zoom is Zoom.LARGE else 1):
                    found = by_line.get(line - above) if found is None else found
                if found is None:
                    return []
                here = [found]
            marks = tuple(seen.key(i * across, (i + 1) * across) for i in here)
            known = grid.drawn.get((line, marks))
            if known is None:
                if self.zoom is Zoom.OVERVIEW:
                    known = zooms.overview_row(self, grid, at[0], at[1], left, width, seen, look)
                elif self.zoom is Zoom.LARGE and line - grid.rows[here[0]][1] != LARGE_LINES // 2:
                    known = zooms.large_edge(
                        self, grid, here[0], left, width, seen, look, top=line == grid.rows[here[0]][1]
                    )
                else:
                    known = self._row(here[0], left, width, grid, seen, look)
                grid.drawn[line, marks] = known
            return known

        return row

    def _titles(self, look: Look) -> list[Line]:
        """The title, and shorter ones for where it doesn't fit."""
        chip: Line = []
        if self.letters == "title":
            style = Style("cell", -1 if look.stale else self.whole_identity)
            chip = [Span(f" {letter(self.whole_identity)} ", style), Span(" ", PLAIN)]
        tensor = self.part.tensor
        style = Style("broken") if (self.part.path, -1) in look.broken_axes else TITLE
        return [
            [*chip, Span(name, style), Span(rest, DIM)]
            for name, rest in titles(self.part.path, str(tensor.data_type), tensor.sizes)
        ]

    def _head_line(self, y: int, left: int, width: int, grid: Grid, look: Look) -> Line:
        room = self.margin + width
        if y == 0:
            found = self._titles(look)
            title = next((t for t in found if length(t) <= room), found[-1])
            cut = "" if self.noted else self._seen(grid, room - length(title) - 2)
            return fitting([*title, *([Span(f"  {cut}", DIM)] if cut else [])], room)
        if y <= self._notes:
            if y == 1 and self.sliced:
                return self._slice_line(room)
            return [Span(self._seen(grid, room), DIM)]
        y -= self._notes
        if y == 1 and self.ruled:
            return [Span("─" * min(room, self.width), Style("rule"))]
        if y + self._notes == self.head - 1 and self.letters == "column":
            return self._placed(left, width, grid, lambda j, _: letter(int(grid.identity[j])), LETTER)
        depth = y - 1 - self.ruled
        if not self.across:
            return []
        d = self.across[depth]
        broken = (self.part.path, d) in look.broken_axes
        style = Style("broken") if broken else (AXIS if d in self._roles else DIM)
        return zooms.ruler(self, grid, depth, left, width, style)

    def _slice_line(self, room: int) -> Line:
        return slices([(d, self.at[d], self.part.tensor.sizes[d]) for d in self.sliced if d < len(self.at)], room)

    def _seen(self, grid: Grid, room: int) -> str:
        """Which rows and columns are seen, where that isn't all of them."""
        rows, columns = [n for n, _ in grid.rows], [n for n, _ in grid.columns]
        if not columns or (len(rows) == self.rows.count and len(columns) == self.columns.count):
            return ""
        return ranges((rows[0], rows[-1], self.rows.count), (columns[0], columns[-1], self.columns.count), room)

    def _placed(self, left: int, width: int, grid: Grid, label: Callable[[int, int], str], style: Style) -> Line:
        """Text over each column of cells, aligned as the cells' values are."""
        line = [" "] * (self.margin + width)
        for j, (number, position) in enumerate(grid.columns):
            text = label(j, number)
            text = text if len(text) <= self.cell else "…"
            start = self.margin + position - left + zooms.shift(self, len(text))
            for i, char in enumerate(text):
                if self.margin <= start + i < len(line):
                    line[start + i] = char
        return labels("".join(line), style)

    @cached_property
    def _roles(self) -> Mapping[int, str]:
        return self.trace.operator.axis_roles(self.trace.desc, self.place)

    def _row(self, i: int, left: int, width: int, grid: Grid, seen: Seen, look: Look) -> Line:
        number, _ = grid.rows[i]
        columns, start = grid.columns, i * len(grid.columns)
        line = self.row_ruler(i, number, grid, look)
        beside = self.zoom is not Zoom.BLOCKS  # whose brackets are in the cell
        x, before = left - 1, False  # the ruler's last column is the gap before the first cell
        if columns and columns[0][1] < left:
            line.append(Span(" ", EDGE))  # that cell is cut at the left, and the gap before it is out of sight
        for j, (_, position) in enumerate(columns):
            mark = bool(seen.marked[start + j])
            if position > x:
                line.append(Span(_gap(before and beside, mark and beside, position - x), EDGE))
            text, style = self.drawn(start + j, grid, seen, look)
            first, last = max(0, left - position), max(0, left + width - position)
            tab = ""
            if seen.signs is not None and seen.signs[start + j]:
                tab = tab_of(text, seen.signs[start + j])
                if tab[first:last]:
                    line.append(Span(tab[first:last], TAB))
            text = text[max(first, len(tab)) : last]
            if text:
                line.append(Span(text, style))
            x, before = position + self.cell, mark
        if x < left + width:
            line.append(Span(_gap(before and beside, False, 1), EDGE))
            if self._counts_along == "row" and grid.counts is not None and columns:
                count = int(grid.counts[start])
                line.append(Span(reads(count), DIM if count else WARN))
        return line

    def drawn(self, at: int, grid: Grid, seen: Seen, look: Look) -> tuple[str, Style]:
        """The text and the style of a cell."""
        broken = seen.broken is not None and bool(seen.broken[at])
        text, style = self._cell(at, grid, bool(seen.marked[at]), seen.is_written(at), look, broken)
        return text, style._replace(strong=True) if self.zoom is Zoom.LARGE else style

    def row_ruler(self, i: int, number: int, grid: Grid, look: Look) -> Line:
        line: Line = []
        if self._letter_width:
            name = letter(int(grid.identity[i * len(grid.columns)])) if grid.columns else ""
            line.append(Span(f"{name:<{self._letter_width}}", LETTER))
        at = self.rows.split(number)
        text_before: list[Span] = []
        for depth, (d, width) in enumerate(zip(self.down, self._index_widths, strict=True)):
            # An outer index stands only where its block begins, or where the window does.
            label = str(at[depth]) if depth == len(self.down) - 1 or not any(at[depth + 1 :]) or i == 0 else ""
            broken = (self.part.path, d) in look.broken_axes
            style = Style("broken") if broken else (AXIS if d in self._roles else DIM)
            text_before += [Span(f"{label:>{width}}", style), Span(" ", PLAIN)]
        return [*line, *text_before]

    def _cell(
        self, at: int, grid: Grid, mark: bool, written: bool, look: Look, broken: bool = False
    ) -> tuple[str, Style]:
        if not written:
            # Brackets go into the cell where there is no room beside it.
            text = "▌▐" if mark and self.zoom is Zoom.BLOCKS else "·".center(self.cell)
            return text, Style("empty", -1, mark)
        if self.zoom is Zoom.BLOCKS:
            return zooms.block_cell(self, at, grid, mark, look)
        text = grid.texts[at]
        identity = int(grid.identity[at])
        room, pad = self.cell - 2, " "
        if self.letters == "cell" and identity >= 0:
            name = letter(identity)
            room -= len(name) + 1
            prefix = f"{name} "
            if len(text) > room:  # the letter moves up against the value before that is cut
                room, pad, prefix = room + 2, "", name
        else:
            prefix = ""
        sign = ""
        if grid.flags is not None and grid.flags[at]:
            sign = (
                "!" if grid.flags[at] & CLAMPED else ("-" if grid.flags[at] & NEGATIVE and self.place.is_output else "")
            )
        if len(text) > room:
            text = text[: max(0, room - 1)] + "…"
        body = f"{prefix}{text:>{max(0, room)}}"
        if self.zoom is Zoom.LARGE:
            body = (prefix + text).center(self.cell - 1 - len(pad))
        unread = grid.counts is not None and grid.counts[at] == 0
        if broken:
            return f"{pad}{body}!", Style("broken cell", -1, mark)
        kind = "stale" if look.stale else "unread" if unread else "cell"
        return f"{pad}{body}{sign or ' '}", Style(kind, -1 if look.stale or unread else identity, mark)

    def _foot(self, look: Look) -> Line:
        """Names the axes: which goes down, which goes across, and which of them is Axis."""
        return self._feet(look)[0]

    def _fitting_foot(self, look: Look, room: int) -> Line:
        """The longest that there is room for."""
        feet = self._feet(look)
        return next((foot for foot in feet if length(foot) <= room), fitting(feet[-1], room))

    def _feet(self, look: Look) -> list[Line]:
        sizes, axes = self.part.tensor.sizes, []
        for arrow, along in (("↓", self.down), ("→", self.across)):
            for d in along:
                broken = (self.part.path, d) in look.broken_axes
                style = Style("broken") if broken else (AXIS if d in self._roles else DIM)
                axes.append((arrow, d, self._roles.get(d, ""), style))
        seen = {self._roles.get(d) for d in (*self.down, *self.across, *self.sliced)}
        hidden = [(d, role) for d, role in self._roles.items() if sizes[d] == 1 and role not in seen]
        same = self._counts_same
        each = reads(same) if not self._counts_along and same > 1 else ""
        coloured = self.zoom is Zoom.OVERVIEW and self.letters == "cell"
        return captions(axes, hidden, each, self.trace.operator.identity_of if coloured else "")

    @property
    def _counts_same(self) -> int:
        if self.place.is_output or self.part.field.role is not Role.DATA:
            return 0
        if self.trace.operator.reads_vary and any(d not in self.sliced for d in self._identity_axes):
            return 0
        return int(self.trace.counts(self.place.number, tuple(np.array([i], np.int64) for i in self.base))[0])

    def _count_line(self, left: int, width: int, grid: Grid) -> Line:
        if grid.counts is None:
            return []
        counts = grid.counts
        return self._placed(left, width, grid, lambda j, _: reads(int(counts[j])) if j < len(counts) else "", DIM)


def _gap(before: bool, after: bool, width: int) -> str:
    """What stands between two cells: half blocks that bracket the marked ones."""
    if width == 1:
        return "█" if before and after else "▌" if before else "▐" if after else " "
    return ("▌" if before else " ") + " " * (width - 2) + ("▐" if after else " ")


def tab_of(text: str, signs: str) -> str:
    """The signs of pins as they stand on a cell's blank beginning; a `⁺` for those that it has no room for."""
    room = max(1, len(text) - len(text.lstrip(" ")))
    return signs if len(signs) <= room else signs[: room - 1] + "⁺"
