"""A field for numbers: up and down step the number under the cursor."""

from __future__ import annotations

from textual import events
from textual.binding import Binding, NoBinding
from textual.widgets import Input

from .form_rows import stepped


class NumberInput(Input):
    """A one-line `Input` of integers."""

    BINDINGS = [
        Binding("up", "step(1)", "One more", show=False, id="field.more"),
        Binding("down", "step(-1)", "One less", show=False, id="field.less"),
    ]

    async def _on_key(self, event: events.Key) -> None:
        """Runs the field's own bindings in the order in which keys were pressed.

        A binding is otherwise looked up after the key has travelled to the app and back, when a digit that was typed
        right behind it is in the field already: backspace and 8 would make 08 of 0.
        """
        try:
            bindings = self._bindings.get_bindings_for_key(event.key)
        except NoBinding:
            return
        event.stop()
        event.prevent_default()
        for binding in bindings:
            await self.run_action(binding.action)

    def action_step(self, by: int) -> None:
        text = self.value or str(self.placeholder).removesuffix("auto").strip()
        at = self.cursor_position if self.value else len(text)
        value, position = stepped(text, at, by)
        if value != self.value:
            self.value = value
            self.cursor_position = position
