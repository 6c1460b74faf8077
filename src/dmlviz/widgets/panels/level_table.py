"""The matrix of feature levels as tables side by side, with a cursor on one of their cells."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual import events
from textual.binding import Binding
from textual.color import Color
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ...scene.levels.columns import Column
from ...scene.levels.matrix import Entry, LevelMatrix, Table
from ...scene.spans import Style
from ..lib.inks import Inks, inks_of

GAP = 2
"""Columns between two tables."""
HEAD = 2
"""Lines above a table's first row."""


class Grown(NamedTuple):
    """By how much cells are larger than they need be."""

    more: int = 0
    """Columns of each cell beside what the level's name takes."""
    lines: int = 1
    """Of a cell."""
    between: int = 0
    """Empty lines between two rows; where there are none, the outer ones of a high cell are half air."""
    gap: int = GAP
    """Columns between two tables."""

    @property
    def step(self) -> int:
        """Lines from one row of a table to the next."""
        return self.lines + self.between

    @property
    def is_parted(self) -> bool:
        """True if cells have a ground of their own, and stand apart."""
        return self.step > 1

    def height(self, rows: int) -> int:
        """Lines of a table of so many rows."""
        return HEAD + rows * self.step - self.between


SMALL = Grown()
HEIGHTS = (3, 1), (3, 0), (1, 1), (1, 0)
"""Lines of a cell and between two rows, largest first."""
MORE, APART = 7, 6
"""Columns by which cells grow at most, and between two tables that grow."""


class Cell(Struct, frozen=True):
    """A cell by numbers: table, row, column."""

    table: int
    row: int
    column: int


class LevelTable(ScrollView, can_focus=True, inherit_bindings=False):
    """Arrow keys, hjkl and the mouse move the cursor; enter or a click chooses."""

    BINDINGS = [
        Binding("up,k", "move(-1, 0)", "Up", show=False, id="level.up"),
        Binding("down,j", "move(1, 0)", "Down", show=False, id="level.down"),
        Binding("left,h", "move(0, -1)", "Left", show=False, id="level.left"),
        Binding("right,l", "move(0, 1)", "Right", show=False, id="level.right"),
        Binding("enter,space", "choose", "Set", show=False, id="level.choose"),
    ]

    class Moved(Message):
        """The cursor is on another cell."""

    class Chosen(Message):
        """The cell under the cursor is chosen."""

    def __init__(self, matrix: LevelMatrix, *, since: str = "from", id: str) -> None:  # noqa: A002
        """`since` stands above rows whose columns tell their first level alone."""
        super().__init__(id=id)
        self.matrix, self._since = matrix, since
        self.cursor = self._cell_of_desc()
        self._places: list[tuple[int, int]] = []
        self._short = False
        self._grown = SMALL

    def _cell_of_desc(self) -> Cell:
        """The cell of the first table in which the desc stands."""
        table = self.matrix.tables[0]
        present = self.matrix.present(table)
        row = next((i for i, entry in enumerate(table.entries) if entry in present), 0)
        return Cell(0, row, self.matrix.here)

    def show(self, matrix: LevelMatrix) -> None:
        """Draws the matrix of another experiment of the same operator."""
        self.matrix = matrix
        self.refresh()

    @property
    def under(self) -> tuple[Table, Entry, Column]:
        """(table, entry, column) of the cell under the cursor."""
        table = self.matrix.tables[self.cursor.table]
        return table, table.entries[self.cursor.row], self.matrix.columns[self.cursor.column]

    # ---- geometry

    def on_resize(self) -> None:
        self._arrange()

    def _arrange(self) -> None:
        """Puts the tables side by side, with short names of levels if need be, else below each other.

        Cells grow where all tables have room.
        """
        width, grown = self.size.width, SMALL
        for short in (False, True):
            self._short, self._grown = short, SMALL
            if self._whole_width(SMALL) <= width:
                grown = self._largest_cells()
                break
        self._grown = grown
        self._places = []
        x = y = tallest = 0
        for table in self.matrix.tables:
            if x and x + self._table_width(table) > width:
                x, y = 0, y + tallest + 1
                tallest = 0
            self._places.append((x, y))
            x += self._table_width(table) + grown.gap
            tallest = max(tallest, grown.height(len(table.entries)))
        self.virtual_size = Size(width, y + tallest)
        self._scroll_to_cursor()
        self.refresh()

    def _whole_width(self, grown: Grown) -> int:
        """Columns that all tables take side by side, with cells of some size."""
        cells = len(self.matrix.columns)
        every = [max(self._least_width(table) + cells * grown.more, len(table.title)) for table in self.matrix.tables]
        return sum(every) + grown.gap * (len(every) - 1)

    def _largest_cells(self) -> Grown:
        """The largest cells with which all tables stand side by side, and no line is out of sight."""
        columns, lines = self.size
        rows = max(len(table.entries) for table in self.matrix.tables)
        high, between = next((cell for cell in HEIGHTS if Grown(0, *cell).height(rows) <= lines), HEIGHTS[-1])
        wider = (Grown(more, high, between, APART) for more in range(MORE, -1, -1))
        return next((grown for grown in wider if self._whole_width(grown) <= columns), Grown(0, high, between))

    def _column_label(self, column: Column) -> str:
        return column.first.value if self._short else column.label

    def _name_width(self, table: Table) -> int:
        return max(len(str(entry)) for entry in table.entries) + 1

    def _edges(self, table: Table) -> list[tuple[int, int]]:
        """(start, stop) of each column, from the table's left."""
        edges, x = [], self._name_width(table)
        for column in self.matrix.columns:
            edges.append((x, x + len(self._column_label(column)) + 2 + self._grown.more))
            x = edges[-1][1]
        return edges

    def _least_width(self, table: Table) -> int:
        """Columns of a table whose cells are as wide as the levels' names."""
        return self._name_width(table) + sum(len(self._column_label(column)) + 2 for column in self.matrix.columns)

    def _table_width(self, table: Table) -> int:
        return max(self._edges(table)[-1][1], len(table.title))

    def hit(self, x: int, y: int) -> Cell | None:
        """The cell at (x, y) of the scrolled content; None beside the cells."""
        for number, (left, top) in enumerate(self._places):
            table = self.matrix.tables[number]
            row, line = divmod(y - top - HEAD, self._grown.step)
            if 0 <= row < len(table.entries) and line < self._grown.lines:
                for column, (start, stop) in enumerate(self._edges(table)):
                    if left + start <= x < left + stop:
                        return Cell(number, row, column)
        return None

    def place(self, cell: Cell) -> tuple[int, int]:
        """(x, y) of a cell's mark in the scrolled content."""
        left, top = self._places[cell.table]
        start, stop = self._edges(self.matrix.tables[cell.table])[cell.column]
        return left + (start + stop) // 2, top + HEAD + cell.row * self._grown.step + self._grown.lines // 2

    # ---- drawing

    def render_line(self, y: int) -> Strip:
        inks, width = inks_of(self.app.theme_variables), self.size.width
        line = y + self.scroll_offset.y
        segments: list[Segment] = []
        x = 0
        plain = inks.style(Style("plain"))
        for number, (left, top) in enumerate(self._places):
            table = self.matrix.tables[number]
            if not top <= line < top + self._grown.height(len(table.entries)):
                continue
            segments.append(Segment(" " * (left - x), plain))
            drawn = self._table_line(number, table, line - top, inks)
            segments += drawn
            x = left + sum(len(segment.text) for segment in drawn)
        return Strip(segments).adjust_cell_length(width, self.rich_style)

    def _table_line(self, number: int, table: Table, line: int, inks: Inks) -> list[Segment]:
        dim, title = inks.style(Style("dim")), inks.style(Style("title", strong=True))
        ground = Color.parse(self.app.theme_variables["primary"]).rich_color
        here = RichStyle(color=inks.text.rich_color, bgcolor=ground, bold=True, underline=inks.has_marks or None)
        wide, matrix = self._table_width(table), self.matrix
        if line == 0:
            return [Segment(table.title.ljust(wide), title)]
        edges = self._edges(table)
        if line == 1:
            width = self._name_width(table)
            segments = [Segment((self._since if self._short and width > len(self._since) else "").ljust(width), dim)]
            more = self._grown.more
            for i, column in enumerate(matrix.columns):
                text = f"{'▸' if i == matrix.here else ' '}{self._column_label(column)} "
                text = f"{' ' * ((more + 1) // 2)}{text}{' ' * (more // 2)}"
                style = here if i == matrix.here else dim
                segments += self._cell_segments(text, style, inks) if more else [Segment(text, style)]
            return segments
        row, inner = divmod(line - HEAD, self._grown.step)
        if inner >= self._grown.lines:
            return []
        entry, is_middle = table.entries[row], inner == self._grown.lines // 2
        name = str(entry) if is_middle else ""
        segments = [Segment(name.ljust(self._name_width(table)), title if entry in matrix.present(table) else dim)]
        for i, column in enumerate(matrix.columns):
            start, stop = edges[i]
            is_here = matrix.is_here(table, entry, column)
            accepted = matrix.accepted(table, entry, column)
            mark = "✔" if accepted else "✘" if is_here else "·"
            before = (stop - start) // 2
            text = (" " * before + mark).ljust(stop - start)
            if is_here:
                text = f"{text[: before - 1]}▸{mark}◂{text[before + 2 :]}"[: stop - start]
            style = inks.style(Style("axis")) if accepted else dim
            if accepted and self._grown.is_parted:
                style += RichStyle(bgcolor=inks.style(Style("cell")).bgcolor)
            style = here if is_here else style
            if self.cursor == Cell(number, row, i):
                style += RichStyle(reverse=True)
            if not is_middle:
                text, style = self._edge_line(len(text), style, inks, is_first=inner == 0)
            segments += self._cell_segments(text, style, inks)
        return segments

    def _edge_line(self, width: int, style: RichStyle, inks: Inks, *, is_first: bool) -> tuple[str, RichStyle]:
        """(text, style) of the first or the last line of a high cell; half of it is air where no line parts rows."""
        ground, air = style.color if style.reverse else style.bgcolor, inks.style(Style("plain")).bgcolor
        if self._grown.between or ground is None or ground == air:
            return " " * width, style
        return ("▄" if is_first else "▀") * width, RichStyle(color=ground, bgcolor=air)

    def _cell_segments(self, text: str, style: RichStyle, inks: Inks) -> list[Segment]:
        """A line of a cell; one with a ground of its own stands a column apart from the one before it."""
        apart = 1 if self._grown.is_parted else 0
        return [Segment(" " * apart, inks.style(Style("plain"))), Segment(text[apart:], style)]

    # ---- the cursor

    def _point_at(self, cell: Cell) -> None:
        if cell != self.cursor:
            self.cursor = cell
            self.refresh()
            self.post_message(self.Moved())

    def _scroll_to_cursor(self) -> None:
        if not self._places:
            return  # not laid out yet
        x, y = self.place(self.cursor)
        # With the names above the first rows.
        self.scroll_to_region(Region(x, max(0, y - HEAD), 1, HEAD + 1), animate=False, force=True)

    def action_move(self, rows: int, columns: int) -> None:
        cell, matrix = self.cursor, self.matrix
        if not self._places:
            return
        table = cell.table
        row, column = cell.row + rows, cell.column + columns
        last = len(matrix.columns) - 1
        if column < 0 or column > last:
            beside = table + (1 if column > last else -1)
            if not 0 <= beside < len(matrix.tables):
                return
            table, column = beside, (0 if column > last else last)
        if row < 0 or row >= len(matrix.tables[table].entries):
            top = self._places[table][1]
            down = row >= 0
            others = [i for i, (_, y) in enumerate(self._places) if (y > top if down else y < top)]
            if not others:
                return
            table = others[0] if down else others[-1]
            row = 0 if down else len(matrix.tables[table].entries) - 1
        self._point_at(Cell(table, min(row, len(matrix.tables[table].entries) - 1), column))
        self._scroll_to_cursor()

    def action_choose(self) -> None:
        self.post_message(self.Chosen())

    def _cell_under(self, event: events.MouseEvent) -> Cell | None:
        offset = event.get_content_offset(self)
        return self.hit(offset.x, offset.y + self.scroll_offset.y) if offset is not None else None

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if (cell := self._cell_under(event)) is not None:
            self._point_at(cell)

    def on_click(self, event: events.Click) -> None:
        if (cell := self._cell_under(event)) is not None:
            self._point_at(cell)
            self.post_message(self.Chosen())
