"""The keys in front of a class, made from the bindings themselves."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import Label, Static

from ...teaching.words.catalogue import sentence
from ...widgets.lib.commands import keyboard_names
from ...widgets.lib.inks import inks_of
from ..dialogs.dialog import Dialog


class KeyList(Dialog[None]):
    """Every key with what it does. A clicker closes it, too: whoever has nothing else is never held up."""

    CSS_PATH = "../dialogs/dialog.tcss"
    BINDINGS = [
        Binding(
            "escape,question_mark,q,enter,space,pagedown,pageup",
            "dismiss",
            "Close",
            show=False,
            priority=True,
            id="present-keys.close",
        )
    ]

    def __init__(self, bindings: Iterable[Binding]) -> None:
        super().__init__()
        self._rows: dict[str, list[str]] = {}
        """The keys of each thing that they do."""
        for binding in bindings:
            if binding.id:  # Textual's own have none
                self._rows.setdefault(binding.description, []).append(keyboard_names(binding.key))

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog keys"):
            yield Label("In front of a class", classes="question")
            yield Static(self._text())
            yield Label(sentence("help.closes"), classes="hint")

    def on_click(self) -> None:
        self.dismiss()

    def _text(self) -> Text:
        inks = inks_of(self.app.theme_variables, "surface")
        text = Text()
        for description, keys in self._rows.items():
            text.append(f"{' '.join(keys):>10}  ", f"bold {inks.accent.hex}")
            text.append(f"{description}\n", inks.text.hex)
        return text
