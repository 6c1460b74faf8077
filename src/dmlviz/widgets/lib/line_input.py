"""A field of one line that takes keys in the order in which they were pressed."""

from __future__ import annotations

from textual import events
from textual.widgets import Input

from .textual_private import actions_of


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
