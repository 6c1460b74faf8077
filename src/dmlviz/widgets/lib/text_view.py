"""Text that scrolls in a panel of fixed height; without a scrollbar its last line says how much more there is."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import ClassVar

from rich.console import RenderableType
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from .inks import inks_of


def more_of(top: int, count: int, room: int, width: int) -> str:
    """`▾ 12 more lines`, in `width` columns, where `room` of `count` lines are seen from line `top` on; else ""."""
    above, below = max(0, top), max(0, count - top - room)
    texts = []
    if above and below:
        texts = [f"▴ {above:,} above  ▾ {below:,} more {_line_or_lines(below)}", f"▴ {above:,}  ▾ {below:,} more"]
    elif below:
        texts = [f"▾ {below:,} more {_line_or_lines(below)}", f"▾ {below:,} more"]
    elif above:
        texts = [f"▴ {above:,} {_line_or_lines(above)} above", f"▴ {above:,} above"]
    return next((text for text in texts if len(text) <= width), texts[-1][:width] if texts else "")


def after_click(top: int, count: int, room: int) -> int:
    """The first line to show after a click on the mark: a page further, and from the end the first."""
    return min(top + room, count - room) if top + room < count else 0


def _line_or_lines(count: int) -> str:
    return "line" if count == 1 else "lines"


Lines = list[list[Segment]]
Make = Callable[[int, int], Lines]
"""Makes the lines for a panel's width and height."""


class TextView(ScrollView, can_focus=True):
    """Shows a Rich renderable; it is made only where the panel is seen, and only when what it says has changed."""

    COUNTS: ClassVar[bool] = False
    """The last line says how many lines are not seen."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._make: Make | None = None
        self._key: Hashable = None
        self._drawn: Hashable = None
        self._strips: list[Strip] = []
        self._blank = Strip([])

    def say(self, make: Make, key: Hashable) -> None:
        """Shows what `make` makes, unless `key`, which stands for all that it depends on, is the one before."""
        self._make, self._key = make, key
        self._make_strips()

    def on_resize(self) -> None:
        self._make_strips()

    def notify_style_update(self) -> None:
        self._drawn = None
        super().notify_style_update()
        self._make_strips()

    def _make_strips(self) -> None:
        """Makes the strips for the present size; does nothing where text, size and theme are as before."""
        size = self.scrollable_content_region.size
        wanted = (self._key, size, self.app.theme)
        if self._make is None or not size.area or wanted == self._drawn:
            return
        self._drawn = wanted
        lines = self._make(size.width, size.height)
        # As wide as the compositor asks for, so that a line is not made again each time that it is drawn.
        paper = self.rich_style
        self._blank = Strip.blank(self.size.width, paper)
        self._strips = [Strip(line).adjust_cell_length(self.size.width, paper) for line in lines]
        while self._strips and not self._strips[-1].text.strip():
            self._strips.pop()
        # Never less than the room there is, so that a text that fits asks for no new layout.
        virtual = Size(size.width, max(len(self._strips) + self._has_more, size.height))
        if virtual != self.virtual_size:
            self.virtual_size = virtual
        if self.scroll_offset.y > self.max_scroll_y:  # a text that is shorter begins in sight
            self.scroll_to(y=self.max_scroll_y, animate=False)
        self.refresh()

    def lines_of(self, renderable: RenderableType, width: int) -> Lines:
        """A renderable as lines of `width` columns."""
        options = self.app.console.options.update(width=width, height=None)
        return self.app.console.render_lines(renderable, options, style=self.rich_style)

    @property
    def _has_more(self) -> bool:
        """True where the last line is the mark, because the text has more lines than the panel."""
        return self.COUNTS and len(self._strips) > self.size.height > 1

    def is_on_mark(self, event: events.Click) -> bool:
        """True for a click on the line that counts the lines out of sight; such a click only turns the page."""
        offset = event.get_content_offset(self)
        return self._has_more and offset is not None and offset.y == self.size.height - 1

    def on_click(self, event: events.Click) -> None:
        if self.is_on_mark(event):
            top = after_click(self.scroll_offset.y, len(self._strips), self.size.height - 1)
            self.scroll_to(y=top, animate=False)

    def _more_mark(self) -> Strip:
        """The last line, which says how many lines stand above and below."""
        text = more_of(self.scroll_offset.y, len(self._strips), self.size.height - 1, self.size.width)
        paper = self.rich_style
        muted = Style(color=inks_of(self.app.theme_variables).muted.rich_color)
        return Strip([Segment(text, paper + muted)]).adjust_cell_length(self.size.width, paper)

    def render_line(self, y: int) -> Strip:
        if self._has_more and y == self.size.height - 1:
            return self._more_mark()
        at = y + self.scroll_offset.y
        if at >= len(self._strips):
            return self._blank
        return self._strips[at]
