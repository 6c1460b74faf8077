"""Write the notes on an experiment, and the session's title."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Button, Input, Label, Static, TextArea

from ...errors import DmlvizError, plain
from ...session.document import Document
from ...widgets.inks import inks_of
from ...widgets.notes_panel import printable, rendered
from .dialog import Dialog


class NotesEditor(Dialog[None]):
    """What is typed is in the document at once, so that nothing is lost; all of it is one edit to undo.

    `changed` is called after each change.
    """

    CSS_PATH = "dialog.tcss"
    BINDINGS = [
        Binding("escape,f1", "close", "Close", priority=True, id="notes.close"),
        Binding("ctrl+s", "save", "Close and save", priority=True, id="notes.save"),
    ]

    def __init__(self, document: Document, changed: Callable[[], None]) -> None:
        super().__init__()
        self._document = document
        self._changed = changed
        self._key = object()
        self._shown = printable(document.experiment.notes)
        self._title = printable(document.session.title).replace("\n", " ")

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog notes"):
            yield Label(f"Notes on {plain(self._document.experiment.name, 50)}", classes="question", markup=False)
            with Horizontal(classes="field"):
                yield Label("Session title", classes="name")
                yield Input(self._title, id="title", placeholder="what the session is about")
            with Horizontal(classes="both"):
                yield TextArea(self._shown, id="notes-text", soft_wrap=True, tab_behavior="focus")
                with VerticalScroll(id="preview", can_focus=False):
                    yield Static()
            yield Label("", classes="trouble")
            with Horizontal(classes="foot"):
                yield Label("Markdown · tab changes field", classes="hint")
                yield Button("Save the file (^s)", id="save", compact=True)
                yield Button("Done (esc)", id="close", compact=True)

    def on_mount(self) -> None:
        area = self.query_one(TextArea)
        area.focus()
        area.move_cursor(area.document.end)
        self.call_after_refresh(self._preview)

    def on_resize(self) -> None:
        self.set_class(self.size.width < 100, "narrow")

    def _preview(self) -> None:
        inks = inks_of(self.app.theme_variables, "surface")
        notes = self._document.experiment.notes
        found = rendered(notes, inks) if notes.strip() else Text("What is written shows here.", inks.muted.hex)
        self.query_one("#preview Static", Static).update(found)

    @on(TextArea.Changed)
    def _written(self, event: TextArea.Changed) -> None:
        event.stop()
        if event.text_area.text != self._shown:
            self._shown = event.text_area.text
            self._edit(lambda: self._document.set_notes(self._shown, self._key))
            self._preview()

    @on(Input.Changed)
    def _titled(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self._title:
            self._title = event.value
            self._edit(lambda: self._document.set_title(self._title, self._key))

    def _edit(self, make: Callable[[], None]) -> None:
        label = self.query_one(".trouble", Label)
        try:
            make()
        except DmlvizError as error:
            label.update(Text(str(error)))
            label.add_class("on")
            return
        label.remove_class("on")
        self._changed()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.id == "save":
            self.action_save()
        else:
            self.action_close()

    def action_close(self) -> None:
        self._document.history.pause()
        self.dismiss(None)

    def action_save(self) -> None:
        from ..explorer.explorer import Explorer

        self.action_close()
        for screen in self.app.screen_stack:
            if isinstance(screen, Explorer):
                self.app.call_later(screen.action_save)
