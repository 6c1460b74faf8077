"""Write the notes on an experiment, and the session's title."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Button, Input, Label, Static, TextArea

from ...errors import DmlvizError, plain
from ...session.experiments import Experiment
from ...session.notes import printable
from ...widgets.lib.inks import inks_of
from ...widgets.lib.text_editor import LineInput, TextEditor
from ...widgets.panels.notes_panel import rendered
from .dialog import Dialog

MOST_PASTED = 100_000
"""Characters; each key in a line of a megabyte would take seconds."""


class NotesArea(TextEditor):
    """The text of the notes. A paste that the field would be slow with is refused."""

    async def _on_paste(self, event: events.Paste) -> None:
        if len(event.text) > MOST_PASTED:
            event.stop()
            event.prevent_default()
            said = f"What was pasted has {len(event.text):,} characters, expected {MOST_PASTED:,} at most."
            self.notify(said, severity="warning", markup=False)


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
        self._experiment_name = one.name
        self._notes = one.notes
        self._shown = printable(one.notes)
        self._session_title = printable(title).replace("\n", " ")
        self._write_notes, self._write_title = write_notes, write_title

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog notes"):
            yield Label(f"Notes on {plain(self._experiment_name, 50)}", classes="question", markup=False)
            with Horizontal(classes="field"):
                yield Label("Session title", classes="name")
                yield LineInput(self._session_title, id="title", placeholder="what the session is about")
            with Horizontal(classes="both"):
                yield NotesArea(self._shown, id="notes-text", soft_wrap=True, tab_behavior="focus")
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
        notes = self._notes
        text = rendered(notes, inks) if notes.strip() else Text("What is written shows here.", inks.muted.hex)
        self.query_one("#preview Static", Static).update(text)

    @on(TextArea.Changed)
    def _notes_typed(self, event: TextArea.Changed) -> None:
        event.stop()
        if event.text_area.text != self._shown:
            self._shown = event.text_area.text
            self._notes = self._shown
            self._edit_or_say_trouble(lambda: self._write_notes(self._shown))
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
