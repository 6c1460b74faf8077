"""Asks whether a file that is there already is to be replaced."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Label

from ...errors import plain
from .dialog import Dialog


class AskReplace(Dialog[bool]):
    """Asks whether a file that is there already is to be replaced."""

    CSS_PATH = "dialog.tcss"
    BINDINGS = [
        Binding("escape", "dismiss(False)", "Keep", id="ask.keep"),
        Binding("ctrl+r", "dismiss(True)", "Replace", id="ask.replace"),
    ]

    def __init__(self, name: str) -> None:
        super().__init__()
        self._file = name

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(f"{plain(self._file)} is there already.", classes="question", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("Keep it (esc)", id="keep")
                yield Button("Replace it (^r)", variant="error", id="replace")

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.id == "replace")
