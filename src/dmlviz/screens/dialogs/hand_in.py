"""Hands in what was answered of a lesson: asks for a name or a number and for a file, and writes it."""

from __future__ import annotations

import re

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Input, Label

from ...errors import DmlvizError, plain
from ...teaching.lessons.lessons import Lesson, hand_in_of
from ...teaching.progress.hand_ins import name_of
from ...teaching.progress.progress import Progress
from ...teaching.words.catalogue import sentence
from ..downloads import downloads_of
from .dialog import Dialog
from .file_opening import path_of


class HandInDialog(Dialog[str | None]):
    """Writes the file, and gives the sentence that says so; None where nothing was handed in.

    The file is called after the lesson and the name until somebody calls it otherwise.
    """

    AUTO_FOCUS = "#student"
    BINDINGS = [Binding("escape", "dismiss(None)", "Cancel", id="hand-in.cancel")]

    def __init__(self, lesson: Lesson, progress: Progress) -> None:
        super().__init__()
        self._lesson, self._progress = lesson, progress
        self._offered = self._file_of("")

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog hand-in"):
            yield Label(sentence("handin.ask", title=plain(self._lesson.title, 40)), classes="question", markup=False)
            fields = (
                ("student", sentence("handin.name"), ""),
                ("file", sentence("handin.file"), self._offered),
            )
            for id_, title, value in fields:
                with Horizontal(classes="field"):
                    yield Label(title, classes="name", markup=False)
                    yield Input(value, id=id_)
            yield Label("", classes="trouble", markup=False)
            with Horizontal(classes="buttons flow"):
                yield Button(sentence("handin.write"), id="write", compact=True)
                yield Button(sentence("handin.cancel"), id="cancel", compact=True, action="screen.dismiss(None)")
            yield Label(sentence("handin.tells"), classes="hint", markup=False)

    def _file_of(self, name: str) -> str:
        """The file that is offered for a name."""
        words = (re.sub(r"\W+", "-", part).strip("-")[:60] for part in (self._lesson.name, name))
        return f"{'-'.join(filter(None, words)) or 'answers'}.json"

    @on(Input.Changed)
    def _follow_name(self, event: Input.Changed) -> None:
        event.stop()
        self.say_trouble("")
        file = self.query_one("#file", Input)
        if event.input.id == "student" and file.value == self._offered:
            self._offered = file.value = self._file_of(event.value)

    @on(Input.Submitted)
    @on(Button.Pressed, "#write")
    async def _write(self, event: Input.Submitted | Button.Pressed) -> None:
        event.stop()
        name, file = (self.query_one(f"#{id_}", Input).value.strip() for id_ in ("student", "file"))
        if not name or not file:
            self.say_trouble(sentence("handin.missing"))
            return
        try:
            hand_in = hand_in_of(self._lesson, self._progress.answers, name_of(name, sentence("handin.name")))
            downloads = downloads_of(self.app)
            if downloads is not None:
                file = await downloads.send(file, hand_in.text.encode(), {})
            else:
                hand_in.write(path_of(file))
        except DmlvizError as error:
            self.say_trouble(str(error))
            return
        if file:
            self.dismiss(sentence("handin.done", count=len(hand_in.answers), file=plain(file)))
