"""All stages of a chain side by side on a large screen; a click on an element goes there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec import Struct
from textual import events
from textual.message import Message

from ...scene.drawing.stack_lines import stack_lines
from ...scene.elements.cursor import Cursor
from ...scene.elements.partners import Partners
from ...scene.spans import DIM, PLAIN, TITLE, Line, Span, Style, fitting, length
from ...workspace.shown.chain_state import StagePicture
from ...workspace.shown.state import State
from ..lib.painted import LinePanel

WIDTHS, HIGHEST, GAP = (44, 38, 32, 26), 12, 3
"""Columns and lines of a stage's picture at most, the widest in which all fit; and the columns between two."""
WIDE = (70, 58)
"""Columns where there are but two."""
MORE = 10
"""Columns of how many stages are out of sight."""
HERE = Style("tab")
UNTOLD = "not written yet"


class Shown(Struct, frozen=True):
    """A stage in sight: its first column and how many it has, and how far its picture is scrolled."""

    x: int
    columns: int
    left: int
    top: int
    one: StagePicture


class StageRow(LinePanel):
    """As many stages as fit, the present one among them; the others are counted."""

    @dataclass(repr=False, eq=False)
    class Chosen(Message):
        """An element of a stage is to be looked at; None: the stage."""

        stage: int
        cursor: Cursor | None

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._row: tuple[StagePicture, ...] = ()
        self._at = 0
        self.appear(False)

    def present(self, state: State) -> None:
        """Shows another state."""
        told = state.comparison or state.chain
        row = told.row if told is not None else ()
        self.appear(bool(row))
        if not row or told is None:
            self._row = ()
            return
        self.styles.height = 2 + min(HIGHEST, max(one.stack.height if one.stack is not None else 1 for one in row))
        if row is not self._row:
            self._row, self._at = row, told.at
            self.redraw()

    def _shown(self, width: int) -> tuple[list[Shown], int, int]:
        """(what is in sight, how many stages stand before that, how many behind)."""
        row, widths = self._row, [0]
        if not row:  # it is gone, and may be drawn once more before the layout knows
            return [], 0, 0
        for widest in WIDE + WIDTHS if len(row) == 2 else WIDTHS:
            widths = [_columns(one, widest) for one in row]
            if sum(widths) + GAP * (len(row) - 1) <= width:
                break
        first = last = next((k for k, one in enumerate(row) if one.stage == self._at and not one.is_root), 0)
        room = width if sum(widths) + GAP * (len(row) - 1) <= width else width - 2 * MORE
        while True:
            for a, b in ((first - 1, last), (first, last + 1)):
                if a >= 0 and b < len(row) and sum(widths[a : b + 1]) + GAP * (b - a) <= room:
                    first, last = a, b
                    break
            else:
                break
        x, shown = MORE * (first > 0), []
        for k in range(first, last + 1):
            left, top = _scrolled(row[k], widths[k], self.size.height - 2)
            shown.append(Shown(x=x, columns=widths[k], left=left, top=top, one=row[k]))
            x += widths[k] + GAP
        return shown, first, len(row) - last - 1

    def lines(self, width: int, height: int) -> Sequence[Line]:
        shown, before, behind = self._shown(width)
        lines: list[Line] = [[] for _ in range(height)]
        if before:
            lines[0].append(Span(f"◂ {before} more", DIM))
        for at in shown:
            one = at.one
            is_here = one.stage == self._at and not one.is_root
            drawn: list[Line] = [[Span(f" {one.title} ", HERE if is_here else TITLE)]]
            if one.stack is None:
                drawn.append([Span(f" {UNTOLD}", DIM)])
            else:
                drawn += stack_lines(one.stack, at.top, height - 2, at.left, at.columns, one.look, Partners())
            for line, more in zip(lines, drawn, strict=False):
                if more and at.x > length(line):
                    line.append(Span(" " * (at.x - length(line)), PLAIN))
                line += fitting(more, at.columns)
        if behind and shown:
            gap = shown[-1].x + shown[-1].columns + 1 - length(lines[0])
            lines[0].append(Span(" " * gap + f"{behind} more ▸", DIM))
        return lines

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        for at in self._shown(self.size.width)[0]:
            if at.x <= offset.x < at.x + at.columns and at.one.stack is not None:
                cursor = at.one.stack.hit(offset.x - at.x, offset.y - 1, at.top, at.left) if offset.y else None
                if cursor is not None or not offset.y:
                    self.post_message(self.Chosen(at.one.stage, cursor))


def _columns(one: StagePicture, widest: int) -> int:
    """Columns of a stage, at most so many."""
    own = one.stack.width if one.stack is not None else len(UNTOLD) + 1
    return min(widest, max(len(one.title) + 2, own))


def _scrolled(one: StagePicture, columns: int, lines: int) -> tuple[int, int]:
    """How far a picture is scrolled right and down, so that its cursor is in sight."""
    stack, cursor = one.stack, one.look.cursor
    if stack is None or cursor is None:
        return 0, 0
    x, y = stack.locate(cursor)
    figure = stack.figure(cursor.place)
    cell = figure.cell_at(figure.column_of(cursor.index))
    left = max(0, x + cell + 1 - (columns - figure.margin)) if stack.width > columns else 0
    left = figure.columns.whole_from(left) if left else 0
    return left, max(0, y + 2 - lines) if stack.height > lines else 0
