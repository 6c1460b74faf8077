"""The notes on an experiment, as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widgets import Static

from ...session.notes import printable, split_notes
from ...workspace.shown.state import State
from ..lib.inks import Inks, inks_of
from .question_line import is_whole

MOST_SHOWN = 8_000
"""Characters of notes that are shown as Markdown: drawing a megabyte of it would take half a minute."""
SCHEMES = ("http", "https", "mailto")
"""What a link in notes may lead to."""


def rendered(notes: str, inks: Inks) -> RenderableType:
    """Notes as Markdown to be drawn; what is longer than anybody would read here is cut, and counted."""
    from rich.markdown import Markdown  # takes a while to import, so not before the first frame

    markdown = Markdown(printable(notes[:MOST_SHOWN]), code_theme="bw", inline_code_theme="bw", style=inks.text.hex)
    markdown.parsed = _without_html(markdown.parsed)
    _unlink_other_schemes(markdown.parsed)
    if len(notes) <= MOST_SHOWN:
        return markdown
    return Group(markdown, Text(f"… and {len(notes) - MOST_SHOWN:,} more characters, which are kept", inks.muted.hex))


def _without_html(tokens: Sequence[Any]) -> list[Any]:
    """Tokens with HTML as the text that was written; Rich would leave HTML out."""
    kept = []
    for token in tokens:
        if token.type == "html_inline":
            token.type = "text"
        token.children = _without_html(token.children) if token.children else token.children
        if token.type != "html_block":
            kept.append(token)
            continue
        kind = type(token)
        lines = [kind("text", "", 0, content=line) for line in token.content.rstrip("\n").split("\n")]
        children = [part for line in lines for part in (line, kind("hardbreak", "br", 0))][:-1]
        inline = kind("inline", "", 0, content=token.content, children=children)
        kept += [kind("paragraph_open", "p", 1), inline, kind("paragraph_close", "p", -1)]
    return kept


def _unlink_other_schemes(tokens: Sequence[Any]) -> None:
    """Empties links of other schemes than `SCHEMES`: a click may start whatever program is registered for one."""
    for token in tokens:
        href = str(token.attrs.get("href", ""))
        if token.type == "link_open" and href.partition(":")[0].lower() not in SCHEMES:
            token.attrs["href"] = ""
        _unlink_other_schemes(token.children or ())


class NotesPanel(VerticalScroll, can_focus=True):
    """Notes beside the picture, drawn from `begin` on, after the first frame; a click or enter edits them."""

    class Wanted(Message):
        """The notes are to be edited."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._notes = ""
        self._begun = False

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def begin(self) -> None:
        """Draws the notes from now on."""
        self._begun = True
        self._say_notes()

    def present(self, state: State) -> None:
        """Shows the notes of a state, without a question that its own line shows whole."""
        rest, question = split_notes(state.document.experiment.notes)
        self.show(rest if is_whole(question) else state.document.experiment.notes)

    def show(self, notes: str) -> None:
        """Shows other notes."""
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
            head = Text.assemble(("Notes", f"bold {inks.text.hex}"), ("  n edits", inks.muted.hex))
            self.query_one(Static).update(Group(head, rendered(self._notes, inks)))

    def on_click(self) -> None:
        self.post_message(self.Wanted())

    def on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            self.post_message(self.Wanted())
