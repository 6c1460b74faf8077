"""A field for numbers: up and down step the number under the cursor."""

from __future__ import annotations

from textual.binding import Binding
from textual.widgets import Input

from .form_rows import stepped


class NumberInput(Input):
    """A one-line `Input` of integers."""

    BINDINGS = [
        Binding("up", "step(1)", "One more", show=False, id="field.more"),
        Binding("down", "step(-1)", "One less", show=False, id="field.less"),
    ]

    def action_step(self, by: int) -> None:
        text = self.value or str(self.placeholder).removesuffix("auto").strip()
        at = self.cursor_position if self.value else len(text)
        value, position = stepped(text, at, by)
        if value != self.value:
            self.value = value
            self.cursor_position = position
