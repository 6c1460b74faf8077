"""Cells that show their values, one line high."""

from __future__ import annotations

from ...operators.maps import CLAMPED, NEGATIVE
from ..colour.palette import NO_SHADE, letter
from ..spans import Style
from .cell_rows import CellRows


class ValueRows(CellRows):
    """Rows of values, with a letter or a sign beside them."""

    def label_start(self, columns: int) -> int:
        return self.view.figure.cell - 1 - columns

    def cell(self, at: int) -> tuple[str, Style]:
        view, figure, grid, marks = self.view, self.view.figure, self.view.grid, self.view.marks
        mark = bool(marks.marked[at])
        if figure.place.is_output and not marks.is_known(at):
            return "·".center(figure.cell), Style("empty", -1, mark)
        text, identity, flags = grid.texts[at], int(grid.identity[at]), grid.flags
        small = grid.places[at] if grid.places is not None else ""
        room, pad, prefix = figure.cell - 2 - len(small), " ", ""
        if figure.letters == "cell" and identity >= 0:
            name = letter(identity)
            room -= len(name) + 1
            prefix = f"{name} "
            if len(text) > room:  # the letter moves up against the value before that is cut
                room, pad, prefix = room + 2, "", name
        elif len(text) > room:
            room, pad = room + 1, ""
        sign = " "
        if flags is not None and flags[at] & CLAMPED:
            sign = "!"
        elif flags is not None and flags[at] & NEGATIVE and figure.place.is_output:
            sign = "-"
        if len(text) > room:
            text = text[: max(0, room - 1)] + "…"
        body = self.body(prefix, f"{text:>{max(0, room)}}{small}" if small else text, room + len(small), len(pad))
        if marks.is_broken(at):
            return f"{pad}{body}{sign if sign == '!' else '✘'}", Style("broken cell", -1, mark)
        unread = grid.counts is not None and grid.counts[at] == 0
        kind = "stale" if view.look.stale else "unread" if unread else "cell"
        plain = view.look.stale or unread
        shade = grid.shades[at] if grid.shades is not None and not plain else NO_SHADE
        return f"{pad}{body}{sign}", Style(kind, -1 if plain else identity, mark, shade=shade)

    def body(self, prefix: str, text: str, room: int, pad: int) -> str:
        """A letter and a value between what stands at a cell's ends; `pad` columns are before them."""
        return f"{prefix}{text:>{max(0, room)}}"
