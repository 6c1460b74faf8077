"""Which DataTypes and DimensionCounts each feature level takes, tensor by tensor; a cell that is chosen is set."""

from __future__ import annotations

from collections.abc import Callable

from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import HorizontalScroll
from textual.coordinate import Coordinate
from textual.widgets import DataTable, Static

from ...operators.registry import operator_of
from ...scene.levels.columns import Column
from ...scene.levels.matrix import Entry, LevelMatrix, Table
from ...scene.levels.strip import level_strip
from ...scene.names import shortened
from ...session.experiments import Experiment
from ...widgets.lib.inks import inks_of
from ...widgets.panels.reasons_panel import verdict
from .dialog import Dialog

KEYS = "▸ ◂ here  ✔ accepted  arrows and tab move"
LEAST, WIDEST = 4, 16
"""Columns of a level: `3_0`, or where there is room `▸3_0–4_0`, with a gap."""
AROUND, HIGHEST = 12, 3
"""Lines of the screen that aren't rows of a table, and of a row that has half a line of air above and below it."""


class LevelsScreen(Dialog[None]):
    """The whole matrix for an experiment; `edit` takes the one that a chosen cell makes, None sets nothing."""

    CSS_PATH = "levels.tcss"
    AUTO_FOCUS = "DataTable"
    BINDINGS = [Binding("escape,v,q", "dismiss", "Close", show=False, id="levels.close")]

    def __init__(self, one: Experiment, edit: Callable[[Experiment], None] | None) -> None:
        super().__init__()
        self._matrix, self._edit = LevelMatrix(one), edit
        self._tables = [*map(self._made, self._matrix.tables)]

    def compose(self) -> ComposeResult:
        sets = "" if self._edit is None else ", enter or click sets"
        yield Static(id="levels-now")
        with HorizontalScroll(id="levels-tables", can_focus=False):
            yield from self._tables
        yield Static(f"{KEYS}{sets}, esc closes", id="levels-hint")

    def _made(self, table: Table) -> DataTable[Text]:
        """An empty table, with its cursor on the desc's first cell."""
        data: DataTable[Text] = DataTable(fixed_columns=1, cell_padding=0, cursor_background_priority="css")
        present = self._matrix.present(table)
        row = next((row for row, entry in enumerate(table.entries) if entry in present), 0)
        data.set_reactive(DataTable.cursor_coordinate, Coordinate(row, self._matrix.here + 1))
        return data

    def _fill(self, data: DataTable[Text], table: Table) -> None:
        """Writes the rows of a table: a name, and whether each level takes it; the present column is filled."""
        inks, matrix, screen = inks_of(self.app.theme_variables), self._matrix, self.app.size
        names = [max(len(str(entry)) for entry in each.entries) + 2 for each in matrix.tables]
        room = screen.width - sum(names) - len(names)
        columns = min(max(room // (len(names) * len(matrix.columns)), LEAST), WIDEST)
        lines = (screen.height - AROUND) // max(len(each.entries) for each in matrix.tables)
        data.header_height = 1 + (lines > 0)
        width = names[matrix.tables.index(table)]
        data.add_column("", width=width)
        is_whole = len(table.title) < width + columns * len(matrix.columns) - 2
        data.border_title = table.title if is_whole else shortened(table.title, table.fields)
        for number, column in enumerate(matrix.columns):
            label = column.label if len(column.label) < columns else str(column.first)
            style = Style(bold=number == matrix.here, reverse=number == matrix.here)
            data.add_column(Text.assemble((label.center(columns - 1), style)), width=columns)
        lines = min(max(lines, 1), HIGHEST)
        paper, box = inks.paper.rich_color, inks.neutral.rich_color
        rejected, accepted = Style(color=inks.muted.rich_color, bgcolor=paper), Style(bgcolor=box)
        own, air = Style(bold=True, color=inks.accent.rich_color, bgcolor=box), Style(reverse=False)  # without cursor
        for entry in table.entries:
            name = "\n" * (lines == HIGHEST) + f" {entry}"
            cells = [Text(name, "bold" if entry in matrix.present(table) else inks.muted.hex)]
            for column in matrix.columns:
                is_accepted, is_here = matrix.accepted(table, entry, column), matrix.is_here(table, entry, column)
                mark = "✔" if is_accepted else "✘" if is_here else "·"
                style = own if is_here else accepted if is_accepted else rejected
                shown = (f"▸{mark}◂" if is_here else mark).center(columns - 1)
                rows = [(shown, style), (" \n", air), (" " * columns, air)]
                if lines == HIGHEST:
                    edge = Style(color=paper, bgcolor=style.bgcolor)
                    rows = [("▀" * len(shown), edge), (" \n", air), *rows[:2], ("▄" * len(shown), edge), (" ", air)]
                cells.append(Text.assemble(*rows))
            data.add_row(*cells, height=lines)

    def on_resize(self) -> None:
        self.show_in_colour()

    def show_in_colour(self) -> None:
        for data, table in zip(self._tables, self._matrix.tables, strict=True):
            row, column = data.cursor_coordinate
            data.clear(columns=True)
            self._fill(data, table)
            data.move_cursor(row=row, column=column)
        self._show_report()

    @property
    def under(self) -> tuple[Table, Entry, Column]:
        """(table, entry, column) of the cell under the cursor; the present level's for a row's name."""
        n = next((n for n, data in enumerate(self._tables) if data.has_focus), 0)
        row, column = self._tables[n].cursor_coordinate
        table, matrix = self._matrix.tables[n], self._matrix
        return table, table.entries[row], matrix.columns[column - 1 if column else matrix.here]

    def _show_report(self) -> None:
        """Says what the desc is at its level, what the cell under the cursor means, and what other levels take."""
        inks = inks_of(self.app.theme_variables)
        one, report = self._matrix.experiment, self._matrix.report
        now = Text(f"Feature levels  {operator_of(one.desc).name} · {one.feature_level}   ", f"bold {inks.text.hex}")
        now.append(*verdict(report, inks))
        below = level_strip(one, report).sentence
        cell = self._matrix.sentence(*self.under, may_set=self._edit is not None)
        told = {"Cell": cell, "Desc": f"{below[0].upper()}{below[1:]}.", "Next": self._matrix.following}
        now.append("\n")
        for name, said in told.items():
            now.append(f"\n{name}  ").append(said, "not bold")
        self.tell("levels-now", now)

    @on(DataTable.CellHighlighted)
    def on_descendant_focus(self) -> None:
        for data in self._tables:
            data.show_cursor = data.has_focus
        self._show_report()

    @on(DataTable.CellSelected)
    def _on_chosen(self) -> None:
        if self._edit is None:
            self.app.bell()
            return
        one = self._matrix.chosen(*self.under)
        self._edit(one)
        self._matrix = LevelMatrix(one)
        self.show_in_colour()
