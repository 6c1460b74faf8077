"""Asks what to copy as text, and whether it goes to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Label, OptionList
from textual.widgets.option_list import Option

from ...widgets.browse_list import BrowseList
from .dialog import Dialog

if TYPE_CHECKING:
    pass


class CopyMenu(Dialog[tuple[str, bool] | None]):
    """What to copy, and whether it goes to a file; `found` maps a name to a sentence about it."""

    CSS_PATH = "dialog.tcss"
    BINDINGS = [
        Binding("escape", "dismiss(None)", "Cancel", id="copy.cancel"),
        Binding("f", "chosen(True)", "To a file", id="copy.file"),
    ]

    def __init__(self, found: dict[str, str]) -> None:
        super().__init__()
        self._found = found

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label("Copy as text", classes="question")
            yield BrowseList(
                *(
                    Option(Text.assemble((what.capitalize(), "bold"), f"\n{about}"))
                    for what, about in self._found.items()
                ),
                id="copies",
            )
            with Horizontal(classes="buttons flow"):
                yield Button("To the clipboard (enter)", id="clipboard", compact=True)
                yield Button("To a file (f)", id="file", compact=True)
                yield Button("Cancel (esc)", id="cancel", compact=True)

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = 0

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_chosen(False)

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.id == "cancel":
            self.dismiss(None)
        else:
            self.action_chosen(event.button.id == "file")

    def action_chosen(self, to_file: bool) -> None:
        number = self.query_one(OptionList).highlighted
        if number is not None:
            self.dismiss((list(self._found)[number], to_file))
