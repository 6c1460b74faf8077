"""Asks for the name of a file."""

from __future__ import annotations

from pathlib import PurePath

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Input, Label
from textual.widgets.input import Selection

from ...errors import DmlvizError
from ...widgets.line_input import LineInput
from .dialog import Dialog
from .file_names import path_of


class AskName(Dialog[str | None]):
    """Asks for the name of a file; None if the question was cancelled. A name that no file can have is refused here.

    The name is selected but for its folder and its suffix, so that typing replaces it.
    """

    CSS_PATH = "dialog.tcss"
    BINDINGS = [Binding("escape", "dismiss(None)", "Cancel", id="ask.cancel")]

    def __init__(self, question: str, name: str, does: str = "saves") -> None:
        """`does` says what enter does with the name."""
        super().__init__()
        self._question, self._file, self._does = question, name, does

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(self._question, classes="question", markup=False)
            yield LineInput(self._file, id="name", select_on_focus=False)
            yield Label("", classes="trouble")
            yield Label(f"enter {self._does}, esc cancels", classes="hint")

    def on_mount(self) -> None:
        name = PurePath(self._file).name if not self._file.endswith("/") else ""
        start = len(self._file) - len(name)
        self.query_one(Input).selection = Selection(start, start + len(PurePath(name).stem))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        name = event.value.strip()
        suffix = PurePath(self._file).suffix
        if suffix and name.endswith(2 * suffix):
            name = name.removesuffix(suffix)  # it was typed before the one that stood there
        if not name:
            return
        try:
            path_of(name)
        except DmlvizError as error:
            self._trouble(str(error))
        else:
            self.dismiss(name)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._trouble("")

    def _trouble(self, sentence: str) -> None:
        label = self.query_one(".trouble", Label)
        label.update(Text(sentence))
        label.set_class(bool(sentence), "on")
