"""Linear memory below the picture: the cursor's element and its partner in address order, and the run they move in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import events
from textual.message import Message

from ...scene.elements.cursor import Cursor
from ...scene.elements.known import EVERYTHING, Known
from ...scene.look import Look
from ...scene.memory import HEIGHT, LEAST
from ...scene.spans import Line
from ...tracing import Trace
from ...workspace.shown.state import PictureState
from ..lib.painted import LinePanel
from .picture_pane import Pictured

if TYPE_CHECKING:
    from ...scene.memory.strip import Memory


class MemoryStrip(LinePanel):
    """Shows a `Memory`; a click on a cell points at its element."""

    PANEL = "surface"

    @dataclass(repr=False, eq=False)
    class Pointed(Message):
        """The user looks at an element."""

        cursor: Cursor

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._picture: PictureState | None = None
        self._what: tuple[Trace, Cursor] | None = None
        self._known = EVERYTHING
        self._look = Look()

    def present(self, state: Pictured) -> None:
        """Shows another state."""
        picture = state.picture
        if picture is not self._picture:
            self._picture = picture
            self.display = picture.shows_memory
            self.styles.height = picture.memory_lines
            self.show(picture.trace, picture.cursor, picture.look, picture.known)

    def show(self, trace: Trace | None, cursor: Cursor | None, look: Look, known: Known = EVERYTHING) -> None:
        """Shows the memory around an element as far as it is known; nothing without a trace and a cursor."""
        self._what = (trace, cursor) if trace is not None and cursor is not None else None
        self._look, self._known = look, known
        self.redraw()

    def _memory(self, width: int) -> Memory | None:
        if self._what is None:
            return None
        from ...scene.memory.strip import Memory  # many pictures leave no room for the strip

        return Memory(*self._what, width, known=self._known)

    def lines(self, width: int, height: int) -> list[Line]:
        memory = self._memory(width)
        return [*([] for _ in range(_air(height))), *memory.lines(self._look, height)] if memory is not None else []

    def on_click(self, event: events.Click) -> None:
        offset, memory, height = event.get_content_offset(self), self._memory(self.size.width), self.size.height
        if memory is None or offset is None:
            return
        cursor = memory.hit(offset.x, offset.y - _air(height), height)
        if cursor is not None:
            self.post_message(self.Pointed(cursor))


def _air(height: int) -> int:
    """Empty lines above a strip that has so many lines in all."""
    return height - (HEIGHT if height >= HEIGHT else LEAST)
