"""Asks what to copy as text, and whether it goes to a file."""

from __future__ import annotations

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Label, OptionList
from textual.widgets.option_list import Option

from ...widgets.lib.browse_list import BrowseList
from .dialog import Dialog


class CopyMenu(Dialog[tuple[str, bool] | None]):
    """What to copy, and whether it goes to a file."""

    BINDINGS = [
        Binding("escape", "dismiss(None)", "Cancel", id="copy.cancel"),
        Binding("f", "chosen(True)", "To a file", id="copy.file"),
    ]

    def __init__(self, choices: dict[str, str]) -> None:
        """`choices` maps a name to a sentence about it."""
        super().__init__()
        self._choices = choices

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label("Copy as text", classes="question")
            yield BrowseList(
                *(
                    Option(Text.assemble((what.capitalize(), "bold"), f"\n{about}"))
                    for what, about in self._choices.items()
                ),
                id="copies",
            )
            with Horizontal(classes="buttons flow"):
                yield Button("To the clipboard (enter)", id="clipboard", compact=True, action="screen.chosen(False)")
                yield Button("To a file (f)", id="file", compact=True, action="screen.chosen(True)")
                yield Button("Cancel (esc)", id="cancel", compact=True, action="screen.dismiss(None)")

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = 0

    @on(OptionList.OptionSelected)
    def _copy_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_chosen(False)

    def action_chosen(self, to_file: bool) -> None:
        number = self.query_one(OptionList).highlighted
        if number is not None:
            self.dismiss((list(self._choices)[number], to_file))
