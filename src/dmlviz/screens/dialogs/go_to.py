"""Asks for a coordinate, a flat index or a step to go to."""

from __future__ import annotations

from contextlib import suppress

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Input, Label

from ...desc.tensors import brackets
from ...errors import DmlvizError
from ...scene.elements.cursor import Cursor
from ...scene.elements.lookup import value_of
from ...scene.words.go_to import example, find
from ...tracing import Trace
from ...widgets.line_input import LineInput
from .dialog import Dialog


class GoToDialog(Dialog[Cursor | int | None]):
    """The element or the step that is typed; None if the question was cancelled."""

    CSS_PATH = "dialog.tcss"
    BINDINGS = [Binding("escape", "dismiss(None)", "Cancel", id="go-to.cancel")]

    def __init__(self, trace: Trace, cursor: Cursor | None, steps: int) -> None:
        super().__init__()
        self._trace, self._cursor, self._steps = trace, cursor, steps

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label("Go to an element or a step", classes="question")
            yield LineInput(placeholder=example(self._trace.outputs[0]), id="where", max_length=200)
            yield Label("", classes="trouble", markup=False)
            yield Label("", id="found", markup=False)
            yield Label("2,0 or #17 in the tensor under the cursor · step 5 · esc cancels", classes="hint")

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._say("")
        found = ""
        if event.value.strip():
            with suppress(DmlvizError):  # it isn't typed to its end yet; enter says what is wrong
                found = self._words(find(event.value, self._trace, self._cursor, self._steps))
        self.query_one("#found", Label).update(Text(found))

    def _words(self, target: Cursor | int) -> str:
        if isinstance(target, int):
            return f"step {target:,} of {self._steps:,}"
        parts = self._trace.outputs if target.place.is_output else self._trace.inputs
        return f"{parts[target.place.number].path}{brackets(target.index)} = {value_of(self._trace, target)[0]}"

    def _say(self, sentence: str) -> None:
        label = self.query_one(".trouble", Label)
        label.update(Text(sentence))
        label.set_class(bool(sentence), "on")

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if not event.value.strip():
            return
        try:
            self.dismiss(find(event.value, self._trace, self._cursor, self._steps))
        except DmlvizError as error:
            self._say(str(error))
