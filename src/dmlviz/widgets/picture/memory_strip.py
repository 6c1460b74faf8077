"""Linear memory below the picture: the cursor's element and its partner in address order, and the run they move in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events

from ...scene.memory import HEIGHT, LEAST
from ...scene.spans import Line
from ...workspace.shown.state import PicturedState, PictureState
from ..lib.painted import LinePanel
from .tensor_stack import TensorStack

if TYPE_CHECKING:
    from ...scene.memory.strip import Memory


class MemoryStrip(LinePanel):
    """Shows a `Memory`; a click on a cell points at its element."""

    PANEL = "surface"
    _picture: PictureState | None = None

    def present(self, state: PicturedState) -> None:
        picture = state.picture
        if picture is not self._picture:
            self._picture = picture
            self.display = picture.shows_memory
            self.styles.height = picture.memory_lines
            self.redraw()

    def _memory(self, width: int) -> Memory | None:
        picture = self._picture
        if picture is None or picture.trace is None or picture.cursor is None:
            return None
        from ...scene.memory.strip import Memory  # many pictures leave no room for the strip

        return Memory(picture.trace, picture.cursor, width, known=picture.known)

    def lines(self, width: int, height: int) -> list[Line]:
        picture, memory = self._picture, self._memory(width)
        if picture is None or memory is None:
            return []
        return [*([] for _ in range(_air(height))), *memory.lines(picture.look, height)]

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        memory = self._memory(self.size.width)
        height = self.size.height
        if memory is None or offset is None:
            return
        cursor = memory.hit(offset.x, offset.y - _air(height), height)
        if cursor is not None:
            self.post_message(TensorStack.Pointed(cursor, clicked=True))


def _air(height: int) -> int:
    """Empty lines above a strip that has so many lines in all."""
    return height - (HEIGHT if height >= HEIGHT else LEAST)
