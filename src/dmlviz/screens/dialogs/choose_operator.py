"""Choose an operator."""

from __future__ import annotations

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from ...session.new_experiments import choices
from .dialog import Dialog


class ChooseOperator(Dialog[str | None]):
    """The operators with a sentence for each; the type of the one that was chosen, or None."""

    BINDINGS = [Binding("escape", "dismiss(None)", "Cancel", id="new.cancel")]

    def __init__(self, question: str, kind: str) -> None:
        super().__init__()
        self._question, self._kind = question, kind

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(self._question, classes="question")
            yield OptionList(
                *(Option(Text.assemble((name, "bold"), f"\n{title}"), id=kind) for kind, name, title in choices()),
                id="operators",
            )
            yield Label("↑ ↓ choose · enter or a click begins with an example · esc cancels", classes="hint")

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = [kind for kind, _, _ in choices()].index(self._kind)

    @on(OptionList.OptionSelected)
    def _close_with_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(event.option_id)
