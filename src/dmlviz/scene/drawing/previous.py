"""What the visible cells of an output were before an edit: `1→3` where a cell has the room, `12→` where it hasn't."""

from __future__ import annotations

from dataclasses import dataclass

from ...formats.page_text import shorts
from ..changes import Fate, Window
from ..colour.palette import letter
from ..layout.figure import Figure
from ..layout.zoom import lettered
from ..look import Look
from ..spans import Line, Span, Style
from .grid import Grid

ARROW = "→"
"""Stands between what a cell was and what it is: it tells them apart without colour too."""


@dataclass(frozen=True)
class PreviousCells:
    """What the cells of a grid were: all of them, row-major."""

    window: Window
    texts: list[str]
    """Values, with letters where cells have some; letters alone where cells are too small for values."""

    def key(self, cells: slice) -> object:
        """What tells one state of some cells from another."""
        window = self.window
        return window.fate[cells].tobytes(), window.identity[cells].tobytes(), tuple(self.texts[cells])

    def changed(self, at: int) -> bool:
        return bool(self.window.fate[at] != Fate.SAME)

    def spans(self, at: int, text: str, style: Style) -> Line:
        """A cell that changed, as wide as `text`, which is what it is now in its `style`."""
        was = "" if self.window.fate[at] == Fate.NEW else self.texts[at]
        before = Style("previous", int(self.window.identity[at]), style.marked, strong=style.strong)
        mark, width = was + ARROW, len(text)
        room = width - len(text.lstrip(" "))
        if len(mark) <= room:
            return [Span(mark.rjust(room), before), Span(text[room:], style)]
        if not was:
            return [Span((ARROW + text.strip(" "))[:width].rjust(width), before)]
        if len(mark) > width:
            mark = (f"{was[: width - 2]}…" if width > 2 else was[: width - 1]) + ARROW
        return [Span(mark.center(width), before)]


def previous_of(figure: Figure, grid: Grid, look: Look) -> PreviousCells | None:
    """What the cells of a grid were; None where that isn't shown, and while anything is hidden."""
    if look.previous is None or look.stale or not figure.place.is_output or not look.written.whole:
        return None
    window = look.previous.window(figure.place.number, grid.flat)
    names = [letter(k) if k >= 0 else "" for k in window.identity.tolist()] if figure.letters == "cell" else None
    if not lettered(figure.zoom):
        return PreviousCells(window, names or ["▪"] * len(grid.flat))
    texts = shorts(window.values)
    if names is not None:
        texts = [f"{name} {text}" if name else text for name, text in zip(names, texts, strict=True)]
    return PreviousCells(window, texts)
