"""One tensor laid out: where each of its elements lies, and what its title and the names of its axes say."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from msgspec import Struct, field

from ...desc.base import Part
from ...desc.fields import Role
from ...desc.indexing import arrays_of
from ...desc.values import Index
from ...formats.uncompared import Cache
from ...operators.maps import Place
from ...tracing import Trace
from ..colour.palette import letter
from ..elements.lookup import filled_by, reads_text
from ..look import Look
from ..spans import AXIS, DIM, PLAIN, RULER, TITLE, Line, Span, Style, fitting, length
from .headings import Words, captions, slices, tight_slices, title_columns, titles
from .margins import letter_columns, read_columns
from .tracks import Track
from .zoom import Zoom, lettered


class Figure(Struct, frozen=True, kw_only=True, dict=True):
    """A tensor laid out: which axes go down and which go across, and how wide a cell is."""

    trace: Trace
    place: Place
    part: Part
    down: tuple[int, ...]
    across: tuple[int, ...]
    cell: int
    gap: int = 1
    lines: int = 1
    """Of a cell; of several the outer ones are half air."""
    apart: bool = False
    """An empty line stands between rows."""
    aired: bool = False
    """And one below the last of them."""
    ruled: bool = False
    words: int = 0
    """Which of `Words` it has room for, or fewer in a narrow window."""
    folded: bool = False
    lowered: int = 0
    """Empty lines above the column ruler, where what stands beside it has a higher head."""
    zoom: Zoom = Zoom.VALUES
    sliced: tuple[int, ...] = ()
    at: tuple[int, ...] = ()
    """An element that lies in the slice that is shown; () where nothing is sliced."""
    is_turned: bool = False
    noted: bool = False
    """A line that says which rows and columns are seen, because the figure is larger than its window."""
    paged: bool = False
    """For a page of text, where values stand at the right, and cells don't say where they are in their sequence."""
    drawn: Cache = field(default_factory=Cache)

    # ---- geometry

    @cached_property
    def rows(self) -> Track:
        """Where rows lie, from top to bottom."""
        sizes = tuple(self.part.tensor.sizes[d] for d in self.down)
        return Track(sizes or (1,), self.lines + self.apart, 1)

    @cached_property
    def columns(self) -> Track:
        """Where columns lie, from left to right."""
        sizes = tuple(self.part.tensor.sizes[d] for d in self.across)
        return Track(sizes or (1,), self.cell + self.gap, self.zoom.block)

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
        return [d for d in self.trace.colours.identity_axes(self.trace.desc, self.place) if sizes[d] > 1]

    @cached_property
    def base(self) -> tuple[int, ...]:
        """The coordinate of the first element that is shown."""
        return tuple(self.at[d] if d in self.sliced else 0 for d in range(self.part.tensor.dimension_count))

    @property
    def _base_arrays(self) -> Index:
        return arrays_of(self.base)

    @cached_property
    def _named_arrays(self) -> Index:
        """The element whose identity stands for all: the first shown, or one with a source if some have none."""
        if self._has_constants:
            moved = self.trace.operator.moved_element(self.trace.desc)
            if moved is not None and moved[0] == self.place.number:
                return arrays_of(moved[1])
        return self._base_arrays

    @property
    def _has_constants(self) -> bool:
        return self.place.is_output and bool(filled_by(self.trace, self.place.number))

    @cached_property
    def whole_identity(self) -> int:
        """The identity of the first element that is shown; of the data where some may come from nowhere."""
        place, arrays = self.place, self._base_arrays
        if self._has_constants:
            parts = enumerate(self.trace.inputs)
            n, data = next((k, part) for k, part in parts if part.field.role is Role.DATA)
            place, arrays = Place(False, n), (np.zeros(1, np.int64),) * data.tensor.dimension_count
        return int(self.trace.identity(place, arrays)[0])

    @cached_property
    def index_widths(self) -> list[int]:
        """Columns of the row ruler's indices, for each of the axes that go down."""
        return [len(str(self.part.tensor.sizes[d] - 1)) for d in self.down]

    @cached_property
    def letter_width(self) -> int:
        """Columns of the letters beside the rows, and of the gap behind them; 0 for none."""
        if self.letters != "row":
            return 0
        return letter_columns(self.trace) + 1

    @cached_property
    def margin(self) -> int:
        """Columns before the cells: letters, indices and a gap."""
        return self.letter_width + sum(width + 1 for width in self.index_widths) + 1

    @cached_property
    def head(self) -> int:
        """Lines above the first row: title, slice, what is seen, rule, column ruler."""
        rulers = max(1, len(self.across)) + (self.letters == "column")
        return self.titled + self.notes + self.ruled + self.lowered + rulers

    @property
    def titled(self) -> int:
        """Lines of the title."""
        return 1 + self.folded

    @property
    def notes(self) -> int:
        """Lines between the title and the rule: which slice, and which rows and columns are seen."""
        return bool(self.sliced) + self.noted

    @property
    def body(self) -> int:
        """Lines of rows, with the empty ones between them where they stand apart."""
        return self.rows.length - self.apart

    @cached_property
    def height(self) -> int:
        """Lines from the title to the names of the axes."""
        return self.head + self.body + self.aired + 1 + self.counts_below

    @cached_property
    def counts_along(self) -> str:
        """Where "how often read" stands: "row", "column", or "" where it is the same for every element."""
        if self.place.is_output or self.part.field.role is not Role.DATA:
            return ""
        axes = self.trace.colours.identity_axes(self.trace.desc, self.place)
        if not self.trace.operator.reads_vary or len(axes) != 1:
            return ""
        if axes[0] in self.down:
            return "row"
        return "column" if axes[0] in self.across else ""

    @property
    def counts_below(self) -> bool:
        """A line below the cells says how often each column is read."""
        return self.counts_along == "column"

    @cached_property
    def extent(self) -> int:
        """Columns of rulers, cells and read counts: how far there is something to scroll to."""
        counts = read_columns(self.trace) if self.counts_along == "row" else 0
        return self.margin + self.columns.length + counts

    @cached_property
    def width(self) -> int:
        """Columns at which cells, title and names of the axes stand whole, in so many words as it has."""
        slices = tight_slices(self._slice_positions, len(self.part.tensor.sizes)) if self.sliced else 0
        return max(self.extent, max(self.worded) + 1, slices)

    @cached_property
    def worded(self) -> tuple[int, int]:
        """Columns of the title, and of the names of the axes."""
        foot = self._feet_with(Look(), self._longest_reads)[self.words > Words.ALL]
        return self._title_columns(self.words), length(foot)

    @property
    def _titles(self) -> list[tuple[str, str]]:
        return titles(self.part.path, str(self.part.tensor.data_type), self.part.tensor.sizes)

    @property
    def middle(self) -> int:
        """The line of a cell that its value stands in."""
        return (self.lines - 1) // 2

    def pinned(self, top: int) -> int:
        """Lines of the head that stay at the top of a window from line `top` on, while rows are left to see."""
        return self.head if 0 < top < self.height - self.head - 1 else 0

    def locate(self, index: tuple[int, ...]) -> tuple[int, int]:
        """(x, y) of an element's cell: x behind the ruler, y of the line with its text from the figure's top."""
        column = self.columns.number(tuple(index[d] for d in self.across) or (0,))
        y = self.rows.position(self.row_of(index))
        return self.columns.position(column), self.head + y + self.middle

    def hit(self, x: int, y: int) -> tuple[int, ...] | None:
        """The element whose cell, or line below its row, is at (x, y); None for none."""
        if not 0 <= y - self.head < self.body:
            return None
        row, column = self.rows.at(y - self.head), self.columns.at(x)
        if row is None or column is None or x - self.columns.position(column) >= self.cell:
            return None
        return self.index(row, column)

    def shows(self, index: tuple[int, ...]) -> bool:
        """True if the element lies in the slice that is shown."""
        return all(index[d] == self.at[d] for d in self.sliced)

    def turned(self, axis: int, by: int) -> tuple[int, ...]:
        """An element of the slice that lies some positions further along a sliced axis, kept inside."""
        at = min(max(self.at[axis] + by, 0), self.part.tensor.sizes[axis] - 1)
        return tuple(at if d == axis else i for d, i in enumerate(self.at))

    def index(self, row: int, column: int) -> tuple[int, ...]:
        """The element in a row and a column of cells."""
        index = list(self.base)
        for axes, track, n in ((self.down, self.rows, row), (self.across, self.columns, column)):
            for d, at in zip(axes, track.split(n), strict=False):
                index[d] = at
        return tuple(index)

    def moved(self, index: tuple[int, ...], rows: int, columns: int) -> tuple[int, ...]:
        """The element some cells further, kept inside."""
        row = self.rows.number(tuple(index[d] for d in self.down) or (0,)) + rows
        column = self.columns.number(tuple(index[d] for d in self.across) or (0,)) + columns
        return self.index(min(max(row, 0), self.rows.count - 1), min(max(column, 0), self.columns.count - 1))

    def row_of(self, index: tuple[int, ...]) -> int:
        return self.rows.number(tuple(index[d] for d in self.down) or (0,))

    def column_of(self, index: tuple[int, ...]) -> int:
        return self.columns.number(tuple(index[d] for d in self.across) or (0,))

    # ---- what is written around it

    def words_in(self, room: int) -> int:
        """Which of `Words` the title has in `room` columns; one more than the last where its sizes have none."""
        ways, last = range(self.words, len(self._titles)), len(self._titles) - 1
        return next((way for way in ways if self._title_columns(way) <= room), last)

    def _title_columns(self, words: int) -> int:
        name, rest = self._titles[words]
        return title_columns(" " * length(self._chip(Look())) + name, rest, folded=self.folded)

    def title(self, look: Look, room: int) -> list[Line]:
        """The lines of the title in `room` columns."""
        name, rest = self._titles[self.words_in(room)]
        named = [*self._chip(look), Span(name, self._lit_style(-1, look) or TITLE)]
        if self.folded:
            return [named, [Span(rest, DIM)]]
        return [[*named, Span(f" {rest}" if rest else "", RULER)]]

    def _chip(self, look: Look) -> Line:
        """The letter of a tensor that has one identity, `·` while that isn't told; empty for other tensors."""
        if self.letters != "title":
            return []
        columns = letter_columns(self.trace)
        if bool(look.written.tells_identity(self.trace, self.place, self._named_arrays)[0]):
            style = Style("cell", -1 if look.stale else self.whole_identity)
            return [Span(f" {letter(self.whole_identity):<{columns}} ", style), Span(" ", PLAIN)]
        return [Span(f" {'·':<{columns}} ", Style("empty")), Span(" ", PLAIN)]

    def _lit_style(self, axis: int, look: Look) -> Style | None:
        """How an axis, or the tensor as a whole, looks that a rule or a sentence names; None for others."""
        if (self.part.path, axis) in look.broken_axes:
            return Style("broken")
        return Style("named") if (self.part.path, axis) in look.named_axes else None

    @property
    def _slice_positions(self) -> list[tuple[int, int, int]]:
        return [(d, self.at[d], self.part.tensor.sizes[d]) for d in self.sliced if d < len(self.at)]

    def slice_line(self, room: int) -> Line:
        """Which slice is shown, with marks that turn to its neighbours."""
        return slices(self._slice_positions, self.part.tensor.dimension_count, room, self.place.number)

    def axis_style(self, axis: int, look: Look) -> Style:
        """The style of an axis' name and its indices."""
        return self._lit_style(axis, look) or (AXIS if axis in self.roles else RULER)

    @cached_property
    def roles(self) -> Mapping[int, str]:
        """The names of the axes that the operator works on."""
        return self.trace.operator.axis_roles(self.trace.desc, self.place)

    def foot(self, look: Look, room: int) -> Line:
        """The names of the axes, which of them is Axis, and how often elements are read, in `room` columns."""
        full, short = self.feet(look)
        return full if self.words == Words.ALL and length(full) <= room else fitting(short, room)

    def feet(self, look: Look) -> tuple[Line, Line]:
        """The names of the axes in full and in short."""
        same = self._common_count if look.written.whole else 0
        return self._feet_with(look, reads_text(same) if not self.counts_along and same > 1 else "")

    def _feet_with(self, look: Look, read: str) -> tuple[Line, Line]:
        sizes = self.part.tensor.sizes
        axes = [
            (arrow, d, self.roles.get(d, ""), self.axis_style(d, look))
            for arrow, along in (("↓", self.down), ("→", self.across))
            for d in along
        ]
        seen = {self.roles.get(d) for d in (*self.down, *self.across, *self.sliced)}
        hidden = [(d, role) for d, role in self.roles.items() if sizes[d] == 1 and role not in seen]
        return captions(axes, hidden, read, turned=self.is_turned)

    @property
    def _common_count(self) -> int:
        """How often every element is read; 0 where that differs, and for what is not data."""
        if self.place.is_output or self.part.field.role is not Role.DATA:
            return 0
        if self.trace.operator.reads_vary and any(d not in self.sliced for d in self._identity_axes):
            return 0
        return int(self.trace.counts(self.place.number, self._base_arrays)[0])

    @cached_property
    def _longest_reads(self) -> str:
        """The longest "×N" that the names of the axes may hold, or ""; from sizes alone: the room tells nothing.

        Where reads don't vary, each element is read as often as outputs are larger than inputs.
        """
        if self.place.is_output or self.part.field.role is not Role.DATA or self.counts_along:
            return ""
        if self.trace.operator.reads_vary:
            if any(d not in self.sliced for d in self._identity_axes):
                return ""
            others = [p.tensor.element_count for p in self.trace.inputs if p.field.role is not Role.DATA]
            return reads_text(max(others, default=1))
        count = sum(p.tensor.element_count for p in self.trace.inputs if p.field.role is Role.DATA)
        same = sum(p.tensor.element_count for p in self.trace.outputs) // count
        return reads_text(same) if same > 1 else ""
