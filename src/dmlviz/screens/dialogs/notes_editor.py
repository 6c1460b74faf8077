"""Write the notes on an experiment, and the session's title."""

from __future__ import annotations

from collections.abc import Callable

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Input, Label, Static, TextArea

from ...errors import DmlvizError, plain
from ...session.experiments import Experiment
from ...session.notes import printable
from ...widgets.lib.inks import inks_of
from ...widgets.lib.text_editor import TextEditor
from ...widgets.panels.notes_panel import rendered
from .dialog import Dialog


class NotesEditor(Dialog[bool]):
    """What is typed is handed on at once, so that nothing is lost; True where the file is to be saved then."""

    KIND = "notes"
    AUTO_FOCUS = "TextArea"
    BINDINGS = [
        Binding("ctrl+s", "dismiss(True)", "Save the file", priority=True, id="notes.save"),
        Binding("escape,f1", "dismiss(False)", "Done", priority=True, id="notes.close"),
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
        self._name_of_one, self._write_notes, self._write_title = plain(one.name, 50), write_notes, write_title
        self._notes, self._session_title = printable(one.notes), printable(title).replace("\n", " ")

    def compose(self) -> ComposeResult:
        title = Input(self._session_title, id="title", placeholder="the session's title", select_on_focus=False)
        text = TextEditor(self._notes, id="notes-text", soft_wrap=True, tab_behavior="focus")
        titled = Horizontal(Label("Session title  "), title, classes="line")
        shown = VerticalScroll(Static(id="text", markup=False), id="shown", can_focus=False)
        text.border_title, shown.border_title = "Markdown", "Preview"
        both = Horizontal(text, shown, classes="both")
        yield self.frame(f"Notes on {self._name_of_one}", titled, both, hint="tab changes field")

    def on_mount(self) -> None:
        area = self.query_one(TextArea)
        area.move_cursor(area.document.end)
        self.show_in_colour()

    def show_in_colour(self) -> None:
        self.tell("text", rendered(self._notes, inks_of(self.app.theme_variables, "surface")))

    @on(TextArea.Changed)
    @on(Input.Changed)
    def _hand_on(self) -> None:
        notes, title = self.query_one(TextArea).text, self.query_one(Input).value
        try:
            if notes != self._notes:
                self._write_notes(notes)
            if title != self._session_title:
                self._write_title(title)
        except DmlvizError as error:
            self.say_trouble(str(error))
        else:
            self.say_trouble("")
        self._notes, self._session_title = notes, title
        self.show_in_colour()
