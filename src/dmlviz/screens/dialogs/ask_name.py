"""Asks for the name of a file, and has it written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import PurePath
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Input, Label
from textual.widgets.input import Selection

from ...errors import DmlvizError, plain, reason_of
from .dialog import Dialog
from .file_names import path_of


class AskName(Dialog[str | None]):
    """Asks for the name of a file; None if the question was cancelled. A name that no file can have is refused here.

    The name is selected but for its folder and its suffix, so that typing replaces it.
    """

    BINDINGS = [Binding("escape", "dismiss(None)", "Cancel", id="ask.cancel")]

    def __init__(self, question: str, name: str, does: str = "saves") -> None:
        """`does` says what enter does with the name."""
        super().__init__()
        self._question, self._file, self._does = question, name, does

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(self._question, classes="question", markup=False)
            yield Input(self._file, id="name", select_on_focus=False)
            yield Label("", classes="trouble")
            yield Label(f"enter {self._does}, esc cancels", classes="hint")

    def on_mount(self) -> None:
        name = PurePath(self._file).name if not self._file.endswith("/") else ""
        start = len(self._file) - len(name)
        self.query_one(Input).selection = Selection(start, start + len(PurePath(name).stem))

    @on(Input.Submitted)
    def _take_name(self, event: Input.Submitted) -> None:
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
            self.say_trouble(str(error))
        else:
            self.dismiss(name)

    @on(Input.Changed)
    def _hide_trouble(self, event: Input.Changed) -> None:
        event.stop()
        self.say_trouble("")


async def write_asked(screen: Screen[Any], question: str, name: str, write: Callable[[str], Awaitable[str]]) -> None:
    """Asks for a file's name, first offering `name`, until it is written or the question is cancelled.

    `write` writes the file of a name and returns what is told of it, or "" where another name is to be asked for.
    What can't be written is told, too, and asked for again.
    """
    while (answer := await screen.app.push_screen_wait(AskName(question, name))) is not None:
        name = answer
        try:
            said = await write(name)
        except DmlvizError as error:
            screen.notify(str(error), severity="error", markup=False)
        except (OSError, ValueError, MemoryError) as error:  # what stands there can't be looked at
            text = f"{plain(name)} can't be written: {reason_of(error)}."
            screen.notify(text, severity="error", markup=False)
        else:
            if said:
                screen.notify(said, markup=False)
                return
