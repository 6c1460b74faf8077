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
NOTHING = Segment("")


class Painted(Widget):
    """Draws lines in the styles of the theme."""

    PANEL: ClassVar[str] = "background"
    """The theme's colour below the lines."""

    @property
    def inks(self) -> Inks:
        """The styles of the theme on this widget's ground."""
        return inks_of(self.app.theme_variables, self.PANEL)

    def redraw(self) -> None:
        """Draws again."""
        self.refresh()


BAR = "▎"
"""What stands at the left of a pane that has the focus, in one column of its own; as style sheets' `wide` draws it.

Thinner than what brackets a cell: it is no wall. In the picture titles stand out instead.
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
    return look + Style(meta={"@click": action}) if action else look


def segments_of(line: Sequence[Span], inks: Inks) -> list[Segment]:
    """A line as segments: cells that are hardly seen on their ground have a hairline in the gaps beside them."""
    if any(span.style.kind == "edge" and not span.text.isspace() for span in line):
        line = _with_dividers(line, inks)
    if not inks.hairlines:
        segs = [Segment(text, _clicked(inks.style(style), action)) for text, style, action in line]
        if not inks.hairlines:  # none of these styles has one either
            return segs
    segs, after, is_sentence = [], None, False
    for text, style, action in line:
        look, hairline = _clicked(inks.style(style), action), inks.hairlines.get(style)
        if hairline is not None:
            before, ground, _ = segs[-1] if segs else NOTHING
            if not is_sentence and before[-1:] == " " and ground is not None and ground.bgcolor == hairline.bgcolor:
                segs[-1:] = [Segment(before[:-1], ground)] if before != " " else []
                segs.append(Segment(LEFT, hairline))
            segs.append(Segment(text, look))
        elif after is not None and text[:1] == " " and style.kind in GAPS:
            segs.append(Segment(RIGHT, after))
            if text != " ":
                segs.append(Segment(text[1:], look))
        else:
            segs.append(Segment(text, look))
        after, is_sentence = hairline, text.endswith(EQUALS)
    return segs


@lru_cache(maxsize=1024)
def _cached_strip(line: tuple[Span, ...], inks: Inks, width: int) -> Strip:
    return Strip(segments_of(line, inks)).adjust_cell_length(width, inks.style(PLAIN))


def text_of(lines: Iterable[Line], inks: Inks) -> Text:
    """Lines as one text."""
    styled = ([(span.text, inks.style(span.style)) for span in line] for line in lines)
    return Text("\n").join(Text.assemble(*line, no_wrap=True) for line in styled)


def strip_of(line: Line, inks: Inks, width: int) -> Strip:
    """A line as a strip of `width` columns.

    The last strips are cached, with what a terminal is sent for them: cells are lines of one fill, and what is edited
    or stepped to and fro comes again.
    """
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

    @property
    def text(self) -> str:
        """What the lines say, joined by newlines, without styles."""
        return "\n".join("".join(span.text for span in line) for line in self.lines(*self.size))

    def redraw(self) -> None:
        """Draws the lines again that are others than those that were made last."""
        is_seen = self.display and self.size.height > 0
        lines = [*self.lines(*self.size)] if is_seen else []
        pairs = enumerate(zip(self._lines, lines, strict=False))
        changed = [Region(0, y, self.size.width, 1) for y, (before, line) in pairs if line != before]
        if len(lines) != len(self._lines):
            self.refresh()
        elif changed:
            self.refresh(*changed)
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

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._state: AnyState | None = None

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
