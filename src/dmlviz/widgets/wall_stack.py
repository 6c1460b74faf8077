"""A side of the picture on the wall, where a spotlight may dim all but one row and its partners."""

from __future__ import annotations

from ..scene.drawing.spotlight import lit_columns, spotlit
from ..scene.elements.cursor import Cursor
from ..scene.spans import Line
from .answer_board import AnswerStack


class WallStack(AnswerStack, can_focus=False, inherit_bindings=False):
    """Draws tensors; the screen has the keys."""

    spot: tuple[Cursor, ...] = ()
    """The element in the spotlight, and its partners on both sides; () where nothing is dimmed."""

    def shine(self, spot: tuple[Cursor, ...]) -> None:
        """Puts the spotlight on an element and its partners; () puts it out."""
        if spot != self.spot:
            self.spot = spot
            self._window = None
            self.refresh()

    def _focused(self, line: Line, y: int) -> Line:
        line = super()._focused(line, y)
        if not self.spot or self.stack is None:
            return line
        left, top = self.scroll_offset
        return spotlit(line, lit_columns(self.stack, self.spot, y, left, top))
