"""The notes on an experiment, as Markdown."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import Static

from ...session.notes import printable, split_notes
from ...workspace.shown.state import State
from ..lib.inks import Inks, bold, inks_of
from .question_line import has_line

MOST_SHOWN = 8_000
"""Characters of notes that are shown as Markdown: drawing a megabyte of it would take half a minute."""
SCHEMES = ("http", "https", "mailto")
"""What a link in notes may lead to: a click may start whatever program is registered for another one."""


def rendered(notes: str, inks: Inks) -> RenderableType:
    """Notes as Markdown to be drawn; what is longer than anybody would read here is cut, and counted."""
    from markdown_it import MarkdownIt  # both take a while to import, so not before the first frame
    from rich.markdown import Markdown

    more = len(notes) - MOST_SHOWN
    shown = printable(notes[:MOST_SHOWN]) + (f"\n\n… and {more:,} more characters, which are kept" if more > 0 else "")
    parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
    parser.validateLink = lambda url: url.partition(":")[0].lower() in SCHEMES  # type: ignore[method-assign]
    markdown = Markdown(shown, code_theme="bw", inline_code_theme="bw", style=inks.text.hex)
    markdown.parsed = parser.parse(shown)
    return markdown


class NotesPanel(VerticalScroll, can_focus=True):
    """Notes beside the picture, drawn from `begin` on, after the first frame; a click or enter edits them."""

    BINDINGS = [Binding("enter", "screen.notes", show=False, id="notes.edit")]
    _notes = ""
    _begun = False

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    async def begin(self) -> None:
        self._begun = True
        self._say_notes()

    def present(self, state: State) -> None:
        """Shows the notes of a state, without a question that its own line shows whole."""
        notes = state.document.experiment.notes
        rest, question = split_notes(notes)
        notes = rest if has_line(question) else notes
        if notes != self._notes:
            self.scroll_to(y=0, animate=False, immediate=True)
            self._notes = notes
            self.set_class(bool(notes.strip()), "on")
            self._say_notes()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._say_notes()

    def _say_notes(self) -> None:
        if self._begun and self._notes.strip():
            inks = inks_of(self.app.theme_variables, "surface")
            head = Text.assemble(("Notes", bold(inks.text)), ("  n edits", inks.muted.hex))
            self.query_one(Static).update(Group(head, rendered(self._notes, inks)))

    async def on_click(self) -> None:
        await self.screen.run_action("notes")
