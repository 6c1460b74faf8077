"""Cells that show their values, one line high."""

from __future__ import annotations

from ...operators.maps import CLAMPED, NEGATIVE
from ..colour.palette import NO_SHADE, letter
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
ANSWERED = {EntryKind.RIGHT: "cell", EntryKind.WRONG: "wrong", EntryKind.MISSED: "missed"}
"""How cells look about which an answer was right or wrong."""


class ValueRows(CellRows):
    """Rows of values, with a letter or a sign beside them."""

    def label_start(self, columns: int, column: int) -> int:
        figure = self.view.figure
        cell = figure.cell_at(column)
        return max(0, cell - columns) // 2 if figure.centred else cell - 1 - columns

    def cell(self, at: int) -> tuple[str, Style]:
        view, figure, grid, marks = self.view, self.view.figure, self.view.grid, self.view.marks
        mark, entry = bool(marks.marked[at]), marks.entry(at)
        width = figure.cell_at(grid.columns[at % len(grid.columns)][0]) if figure.wider else figure.cell
        hidden = figure.place.is_output and not marks.is_known(at)
        if entry is not None and entry.kind.is_open:
            return entered("" if hidden else grid.texts[at], entry, width), Style(entry.kind.value, -1, mark)
        if hidden:
            return "·".center(width), Style("empty", -1, mark)
        if entry is not None:
            kind, identity = ANSWERED[entry.kind], int(grid.identity[at])
            return entered(grid.texts[at], entry, width), Style(kind, identity if kind == "cell" else -1, mark)
        text, identity, flags = grid.texts[at], int(grid.identity[at]), grid.flags
        sign = " "
        if flags is not None and flags[at] & CLAMPED:
            sign = "!"
        elif flags is not None and flags[at] & NEGATIVE and figure.place.is_output:
            sign = "-"
        broken = marks.is_broken(at)
        sign = "✘" if broken and sign != "!" else sign
        place = grid.places[at] if grid.places is not None else ""
        said = self._said(text, at, sign, width - len(place), apart=bool(place.strip()))
        if place.strip() and ("…" in said or not said.endswith((" ", "!"))):
            # Right behind a value it would be read as a part of that, and it is no reason to cut one.
            place, said = "", self._said(text, at, sign, width)
        text = said + place
        if broken:
            return text, Style("broken cell", -1, mark)
        unread = grid.counts is not None and grid.counts[at] == 0
        kind = "stale" if view.look.stale else "unread" if unread else "cell"
        plain = view.look.stale or unread
        shade = grid.shades[at] if grid.shades is not None and not plain else NO_SHADE
        return text, Style(kind, -1 if plain else identity, mark, shade=shade)

    def _said(self, text: str, at: int, sign: str, columns: int, *, apart: bool = False) -> str:
        """A value with its letter and its sign, in so many columns; cut where they are too few.

        Where it is kept `apart` from what follows, a last blank stays behind it.
        """
        name = "" if self.is_cornered else self.name(at)
        room, pad, prefix = columns - 2, " ", ""
        if name:
            room -= len(name) + 1
            prefix = f"{name} "
            if len(text) > room:  # the letter moves up against the value before that is cut
                room, pad, prefix = room + 2, "", name
        elif len(text) > room:
            room, pad = room + 1, ""
        if len(text) > room:
            text = text[: max(0, room - 1)] + "…"
        if not self.view.figure.centred:
            return f"{pad}{prefix}{text:>{max(0, room)}}{sign}"
        text += sign.strip()
        if pad or not prefix:
            return _centred(pad + prefix, text, columns, keeps_edge=not prefix)
        free = columns - len(prefix + text)
        between = " " * (free % 2 and free > apart)  # so that both stand in the middle
        return _centred("", prefix + between + text, columns, keeps_edge=True)

    @property
    def is_cornered(self) -> bool:
        """Letters stand in the corner of their cells, over the value, and not before it."""
        return False

    def name(self, at: int) -> str:
        """The letter that a cell has; "" for none."""
        grid = self.view.grid
        if self.view.figure.letters != "cell" or grid.identity[at] < 0:
            return ""
        if self.view.figure.place.is_output and not self.view.marks.is_known(at):
            return ""
        return letter(int(grid.identity[at]))


def entered(value: str, entry: Entry, cell: int) -> str:
    """A cell of so many columns with what a user has said of it, beside its value or in its place."""
    said, sign = entry.text, SIGNS[entry.kind]
    if entry.kind in (EntryKind.ASKED, EntryKind.WAITS):
        text = said or sign
        return (text if len(text) <= cell else "…" + text[1 - cell :]).center(cell)
    if entry.kind in (EntryKind.MARK, EntryKind.ABOUT):
        ways = [f"{sign} {value}", f"{sign}{value}", sign]
    elif said:  # each value has its own sign before it: `3 ✗5` would be read as a product
        true = f"{SIGNS[EntryKind.RIGHT]}{value}"
        ways = [f"{sign}{said} {true}", f"{sign}{said}{true}", true]
    else:
        ways = [f"{value} {sign}", f"{value}{sign}"]
    return next((way for way in ways if len(way.strip()) <= cell), sign).strip().center(cell)


def _centred(before: str, text: str, cell: int, *, keeps_edge: bool) -> str:
    """A value in the middle of its cell, or of what a letter at its beginning leaves of it."""
    free = cell - len(before)
    start = (cell - len(text)) // 2 - len(before) if keeps_edge else (free - len(text)) // 2
    return before + (" " * max(0, min(start, free - len(text))) + text).ljust(free)
