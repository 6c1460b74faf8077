"""Widgets that keep their finished lines: what a frame costs is what has changed, not all that stands beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import ClassVar, Generic, Self, TypeVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from ...scene.spans import PLAIN, Line, Span
from .inks import Inks, inks_of

AnyState = TypeVar("AnyState")
GAPS = frozenset({"edge", "plain"})
"""Kinds of text between cells, which may begin with a hairline."""
EQUALS = "= "
"""What a sentence has before a value in its colour, which a hairline would look like a part of."""
NOTHING = Span("", PLAIN)


class Painted(Widget):
    """Draws lines in the styles of the theme."""

    PANEL: ClassVar[str] = "background"
    """The theme's colour below the lines."""

    @property
    def inks(self) -> Inks:
        """The styles of the theme on this widget's ground."""
        return inks_of(self.app.theme_variables, self.PANEL)

    def refresh_changed(self, before: Sequence[Line], lines: Sequence[Line]) -> None:
        """Has those lines drawn that are others than before."""
        pairs = enumerate(zip(before, lines, strict=False))
        changed = [Region(0, y, self.size.width, 1) for y, (old, new) in pairs if old != new]
        if changed or len(lines) != len(before):
            self.refresh(*(changed if len(lines) == len(before) else ()))


BAR = "▎"
"""What stands at the left of a pane that has the focus, in one column of its own; in the picture titles stand out."""
LEFT, RIGHT = "▕", "▏"
"""Hairlines in the gaps beside a cell: at its left, and at its right."""
BEHIND, AHEAD = ("▌", "█"), ("▐", "█")
"""What of a gap brackets the cell behind which it lies, and the cell before which it lies."""


def segments_of(line: Sequence[Span], inks: Inks) -> list[Segment]:
    """A line as segments; cells hardly seen on their ground, or beside the bars that mark them, have hairlines."""
    looks = [inks.style(span.style) for span in line]
    beside = [NOTHING, *line, NOTHING]
    segs: list[Segment] = []
    for i, (text, style, action) in enumerate(line):
        look, before, after = looks[i], beside[i], beside[i + 2]
        meant = look + Style(meta={"@click": action}) if action else look
        behind, ahead = inks.hairlines.get(before.style), inks.hairlines.get(after.style)
        is_marked = before.style.kind == "edge" and before.text[-1:] in AHEAD
        if is_marked and text[:1] == " " and inks.blends(style):
            text = RIGHT + text[1:]
        is_marked = after.style.kind == "edge" and after.text[:1] in BEHIND
        if is_marked and text[-1:] == " " and inks.blends(style):
            text = text[:-1] + LEFT
        if behind is not None and style.kind in GAPS and text[:1] == " ":
            segs.append(Segment(RIGHT, behind))
            text = text[1:]
        if ahead is None or text[-1:] != " " or look.bgcolor != ahead.bgcolor or text.endswith(EQUALS):
            segs.append(Segment(text, meant))
        else:
            segs += [Segment(text[:-1], meant), Segment(LEFT, ahead)]
    return [seg for seg in segs if seg.text]


@lru_cache(maxsize=1024)
def _cached_strip(line: tuple[Span, ...], inks: Inks, width: int) -> Strip:
    return Strip(segments_of(line, inks)).adjust_cell_length(width, inks.style(PLAIN))


def text_of(lines: Iterable[Iterable[Span]], inks: Inks) -> Text:
    styled = ([(span.text, inks.style(span.style)) for span in line] for line in lines)
    return Text("\n").join(Text.assemble(*line, no_wrap=True) for line in styled)


def strip_of(line: Line, inks: Inks, width: int) -> Strip:
    """A line as a strip of `width` columns; the last ones are cached, as what is stepped to and fro comes again."""
    return _cached_strip(tuple(line), inks, width)


class LinePanel(Painted):
    """Draws a scene's lines."""

    _lines: Sequence[Line] = ()
    _made_for: Size | None = None
    """The size that the lines were made for; None once they are to be made anew."""

    def lines(self, width: int, height: int) -> Sequence[Line]:
        """The lines for `width` columns and `height` lines; fewer where nothing stands below."""
        raise NotImplementedError

    def appear(self, wanted: bool) -> None:
        """Takes its place or leaves it; where it is wanted, by no style of its own: a small screen may hide it."""
        self.styles.display = None if wanted else "none"

    def redraw(self) -> None:
        """Draws the lines again that are others than those that were made last."""
        is_seen = self.display and self.size.height > 0
        lines = [*self.lines(*self.size)] if is_seen else []
        self.refresh_changed(self._lines, lines)
        self._lines, self._made_for = lines, self.size if is_seen else None

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        self._made_for = None
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def render_lines(self, crop: Region) -> list[Strip]:
        if self._made_for != self.size:
            lines = [*self.lines(*self.size)]
            if lines != self._lines and crop.size != self.size:
                self.refresh()  # what lies outside is drawn still as it was
            self._lines, self._made_for = lines, self.size
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        return strip_of(self._lines[y] if y < len(self._lines) else [], self.inks, self.size.width)


class StatePanel(LinePanel, Generic[AnyState]):
    """Draws the lines of a state; nothing before there is one."""

    _state: AnyState | None = None

    def present(self, state: AnyState) -> None:
        """Shows another state."""
        self._state = state
        self.redraw()

    def lines(self, width: int, height: int) -> Sequence[Line]:
        return self.lines_of(self._state, width, height) if self._state is not None else []

    def lines_of(self, state: AnyState, width: int, height: int) -> Sequence[Line]:
        """The lines of a state for `width` columns and `height` lines."""
        raise NotImplementedError


Lines = Callable[[int, int], Sequence[Line]]
"""The lines for so many columns and lines."""


class DrawnLines(LinePanel):
    """Draws lines that are made for its room."""

    _lines_for: Lines | None = None

    def show(self, lines_for: Lines) -> None:
        """Draws the lines that `lines_for` makes for a width and height, now and after each change of size."""
        self._lines_for = lines_for
        self.redraw()

    def lines(self, width: int, height: int) -> Sequence[Line]:
        return self._lines_for(width, height) if self._lines_for is not None else []


class PanelLines(DrawnLines):
    """`DrawnLines` on the ground of heads and footers."""

    PANEL = "panel"
