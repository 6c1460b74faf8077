"""Asks for a coordinate, a flat index or a step to go to."""

from __future__ import annotations

from collections.abc import Mapping

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Input, Label

from ...errors import DmlvizError
from ...scene.elements.cursor import Cursor
from ...scene.words.go_to import example, find, find_in
from ...tracing import Trace
from ...workspace.shown.state import PictureState
from .dialog import Dialog

Target = Cursor | int | tuple[int, Cursor]
"""An element, a step, or the element of another stage of the chain."""


class GoToDialog(Dialog[Target | None]):
    """The element or the step that is typed; None if the question was cancelled."""

    BINDINGS = [Binding("escape", "dismiss(None)", "Cancel", id="go-to.cancel")]

    def __init__(self, picture: PictureState, stages: Mapping[str, tuple[int, Trace]]) -> None:
        """`picture` has a trace and steps; `stages` are those of its chain, by name."""
        super().__init__()
        self._stages = stages
        assert picture.trace is not None
        assert picture.steps is not None
        self._trace, self._cursor = picture.trace, picture.cursor
        self._steps, self._count_is_told = picture.steps.count, picture.count_is_told

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label("Go to an element or a step", classes="question")
            yield Input(placeholder=example(self._trace.outputs[0]), id="where", max_length=200)
            yield Label("", classes="trouble", markup=False)
            yield Label("2,0 or #17 in the tensor under the cursor · step 5 · esc cancels", classes="hint")

    @on(Input.Changed)
    def _hide_trouble(self, event: Input.Changed) -> None:
        event.stop()
        self.say_trouble("")

    def _parsed(self, text: str) -> Target:
        try:
            return find(text, self._trace, self._cursor, self._steps, count_is_told=self._count_is_told)
        except DmlvizError:
            if (target := find_in(text, self._stages)) is None:
                raise
            return target

    @on(Input.Submitted)
    def _close_with_target(self, event: Input.Submitted) -> None:
        event.stop()
        if not event.value.strip():
            return
        try:
            self.dismiss(self._parsed(event.value))
        except DmlvizError as error:
            self.say_trouble(str(error))
