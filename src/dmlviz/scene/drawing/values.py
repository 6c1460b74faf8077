"""Cells that show their values, one line high or more."""

from __future__ import annotations

from functools import cached_property

from ..cells.cells import CLAMPED_SIGN, Cell
from ..look import Entry, EntryKind
from ..spans import ABSENT, DIM, Line, Span, Style
from .rows import BOTTOM, FULL, TOP, Rows

SIGNS = {
    EntryKind.ASKED: "?",
    EntryKind.WAITS: "?",
    EntryKind.ABOUT: "▸",
    EntryKind.MARK: "▣",
    EntryKind.RIGHT: "✓",
    EntryKind.WRONG: "✗",
    EntryKind.MISSED: "○",
}
"""What tells entries apart without colour too."""


class ValueRows(Rows):
    """Rows of values, with a letter or a sign beside them."""

    def label_start(self, columns: int, column: int) -> int:
        figure = self.figure
        cell = figure.cell_at(column)
        return max(0, cell - columns) // 2 if figure.centred else cell - 1 - columns

    def cell(self, cell: Cell, width: int) -> tuple[str, Style]:
        """A cell's text in `width` columns, with an answer, or a letter, sign and place; and its style."""
        if cell.entry is not None and cell.is_answered:
            return entered(cell.text if cell.is_known else "", cell.entry, width), cell.style
        if not cell.is_known:
            return cell.text.center(width), cell.style
        place = cell.place
        text = self._text(cell, width - len(place), apart=bool(place.strip()))
        if place.strip() and ("…" in text or not text.endswith((" ", CLAMPED_SIGN))):
            # Right behind a value it would be read as a part of that, and it is no reason to cut one.
            place, text = "", self._text(cell, width)
        return text + place, cell.style

    def _text(self, cell: Cell, columns: int, *, apart: bool = False) -> str:
        """A value with letter and sign, cut to so many columns; `apart` from what follows by a last blank."""
        text, sign = cell.text, cell.sign or " "
        name = "" if self.is_cornered else self.name(cell)
        room, pad, prefix = columns - 2, " ", ""
        if name:
            room -= len(name) + 1
            prefix = f"{name} "
            if len(text) > room:  # the letter moves up against the value before that is cut
                room, pad, prefix = room + 2, "", name
            if len(text) > room and cell.is_nowhere and sign == " ":  # its sign takes what others have for theirs
                room, sign = room + 1, ""
        elif len(text) > room:
            room, pad = room + 1, ""
        if len(text) > room:
            text = text[: max(0, room - 1)] + "…"
        if not self.figure.centred:
            return f"{pad}{prefix}{text:>{max(0, room)}}{sign}"
        text += sign.strip()
        if pad or not prefix:
            return _centred(pad + prefix, text, columns, keeps_edge=not prefix)
        free = columns - len(prefix + text)
        between = " " * (free % 2 and free > apart)  # so that both stand in the middle
        return _centred("", prefix + between + text, columns, keeps_edge=True)

    @property
    def is_cornered(self) -> bool:
        """True if letters stand in the corner of their cells, over the value, and not before it."""
        return False

    def name(self, cell: Cell) -> str:
        """The letter, or the sign of what has no source, that stands in a cell; "" for none."""
        return cell.letter if self.figure.letters == "cell" or cell.is_nowhere else ""


def entered(content: str, entry: Entry, cell: int) -> str:
    """A cell of so many columns with what a user has said of it, beside its value or in its place."""
    answer, sign = entry.text, SIGNS[entry.kind]
    if entry.kind in (EntryKind.ASKED, EntryKind.WAITS):
        text = answer or sign
        return (text if len(text) <= cell else "…" + text[1 - cell :]).center(cell)
    if entry.kind in (EntryKind.MARK, EntryKind.ABOUT):
        ways = [f"{sign} {content}", f"{sign}{content}", sign]
    elif answer:  # each value has its own sign before it: `3 ✗5` would be read as a product
        true = f"{SIGNS[EntryKind.RIGHT]}{content}"
        ways = [f"{sign}{answer} {true}", f"{sign}{answer}{true}", true]
    else:
        ways = [f"{content} {sign}", f"{content}{sign}"]
    return next((way for way in ways if len(way.strip()) <= cell), sign).strip().center(cell)


def _centred(before: str, text: str, cell: int, *, keeps_edge: bool) -> str:
    """`before`, then `text` in the middle of the cell if `keeps_edge`, else of what `before` leaves of it."""
    free = cell - len(before)
    start = (cell - len(text)) // 2 - len(before) if keeps_edge else (free - len(text)) // 2
    return before + (" " * max(0, min(start, free - len(text))) + text).ljust(free)


HAIRLINES = {TOP: "▁", BOTTOM: "▔"}
"""What stands there of cells without a colour: half of a line would break the hairlines at their sides in two."""


class TallRows(ValueRows):
    """Rows of cells that are higher than a line; half of the outer ones is air where rows would touch each other."""

    @property
    def is_cornered(self) -> bool:
        """True if cells have a filled line above their values, for letters."""
        return self._corner < self.figure.middle

    @property
    def _corner(self) -> int:
        """The first line of a cell that is filled whole."""
        figure = self.figure
        return int(figure.step == figure.lines and figure.lines > 2)

    @cached_property
    def _blank_lines(self) -> dict[int, Line]:
        """By row: its line without values and letters, drawn already; empty at first."""
        return {}

    def cell(self, cell: Cell, width: int) -> tuple[str, Style]:
        text, style = super().cell(cell, width)
        # Bold is what tells a marked cell without colour; the largest have their brackets for that.
        return text, style._replace(strong=True) if self.figure.lines > 3 else style

    def row_in(self, line: int) -> int | None:
        rows = (self.row_at(line - above) for above in range(self.figure.lines))
        return next((row for row in rows if row is not None), None)

    def drawn(self, line: int, row: int) -> Line:
        """A line of the cells of one row: their values, letters, or fill alone."""
        figure, below = self.figure, line - self.grid.rows[row][1]
        if below == figure.middle:
            return self.cell_line(row)
        if self._touching and below == figure.lines - 1:
            return self._filled(row, BOTTOM)
        if self._touching and below == 0:
            return self._filled(row, TOP)
        if self._names_at(below):
            return self._filled(row, FULL, named=True)
        if row not in self._blank_lines:  # most lines of a cell are of this kind
            self._blank_lines[row] = self._filled(row, FULL)
        return self._blank_lines[row]

    @property
    def _touching(self) -> bool:
        """True if no line is left between two rows."""
        return self.figure.step == self.figure.lines

    def _names_at(self, below: int) -> bool:
        """True if letters stand in line `below` of the cells."""
        return self.is_cornered and below == self._corner

    def _filled(self, row: int, fill: tuple[str, str, str], *, named: bool = False) -> Line:
        """A line of a row without its values; with the cells' letters where they are `named`."""
        shown = []
        for (start, end), (cell, _, style) in zip(self.columns, self.cells_in(row), strict=True):
            width, name = end - start, self.name(cell) if named else ""
            text = f" {name}".ljust(width)[:width]
            if fill is not FULL:
                text = (HAIRLINES[fill] if style.kind in ABSENT else fill[0]) * width
                style = style._replace(kind=f"{style.kind} edge")
            shown.append([Span(text, style)])
        return self.band(row, [Span(" " * max(0, self.figure.margin - 1), DIM)], shown, fill)
