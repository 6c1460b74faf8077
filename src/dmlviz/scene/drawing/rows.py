"""The rows of a figure: which of them a line shows, the ruler before them, and cells with gaps or brackets between."""

from __future__ import annotations

from collections.abc import Sequence

from ..cells.cells import Cell, cells_of
from ..colour.palette import letter
from ..elements.lookup import reads_text
from ..elements.partners import Partners
from ..layout.figure import Figure
from ..layout.zoom import lettered
from ..look import Look
from ..spans import ABSENT, DIM, EDGE, LETTER, PLAIN, RULER, WARN, Line, Span, Style, marked_window_of
from .grid import Grid
from .values import block_of, is_cornered, large_line, name_in, value_of

FULL, TOP, BOTTOM = ("█", "▌", "▐"), ("▄", "▖", "▗"), ("▀", "▘", "▝")
"""What a line of cells is filled with, and what brackets a marked cell behind it and before it."""
HAIRLINES = {TOP: "▁", BOTTOM: "▔"}
"""What stands there of cells without a colour: half of a line would break the hairlines at their sides in two."""

KEPT = 1024
"""Lines of rows that are kept of a window."""


class Rows:
    """The rows of a figure: a window on its body, with everything that its lines follow from."""

    def __init__(self, figure: Figure, grid: Grid, look: Look, partners: Partners, left: int, width: int) -> None:
        """`left` is the first column of the body that is seen, `width` how many are."""
        self.figure, self.grid, self.look, self.left, self.width = figure, grid, look, left, width
        self.cells = cells_of(grid.contents, look, partners)
        self._styles = tuple(figure.axis_style(d, look) for d in figure.down)
        self._rows = {
            at + below: (row, below) for row, (_, at) in enumerate(grid.rows) for below in range(figure.lines)
        }

    def line(self, y: int) -> Line:
        """A line of the body: a row's values, or one of the lines above and below them; [] where no row is.

        The last ones are kept, as most rows stay what they were.
        """
        if y not in self._rows:
            return []
        row, below = self._rows[y]
        kept, cells = self.grid.lines, tuple(self.cells.every[self.grid.cells(row)])
        key = y, cells, self._styles, self.cells.contents.counts is None
        if key not in kept:
            if len(kept) >= KEPT:
                kept.clear()
            kept[key] = self._drawn(row, below, cells)
        return kept[key]

    def _drawn(self, row: int, below: int, cells: Sequence[Cell]) -> Line:
        figure, band = self.figure, self._joined(cells, *self._shown(cells, below))
        if below != figure.middle:
            return [Span(" " * max(0, figure.margin - 1), DIM), *band]
        line, counts, columns = [*self._ruler(row), *band], self.cells.contents.counts, self.grid.columns
        ends_inside = bool(columns) and columns[-1][1] + figure.cell < self.left + self.width
        if figure.counts_along == "row" and counts is not None and ends_inside:
            count = int(counts[self.grid.cells(row).start])
            line.append(Span(reads_text(count), RULER if count else WARN))
        return line

    def identity_of(self, some: slice) -> int:
        """The identity that some cells share, told by the first, or by any of them where some have no source; or -1."""
        held = self.cells.contents
        if held.nowhere is None:
            return int(held.identity[some.start])
        return int(held.identity[some].max())

    def label_start(self, columns: int) -> int:
        """Columns from a cell's beginning to a label of so many columns, so that it stands over the cell's text."""
        figure = self.figure
        if not lettered(figure.zoom):
            return 0
        return figure.cell - 1 - columns if figure.paged else max(0, figure.cell - columns) // 2

    def _ruler(self, row: int) -> Line:
        figure, number = self.figure, self.grid.rows[row][0]
        line: Line = []
        if figure.letter_width:
            name = letter(self.identity_of(self.grid.cells(row))) if self.grid.columns else ""
            line.append(Span(f"{name:<{figure.letter_width}}", LETTER))
        at = figure.rows.split(number)
        for depth, (style, width) in enumerate(zip(self._styles, figure.index_widths, strict=True)):
            # Where an outer index stays what it was above, it is dim. Left out, it would be read as another's.
            begins = depth == len(figure.down) - 1 or not any(at[depth + 1 :]) or row == 0
            line += [Span(f"{at[depth]:>{width}}", style if begins else DIM), Span(" ", PLAIN)]
        return line

    def _shown(self, cells: Sequence[Cell], below: int) -> tuple[list[tuple[str, Style]], tuple[str, str, str]]:
        """The text and style of each cell in line `below` of its row, and what lines of cells are filled with there."""
        figure = self.figure
        shown = [(value_of if lettered(figure.zoom) else block_of)(figure, cell) for cell in cells]
        if below == figure.middle:
            return shown, FULL
        line, is_outer = below - figure.middle, below in (0, figure.lines - 1)
        texts = [large_line(figure, cell, line) or " " * figure.cell for cell in cells]
        if is_cornered(figure) and below == 1 - figure.apart:
            names = [f" {name_in(figure, cell)}".rstrip() for cell in cells]
            texts = [name + text[len(name) :] for name, text in zip(names, texts, strict=True)]
        if is_outer and not figure.apart:
            fill = BOTTOM if below else TOP
            edges = [(HAIRLINES[fill] if style.kind in ABSENT else fill[0], style) for _, style in shown]
            return [(char * figure.cell, style._replace(kind=f"{style.kind} edge")) for char, style in edges], fill
        closing = HAIRLINES[TOP if below else BOTTOM] * figure.cell
        both = zip(texts, shown, strict=True)
        return [(closing if is_outer and style.kind in ABSENT else text, style) for text, (_, style) in both], FULL

    def _joined(self, cells: Sequence[Cell], shown: Sequence[tuple[str, Style]], fill: tuple[str, str, str]) -> Line:
        """What is `shown` of a row's cells, as far as they are seen, with their gaps."""
        line: Line = []
        left, right = self.left, self.left + self.width
        x, before = left - 1, False  # the ruler's last column is the gap before the first cell
        if self.grid.columns and self.grid.columns[0][1] < left:
            # The first cell is cut at the left, and the gap before it is out of sight.
            line.append(Span(" ", EDGE))
        beside = lettered(self.figure.zoom)
        for (_, start), cell, (text, style) in zip(self.grid.columns, cells, shown, strict=True):
            mark, end, span = cell.is_marked and beside, start + self.figure.cell, Span(text, style)
            if start > x:
                line.append(Span(_gap(before, mark, start - x, fill), EDGE))
            is_cut = start < left or end > right
            line += marked_window_of([span], max(0, left - start), right - max(left, start)) if is_cut else [span]
            x = max(end, left)  # of a gap that is out of sight in part the rest is drawn
            before = mark and x == end
        if x < right and (before or fill is FULL):
            line.append(Span(_gap(before, False, 1, fill), EDGE))
        return line


def _gap(before: bool, after: bool, width: int, fill: tuple[str, str, str]) -> str:
    """What stands between two cells: half blocks that bracket the marked ones."""
    whole, behind, ahead = fill
    if width == 1:
        return whole if before and after else behind if before else ahead if after else " "
    return (behind if before else " ") + " " * (width - 2) + (ahead if after else " ")
