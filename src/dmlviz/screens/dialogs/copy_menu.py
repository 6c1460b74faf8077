"""Asks what to copy as text."""

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


class CopyMenu(Dialog[str | None]):
    """What to copy; one of the names."""

    BINDINGS = [Binding("escape", "dismiss(None)", "Cancel", id="copy.cancel")]

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
                yield Button("Copy (enter)", id="clipboard", compact=True, action="screen.chosen")
                yield Button("Cancel (esc)", id="cancel", compact=True, action="screen.dismiss(None)")

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = 0

    @on(OptionList.OptionSelected)
    def _copy_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_chosen()

    def action_chosen(self) -> None:
        number = self.query_one(OptionList).highlighted
        if number is not None:
            self.dismiss(list(self._choices)[number])
