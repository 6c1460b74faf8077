"""Text that is edited: in lines, and in one line whose keys act in the order in which they were pressed."""

from __future__ import annotations

from textual import events
from textual.geometry import Offset
from textual.widgets import Input, TextArea

from .textual_private import actions_of


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


class LineInput(Input):
    """An `Input` that runs its own bindings at once.

    A binding is otherwise looked up after the key has travelled to the app and back, when what was typed right behind
    it is in the field already.
    """

    async def on_key(self, event: events.Key) -> None:
        for action in actions_of(self, event.key):
            if await self.app.run_action(action, self):
                event.stop()
                event.prevent_default()  # else Textual's own handler is called after this one
                return
