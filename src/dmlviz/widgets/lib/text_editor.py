"""Text of several lines that is edited."""

from __future__ import annotations

from textual.geometry import Offset
from textual.widgets import TextArea


class TextEditor(TextArea):
    """Textual's, which an undo may not end.

    Where an undo takes lines away, and with them a scroll bar, Textual 8.2 looks for the cursor before it has moved it
    to a line that there is, and raises ValueError.
    """

    def scroll_cursor_visible(self, center: bool = False, animate: bool = False) -> Offset:
        """Scrolls to the cursor; while it is on a line that is gone it does nothing, as the cursor moves next."""
        try:
            return super().scroll_cursor_visible(center, animate)
        except ValueError:
            return Offset(0, 0)
