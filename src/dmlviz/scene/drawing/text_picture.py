"""A picture as plain text on a page of bounded size: cut between rows and columns, never inside of a number."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from ...formats.uncompared import Cache
from ...tracing import Trace
from ..cells.cells import cells_of
from ..elements.partners import Partners
from ..layout.arrange import arrange_page
from ..layout.figure import Figure
from ..layout.margins import read_columns
from ..layout.stack import BETWEEN, Stack
from ..look import Look
from ..spans import Line
from .figure_lines import figure_lines
from .grid import looked_up
from .side_by_side import GAP

TIGHTEST = 3
"""Columns of a cell with one digit, with the gap behind it."""


class TextPicture(Struct, frozen=True):
    """Lines of text, and whether elements are left out of them; the lines say how many."""

    lines: list[str]
    is_cut: bool


def text_picture(
    trace: Trace, columns: int, lines: int, *, most: int = 0, look: Look | None = None, turned: bool = False
) -> TextPicture:
    """The inputs, beside them the outputs, upright, in at most `lines` lines and `columns` columns for both.

    A side takes at most `most` columns, if that isn't 0. Every value stands whole: a tensor with wide ones has wide
    cells. Asks only for the elements that are drawn.
    """
    look = look or Look()
    most = most or columns
    scene = arrange_page(trace, columns, lines, turned=turned)
    wanted = [_drawn_side(stack, min(most, columns), lines, look).width for stack in (scene.inputs, scene.outputs)]
    half = columns // 2
    left = min(wanted[0], most, max(half, columns - wanted[1]))  # one side may take what the other leaves
    right = min(wanted[1], most, max(half, columns - wanted[0]))
    sides = [_drawn_side(stack, room, lines, look) for stack, room in ((scene.inputs, left), (scene.outputs, right))]
    picture_lines = []
    for y in range(max(len(side.lines) for side in sides)):
        first, second = (side.lines[y] if y < len(side.lines) else "" for side in sides)
        picture_lines.append(f"{first:<{left}}{' ' * GAP}{second}".rstrip())
    return TextPicture(picture_lines, any(side.is_cut for side in sides))


def more(rows: int, columns: int) -> str:
    """How many rows and columns are left out: `… 3 more rows, 12 more columns`; "" for none."""
    left_out = [f"{n:,} more {what}{'s' * (n != 1)}" for n, what in ((rows, "row"), (columns, "column")) if n]
    return f"… {', '.join(left_out)}" if left_out else ""


class _Side(Struct, frozen=True):
    lines: list[str]
    width: int
    """Columns that it would like, as far as there is room."""
    is_cut: bool


def _drawn_side(stack: Stack, room: int, lines: int, look: Look) -> _Side:
    """One side in `room` columns and `lines` lines."""
    heights = _heights(stack, room, lines, look)
    side_lines: list[str] = []
    width, is_cut = 0, False
    for figure, height in zip(stack.figures, heights, strict=False):
        cut = _Cut.of(figure, room, height, look)
        side_lines += [""] * (BETWEEN if side_lines else 0) + cut.lines(room)
        width = max(width, cut.width)
        is_cut |= bool(cut.note)
    if len(heights) < len(stack.figures):
        left = len(stack.figures) - len(heights)
        note = f"… {left:,} more tensor{'s' * (left != 1)}"
        side_lines, width, is_cut = [*side_lines, note], max(width, len(note)), True
    return _Side(side_lines, width, is_cut)


def _heights(stack: Stack, room: int, lines: int, look: Look) -> list[int]:
    """The lines of each tensor, from the first on, that there is room for; small ones leave theirs to the others."""
    wanted = [figure.height + _cuts_columns(figure, room, lines, look) for figure in stack.figures]
    if sum(wanted) + BETWEEN * (len(wanted) - 1) <= lines:
        return wanted
    count = least = 0
    for figure in stack.figures:
        least += _frame_lines(figure) + 2 + BETWEEN  # a row, and how many more there are
        if count and least > lines - 1:
            break
        count += 1
    free = lines - BETWEEN * (count - 1) - (count < len(wanted))
    heights = [0] * count
    for left, k in enumerate(sorted(range(count), key=lambda k: wanted[k]), start=-count):
        heights[k] = min(wanted[k], max(free // -left, _frame_lines(stack.figures[k]) + 2))
        free -= heights[k]
    return heights


def _cuts_columns(figure: Figure, room: int, lines: int, look: Look) -> bool:
    """True if `room` columns don't hold all of a tensor, which it says in a line of its own."""
    return _Cut.of(figure, room, min(figure.height, lines) + 1, look).columns < figure.columns.count


def _frame_lines(figure: Figure) -> int:
    """Lines of a tensor besides its rows."""
    return figure.height - figure.body


class _Cut(Struct, frozen=True):
    """A tensor, and how many of its rows and columns are drawn."""

    figure: Figure
    """With cells in which each drawn value stands whole."""
    rows: int
    columns: int
    look: Look

    @classmethod
    def of(cls, figure: Figure, room: int, height: int, look: Look) -> _Cut:
        """As much of a tensor as `room` columns and `height` lines hold; at least one element."""
        rows, across = figure.rows, figure.columns
        free = room - figure.margin - (read_columns(figure.trace) if figure.counts_along == "row" else 0)
        tight = min(across.count, max(1, free // TIGHTEST))
        # The line that says what is left out may take a row's place; the columns may be what makes it needed.
        for spare in (0, 1):
            body = max(1, height - _frame_lines(figure) - spare)
            seen = [number for number, position in rows.visible(0, body) if position < body]
            widths = _column_widths(figure, seen, tight, look)
            columns, cell = _fitting_columns(figure, widths, free)
            whole = len(seen) == rows.count and columns == across.count
            if whole or _frame_lines(figure) + rows.position(seen[-1]) + 2 <= height:
                break
        return cls(replace(figure, cell=cell, drawn=Cache()), len(seen), columns, look)

    @property
    def note(self) -> str:
        """How many rows and columns are left out; "" for none."""
        return more(self.figure.rows.count - self.rows, self.figure.columns.count - self.columns)

    @property
    def extent(self) -> int:
        """Columns of rulers and drawn cells, and of the read counts behind them where no column is left out."""
        figure = self.figure
        cells = figure.columns.position(self.columns - 1) + figure.columns.unit
        # How often a row is read stands behind its last cell, which isn't there where columns are left out.
        counted = figure.counts_along == "row" and self.columns == figure.columns.count
        return figure.margin + cells + (read_columns(figure.trace) if counted else 0)

    @property
    def width(self) -> int:
        """Columns that rulers, cells, title, note and names of the axes would like."""
        words, axes = self.figure.worded_alone
        return max(self.extent, len(self.note), words + 1, axes)

    def lines(self, room: int) -> list[str]:
        """The tensor line by line."""
        figure, look = self.figure, self.look
        if not self.note:
            return [_plain_text(line) for line in figure_lines(figure, 0, figure.height, 0, room, look, Partners())]
        body = figure.rows.position(self.rows - 1) + 1
        drawn = figure_lines(figure, 0, figure.head + body, 0, self.extent, look, Partners())
        frame = figure_lines(replace(figure, noted=True, drawn=Cache()), 0, 1, 0, room, look, Partners())
        texts = [_plain_text(line) for line in (*frame, *drawn[1:])]
        if figure.ruled:
            texts[1 + figure.notes] = "─" * min(room, self.width)
        if figure.counts_below:
            below = figure_lines(figure, figure.height - 2, 1, 0, self.extent, look, Partners())
            texts += map(_plain_text, below)
        return [*texts, self.note, _plain_text(figure.foot(look, room))]


def _plain_text(line: Line) -> str:
    """A line's text without the blanks at its end."""
    return "".join(span.text for span in line).rstrip()


def _column_widths(figure: Figure, rows: list[int], columns: int, look: Look) -> list[tuple[int, int]]:
    """(at a pinch, at ease) columns in which the values of each column stand whole, with their letters."""
    cells = cells_of(looked_up(figure, rows, [*range(columns)]), look)
    named = figure.letters == "cell"
    sizes = [(len(cell.text), len(cell.letter) if named else 0) for cell in cells[:]]
    tight = [text + name + 1 for text, name in sizes]
    ease = [text + 2 + (name + 1 if name else 0) for text, name in sizes]
    return [(max(tight[j::columns]), max(ease[j::columns])) for j in range(columns)]


def _fitting_columns(figure: Figure, widths: Sequence[tuple[int, int]], free: int) -> tuple[int, int]:
    """(columns, width of a cell) of the most columns that `free` columns of the page hold; all have one width."""
    most = 1, _cell_width(figure, *widths[0])
    tight = ease = 0
    for count, (pinch, own) in enumerate(widths, 1):
        tight, ease = max(tight, pinch), max(ease, own)
        cell = _cell_width(figure, tight, ease)
        track = replace(figure.columns, unit=cell + figure.gap)
        if track.position(count - 1) + track.unit > free:
            break
        most = count, cell
    return most


def _cell_width(figure: Figure, tight: int, ease: int) -> int:
    """The width that the picture's layout gives a cell, if `tight` fits into it; else `ease`."""
    return figure.cell if tight <= figure.cell else ease
