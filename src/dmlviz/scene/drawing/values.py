"""Cells that show their values, one line high."""

from __future__ import annotations

from ..cells.cells import CLAMPED_SIGN, Cell
from ..look import Entry, EntryKind
from ..spans import Style
from .cell_rows import CellRows

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


class ValueRows(CellRows):
    """Rows of values, with a letter or a sign beside them."""

    def label_start(self, columns: int, column: int) -> int:
        """Columns from a cell's beginning to a label that is aligned as its value is."""
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
        """A value with its letter and its sign, in so many columns; cut where they are too few.

        Where it is kept `apart` from what follows, a last blank stays behind it.
        """
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
