"""A field of one line that takes keys in the order in which they were pressed."""

from __future__ import annotations

from textual import events
from textual.binding import NoBinding
from textual.widgets import Input


class LineInput(Input):
    """An `Input` that runs its own bindings at once.

    A binding is otherwise looked up after the key has travelled to the app and back, when what was typed right behind
    it is in the field already.
    """

    async def _on_key(self, event: events.Key) -> None:
        try:
            bindings = self._bindings.get_bindings_for_key(event.key)
        except NoBinding:
            return  # a character: Textual's own handler is called after this one
        for binding in bindings:
            if await self.app.run_action(binding.action, self):
                event.stop()
                event.prevent_default()
                return
