"""One tensor as a picture: where each element lies, and what each line of it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..checks import CLAMPED, NEGATIVE, Place, ravel
from ..descs import Part, Role
from ..pagetext import shorts
from ..tensors import braces
from ..tracing import Trace
from ..values import Array, Indices
from .palette import letter
from .tracks import Track


class Style(NamedTuple):
    """What a piece of text is; a screen decides how that looks."""

    kind: str
    identity: int = -1
    marked: bool = False


class Span(NamedTuple):
    text: str
    style: Style


TITLE, DIM, AXIS, PLAIN, EDGE, WARN, LETTER = (
    Style(kind) for kind in ("title", "dim", "axis", "plain", "edge", "warn", "letter")
)
Line = list[Span]


@dataclass(frozen=True)
class Cursor:
    """An element that is looked at."""

    place: Place
    index: tuple[int, ...]


@dataclass(frozen=True)
class Look:
    """What a picture shows besides the tensors: the cursor, and how far the steps have come."""

    cursor: Cursor | None = None
    written: int | None = None
    """How many output elements are written, over all outputs in order; None for all."""
    stale: bool = False
    """The picture is not of the desc as it stands: colours are left out."""
    broken_axes: frozenset[tuple[str, int]] = frozenset()
    """(path, axis) of sizes that broken rules name."""


@dataclass(frozen=True)
class Partners:
    """The elements that belong to the cursor's, by flat index: what is marked, tensor by tensor."""

    output: tuple[int, int] | None = None
    source: tuple[int, int] | None = None
    via: tuple[int, int] | None = None
    reads: tuple[int, int] | None = None
    """An input element whose readers are marked: (tensor, flat)."""
    identity: int = -1


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
    before: int = 0
    """Output elements in the outputs before this one, in the order of steps."""
    _grids: dict[object, Grid] = field(default_factory=dict, compare=False, repr=False)

    # ---- geometry

    @cached_property
    def rows(self) -> Track:
        sizes = tuple(self.part.tensor.sizes[d] for d in self.down)
        return Track(sizes or (1,), self.step, 1)

    @cached_property
    def columns(self) -> Track:
        sizes = tuple(self.part.tensor.sizes[d] for d in self.across)
        return Track(sizes or (1,), self.cell + 1, 2)

    @cached_property
    def letters(self) -> str:
        """Where letters stand: "row", "column", "cell", "title", or "" for none."""
        sizes = self.part.tensor.sizes
        axes = [d for d in self.trace.operator.identity_axes(self.trace.desc, self.place) if sizes[d] > 1]
        if not axes:
            return "title" if self.whole_identity >= 0 else ""
        if all(d in self.down for d in axes):
            return "row"
        return "column" if all(d in self.across for d in axes) else "cell"

    @cached_property
    def whole_identity(self) -> int:
        """The identity of the first element."""
        zero = tuple(np.zeros(1, np.int64) for _ in self.part.tensor.sizes)
        return int(self.trace.identity(self.place, zero)[0])

    @cached_property
    def _index_widths(self) -> list[int]:
        return [len(str(self.part.tensor.sizes[d] - 1)) for d in self.down]

    @cached_property
    def _letter_width(self) -> int:
        if self.letters != "row":
            return 0
        return len(letter(self.trace.operator.identity_count(self.trace.desc) - 1)) + 1

    @cached_property
    def margin(self) -> int:
        """Columns of the row ruler."""
        return self._letter_width + sum(width + 1 for width in self._index_widths) + 1

    @cached_property
    def head(self) -> int:
        """Lines above the first row: title, rule, column ruler."""
        return 1 + self.ruled + max(1, len(self.across)) + (self.letters == "column")

    @cached_property
    def height(self) -> int:
        return self.head + self.rows.length + (1 - self.step) + 1 + (self._counts_below)

    @cached_property
    def _counts_along(self) -> str:
        """Where "how often read" stands: "row", "column", or "" where it is the same for every element."""
        if self.place.is_output or self.part.field.role is not Role.DATA:
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
        return self.margin + self.columns.length + (4 if self._counts_along == "row" else 0)

    @cached_property
    def width(self) -> int:
        """Columns that the figure would like: title and names of the axes included."""
        return max(self.extent, length(self._titles(Look())[0]) + 1, length(self._foot(Look())))

    @cached_property
    def snug(self) -> int:
        """Columns at which cells and sizes still stand whole."""
        return max(self.extent, length(self._titles(Look())[2]) + 1, length(self._foot(Look())))

    def locate(self, index: tuple[int, ...]) -> tuple[int, int]:
        """(x, y) of an element's cell: x behind the ruler, y from the figure's top."""
        row = self.rows.number(tuple(index[d] for d in self.down) or (0,))
        column = self.columns.number(tuple(index[d] for d in self.across) or (0,))
        return self.columns.position(column), self.head + self.rows.position(row)

    def hit(self, x: int, y: int) -> tuple[int, ...] | None:
        """The element whose cell covers (x, y); None beside the cells."""
        row, column = self.rows.at(y - self.head), self.columns.at(x)
        if row is None or column is None or x - self.columns.position(column) >= self.cell:
            return None
        if y - self.head != self.rows.position(row):
            return None
        return self.index(row, column)

    def index(self, row: int, column: int) -> tuple[int, ...]:
        """The element in a row and a column of cells."""
        index = [0] * self.part.tensor.dimension_count
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
        key = rows, columns
        if key not in self._grids:
            self._grids.clear()  # one window is on the screen at a time
            # The rulers above ask for a row too where none is in sight.
            self._grids[key] = self._make_grid(self.rows.visible(*rows) or [(0, 0)], self.columns.visible(*columns))
        return self._grids[key]

    def _make_grid(self, rows: list[tuple[int, int]], columns: list[tuple[int, int]]) -> Grid:
        tensor, trace, k = self.part.tensor, self.trace, self.place.number
        r = np.array([n for n, _ in rows], np.int64).repeat(len(columns))
        c = np.tile(np.array([n for n, _ in columns], np.int64), len(rows))
        index: list[Indices] = [np.zeros(len(r), np.int64)] * tensor.dimension_count
        for axes, numbers in ((self.down, r), (self.across, c)):
            for d in reversed(axes):
                index[d] = numbers % tensor.sizes[d]
                numbers = numbers // tensor.sizes[d]
        at = tuple(index)
        flat = ravel(at, tensor.sizes)
        counts = flags = via = source = None
        values: Array
        if self.place.is_output:
            found = trace.sources(k, at)
            values = trace.window(k, at)
            flags = found.flags
            sizes = [p.tensor.sizes for p in trace.inputs]
            where = np.zeros(len(flat), np.int64)
            for t in np.flatnonzero(np.bincount(found.tensor)).tolist():
                here = found.tensor == t
                where[here] = ravel([axis[here] for axis in found.index], sizes[t])
            source = found.tensor, where
            via = ravel(found.via, sizes[found.via_tensor]) if found.via is not None else None
        else:
            values = trace.read(k, flat)
            if self.part.field.role is Role.DATA:
                counts = trace.counts(k, at)
            else:
                flags = trace.operator.cell_flags(trace.desc, k, values)
        return Grid(rows, columns, flat, shorts(values), trace.identity(self.place, at), counts, flags, source, via)

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

    # ---- lines

    def lines(self, top: int, count: int, left: int, width: int, look: Look, partners: Partners) -> list[Line]:
        """Lines top to top + count of the figure, `width` columns wide; the body is scrolled by `left`.

        Rulers stay: the row ruler at the left, and title and column ruler above while rows are left to see.
        """
        body_width = max(0, width - self.margin)
        pinned = self.head if 0 < top < self.height - self.head - 1 else 0
        first = max(top + pinned, self.head) - self.head
        last = max(first, min(top + count, self.head + self.rows.length) - self.head)
        grid = self.grid((first, last), (left, left + body_width))
        marked = self.marks(grid, partners)
        by_line = {position: i for i, (_, position) in enumerate(grid.rows)}
        made = []
        for i in range(count):
            y = i if i < pinned else top + i
            if y < self.head:
                made.append(self._head_line(y, left, body_width, grid, look))
            elif y - self.head in by_line:
                made.append(self._row(by_line[y - self.head], left, body_width, grid, marked, look))
            elif y == self.height - 1:
                made.append(self._foot(look))
            elif self._counts_below and y == self.height - 2:
                made.append(self._count_line(left, body_width, grid))
            else:
                made.append([])
        return made

    def _titles(self, look: Look) -> list[Line]:
        """The title, and shorter ones for where it doesn't fit."""
        chip: Line = []
        if self.letters == "title":
            style = Style("cell", -1 if look.stale else self.whole_identity)
            chip = [Span(f" {letter(self.whole_identity)} ", style), Span(" ", PLAIN)]
        tensor = self.part.tensor
        tight = braces(tensor.sizes).replace(" ", "")
        rests = (f" {tensor.data_type} {braces(tensor.sizes)}", f" {tensor.data_type} {tight}", f" {tight}", "")
        return [[*chip, Span(self.part.path, TITLE), Span(rest, DIM)] for rest in rests]

    def _head_line(self, y: int, left: int, width: int, grid: Grid, look: Look) -> Line:
        if y == 0:
            room = self.margin + width
            titles = self._titles(look)
            return next((t for t in titles if length(t) <= room), titles[-1])
        if y == 1 and self.ruled:
            return [Span("─" * min(self.margin + width, self.width), Style("rule"))]
        if y == self.head - 1 and self.letters == "column":
            return self._placed(left, width, grid, lambda j, _: letter(int(grid.identity[j])), LETTER)
        depth = y - 1 - self.ruled
        if not self.across:
            return []
        d = self.across[depth]
        inner = depth == len(self.across) - 1

        def label(j: int, number: int) -> str:
            at = self.columns.split(number)
            if not inner and any(at[depth + 1 :]) and j > 0:
                return ""
            return str(at[depth])

        broken = (self.part.path, d) in look.broken_axes
        style = Style("broken") if broken else (AXIS if d in self._roles else DIM)
        return self._placed(left, width, grid, label, style)

    def _placed(self, left: int, width: int, grid: Grid, label: Callable[[int, int], str], style: Style) -> Line:
        """Text over each column of cells, aligned as the cells' values are."""
        line = [" "] * (self.margin + width)
        for j, (number, position) in enumerate(grid.columns):
            text = label(j, number)[-self.cell :]
            start = self.margin + position - left + self.cell - 1 - len(text)
            for i, char in enumerate(text):
                if self.margin <= start + i < len(line):
                    line[start + i] = char
        return [Span("".join(line), style)]

    @cached_property
    def _roles(self) -> Mapping[int, str]:
        return self.trace.operator.axis_roles(self.trace.desc, self.place)

    def _row(self, i: int, left: int, width: int, grid: Grid, marked: NDArray[np.bool_], look: Look) -> Line:
        number, _ = grid.rows[i]
        columns, start = grid.columns, i * len(grid.columns)
        line = self._row_ruler(i, number, grid, look)
        hidden = look.written if self.place.is_output else None
        x, before = left - 1, False  # the ruler's last column is the gap before the first cell
        if columns and columns[0][1] < left:
            line.append(Span(" ", EDGE))  # that cell is cut at the left, and the gap before it is out of sight
        for j, (_, position) in enumerate(columns):
            mark = bool(marked[start + j])
            if position > x:
                line.append(Span(_gap(before, mark, position - x), EDGE))
            written = hidden is None or self.before + int(grid.flat[start + j]) < hidden
            text, style = self._cell(start + j, grid, mark, written, look)
            text = text[max(0, left - position) : max(0, left + width - position)]
            if text:
                line.append(Span(text, style))
            x, before = position + self.cell, mark
        if x < left + width:
            line.append(Span(_gap(before, False, 1), EDGE))
            if self._counts_along == "row" and grid.counts is not None and columns:
                count = int(grid.counts[start])
                line.append(Span(reads(count), DIM if count else WARN))
        return line

    def _row_ruler(self, i: int, number: int, grid: Grid, look: Look) -> Line:
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
            text_before.append(Span(f"{label:>{width}} ", style))
        return [*line, *text_before]

    def _cell(self, at: int, grid: Grid, mark: bool, written: bool, look: Look) -> tuple[str, Style]:
        if not written:
            return "·".center(self.cell), Style("empty", -1, mark)
        text = grid.texts[at]
        identity = int(grid.identity[at])
        room = self.cell - 2
        if self.letters == "cell" and identity >= 0:
            name = letter(identity)
            room -= len(name) + 1
            prefix = f"{name} "
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
        unread = grid.counts is not None and grid.counts[at] == 0
        kind = "cell" if not unread else "unread"
        return f" {body}{sign or ' '}", Style(kind, -1 if look.stale or unread else identity, mark)

    def _foot(self, look: Look) -> Line:
        """Names the axes: which goes down, which goes across, and which of them is Axis."""
        line: Line = []
        sizes = self.part.tensor.sizes
        for arrow, axes in (("↓", self.down), ("→", self.across)):
            for d in axes:
                broken = (self.part.path, d) in look.broken_axes
                text = f"{arrow} axis {d}" + (f" = {self._roles[d]}" if d in self._roles else "")
                line += [
                    Span(text, Style("broken") if broken else (AXIS if d in self._roles else DIM)),
                    Span("  ", PLAIN),
                ]
        seen = {self._roles.get(d) for d in (*self.down, *self.across)}
        hidden = [d for d, role in self._roles.items() if sizes[d] == 1 and role not in seen]
        line += [Span(f"axis {d} = {self._roles[d]}, size 1  ", AXIS) for d in hidden]
        if not self._counts_along and self._counts_same > 1:
            line.append(Span(f"each read {reads(self._counts_same)}", DIM))
        return line

    @cached_property
    def _counts_same(self) -> int:
        if self.place.is_output or self.part.field.role is not Role.DATA or self.trace.operator.reads_vary:
            return 0
        zero = tuple(np.zeros(1, np.int64) for _ in self.part.tensor.sizes)
        return int(self.trace.counts(self.place.number, zero)[0])

    def _count_line(self, left: int, width: int, grid: Grid) -> Line:
        if grid.counts is None:
            return []
        counts = grid.counts
        return self._placed(left, width, grid, lambda j, _: reads(int(counts[j])) if j < len(counts) else "", DIM)


def length(line: Line) -> int:
    """Columns of a line."""
    return sum(len(span.text) for span in line)


def _gap(before: bool, after: bool, width: int) -> str:
    """What stands between two cells: half blocks that bracket the marked ones."""
    if width == 1:
        return "█" if before and after else "▌" if before else "▐" if after else " "
    return ("▌" if before else " ") + " " * (width - 2) + ("▐" if after else " ")


def reads(count: int) -> str:
    """How often something is read: ×2."""
    return f"×{count:,}" if count >= 0 else "not counted"


def partners(trace: Trace, cursor: Cursor | None) -> Partners:
    """What belongs to the cursor's element, on both sides."""
    if cursor is None:
        return Partners()
    k = cursor.place.number
    at = tuple(np.array([i], np.int64) for i in cursor.index)
    identity = int(trace.identity(cursor.place, at)[0])
    if not cursor.place.is_output:
        flat = int(ravel(at, trace.inputs[k].tensor.sizes)[0])
        return Partners(reads=(k, flat), identity=identity)
    found = trace.sources(k, at)
    tensor = int(found.tensor[0])
    source = int(ravel(found.index, trace.inputs[tensor].tensor.sizes)[0])
    via = None
    if found.via is not None:
        via = found.via_tensor, int(ravel(found.via, trace.inputs[found.via_tensor].tensor.sizes)[0])
    return Partners((k, int(ravel(at, trace.outputs[k].tensor.sizes)[0])), (tensor, source), via, None, identity)


def cell_width(samples: Iterable[Array]) -> int:
    """Columns that a cell needs so that sampled values fit, 14 at most."""
    return min(max((len(text) for array in samples for text in shorts(array)), default=1), 12) + 2


def sample(count: int, most: int = 256) -> Indices:
    """Flat indices at the beginning, at the end and between."""
    if count <= most:
        return np.arange(count, dtype=np.int64)
    return np.unique(np.linspace(0, count - 1, most).astype(np.int64))
