"""Asks what becomes of a session that a crash left behind."""

from __future__ import annotations

import time

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Label

from ...errors import plain
from ...operators.registry import operator_of
from ...session.recovery import Found
from .dialog import Dialog


class AskLost(Dialog[str | None]):
    """Asks what becomes of a session that a crash left behind: "open", "discard" or None for later."""

    CSS_PATH = "dialog.tcss"
    BINDINGS = [
        Binding("escape,l", "dismiss(None)", "Later", id="ask.later"),
        Binding("o", "dismiss('open')", "Open", id="ask.open"),
        Binding("ctrl+d", "dismiss('discard')", "Discard", id="ask.discard-lost"),
    ]

    def __init__(self, lost: Found, more: int) -> None:
        super().__init__()
        self._lost, self._more = lost, more

    def compose(self) -> ComposeResult:
        document = self._lost.document
        count = len(document.session.experiments)
        what = [
            f"{operator_of(document.experiment.desc).name} · {plain(document.experiment.name, 50)}",
            f"{count} experiments" if count > 1 else "",
            f"from {plain(str(document.path))}" if document.path is not None else "never in a file",
            f"last edited {time.strftime('%H:%M:%S on %d %B', time.localtime(self._lost.written))}",
        ]
        with Vertical(classes="dialog"):
            yield Label("A session that wasn't saved was found.", classes="question")
            for line in what:
                if line:
                    yield Label(line, classes="line", markup=False)
            if self._more:
                yield Label(f"{self._more} more {'is' if self._more == 1 else 'are'} there.", classes="line")
            with Horizontal(classes="buttons"):
                yield Button("Open (o)", variant="success", id="open")
                yield Button("Discard (^d)", variant="error", id="discard")
                yield Button("Later (esc)", id="later")

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(None if event.button.id == "later" else event.button.id)
