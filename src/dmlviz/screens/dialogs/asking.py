"""Dialogs that ask one thing: what is to become of work that may be lost, or for a line of text."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Input, Label
from textual.widgets.input import Selection

from ...errors import DmlvizError, plain
from ...operators.registry import operator_of
from ...session.recovery import LostSession
from .dialog import Dialog
from .file_opening import path_of

Answer = TypeVar("Answer")


def _choice(keys: str, label: str, answer: str) -> Binding:
    return Binding(keys, f"dismiss({answer!r})", label, id=f"ask.{answer}")


def _stay(label: str) -> Binding:
    return Binding("escape", "dismiss(None)", label, id="ask.stay")


class Ask(Dialog[str | None]):
    """Says a sentence, and lines below it; gives the answer that is chosen, None where everything is to stay.

    Enter takes the first choice, which loses nothing.
    """

    def __init__(self, said: str, *lines: str) -> None:
        super().__init__()
        self._said, self._lines = said, lines

    def compose(self) -> ComposeResult:
        yield self.frame(self._said, *(Label(line, classes="line", markup=False) for line in self._lines))


class AskUnsaved(Ask):
    """Asks what becomes of unsaved changes: "save" or "discard". No letter answers: it was meant for others."""

    BINDINGS = [_choice("ctrl+s,enter", "Save", "save"), _choice("ctrl+d", "Don't save", "discard"), _stay("Cancel")]

    def __init__(self) -> None:
        super().__init__("The session has unsaved changes.")


class AskReplace(Ask):
    """Asks whether a file that is there already, or that somebody else has changed, is to be replaced: "replace"."""

    BINDINGS = [_stay("Keep it"), _choice("ctrl+r", "Replace it", "replace")]


class AskLost(Ask):
    """Asks what becomes of a session that a crash left behind: "open" or "discard"; None is for later."""

    BINDINGS = [_choice("o,enter", "Open", "open"), _choice("ctrl+d", "Discard", "discard"), _stay("Later")]

    def __init__(self, lost: LostSession, more: int) -> None:
        """`more` is how many other sessions were left behind."""
        doc = lost.document
        super().__init__(
            "A session that wasn't saved was found.",
            f"{operator_of(doc.experiment.desc).name} · {plain(doc.experiment.name, 50)}",
            f"from {plain(str(doc.path))}" if doc.path is not None else "never in a file",
            f"last edited {time.strftime('%H:%M:%S on %d %B', time.localtime(lost.written))}",
            *([f"There are {more} more."] if more else []),
        )


class AskLine(Dialog[Answer | None], Generic[Answer]):
    """Asks for a line of text, and gives what it means; None if the question was cancelled."""

    BINDINGS = [Binding("escape", "dismiss(None)", "Cancel", id="ask.cancel")]

    def __init__(
        self,
        question: str,
        meaning: Callable[[str], Answer],
        *,
        text: str = "",
        replaced: str = "",
        example: str = "",
        hint: str = "",
    ) -> None:
        """`meaning` raises DmlvizError with the sentence that refuses a line; typing takes the place of `replaced`."""
        super().__init__()
        self._question, self._meaning, self._hint = question, meaning, hint
        self._field = Input(text, placeholder=example, id="line", select_on_focus=False)
        start = text.rfind(replaced)
        self._field.selection = Selection(start, start + len(replaced))

    def compose(self) -> ComposeResult:
        yield self.frame(self._question, self._field, hint=self._hint)

    @on(Input.Submitted)
    def _take(self, event: Input.Submitted) -> None:
        try:
            if event.value.strip():
                self.dismiss(self._meaning(event.value.strip()))
        except DmlvizError as error:
            self.say_trouble(str(error))


class AskName(AskLine[Path]):
    """Asks for the name of a file; typing takes the place of the one that is offered, but for folder and suffix."""

    def __init__(self, question: str, name: str) -> None:
        suffix, stem = PurePath(name).suffix, PurePath(name).stem if not name.endswith("/") else ""

        def path(typed: str) -> Path:
            is_doubled = suffix and typed.endswith(2 * suffix)  # it was typed before the one that stood there
            return path_of(typed.removesuffix(suffix) if is_doubled else typed)

        super().__init__(question, path, text=name, replaced=stem, hint="enter saves")
