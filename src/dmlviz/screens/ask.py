"""Short questions: a file's name, and what becomes of unsaved changes or of a session that was left behind."""

from __future__ import annotations

import time

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Input, Label

from ..errors import plain
from ..operators import operator_of
from ..session.recovery import Found
from .dialog import Dialog


class AskName(Dialog[str | None]):
    """Asks for the name of a file; None if the question was cancelled."""

    CSS_PATH = "ask.tcss"
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


class AskReplace(Dialog[bool]):
    """Asks whether a file that is there already is to be replaced."""

    CSS_PATH = "ask.tcss"
    BINDINGS = [
        Binding("escape", "dismiss(False)", "Keep", id="ask.keep"),
        Binding("r", "dismiss(True)", "Replace", id="ask.replace"),
    ]

    def __init__(self, name: str) -> None:
        super().__init__()
        self._file = name

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(f"{plain(self._file)} is there already.", classes="question", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("Keep it (esc)", id="keep")
                yield Button("Replace it (r)", variant="error", id="replace")

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.id == "replace")


class AskUnsaved(Dialog[str | None]):
    """Asks what becomes of unsaved changes: "save", "discard" or None."""

    CSS_PATH = "ask.tcss"
    BINDINGS = [
        Binding("escape", "dismiss(None)", "Stay", id="ask.stay"),
        Binding("s", "dismiss('save')", "Save", id="ask.save"),
        Binding("d", "dismiss('discard')", "Discard", id="ask.discard"),
    ]

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label("The session has unsaved changes.", classes="question")
            with Horizontal(classes="buttons"):
                yield Button("Save (s)", variant="success", id="save")
                yield Button("Discard (d)", variant="error", id="discard")
                yield Button("Stay (esc)", id="stay")

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(None if event.button.id == "stay" else event.button.id)


class AskLost(Dialog[str | None]):
    """Asks what becomes of a session that a crash left behind: "open", "discard" or None for later."""

    CSS_PATH = "ask.tcss"
    BINDINGS = [
        Binding("escape,l", "dismiss(None)", "Later", id="ask.later"),
        Binding("o", "dismiss('open')", "Open", id="ask.open"),
        Binding("d", "dismiss('discard')", "Discard", id="ask.discard-lost"),
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
                yield Button("Discard (d)", variant="error", id="discard")
                yield Button("Later (esc)", id="later")

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(None if event.button.id == "later" else event.button.id)
