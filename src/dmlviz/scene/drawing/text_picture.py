"""A picture as plain text on a page of bounded size: cut between rows and columns, never inside of a number."""

from __future__ import annotations

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
    # One side may take what the other leaves.
    left = min(wanted[0], most, max(half, columns - wanted[1]))
    right = min(wanted[1], most, max(half, columns - wanted[0]))
    sides = [_drawn_side(stack, room, lines, look) for stack, room in ((scene.inputs, left), (scene.outputs, right))]
    picture_lines = []
    for y in range(max(len(side.lines) for side in sides)):
        first, second = (side.lines[y] if y < len(side.lines) else "" for side in sides)
        picture_lines.append(f"{first:<{left}}{' ' * GAP}{second}".rstrip())
    return TextPicture(picture_lines, any(side.is_cut for side in sides))


class _Side(Struct, frozen=True):
    lines: list[str]
    width: int
    is_cut: bool


def _drawn_side(stack: Stack, room: int, lines: int, look: Look) -> _Side:
    heights = _heights(stack, lines)
    side: list[str] = []
    width, is_cut = 0, False
    for figure, height in zip(stack.figures, heights, strict=False):
        cut = Cut.of(figure, room, height, look)
        side += [""] * (BETWEEN if side else 0) + cut.lines(room)
        width = max(width, cut.width)
        is_cut |= bool(cut.note)
    if len(heights) < len(stack.figures):
        left = len(stack.figures) - len(heights)
        note = f"… {left:,} more tensor{'s' * (left != 1)}"
        side, width, is_cut = [*side, note], max(width, len(note)), True
    return _Side(side, width, is_cut)


def _heights(stack: Stack, lines: int) -> list[int]:
    """The lines of each tensor, from the first on, that there is room for; small ones leave theirs to the others."""
    count = least = 0
    for figure in stack.figures:
        least += _least_lines(figure) + BETWEEN
        if count and least > lines - 1:
            break
        count += 1
    free = lines - BETWEEN * (count - 1) - (count < len(stack.figures))
    heights = [0] * count
    # A line more than the tensor has, which says how many columns are left out.
    for left, k in enumerate(sorted(range(count), key=lambda k: stack.figures[k].height), start=-count):
        figure = stack.figures[k]
        heights[k] = min(figure.height + 1, max(free // -left, _least_lines(figure)))
        free -= heights[k]
    return heights


def _least_lines(figure: Figure) -> int:
    return figure.height - figure.body + 2


class Cut(Struct, frozen=True):
    """A tensor, and how many of its rows and columns are drawn."""

    figure: Figure
    """With cells in which each drawn value stands whole."""
    rows: int
    columns: int
    look: Look

    @classmethod
    def of(cls, figure: Figure, room: int, height: int, look: Look) -> Cut:
        """As much of a tensor as `room` columns and `height` lines hold; at least one element."""
        free = room - figure.margin - (read_columns(figure.trace) if figure.counts_along == "row" else 0)
        tight = min(figure.columns.count, max(1, free // TIGHTEST))
        for spare in (0, 1):  # what is left out is said in a line of its own
            body = max(1, height - _least_lines(figure) + 2 - spare)
            rows = [n for n, position in figure.rows.visible(0, body) if position < body]
            cells = cells_of(looked_up(figure, rows, [*range(tight)]), look).every
            named = figure.letters == "cell"
            sizes = [len(cell.text) + 2 + (len(cell.letter) + 1 if named and cell.letter else 0) for cell in cells]
            fitted, columns = replace(figure, cell=max(sizes[::tight]), drawn=Cache()), 1
            for count in range(2, tight + 1):
                wider = replace(fitted, cell=max(fitted.cell, *sizes[count - 1 :: tight]))
                if wider.columns.position(count - 1) + wider.columns.unit > free:
                    break
                fitted, columns = wider, count
            if (len(rows), columns) == (figure.rows.count, figure.columns.count):
                break
        return cls(fitted, len(rows), columns, look)

    @property
    def note(self) -> str:
        """How many rows and columns are left out: `… 3 more rows, 12 more columns`; "" for none."""
        left = self.figure.rows.count - self.rows, self.figure.columns.count - self.columns
        named = zip(left, ("row", "column"), strict=True)
        told = [f"{n:,} more {what}{'s' * (n != 1)}" for n, what in named if n]
        return f"… {', '.join(told)}" if told else ""

    @property
    def extent(self) -> int:
        """Columns of rulers and drawn cells, and of the read counts behind them where no column is left out."""
        figure = self.figure
        if self.columns == figure.columns.count:
            return figure.extent
        return figure.margin + figure.columns.position(self.columns - 1) + figure.columns.unit

    @property
    def width(self) -> int:
        """Columns that rulers, cells, title, note and names of the axes would like."""
        words, axes = self.figure.worded
        return max(self.extent, len(self.note), words + 1, axes)

    def lines(self, room: int) -> list[str]:
        """The tensor line by line."""
        figure, look = self.figure, self.look
        if not self.note:
            drawn = figure_lines(figure, 0, figure.height, 0, room, look, Partners())
            return [_plain_text(line) for line in drawn]
        body = figure.rows.position(self.rows - 1) + 1
        drawn = figure_lines(figure, 0, figure.head + body, 0, self.extent, look, Partners())
        title = figure.title(look, room)
        texts = [_plain_text(line) for line in (*title, *drawn[len(title) :])]
        if figure.ruled:
            texts[figure.titled + figure.notes] = "─" * min(room, self.width)
        if figure.counts_below:
            below = figure_lines(figure, figure.height - 2, 1, 0, self.extent, look, Partners())
            texts += map(_plain_text, below)
        return [*texts, self.note, _plain_text(figure.foot(look, room))]


def _plain_text(line: Line) -> str:
    return "".join(span.text for span in line).rstrip()
