"""Asks what becomes of a file that somebody else has changed since it was read."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Button, Label, Static

from ...errors import plain
from ...session.notes import printable
from ...widgets.inks import inks_of
from .dialog import Dialog

MOST_LINES = 400
"""Lines of the difference that are shown."""


class AskChanged(Dialog[str | None]):
    """Asks what becomes of a file that somebody else has changed: "both", "overwrite" or None."""

    CSS_PATH = "dialog.tcss"
    AUTO_FOCUS = "#both"
    BINDINGS = [
        Binding("escape", "dismiss(None)", "Stay", id="ask.stay"),
        Binding("k", "dismiss('both')", "Keep both", id="ask.both"),
        Binding("ctrl+r", "dismiss('overwrite')", "Overwrite", id="ask.overwrite"),
        Binding("l", "look", "Look", id="ask.look"),
    ]

    def __init__(self, name: str, difference: Sequence[str]) -> None:
        """`difference` are the lines of a unified diff: from what the file holds now to what would be saved."""
        super().__init__()
        self._file, self._difference = name, difference

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            said = f"Somebody else has changed {plain(self._file)} since it was read."
            yield Label(said, classes="question", markup=False)
            with VerticalScroll(classes="look"):
                yield Static(id="difference")
            with Horizontal(classes="buttons"):
                yield Button("Keep both (k)", variant="success", id="both")
                yield Button("Overwrite (^r)", variant="error", id="overwrite")
                yield Button("Look (l)", id="look")
                yield Button("Stay (esc)", id="stay")

    def on_mount(self) -> None:
        self.query_one(".look").display = False

    def action_look(self) -> None:
        """Shows what the file holds now and what would be saved, or hides it."""
        pane = self.query_one(".look")
        pane.display = not pane.display
        if not pane.display:
            return
        inks = inks_of(self.app.theme_variables)
        text = Text("- in the file   + in this explorer\n", inks.muted.hex)
        for line in self._difference[:MOST_LINES]:
            ink = inks.error if line.startswith("-") else inks.accent if line.startswith("+") else inks.muted
            text.append(f"{printable(line)}\n", ink.hex)
        left = len(self._difference) - MOST_LINES
        text.append(f"… {left:,} more lines" if left > 0 else "", inks.muted.hex)
        self.query_one("#difference", Static).update(text)
        pane.focus()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.id == "look":
            self.action_look()
        else:
            self.dismiss(None if event.button.id == "stay" else event.button.id)
