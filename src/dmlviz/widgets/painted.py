"""Widgets that keep their finished lines: what a frame costs is what has changed, not all that stands beside it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import ClassVar

from rich.segment import Segment
from textual.color import Color
from textual.containers import Horizontal, Vertical
from textual.filter import ANSIToTruecolor
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from ..scene.spans import PLAIN, Line, changed
from .inks import Inks, inks_of

GAPS = frozenset({"edge", "plain"})
"""Kinds of text between cells, which may begin with a hairline."""
NOTHING = Segment("")


class Painted(Widget):
    """Lines over the whole widget, its padding too, of true colours only.

    Textual asks every widget that touches what has changed for all of its lines, in every frame; here they are at hand,
    without the way through styles, borders and the search for ANSI colours. Such a widget has no border, tint or
    opacity.
    """

    PANEL: ClassVar[str] = "background"
    """The theme's colour below the lines."""

    @property
    def inks(self) -> Inks:
        """How the theme draws on this widget."""
        return inks_of(self.app.theme_variables, self.PANEL)

    def whole(self) -> Sequence[Strip]:
        """The lines of the whole widget, each as wide as it is; at least as many as it is high."""
        raise NotImplementedError

    def render_lines(self, crop: Region) -> list[Strip]:
        strips = [*self.whole()[crop.y : crop.bottom]]
        ground = self.inks.paper
        for each in self.app.get_line_filters():
            if not isinstance(each, ANSIToTruecolor):
                strips = [strip.apply_filter(each, ground) for strip in strips]
        if crop.column_span != (0, self.outer_size.width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips


class Ground(Painted):
    """Nothing but the panel's colour, below what else is drawn there."""

    _blank: tuple[Size, Color, list[Strip]] | None = None

    def whole(self) -> Sequence[Strip]:
        size, inks = self.outer_size, self.inks
        if self._blank is None or self._blank[:2] != (size, inks.paper):
            self._blank = size, inks.paper, [Strip.blank(size.width, inks.style(PLAIN))] * size.height
        return self._blank[2]


class Row(Horizontal, Ground):
    """Widgets side by side."""


class Column(Vertical, Ground):
    """Widgets one below the other."""


BAR = "▎"
"""What stands at the left of a pane that has the focus, in one column of its own; as style sheets' `wide` draws it.

Thinner than what brackets a cell: it is no wall. In the picture it stands beside titles alone.
"""
LEFT, RIGHT = "▕", "▏"
"""Hairlines in the gaps beside a cell: at its left, and at its right."""


def segments_of(line: Line, inks: Inks) -> list[Segment]:
    """A line as it is drawn: cells that are hardly seen on their ground have a hairline in the gaps beside them."""
    if not inks.hairlines:
        made = [Segment(text, inks.style(style)) for text, style, _ in line]
        if not inks.hairlines:  # none of these styles has one either
            return made
    made, after = [], None
    for text, style, _ in line:
        look, hairline = inks.drawn(style)
        if hairline is not None:
            before, ground, _ = made[-1] if made else NOTHING
            if before[-1:] == " " and ground is not None and ground.bgcolor == hairline.bgcolor:
                made[-1:] = [Segment(before[:-1], ground)] if before != " " else []
                made.append(Segment(LEFT, hairline))
            made.append(Segment(text, look))
        elif after is not None and text[:1] == " " and style.kind in GAPS:
            made.append(Segment(RIGHT, after))
            if text != " ":
                made.append(Segment(text[1:], look))
        else:
            made.append(Segment(text, look))
        after = hairline
    return made


def changed_regions(old: Sequence[Line], new: Sequence[Line], width: int) -> list[Region]:
    """Where lines of `width` columns differ from those before, a line each."""
    regions = []
    none: Line = []
    for y, (one, other) in enumerate(zip_longest(old, new, fillvalue=none)):
        if one is not other and one != other:
            x, columns = changed(one, other)
            x, columns = max(0, x - 1), width if columns is None else columns + 1 + (x > 0)  # with the hairlines beside
            regions.append(Region(x, y, min(columns, width - x), 1))
    return regions


class LinePanel(Painted):
    """Draws a scene's lines; only those that differ from the ones before are drawn again."""

    _lines: Sequence[Line] = ()
    _strips: Sequence[Strip] = ()
    _drawn: object = None

    def made(self, width: int, height: int) -> Sequence[Line]:
        """The lines for so many columns and lines between the padding; fewer where nothing stands below."""
        raise NotImplementedError

    def redraw(self) -> None:
        """Draws again the lines that are no longer as they are on the screen."""
        if not self.display or not self.size.height:
            self._drawn = None  # nothing is made for what isn't seen
            return
        before, old = self._drawn, self._lines
        self._paint()
        if before != self._drawn:
            self.refresh()
            return
        regions = changed_regions(old, self._lines, self.size.width)
        if regions:
            self.refresh(*regions)

    def render_line(self, y: int) -> Strip:
        left, top = self.content_offset
        return self.whole()[y + top].crop(left, left + self.size.width)

    def whole(self) -> Sequence[Strip]:
        if self._drawn != self._basis():
            self._paint()
        return self._strips

    def _basis(self) -> object:
        """What lines depend on besides what is shown."""
        return self.outer_size, self.size, self.inks

    def _paint(self) -> None:
        """Makes the lines, and the strips of those that are new."""
        basis, inks, size, outer = self._basis(), self.inks, self.size, self.outer_size
        left, top = self.content_offset
        lines = [*self.made(size.width, size.height)][: size.height]
        kept = self._strips if basis == self._drawn else ()
        paper = inks.style(PLAIN)
        strips = []
        for y in range(outer.height):
            at = y - top
            line = lines[at] if 0 <= at < len(lines) else []
            before = self._lines[at] if 0 <= at < len(self._lines) else []
            if y < len(kept) and line == before:
                strips.append(kept[y])
            elif not line:
                strips.append(Strip.blank(outer.width, paper))
            else:
                segments = segments_of(line, inks)
                strip = Strip(segments).adjust_cell_length(size.width, paper)
                if outer != size:
                    strip = Strip([Segment(" " * left, paper), *strip]).adjust_cell_length(outer.width, paper)
                strips.append(strip)
        self._lines, self._strips, self._drawn = lines, strips, basis
