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
from ...session.experiments import Experiment
from ...session.notes import printable
from ...widgets.lib.inks import inks_of
from ...widgets.lib.text_editor import TextEditor
from ...widgets.panels.notes_panel import rendered
from .dialog import Dialog


class NotesEditor(Dialog[bool]):
    """What is typed is handed on at once, so that nothing is lost; True where the file is to be saved then."""

    BINDINGS = [
        Binding("escape,f1", "dismiss(False)", "Close", priority=True, id="notes.close"),
        Binding("ctrl+s", "dismiss(True)", "Close and save", priority=True, id="notes.save"),
    ]

    def __init__(
        self,
        one: Experiment,
        title: str,
        write_notes: Callable[[str], None],
        write_title: Callable[[str], None],
    ) -> None:
        """The two functions take what is typed; they raise DmlvizError with a sentence where it can't be so."""
        super().__init__()
        self._experiment_name, self._write_notes, self._write_title = one.name, write_notes, write_title
        self._notes, self._session_title = printable(one.notes), printable(title).replace("\n", " ")

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog notes"):
            yield Label(f"Notes on {plain(self._experiment_name, 50)}", classes="question", markup=False)
            with Horizontal(classes="field"):
                yield Label("Session title", classes="name")
                yield Input(self._session_title, id="title", placeholder="what the session is about")
            with Horizontal(classes="both"):
                yield TextEditor(self._notes, id="notes-text", soft_wrap=True, tab_behavior="focus")
                with VerticalScroll(id="preview", can_focus=False):
                    yield Static()
            yield Label("", classes="trouble")
            with Horizontal(classes="foot"):
                yield Label("Markdown · tab changes field", classes="hint")
                yield Button("Save the file (^s)", id="save", compact=True, action="screen.dismiss(True)")
                yield Button("Done (esc)", id="close", compact=True, action="screen.dismiss(False)")

    def on_mount(self) -> None:
        area = self.query_one(TextArea)
        area.focus()
        area.move_cursor(area.document.end)
        self.call_after_refresh(self._show_preview)

    def _show_preview(self) -> None:
        inks = inks_of(self.app.theme_variables, "surface")
        empty = Text("What is written shows here.", inks.muted.hex)
        text = rendered(self._notes, inks) if self._notes.strip() else empty
        self.query_one("#preview Static", Static).update(text)

    @on(TextArea.Changed)
    def _notes_typed(self, event: TextArea.Changed) -> None:
        event.stop()
        if event.text_area.text != self._notes:
            self._notes = event.text_area.text
            self._edit_or_say_trouble(lambda: self._write_notes(self._notes))
            self._show_preview()

    @on(Input.Changed)
    def _title_typed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self._session_title:
            self._session_title = event.value
            self._edit_or_say_trouble(lambda: self._write_title(self._session_title))

    def _edit_or_say_trouble(self, make: Callable[[], None]) -> None:
        try:
            make()
        except DmlvizError as error:
            self.say_trouble(str(error))
        else:
            self.say_trouble("")
