"""Text of several lines that is edited."""

from __future__ import annotations

from textual import events
from textual.geometry import Offset
from textual.widgets import TextArea

MOST_PASTED = 100_000
"""Characters; each key in a line of a megabyte would take seconds."""


class TextEditor(TextArea):
    """Textual's, which an undo may not end, and which refuses a paste that it would be slow with.

    Where an undo takes lines away, and with them a scroll bar, Textual 8.2 looks for the cursor before it has moved it
    to a line that there is, and raises ValueError.
    """

    def scroll_cursor_visible(self, center: bool = False, animate: bool = False) -> Offset:
        """Scrolls to the cursor; while it is on a line that is gone it does nothing, as the cursor moves next."""
        try:
            return super().scroll_cursor_visible(center, animate)
        except ValueError:
            return Offset(0, 0)

    async def _on_paste(self, event: events.Paste) -> None:
        if self.read_only:
            return
        event.stop()  # Textual's own handler comes next, and puts it in
        if len(event.text) > MOST_PASTED:
            event.prevent_default()
            said = f"What was pasted has {len(event.text):,} characters, expected {MOST_PASTED:,} at most."
            self.notify(said, severity="warning", markup=False)
