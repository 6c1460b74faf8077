"""Widgets that keep their finished lines: what a frame costs is what has changed, not all that stands beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import ClassVar, Self

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.color import Color
from textual.containers import Horizontal, Vertical
from textual.filter import ANSIToTruecolor
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from ...scene.spans import AXIS, PLAIN, Line, Span, changed
from .inks import Inks, inks_of

GAPS = frozenset({"edge", "plain"})
"""Kinds of text between cells, which may begin with a hairline."""
EQUALS = "= "
"""What a sentence has before a value in its colour, which a hairline would look like a part of."""
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
        """The styles of the theme on this widget's ground."""
        return inks_of(self.app.theme_variables, self.PANEL)

    def redraw(self) -> None:
        """Draws again what has changed since it was drawn last."""
        self.refresh()

    def whole_strips(self) -> Sequence[Strip]:
        """The lines of the whole widget, each as wide as it is; at least as many as it is high."""
        raise NotImplementedError

    def render_lines(self, crop: Region) -> list[Strip]:
        strips = [*self.whole_strips()[crop.y : crop.bottom]]
        ground = self.inks.paper
        for line_filter in self.app.get_line_filters():
            if not isinstance(line_filter, ANSIToTruecolor):
                strips = [strip.apply_filter(line_filter, ground) for strip in strips]
        if crop.column_span != (0, self.outer_size.width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips


class Barred(Painted):
    """Lines inside the padding, with a bar for a left border; made anew by `refresh` or `redraw`."""

    _kept: tuple[object, list[Strip]] | None = None

    def line(self, y: int, before: Sequence[Segment], after: Sequence[Segment]) -> Strip:
        """Line `y` of the content, between what stands before and behind it."""
        raise NotImplementedError

    def whole_strips(self) -> Sequence[Strip]:
        basis = self._basis()
        if self._kept is None or self._kept[0] != basis:
            self._kept = basis, self._make_strips()
        return self._kept[1]

    def render_line(self, y: int) -> Strip:
        left, top = self.content_offset
        return self.whole_strips()[y + top].crop(left, left + self.size.width)

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        self._kept = None
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def redraw(self) -> None:
        before, basis = self._kept, self._basis()
        if before is None or before[0] != basis or not self.size.height:
            self.refresh()
            return
        strips = self._make_strips()
        changed = [
            y for y, (one, other) in enumerate(zip(before[1], strips, strict=True)) if one is not other and one != other
        ]
        if changed:
            left, top = self.content_offset
            super().refresh(*(Region(-left, y - top, self.outer_size.width, 1) for y in changed))
            self._kept = basis, strips

    def _basis(self) -> object:
        """What the strips depend on besides what is shown: sizes and styles."""
        return self.outer_size, self.size, self.inks, self.styles.border_left[0]

    def _make_strips(self) -> list[Strip]:
        outer, size, paper = self.outer_size, self.size, self.inks.style(PLAIN)
        left, top = self.content_offset
        bar = [Segment(BAR, self.inks.style(AXIS))] if self.styles.border_left[0] else []
        before = [*bar, Segment(" " * (left - len(bar)), paper)]
        after = [Segment(" " * (outer.width - left - size.width), paper)]
        return [self.line(y - top, before, after) for y in range(outer.height)]


class TextPanel(Barred):
    """Draws a Rich text, without Textual's way through its own kind of text."""

    _lines: Sequence[Sequence[Segment]] = ()

    def text(self) -> Text:
        """The text that the panel shows."""
        raise NotImplementedError

    def _make_strips(self) -> list[Strip]:
        options = self.app.console.options.update(width=max(1, self.size.width), height=None)
        self._lines = self.app.console.render_lines(self.text(), options, style=self.inks.style(PLAIN))
        return super()._make_strips()

    def line(self, y: int, before: Sequence[Segment], after: Sequence[Segment]) -> Strip:
        blank = [Segment(" " * self.size.width, self.inks.style(PLAIN))]
        line = self._lines[y] if 0 <= y < min(len(self._lines), self.size.height) else blank
        return Strip([*before, *line, *after])


class Ground(Painted):
    """Nothing but the panel's colour, below what else is drawn there."""

    _blank: tuple[Size, Color, list[Strip]] | None = None

    def whole_strips(self) -> Sequence[Strip]:
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
BEHIND, AHEAD = ("▌", "█"), ("▐", "█")
"""What of a gap brackets the cell behind which it lies, and the cell before which it lies."""


def _with_dividers(line: Sequence[Span], inks: Inks) -> list[Span]:
    """The line with a hairline between a marked cell and bars beside it that are hardly told from its fill."""
    parted = [*line]
    for i, (text, style, _) in enumerate(line):
        if style.kind != "edge":
            continue
        before, after = parted[i - 1] if i else None, parted[i + 1] if i + 1 < len(parted) else None
        if text[:1] in BEHIND and before is not None and before.text[-1:] == " " and inks.blends(before.style):
            parted[i - 1] = before._replace(text=before.text[:-1] + LEFT)
        if text[-1:] in AHEAD and after is not None and after.text[:1] == " " and inks.blends(after.style):
            parted[i + 1] = after._replace(text=RIGHT + after.text[1:])
    return parted


def _clicked(look: Style, action: str) -> Style:
    """A look with what a click on it does."""
    return look + Style(meta={"@click": action}) if action else look


def segments_of(line: Sequence[Span], inks: Inks) -> list[Segment]:
    """A line as segments: cells that are hardly seen on their ground have a hairline in the gaps beside them."""
    if any(span.style.kind == "edge" and not span.text.isspace() for span in line):
        line = _with_dividers(line, inks)
    if not inks.hairlines:
        segments = [Segment(text, _clicked(inks.style(style), action)) for text, style, action in line]
        if not inks.hairlines:  # none of these styles has one either
            return segments
    segments, after, is_sentence = [], None, False
    for text, style, action in line:
        look, hairline = inks.drawn(style)
        look = _clicked(look, action)
        if hairline is not None:
            before, ground, _ = segments[-1] if segments else NOTHING
            if not is_sentence and before[-1:] == " " and ground is not None and ground.bgcolor == hairline.bgcolor:
                segments[-1:] = [Segment(before[:-1], ground)] if before != " " else []
                segments.append(Segment(LEFT, hairline))
            segments.append(Segment(text, look))
        elif after is not None and text[:1] == " " and style.kind in GAPS:
            segments.append(Segment(RIGHT, after))
            if text != " ":
                segments.append(Segment(text[1:], look))
        else:
            segments.append(Segment(text, look))
        after, is_sentence = hairline, text.endswith(EQUALS)
    return segments


@lru_cache(maxsize=1024)
def _cached_strip(line: tuple[Span, ...], inks: Inks, width: int, left: int, outer: int) -> Strip:
    paper = inks.style(PLAIN)
    strip = Strip(segments_of(line, inks)).adjust_cell_length(width, paper)
    if outer != width:
        strip = Strip([Segment(" " * left, paper), *strip]).adjust_cell_length(outer, paper)
    return strip


def strip_of(line: Line, inks: Inks, width: int, left: int = 0, outer: int = 0) -> Strip:
    """A line as a strip: `width` columns behind `left` blank ones, in a widget of `outer` columns, or of `width`.

    The last strips are cached, with what a terminal is sent for them: cells are lines of one fill, and what is edited
    or stepped to and fro comes again.
    """
    return _cached_strip(tuple(line), inks, width, left, outer or width)


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

    def lines(self, width: int, height: int) -> Sequence[Line]:
        """The lines for `width` columns and `height` lines; fewer where nothing stands below."""
        raise NotImplementedError

    def appear(self, wanted: bool) -> None:
        """Takes its place or leaves it; where it is wanted, by no style of its own: a small screen may hide it."""
        self.styles.display = None if wanted else "none"

    @property
    def text(self) -> str:
        """What the lines say, joined by newlines, without styles."""
        return "\n".join("".join(span.text for span in line) for line in self.lines(*self.size))

    def redraw(self) -> None:
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
        return self.whole_strips()[y + top].crop(left, left + self.size.width)

    def whole_strips(self) -> Sequence[Strip]:
        if self._drawn != self._basis():
            self._paint()
        return self._strips

    def _basis(self) -> object:
        """What the strips depend on besides what is shown: sizes and styles."""
        return self.outer_size, self.size, self.inks

    def _paint(self) -> None:
        """Makes the lines, and the strips of those that are new."""
        basis, inks, size, outer = self._basis(), self.inks, self.size, self.outer_size
        left, top = self.content_offset
        lines = [*self.lines(size.width, size.height)][: size.height]
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
                strips.append(strip_of(line, inks, size.width, left, outer.width))
        self._lines, self._strips, self._drawn = lines, strips, basis


Lines = Callable[[int, int], Sequence[Line]]
"""The lines for so many columns and lines."""


class DrawnLines(LinePanel):
    """Draws lines that are made for its room."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._lines_for: Lines = lambda width, height: []

    def show(self, lines_for: Lines) -> None:
        """Draws the lines that `lines_for` makes for a width and height, now and after each change of size."""
        self._lines_for = lines_for
        self.redraw()

    def lines(self, width: int, height: int) -> Sequence[Line]:
        return self._lines_for(width, height)


class PanelLines(DrawnLines):
    """`DrawnLines` on the ground of heads and footers."""

    PANEL = "panel"
