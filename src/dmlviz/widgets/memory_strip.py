"""Linear memory below the picture: the cursor's element and its partner in address order, and the run they move in."""

from __future__ import annotations

from dataclasses import dataclass

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from ..scene.figure import Cursor, Look
from ..scene.memory import Memory
from ..tracing import Trace
from .inks import inks_of


class MemoryStrip(Widget):
    """Shows a `Memory`; a click on a cell points at its element."""

    @dataclass
    class Pointed(Message):
        """The user looks at an element."""

        cursor: Cursor

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._what: tuple[Trace, Cursor] | None = None
        self._look = Look()
        self._drawn: tuple[Memory, list[Strip]] | None = None

    def show(self, trace: Trace | None, cursor: Cursor | None, look: Look) -> None:
        """The memory around an element; it is worked out when it is drawn."""
        self._what = (trace, cursor) if trace is not None and cursor is not None else None
        self._look, self._drawn = look, None
        self.refresh()

    def notify_style_update(self) -> None:
        self._drawn = None
        super().notify_style_update()

    def _made(self, width: int) -> tuple[Memory, list[Strip]] | None:
        if self._what is not None and (self._drawn is None or self._drawn[0].width != width):
            memory = Memory(*self._what, width)
            inks = inks_of(self.app.theme_variables, "surface")
            strips = [
                Strip([Segment(span.text, inks.style(span.style)) for span in line])
                for line in memory.lines(self._look)
            ]
            self._drawn = memory, strips
        return self._drawn if self._what is not None else None

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        made = self._made(width)
        if made is None or y >= len(made[1]):
            return Strip.blank(width, self.rich_style)
        return made[1][y].adjust_cell_length(width, self.rich_style)

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        made = self._made(self.size.width)
        found = made[0].hit(offset.x, offset.y) if made is not None and offset is not None else None
        if found is not None:
            self.post_message(self.Pointed(found))
