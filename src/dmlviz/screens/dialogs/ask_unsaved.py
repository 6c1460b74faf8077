"""Asks what becomes of unsaved changes."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Label

from .dialog import Dialog


class AskUnsaved(Dialog[str | None]):
    """Asks what becomes of unsaved changes: "save", "discard" or None. No letter answers: it was meant for others."""

    CSS_PATH = "dialog.tcss"
    BINDINGS = [
        Binding("escape", "dismiss(None)", "Cancel", id="ask.stay"),
        Binding("ctrl+s", "dismiss('save')", "Save", id="ask.save"),
        Binding("ctrl+d", "dismiss('discard')", "Don't save", id="ask.discard"),
    ]

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label("The session has unsaved changes.", classes="question")
            with Horizontal(classes="buttons"):
                yield Button("Save (^s)", variant="success", id="save")
                yield Button("Don't save (^d)", variant="error", id="discard")
                yield Button("Cancel (esc)", id="stay")

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(None if event.button.id == "stay" else event.button.id)
