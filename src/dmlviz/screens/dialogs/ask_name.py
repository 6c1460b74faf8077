"""Asks for the name of a file."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Input, Label

from .dialog import Dialog


class AskName(Dialog[str | None]):
    """Asks for the name of a file; None if the question was cancelled."""

    CSS_PATH = "dialog.tcss"
    BINDINGS = [Binding("escape", "dismiss(None)", "Cancel", id="ask.cancel")]

    def __init__(self, question: str, name: str, does: str = "saves") -> None:
        """`does` says what enter does with the name."""
        super().__init__()
        self._question, self._file, self._does = question, name, does

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(self._question, classes="question", markup=False)
            yield Input(self._file, id="name", select_on_focus=False)
            yield Label(f"enter {self._does}, esc cancels", classes="hint")

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value.strip():
            self.dismiss(event.value.strip())
